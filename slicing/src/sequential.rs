//! Slicing of sequential processes: the cone of influence over variables and summands.
//!
//! A variable or local matters if a property names it, if a summand that stays reads it, or if it decides the value
//! written to one that matters. A summand stays if it writes a variable that matters. Statements that only write other
//! variables are removed, and so are loops and conditionals in which no statement stays. `fail` stays in a summand that
//! stays, together with the conditions that decide it.
//!
//! Soundness: a step of a removed summand changes no variable that matters, and the enabledness of a summand that stays
//! depends only on variables that matter, so both processes reach the same valuations of these variables. A removed
//! statement may have ended a step by a fault, so the slice may have more behaviour, and a violation is lifted to the
//! original. Deadlock is not preserved. If the question includes faults, every statement that may fault stays, with all
//! variables it reads. Further initial states lose the removed variables.
//!
//! Complexity: summands times variables in the worst case, to a fixed point.

use std::collections::BTreeSet;

use frontend::sequential::interpret::{State, initial_states, successors};
use frontend::sequential::trace::{Trace, replay};
use frontend::sequential::{Initial, Property, Sequential, Stmt, StmtKind, Summand, SummandId, VariableId};
use frontend::source::Span;

use crate::reduce::{Alternative, Refused, Removed, RemovedKind, TextPlace, is_safe};

/// The number of initial states that are examined when a run is lifted.
const MOST_STARTS: usize = 100_000;

/// A smaller process.
pub struct SequentialSlice {
    /// The process, with the properties of the question.
    pub model: Sequential,
    /// The removed parts.
    pub removed: Vec<Removed>,
    variables: Vec<Option<VariableId>>,
    summands: Vec<Option<SummandId>>,
}

/// Slices a verified process for properties.
///
/// # Errors
/// A property that is not preserved.
pub fn slice(model: &Sequential, properties: &[Property], faults: bool) -> Result<SequentialSlice, Refused> {
    if let Some(property) = properties.iter().find(|property| !is_safe(&property.kind)) {
        return Err(Refused::unsafe_formula(property));
    }
    if let Some(hold) = model.hold {
        let reason = "a step may be several summands, which are kept together".to_owned();
        let place = TextPlace::Model(model.variables[hold.index()].span);
        return Err(Refused::new(reason, Alternative::Unsliced).at(place));
    }
    let cone = Cone::of(model, properties, faults);
    let variables = numbers(model, &cone);
    assert!(variables.iter().flatten().is_sorted(), "variables that stay keep their order");
    let summands = renumbered(model.summands.len(), |index| cone.summands.contains(&index));
    let summands: Vec<_> = summands.into_iter().map(|id| id.map(SummandId::from_index)).collect();
    assert!(summands.iter().flatten().is_sorted(), "summands that stay keep their order");
    let is_lost = |index: usize, summand: &Summand| !cone.summands.contains(&index) && cone.writes(&summand.body);
    let mut all = model.summands.iter().enumerate();
    debug_assert!(!all.any(|(index, summand)| is_lost(index, summand)), "what is removed writes nothing that stays");
    let mut small = model.clone();
    small.variables = Vec::new();
    small.starts = Vec::new();
    // Deadlock is not asked of a slice.
    small.ends = None;
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
    small.locals = Vec::new();
    for (local, _) in model.locals.iter().zip(&variables[model.variables.len()..]).filter(|(_, map)| map.is_some()) {
        let len = model.len_of(local);
        small.locals.push(frontend::sequential::Variable { offset, ..local.clone() });
        offset += len;
    }
    if small.summands.is_empty() {
        let first = &model.summands[0];
        small.summands.push(Summand::never_enabled(&first.event, first.span));
    }
    small.properties = properties.to_vec();
    for property in &mut small.properties {
        property.kind.rename(|id| renumbered_id(&variables, id));
    }
    // They are expanded where they are used, and may name removed parts.
    small.propositions.clear();
    for start in &model.starts {
        let start = view(model, &variables, start);
        if !small.starts.contains(&start) && !is_initial(&small, &start) {
            small.starts.push(start);
        }
    }
    let fair = |sort| small.summands.iter().any(|summand| summand.parameters.iter().any(|one| one.sort == sort));
    small.fair = small.fair.filter(|&sort| fair(sort));
    let broken = frontend::sequential::verify::verify(&small);
    assert!(broken.is_empty(), "the slice is not well formed: {broken:?}");
    assert!(small.starts.len() <= model.starts.len(), "a slice has no more initial states than its model");
    let removed = removed(model, &cone, &variables, &summands);
    Ok(SequentialSlice { model: small, removed, variables, summands })
}

impl SequentialSlice {
    /// A run of the original that shows the same as a run of the slice without a fault, replayed. `None` if there is
    /// none along the first choices, which happens only if the original faults.
    pub fn lift(&self, model: &Sequential, trace: &Trace) -> Option<Trace> {
        if trace.cycle_from.is_some() || trace.stop().is_some() {
            return None;
        }
        let start =
            initial_states(model).take(MOST_STARTS).find(|state| view(model, &self.variables, state) == trace.start)?;
        let mut states: Vec<State> = vec![start];
        for (step, wanted) in trace.steps.iter().zip(trace.states().skip(1)) {
            let summand = self.summands.iter().position(|map| *map == Some(step.summand))?;
            let from = states.last()?.clone();
            let next = successors(model, &from).into_iter().find_map(|found| {
                let same = found.summand.index() == summand && found.parameters == step.parameters;
                found.result.ok().filter(|state| same && view(model, &self.variables, state) == *wanted)
            })?;
            states.push(next);
        }
        assert_eq!(states.len(), trace.states().count(), "a run is lifted step by step");
        replay(model, &states, None).ok()
    }
}

