//! Slicing of sequential processes: the cone of influence over variables and summands.
//!
//! A variable matters if a property names it, if a summand that stays reads it, or if it decides what is written to one
//! that matters. A summand stays if it writes something that matters. Statements that only write other variables go.
//!
//! Soundness: a step of a summand that goes changes nothing that matters, and a summand that stays is enabled by what
//! matters alone, so both processes reach the same valuations of it. Deadlock is not preserved. Where faults are asked,
//! every summand stays that may have one, with all it reads.
//!
//! Complexity: summands times variables in the worst case, to a fixed point.

use std::collections::BTreeSet;

use frontend::sequential::interpret::{State, initial_states, successors};
use frontend::sequential::trace::{Trace, replay};
use frontend::sequential::{
    Expr, ExprKind, Property, PropertyKind, Sequential, Stmt, StmtKind, Summand, SummandId, VariableId,
};
use frontend::source::Span;

use crate::reduce::{Refused, Removed, RemovedKind, is_safe};

/// Why some statements do not occur.
const NOT_PLAIN: &str = "processes that are not plain are refused";

/// How many initial states are looked at when a run is brought back.
const MOST_STARTS: usize = 100_000;

/// A smaller process.
pub struct SequentialSlice {
    /// The process, with the properties asked.
    pub model: Sequential,
    /// What went.
    pub removed: Vec<Removed>,
    variables: Vec<Option<VariableId>>,
    summands: Vec<Option<SummandId>>,
}

/// Slices a verified process for properties.
///
/// # Errors
/// A property that is not preserved, or a process that is not [plain](Sequential::is_plain).
pub fn slice(model: &Sequential, properties: &[Property], faults: bool) -> Result<SequentialSlice, Refused> {
    if let Some(property) = properties.iter().find(|property| !is_safe(&property.kind)) {
        let reason =
            format!("`{}` is not a safety property without X: what is removed may run for ever", property.name);
        return Err(Refused::new(reason, "ask it without slicing"));
    }
    if !model.is_plain() {
        let reason = "the process has locals, loops, `fail` or several `init`".to_owned();
        return Err(Refused::new(reason, "check it without slicing"));
    }
    let cone = Cone::of(model, properties, faults);
    let variables = renumbered(model.variables.len(), |index| cone.variables.contains(&VariableId::from_index(index)));
    let variables: Vec<_> = variables.into_iter().map(|id| id.map(VariableId::from_index)).collect();
    let summands = renumbered(model.summands.len(), |index| cone.summands.contains(&index));
    let summands: Vec<_> = summands.into_iter().map(|id| id.map(SummandId::from_index)).collect();
    let mut small = model.clone();
    small.variables = Vec::new();
    let mut offset = 0;
    for (variable, map) in model.variables.iter().zip(&variables) {
        if map.is_some() {
            let len = model.len_of(variable);
            small.variables.push(frontend::sequential::Variable { offset, ..variable.clone() });
            offset += len;
        }
    }
    let stays = model.summands.iter().zip(&summands).filter(|(_, map)| map.is_some());
    small.summands = stays.map(|(summand, _)| cone.summand(summand, &variables)).collect();
    small.properties = properties.to_vec();
    for property in &mut small.properties {
        match &mut property.kind {
            PropertyKind::Invariant(expr) => renumber(expr, &variables),
            PropertyKind::Ltl(formula) => atoms_mut(formula, &variables),
        }
    }
    // They are expanded where they are used, and may name what went.
    small.propositions.clear();
    let fair = |sort| small.summands.iter().any(|summand| summand.parameters.iter().any(|one| one.sort == sort));
    small.fair = small.fair.filter(|&sort| fair(sort));
    let broken = frontend::sequential::verify::verify(&small);
    assert!(broken.is_empty(), "the slice is not well formed: {broken:?}");
    let removed = removed(model, &cone, &variables, &summands);
    Ok(SequentialSlice { model: small, removed, variables, summands })
}

