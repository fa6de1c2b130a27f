//! The values that a variable may have in reachable states, from the text.
//!
//! One set per variable: its initial values, and the values of everything that is assigned to it. Parameters have all values of their
//! sort, computed values all that the variable can hold.
//!
//! # Soundness
//!
//! Errs towards more values: a least fixed point that ignores guards and indices.

use frontend::sequential::{Domain, Expr, ExprKind, Initial, Sequential, SortId, Stmt, StmtKind, Variable, VariableId};
use rustc_hash::FxHashSet;

/// The values of one variable.
#[derive(Clone, Default)]
struct Known {
    whole: bool,
    values: FxHashSet<i32>,
}

/// The live values of each variable, ascending; those of wide variables are not listed.
pub(super) struct Live {
    of: Vec<Vec<i32>>,
}

/// A flow into a variable.
enum Source {
    Value(i32),
    Sort(SortId),
    Variable(VariableId),
    Anything,
}

impl Live {
    /// The live values of a process.
    pub(super) fn new(model: &Sequential) -> Live {
        let count = model.variables.len() + model.locals.len();
        let mut known: Vec<Known> = vec![Known::default(); count];
        for (known, variable) in known.iter_mut().zip(&model.variables) {
            match &variable.initial {
                Initial::Any => known.whole = true,
                Initial::Values(values) => known.values.extend(values),
            }
            let range = variable.offset..variable.offset + model.len_of(variable);
            model.starts.iter().for_each(|start| known.values.extend(&start[range.clone()]));
        }
        let mut flows: Vec<(VariableId, Source)> = Vec::new();
        for summand in &model.summands {
            let mut scope: Vec<SortId> = summand.parameters.iter().map(|parameter| parameter.sort).collect();
            block(&summand.body, &mut scope, &mut flows);
        }
        let mut grows = true;
        while grows {
            grows = false;
            for (target, source) in &flows {
                grows |= flow(model, &mut known, *target, source);
            }
        }
        let of = model.variables.iter().zip(known).map(|(variable, known)| {
            let domain = model.domain(variable.sort);
            match (csp::is_wide(domain), known.whole) {
                (true, _) => Vec::new(),
                (false, true) => domain.values().collect(),
                (false, false) => domain.values().filter(|value| known.values.contains(value)).collect(),
            }
        });
        let of: Vec<Vec<i32>> = of.collect();
        let has_values =
            |(variable, live): (&Variable, &Vec<i32>)| csp::is_wide(model.domain(variable.sort)) || !live.is_empty();
        debug_assert!(model.variables.iter().zip(&of).all(has_values), "a variable has a value");
        Live { of }
    }

    /// All values of each variable.
    pub(super) fn whole(model: &Sequential) -> Live {
        let domains = model.variables.iter().map(|variable| model.domain(variable.sort));
        let of = |domain: &Domain| if csp::is_wide(domain) { Vec::new() } else { domain.values().collect() };
        Live { of: domains.map(of).collect() }
    }

    /// The live values of a variable that is not wide.
    pub(super) fn of(&self, variable: VariableId) -> &[i32] {
        &self.of[variable.index()]
    }

    /// The live values of each element; for a wide one its least value.
    pub(super) fn elements(&self, model: &Sequential) -> Vec<Vec<i32>> {
        let list = model.variables.iter().zip(&self.of).flat_map(|(variable, values)| {
            let domain = model.domain(variable.sort);
            let own = if csp::is_wide(domain) { vec![domain.bounds().0] } else { values.clone() };
            std::iter::repeat_n(own, model.len_of(variable))
        });
        let list: Vec<Vec<i32>> = list.collect();
        debug_assert_eq!(list.len(), model.state_len(), "every element has its values");
        list
    }
}

/// Adds the values of a source to a variable; whether there are new ones.
fn flow(model: &Sequential, known: &mut [Known], target: VariableId, source: &Source) -> bool {
    let domain = model.domain(model.variable(target).sort);
    if known[target.index()].whole {
        return false;
    }
    let added: Vec<i32> = match source {
        Source::Value(value) => vec![*value],
        Source::Sort(sort) if !covers(model.domain(*sort), domain) && !csp::is_wide(model.domain(*sort)) => {
            model.domain(*sort).values().collect()
        }
        Source::Variable(from) if !known[from.index()].whole => known[from.index()].values.iter().copied().collect(),
        Source::Variable(from) => {
            let own = model.domain(model.variable(*from).sort);
            if covers(own, domain) || csp::is_wide(own) {
                known[target.index()].whole = true;
                return true;
            }
            own.values().collect()
        }
        Source::Sort(_) | Source::Anything => {
            known[target.index()].whole = true;
            return true;
        }
    };
    let own = &mut known[target.index()].values;
    let before = own.len();
    own.extend(added.into_iter().filter(|&value| domain.contains(value)));
    own.len() > before
}

/// Whether a domain has all values of another one.
fn covers(domain: &Domain, other: &Domain) -> bool {
    let ((low, high), (least, greatest)) = (domain.bounds(), other.bounds());
    low <= least && greatest <= high
}

fn block(body: &[Stmt], scope: &mut Vec<SortId>, flows: &mut Vec<(VariableId, Source)>) {
    for stmt in body {
        match &stmt.kind {
            StmtKind::Assign(place, value) => sources(value, scope, place.variable, flows),
            StmtKind::Var(id, value) => sources(value, scope, *id, flows),
            StmtKind::If(_, then, otherwise) => {
                block(then, scope, flows);
                block(otherwise, scope, flows);
            }
            StmtKind::For(parameter, body) => {
                scope.push(parameter.sort);
                block(body, scope, flows);
                scope.pop();
            }
            StmtKind::While(_, body) => block(body, scope, flows),
            StmtKind::Fail(_) => {}
        }
    }
}

fn sources(expr: &Expr, scope: &[SortId], target: VariableId, flows: &mut Vec<(VariableId, Source)>) {
    match &expr.kind {
        ExprKind::Int(value) => flows.push((target, Source::Value(*value))),
        ExprKind::Member(_, value) => {
            flows.push((target, Source::Value(i32::try_from(*value).expect("enumerations are bounded"))));
        }
        ExprKind::Parameter(id) => flows.push((target, Source::Sort(scope[id.index()]))),
        ExprKind::Read(place) => flows.push((target, Source::Variable(place.variable))),
        ExprKind::Ite(_, then, otherwise) => {
            sources(then, scope, target, flows);
            sources(otherwise, scope, target, flows);
        }
        _ => flows.push((target, Source::Anything)),
    }
}