/// The variables that stay of a state of the original.
fn view(model: &Sequential, variables: &[Option<VariableId>], state: &[i32]) -> Vec<i32> {
    debug_assert_eq!(state.len(), model.state_len(), "a state has every element");
    let stays = model.variables.iter().zip(variables).filter(|(_, map)| map.is_some());
    stays.flat_map(|(variable, _)| state[variable.offset..variable.offset + model.len_of(variable)].to_vec()).collect()
}

/// Whether a state is given by the initial values of the variables.
fn is_initial(model: &Sequential, state: &[i32]) -> bool {
    model.variables.iter().all(|variable| match &variable.initial {
        Initial::Any => true,
        Initial::Values(values) => state[variable.offset..variable.offset + values.len()] == values[..],
    })
}

/// The new numbers of variables, followed by those of locals.
fn numbers(model: &Sequential, cone: &Cone) -> Vec<Option<VariableId>> {
    let all = model.variables.len() + model.locals.len();
    let declared = cone.declared(model);
    let stays = |index: usize| {
        let id = VariableId::from_index(index);
        if index < model.variables.len() { cone.variables.contains(&id) } else { declared.contains(&id) }
    };
    renumbered(all, stays).into_iter().map(|id| id.map(VariableId::from_index)).collect()
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
    /// Whether statements stay irrespective of the variables they write.
    whole: bool,
}

impl Cone {
    fn of(model: &Sequential, properties: &[Property], faults: bool) -> Cone {
        let mut cone = Cone { variables: BTreeSet::new(), summands: BTreeSet::new(), whole: faults };
        properties.iter().flat_map(Property::atoms).for_each(|atom| atom.add_variables(&mut cone.variables));
        loop {
            let before = (cone.variables.len(), cone.summands.len());
            for (index, summand) in model.summands.iter().enumerate() {
                if faults || cone.writes(&summand.body) {
                    cone.summands.insert(index);
                    summand.guard.add_variables(&mut cone.variables);
                    summand.arguments.iter().for_each(|argument| argument.add_variables(&mut cone.variables));
                    cone.add(&summand.body);
                }
            }
            if (cone.variables.len(), cone.summands.len()) == before {
                break;
            }
        }
        cone
    }

    /// Whether some statement writes a variable that matters. The values of locals are discarded after the step.
    fn writes(&self, body: &[Stmt]) -> bool {
        let mut writes = |statement: &Stmt| match &statement.kind {
            StmtKind::Assign(place, _) => self.whole || self.variables.contains(&place.variable),
            _ => self.whole,
        };
        body.iter().any(|statement| statement.any(&mut writes))
    }

    /// Whether a statement of a summand that stays is kept.
    fn stays(&self, statement: &Stmt) -> bool {
        let is_kept = |one: &Stmt| {
            matches!(one.kind, StmtKind::Fail(_)) || one.target().is_some_and(|id| self.variables.contains(id))
        };
        self.whole || statement.any(&mut |one| is_kept(one))
    }

    /// The locals whose declarations stay.
    fn declared(&self, model: &Sequential) -> BTreeSet<VariableId> {
        let mut found = BTreeSet::new();
        let mut add = |statement: &Stmt| {
            if let StmtKind::Var(id, _) = &statement.kind
                && self.stays(statement)
            {
                found.insert(*id);
            }
        };
        let bodies = self.summands.iter().flat_map(|&summand| &model.summands[summand].body);
        bodies.for_each(|statement| statement.visit(&mut add));
        found
    }

    fn add(&mut self, body: &[Stmt]) {
        for statement in body {
            if !self.stays(statement) {
                continue;
            }
            self.variables.extend(statement.target());
            statement.expressions().into_iter().for_each(|expr| expr.add_variables(&mut self.variables));
            statement.blocks().into_iter().for_each(|inner| self.add(inner));
        }
    }

    fn summand(&self, summand: &Summand, variables: &[Option<VariableId>]) -> Summand {
        let mut new = summand.clone();
        self.prune(&mut new.body);
        new.rename(|id| renumbered_id(variables, id));
        new
    }

    fn prune(&self, body: &mut Vec<Stmt>) {
        body.retain(|statement| self.stays(statement));
        body.iter_mut().flat_map(Stmt::blocks_mut).for_each(|inner| self.prune(inner));
    }
}

fn renumbered_id(variables: &[Option<VariableId>], id: VariableId) -> VariableId {
    variables[id.index()].expect("what is read, written or declared stays")
}

fn removed(
    model: &Sequential,
    cone: &Cone,
    variables: &[Option<VariableId>],
    summands: &[Option<SummandId>],
) -> Vec<Removed> {
    const NOTHING: &str = "no criterion depends on it";
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
