//! A differential test: one random model against every component that must agree about it.
//!
//! The text is parsed, lowered and verified; printed, it reads back as the same model; the reference explorer and the
//! fast path, breadth-first and depth-first, have the same counts and give the same verdicts; an invariant is
//! violated exactly where the reference semantics finds a state that fails it.

use std::collections::VecDeque;

use checker::naive::{self, NaiveCounts};
use checker::{QueryKind, Question, Report, SearchOrder, Verdict};
use frontend::interpret::{Bounds, FaultClass, State, evaluate_in_state, starts, successors};
use frontend::lower::LowerOptions;
use frontend::model::print::print;
use frontend::model::spans::{properties_without_spans, without_spans};
use frontend::model::{Model, PropertyKind, PropertySet, Value};
use rustc_hash::FxHashSet;

use crate::harness::{check, messages, read_model, read_properties, replays};
use crate::panics::caught;

/// Bounds small enough for models that are endless on purpose.
pub const BOUNDS: Bounds = Bounds { max_rebecs: 3, max_statements: 2_000, max_calls: 200, max_work: 50_000 };

/// Models with more states are not compared.
pub const MAX_STATES: usize = 3_000;

/// The components that disagree.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Disagreement {
    /// The frontend refuses a well-typed text.
    Rejected,
    /// The printed model reads back as another one.
    Printing,
    /// The counts of the fast path differ from those of the reference.
    Counts,
    /// A verdict is not the one that the reference gives.
    Verdicts,
    /// A counterexample does not replay.
    Replay,
    /// Something panicked.
    Panic,
}

/// The compared results, for the statistics.
#[derive(Debug)]
pub struct Compared {
    /// The model.
    pub model: Model,
    /// The counts of the reference.
    pub counts: NaiveCounts,
    /// Whether the state space was explored as far as its bounds allow, below [`MAX_STATES`].
    pub is_whole: bool,
    /// The verdicts about invariants.
    pub invariants: Vec<Verdict>,
}

/// Compares everything about one text.
///
/// # Errors
/// The disagreement, with its details.
pub fn compare(text: &str, properties: Option<&str>) -> Result<Compared, (Disagreement, String)> {
    caught(|| compare_all(text, properties)).unwrap_or_else(|panic| Err((Disagreement::Panic, panic)))
}

fn compare_all(text: &str, properties: Option<&str>) -> Result<Compared, (Disagreement, String)> {
    let (model, set) = read(text, properties).map_err(|message| (Disagreement::Rejected, message))?;
    prints(&model, &set).map_err(|message| (Disagreement::Printing, message))?;
    let counts = naive::explore(&model, &BOUNDS, MAX_STATES);
    if counts.states > MAX_STATES as u64 {
        return Ok(Compared { model, counts, is_whole: false, invariants: Vec::new() });
    }
    let states = if set.properties.is_empty() { FxHashSet::default() } else { reachable(&model) };
    let question = Question { bounds: BOUNDS, properties: set, ..Question::default() };
    let mut invariants = Vec::new();
    for order in [SearchOrder::BreadthFirst, SearchOrder::DepthFirst] {
        let internal = |message| (Disagreement::Replay, message);
        let report = check(&model, &question, order, true).map_err(internal)?;
        let in_order = |message: String| format!("{order:?}: {message}");
        same_counts(&counts, &report).map_err(|message| (Disagreement::Counts, in_order(message)))?;
        let verdicts = same_verdicts(&model, &question, &counts, &states, &report);
        verdicts.map_err(|message| (Disagreement::Verdicts, in_order(message)))?;
        for trace in report.answers.iter().filter_map(|answer| answer.trace.as_ref()) {
            replays(&model, &BOUNDS, trace).map_err(|message| (Disagreement::Replay, in_order(message)))?;
        }
        let first = check(&model, &question, order, false).map_err(internal)?;
        if first.verdict != report.verdict {
            let message = format!("{:?} at the first violation, {:?} on the whole", first.verdict, report.verdict);
            return Err((Disagreement::Verdicts, in_order(message)));
        }
        let requested = report.answers.iter().filter(|answer| answer.kind == QueryKind::Invariant);
        invariants = requested.map(|answer| answer.verdict).collect();
    }
    Ok(Compared { model, counts, is_whole: true, invariants })
}