impl SequentialSlice {
    /// The variables that stay of a state of the original.
    fn view(&self, model: &Sequential, state: &[i32]) -> Vec<i32> {
        let stays = model.variables.iter().zip(&self.variables).filter(|(_, map)| map.is_some());
        stays
            .flat_map(|(variable, _)| state[variable.offset..variable.offset + model.len_of(variable)].to_vec())
            .collect()
    }

    /// A run of the original that shows the same as a run of the slice without a fault, replayed; `None` if there is none
    /// along the first choices, which happens only where the original faults.
    pub fn lift(&self, model: &Sequential, trace: &Trace) -> Option<Trace> {
        if trace.cycle_from.is_some() || trace.stop().is_some() {
            return None;
        }
        let start = initial_states(model).take(MOST_STARTS).find(|state| self.view(model, state) == trace.start)?;
        let mut states: Vec<State> = vec![start];
        for (step, wanted) in trace.steps.iter().zip(trace.states().skip(1)) {
            let summand = self.summands.iter().position(|map| *map == Some(step.summand))?;
            let from = states.last()?.clone();
            let next = successors(model, &from).into_iter().find_map(|found| {
                let same = found.summand.index() == summand && found.parameters == step.parameters;
                found.result.ok().filter(|state| same && self.view(model, state) == *wanted)
            })?;
            states.push(next);
        }
        replay(model, &states, None).ok()
    }
}

fn renumbered(count: usize, stays: impl Fn(usize) -> bool) -> Vec<Option<usize>> {
    let mut next = 0;
    let one = |index| {
        stays(index).then(|| {
            next += 1;
            next - 1
        })
    };
    (0..count).map(one).collect()
}

struct Cone {
    variables: BTreeSet<VariableId>,
    summands: BTreeSet<usize>,
    /// Keep statements whatever they write.
    whole: bool,
}

impl Cone {
    fn of(model: &Sequential, properties: &[Property], faults: bool) -> Cone {
        let mut cone = Cone { variables: BTreeSet::new(), summands: BTreeSet::new(), whole: faults };
        for property in properties {
            match &property.kind {
                PropertyKind::Invariant(expr) => reads(expr, &mut cone.variables),
                PropertyKind::Ltl(formula) => {
                    formula.atoms().into_iter().for_each(|atom| reads(atom, &mut cone.variables));
                }
            }
        }
        loop {
            let before = (cone.variables.len(), cone.summands.len());
            for (index, summand) in model.summands.iter().enumerate() {
                if faults || cone.writes(&summand.body) {
                    cone.summands.insert(index);
                    reads(&summand.guard, &mut cone.variables);
                    summand.arguments.iter().for_each(|argument| reads(argument, &mut cone.variables));
                    cone.add(&summand.body);
                }
            }
            if (cone.variables.len(), cone.summands.len()) == before {
                break;
            }
        }
        if cone.summands.is_empty() {
            // A process has a summand: the first, which changes nothing that matters.
            cone.summands.insert(0);
            reads(&model.summands[0].guard, &mut cone.variables);
            model.summands[0].arguments.iter().for_each(|argument| reads(argument, &mut cone.variables));
        }
        cone
    }

    /// Whether some statement writes what matters.
    fn writes(&self, body: &[Stmt]) -> bool {
        body.iter().any(|statement| self.stays(statement))
    }

    fn stays(&self, statement: &Stmt) -> bool {
        self.whole
            || match &statement.kind {
                StmtKind::Assign(place, _) => self.variables.contains(&place.variable),
                StmtKind::If(_, then, otherwise) => self.writes(then) || self.writes(otherwise),
                StmtKind::Var(..) | StmtKind::For(..) | StmtKind::While(..) | StmtKind::Fail(_) => {
                    unreachable!("{NOT_PLAIN}")
                }
            }
    }