fn read(text: &str, properties: Option<&str>) -> Result<(Model, PropertySet), String> {
    let (model, found) = read_model(text.as_bytes(), &LowerOptions::default());
    let model = model.ok_or_else(|| messages(&found))?;
    let Some(properties) = properties else { return Ok((model, PropertySet::default())) };
    let (set, found) = read_properties(properties.as_bytes(), &model);
    let set = set.ok_or_else(|| messages(&found))?;
    Ok((model, set))
}

/// Checks that print, parse and lower give the same model and the same properties.
fn prints(model: &Model, set: &PropertySet) -> Result<(), String> {
    let printed = print(model);
    let (again, found) = read_model(printed.as_bytes(), &LowerOptions::default());
    let again = again.ok_or_else(|| format!("the printed model is refused:\n{}{printed}", messages(&found)))?;
    if without_spans(&again) != without_spans(model) {
        return Err(format!("the printed model is another one:\n{printed}"));
    }
    let printed = frontend::model::print::print_properties(model, set);
    if set.properties.is_empty() {
        return Ok(());
    }
    let (again, found) = read_properties(printed.as_bytes(), model);
    let again = again.ok_or_else(|| format!("the printed properties are refused:\n{}{printed}", messages(&found)))?;
    if properties_without_spans(&again) != properties_without_spans(set) {
        return Err(format!("the printed properties are others:\n{printed}"));
    }
    Ok(())
}

/// The reachable states, by the reference semantics only.
fn reachable(model: &Model) -> FxHashSet<State> {
    let mut queue: VecDeque<State> = starts(model, &BOUNDS).filter_map(|start| start.result.ok()).collect();
    let mut seen: FxHashSet<State> = queue.iter().cloned().collect();
    while let Some(state) = queue.pop_front() {
        for next in successors(model, &BOUNDS, &state).into_iter().filter_map(|step| step.result.ok()) {
            if seen.insert(next.clone()) {
                queue.push_back(next);
            }
        }
    }
    seen
}

fn same_counts(counts: &NaiveCounts, report: &Report) -> Result<(), String> {
    let reference = (counts.states, counts.transitions, counts.complete, counts.complete.then_some(counts.deadlocks));
    let found = (report.states, report.transitions, report.complete, report.deadlock_states);
    if found == reference {
        return Ok(());
    }
    Err(format!("(states, transitions, complete, deadlocks) = {found:?}, by the reference {reference:?}"))
}

fn same_verdicts(
    model: &Model,
    question: &Question,
    counts: &NaiveCounts,
    states: &FxHashSet<State>,
    report: &Report,
) -> Result<(), String> {
    let otherwise = if counts.complete { Verdict::Holds } else { Verdict::Inconclusive };
    let verdict = |is_violated| if is_violated { Verdict::Violated } else { otherwise };
    let has = |class| counts.faults.iter().any(|fault| fault.class == class);
    for answer in &report.answers {
        let expected = match answer.kind {
            QueryKind::Deadlock => verdict(counts.deadlocks > 0),
            QueryKind::Overflow => verdict(has(FaultClass::Overflow)),
            QueryKind::Assertion => verdict(has(FaultClass::Assertion)),
            QueryKind::Error => verdict(has(FaultClass::Error)),
            QueryKind::Ltl | QueryKind::Ctl | QueryKind::Cover | QueryKind::Recovery => continue,
            QueryKind::Invariant => {
                let property = question.properties.properties.iter().find(|property| property.name == answer.name);
                let Some(PropertyKind::Invariant(invariant)) = property.map(|property| &property.kind) else {
                    return Err(format!("`{}` is answered, but was not requested", answer.name));
                };
                let holds = |state| evaluate_in_state(model, state, invariant) == Ok(Value::Bool(true));
                verdict(!states.iter().all(holds))
            }
        };
        if answer.verdict != expected {
            let Verdict::Violated = expected else {
                return Err(format!("{}: {:?}, by the reference {expected:?}", answer.name, answer.verdict));
            };
            return Err(format!("{}: {:?} is missed: {:?}", answer.name, answer.verdict, counts.faults));
        }
    }
    Ok(())
}