    fn add(&mut self, body: &[Stmt]) {
        for statement in body {
            if !self.stays(statement) {
                continue;
            }
            match &statement.kind {
                StmtKind::Assign(place, value) => {
                    self.variables.insert(place.variable);
                    place.indices.iter().for_each(|index| reads(index, &mut self.variables));
                    reads(value, &mut self.variables);
                }
                StmtKind::If(condition, then, otherwise) => {
                    reads(condition, &mut self.variables);
                    self.add(then);
                    self.add(otherwise);
                }
                StmtKind::Var(..) | StmtKind::For(..) | StmtKind::While(..) | StmtKind::Fail(_) => {
                    unreachable!("{NOT_PLAIN}")
                }
            }
        }
    }

    fn summand(&self, summand: &Summand, variables: &[Option<VariableId>]) -> Summand {
        let mut new = summand.clone();
        renumber(&mut new.guard, variables);
        new.arguments.iter_mut().for_each(|argument| renumber(argument, variables));
        new.body = self.body(&summand.body, variables);
        new
    }

    fn body(&self, body: &[Stmt], variables: &[Option<VariableId>]) -> Vec<Stmt> {
        let stays = body.iter().filter(|statement| self.stays(statement));
        stays
            .map(|statement| {
                let kind = match &statement.kind {
                    StmtKind::Assign(place, value) => {
                        let (mut place, mut value) = (place.clone(), value.clone());
                        place.variable = variables[place.variable.index()].expect("what is written stays");
                        place.indices.iter_mut().for_each(|index| renumber(index, variables));
                        renumber(&mut value, variables);
                        StmtKind::Assign(place, value)
                    }
                    StmtKind::If(condition, then, otherwise) => {
                        let mut condition = condition.clone();
                        renumber(&mut condition, variables);
                        StmtKind::If(condition, self.body(then, variables), self.body(otherwise, variables))
                    }
                    StmtKind::Var(..) | StmtKind::For(..) | StmtKind::While(..) | StmtKind::Fail(_) => {
                        unreachable!("{NOT_PLAIN}")
                    }
                };
                Stmt { kind, span: statement.span }
            })
            .collect()
    }
}

fn reads(expr: &Expr, into: &mut BTreeSet<VariableId>) {
    if let ExprKind::Read(place) = &expr.kind {
        into.insert(place.variable);
    }
    expr.operands().into_iter().for_each(|operand| reads(operand, into));
}

fn renumber(expr: &mut Expr, variables: &[Option<VariableId>]) {
    if let ExprKind::Read(place) = &mut expr.kind {
        place.variable = variables[place.variable.index()].expect("what is read stays");
    }
    expr.operands_mut().into_iter().for_each(|operand| renumber(operand, variables));
}

fn atoms_mut(formula: &mut frontend::sequential::Formula, variables: &[Option<VariableId>]) {
    match formula {
        frontend::sequential::Formula::Atom(atom) => renumber(atom, variables),
        _ => formula.operands_mut().into_iter().for_each(|inner| atoms_mut(inner, variables)),
    }
}

fn removed(
    model: &Sequential,
    cone: &Cone,
    variables: &[Option<VariableId>],
    summands: &[Option<SummandId>],
) -> Vec<Removed> {
    const NOTHING: &str = "nothing that is asked depends on it";
    let mut out = Vec::new();
    let mut add = |kind, name: String, span: Span| out.push(Removed { kind, name, span, reason: NOTHING });
    for (variable, map) in model.variables.iter().zip(variables) {
        if map.is_none() {
            add(RemovedKind::Variable, variable.name.clone(), variable.span);
        }
    }
    for (summand, map) in model.summands.iter().zip(summands) {
        match map {
            None => add(RemovedKind::Summand, summand.event.clone(), summand.span),
            Some(_) => {
                for statement in summand.body.iter().filter(|statement| !cone.stays(statement)) {
                    add(RemovedKind::Statement, summand.event.clone(), statement.span);
                }
            }
        }
    }
    out.sort_by_key(|one| (one.span.start, one.span.end));
    out
}
