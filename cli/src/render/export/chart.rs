//! A message sequence chart as data: lanes, rows, and for each step the step that sent its message.
//!
//! A lane is a rebec, a row a step. Queues are first-in first-out, so the changes of the trace determine for every
//! served message the step that sent it: each queue is replayed as a queue of origins. Other languages have no messages, and a lane for
//! each process that moves, or one lane where steps belong to no process. The middle of long traces is left out, and lanes past a number of
//! them become one.
//!
//! Invariants: lanes are in the order of the model, those of created rebecs after them; `rows` are in the order of the
//! trace; an [`Origin::Step`] names an earlier step.
//!
//! Complexity: linear in the changes of the trace.

use std::collections::{HashMap, VecDeque};

use serde_json::Value as Json;

use super::read::shown;
use crate::trace_file::{ChangeFile, MessageFile, StepFile, TraceFile, VALUE};

/// The most steps of a chart at each end.
const MOST_STEPS: usize = 150;

/// The most lanes of processes.
const MOST_LANES: usize = 40;

/// The lane of steps that belong to no process.
const ONLY_LANE: &str = "process";

/// The lane of steps that belong to no process, next to those of processes.
const NO_LANE: &str = "no process";

/// The lane of the processes that have none.
const OTHER_LANE: &str = "other processes";

/// A chart.
#[derive(Clone, Default, Debug)]
pub(crate) struct Chart {
    /// The names of the lanes.
    pub(crate) lanes: Vec<String>,
    /// The rows.
    pub(crate) rows: Vec<Row>,
    /// Messages that no rebec served.
    pub(crate) waiting: Vec<Waiting>,
    /// The number of steps before the part that repeats, of a lasso.
    pub(crate) cycle_from: Option<usize>,
    /// The fault of the last step.
    pub(crate) fault: Option<String>,
}

/// A row.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Row {
    /// A step.
    Step(StepRow),
    /// So many steps are left out here.
    Gap(usize),
}

/// A step.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct StepRow {
    /// Its number, from 1.
    pub(crate) number: usize,
    /// The lane that serves.
    pub(crate) lane: usize,
    /// The message with its arguments.
    pub(crate) label: String,
    /// The origin of the message; absent in a sequential process.
    pub(crate) origin: Option<Origin>,
    /// The choices and the changes.
    pub(crate) notes: Vec<String>,
}

/// The origin of a message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Origin {
    /// It was present at the start; the lane of its sender.
    Start(usize),
    /// The step of this number sent it, on this lane.
    Step(usize, usize),
}

/// A message that was not served.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Waiting {
    /// Its origin.
    pub(crate) origin: Origin,
    /// The lane of its queue.
    pub(crate) lane: usize,
    /// The message with its arguments.
    pub(crate) label: String,
}

impl Chart {
    /// The chart of a trace.
    pub(crate) fn new(trace: &TraceFile) -> Chart {
        let mut builder = Builder::default();
        builder.start(trace.start.state.as_ref());
        builder.processes(&trace.steps);
        let mut rows: Vec<Row> = Vec::with_capacity(trace.steps.len());
        for (index, step) in trace.steps.iter().enumerate() {
            limits::work(VALUE * (1 + step.changes.len() + step.choices.len()) as u64);
            rows.push(Row::Step(builder.step(index + 1, step)));
        }
        if rows.len() > 2 * MOST_STEPS + 1 {
            let left_out = rows.len() - 2 * MOST_STEPS;
            rows.splice(MOST_STEPS..MOST_STEPS + left_out, [Row::Gap(left_out)]);
        }
        let waiting = if trace.fault.is_some() { Vec::new() } else { builder.waiting() };
        let fault = trace.fault.as_ref().map(|fault| match fault.line {
            Some(line) => format!("{} (line {line})", fault.message),
            None => fault.message.clone(),
        });
        let lanes = builder.lanes.len();
        debug_assert!(rows.iter().filter_map(Row::lane).all(|lane| lane < lanes), "every step has its lane");
        Chart { lanes: builder.lanes, rows, waiting, cycle_from: trace.cycle_from, fault }
    }
}

/// The lanes and the queues so far.
#[derive(Default)]
struct Builder {
    lanes: Vec<String>,
    known: HashMap<String, usize>,
    queues: Vec<VecDeque<(Origin, String)>>,
    /// Whether there are lanes of rebecs or processes.
    has_processes: bool,
}

impl Builder {
    fn lane(&mut self, name: &str) -> usize {
        if let Some(&lane) = self.known.get(name) {
            return lane;
        }
        self.lanes.push(name.to_owned());
        self.queues.push(VecDeque::new());
        self.known.insert(name.to_owned(), self.lanes.len() - 1);
        self.lanes.len() - 1
    }

    fn start(&mut self, state: Option<&Json>) {
        let rebecs = state.and_then(Json::as_object).into_iter().flatten();
        let rebecs: Vec<(&String, &Vec<Json>)> =
            rebecs.filter_map(|(name, rebec)| Some((name, rebec.get("queue")?.as_array()?))).collect();
        for (name, _) in &rebecs {
            self.lane(name);
        }
        for (name, queue) in rebecs {
            let lane = self.lane(name);
            for message in queue {
                let Ok(message) = serde_json::from_value::<MessageFile>(message.clone()) else { continue };
                let origin = Origin::Start(self.lane(&message.sender));
                self.queues[lane].push_back((origin, call(&message.message, &message.arguments)));
            }
        }
    }

    /// Lanes in the order of the names of processes, numbers by value, as far as there are lanes.
    fn processes(&mut self, steps: &[StepFile]) {
        let mut names: Vec<&String> = steps.iter().filter_map(|step| step.processes.first()).collect();
        names.sort_by_key(|name| {
            let at = name.rfind(|c: char| !c.is_ascii_digit()).map_or(0, |at| at + 1);
            let (stem, number) = name.split_at(name.ceil_char_boundary(at));
            (stem, number.parse::<u64>().unwrap_or(0))
        });
        names.dedup();
        for name in names.into_iter().take(MOST_LANES) {
            self.lane(name);
        }
        self.has_processes = !self.lanes.is_empty();
    }

    fn process_lane(&mut self, step: &StepFile) -> usize {
        match step.processes.first() {
            Some(process) if self.known.contains_key(process) => self.lane(process),
            Some(_) => self.lane(OTHER_LANE),
            None if self.has_processes => self.lane(NO_LANE),
            None => self.lane(ONLY_LANE),
        }
    }

    fn step(&mut self, number: usize, step: &StepFile) -> StepRow {
        let lane = match &step.rebec {
            Some(rebec) => self.lane(rebec),
            None => self.process_lane(step),
        };
        let label = call_of(step);
        let served = step.rebec.as_ref().and_then(|_| self.queues[lane].pop_front());
        let sender = step.sender.as_deref().map(|sender| self.lane(sender));
        let origin = served.map(|(origin, _)| origin).or(sender.map(Origin::Start));
        let is_earlier = !matches!(origin, Some(Origin::Step(sent, _)) if sent >= number);
        debug_assert!(is_earlier, "a message is sent before it is served");
        let mut notes = Vec::new();
        if step.rebec.is_none() && step.processes.len() > 1 {
            notes.push(format!("with {}", step.processes[1..].join(", ")));
        }
        if !step.choices.is_empty() {
            let choice = |choice: &crate::trace_file::ChoiceFile| match &choice.name {
                Some(name) => format!("{name} = {}", shown(&choice.value)),
                None => shown(&choice.value),
            };
            notes.push(format!("chose {}", step.choices.iter().map(choice).collect::<Vec<_>>().join(", ")));
        }
        for change in &step.changes {
            notes.extend(self.change(change, number, lane, step.rebec.as_deref()));
        }
        StepRow { number, lane, label, origin, notes }
    }

    /// Follows a change, and returns the note about it.
    fn change(&mut self, change: &ChangeFile, number: usize, lane: usize, own: Option<&str>) -> Option<String> {
        match change {
            ChangeFile::Variable { rebec, variable, from, to } => {
                let prefix = rebec.as_deref().filter(|rebec| Some(*rebec) != own);
                let name = prefix.map_or_else(|| variable.clone(), |rebec| format!("{rebec}.{variable}"));
                Some(format!("{name}: {} → {}", shown(from), shown(to)))
            }
            ChangeFile::Queue { rebec, queue, message } if queue == "push" => {
                let receiver = self.lane(rebec);
                let label = call(&message.message, &message.arguments);
                self.queues[receiver].push_back((Origin::Step(number, lane), label));
                None
            }
            ChangeFile::Created { rebec, created } => {
                self.lane(rebec);
                Some(format!("makes {rebec}, a {created}"))
            }
            ChangeFile::Queue { .. } | ChangeFile::Other(_) => None,
        }
    }

    fn waiting(&mut self) -> Vec<Waiting> {
        debug_assert_eq!(self.queues.len(), self.lanes.len(), "every lane has its queue");
        let queues = std::mem::take(&mut self.queues).into_iter().enumerate();
        let waiting = queues
            .flat_map(|(lane, queue)| queue.into_iter().map(move |(origin, label)| Waiting { origin, lane, label }));
        waiting.collect()
    }
}

/// The step that led to a state.
pub(super) fn event(trace: &TraceFile, index: usize) -> String {
    let step = index.checked_sub(1).and_then(|index| trace.steps.get(index));
    step.map_or_else(|| "start".to_owned(), called)
}

/// The message of a step with its arguments.
fn call_of(step: &StepFile) -> String {
    call(&step.event, step.arguments.as_deref().unwrap_or_default())
}

/// The message of a step behind its rebec, if it has one.
pub(super) fn called(step: &StepFile) -> String {
    step.rebec.as_ref().map_or_else(|| call_of(step), |rebec| format!("{rebec}.{}", call_of(step)))
}

/// A message with its arguments.
fn call(event: &str, arguments: &[Json]) -> String {
    format!("{event}({})", arguments.iter().map(shown).collect::<Vec<_>>().join(", "))
}

#[cfg(test)]
pub(crate) mod tests {
    use super::{Chart, Origin, Row, StepRow};
    use crate::trace_file::TraceFile;
    use serde_json::{Value as Json, json};

    /// Two rebecs: `a` wakes and sends `m(1)` to `b`, which answers; the answer waits.
    pub(crate) fn sample() -> TraceFile {
        let message = |name: &str, sender: &str, arguments: Json| json!({ "message": name, "arguments": arguments, "sender": sender });
        let rebec = |queue: Json| json!({ "variables": { "x": 0 }, "queue": queue });
        serde_json::from_value(json!({
            "start": { "state": { "a": rebec(json!([message("initial", "a", json!([]))])), "b": rebec(json!([])) } },
            "steps": [
                { "rebec": "a", "event": "initial", "arguments": [], "sender": "a", "choices": [{ "value": true }],
                  "changes": [
                    { "rebec": "a", "queue": "pop", "message": message("initial", "a", json!([])) },
                    { "rebec": "a", "variable": "x", "from": 0, "to": 1 },
                    { "rebec": "b", "queue": "push", "message": message("m", "a", json!([1])) } ] },
                { "rebec": "b", "event": "m", "arguments": [1], "sender": "a",
                  "changes": [
                    { "rebec": "b", "queue": "pop", "message": message("m", "a", json!([1])) },
                    { "rebec": "a", "queue": "push", "message": message("answer", "b", json!([])) } ] },
            ],
        }))
        .expect("a trace")
    }

    #[test]
    fn messages_come_from_the_step_that_sent_them() {
        let chart = Chart::new(&sample());
        assert_eq!(chart.lanes, ["a", "b"]);
        let step = |number, lane, label: &str, origin, notes: &[&str]| {
            let notes = notes.iter().map(|&note| note.to_owned()).collect();
            Row::Step(StepRow { number, lane, label: label.to_owned(), origin: Some(origin), notes })
        };
        let first = step(1, 0, "initial()", Origin::Start(0), &["chose true", "x: 0 → 1"]);
        assert_eq!(chart.rows, [first, step(2, 1, "m(1)", Origin::Step(1, 0), &[])]);
        let waiting = &chart.waiting[0];
        assert_eq!((waiting.origin, waiting.lane, waiting.label.as_str()), (Origin::Step(2, 1), 0, "answer()"));
    }

    #[test]
    fn steps_of_processes_have_their_lanes() {
        let step = |processes: &[&str]| json!({ "event": "e", "processes": processes });
        let steps = [step(&["P 10"]), step(&["P 2", "P 10"]), step(&[])];
        let trace = serde_json::from_value(json!({ "steps": steps, "cycle_from": null })).expect("a trace");
        let chart = Chart::new(&trace);
        assert_eq!(chart.lanes, ["P 2", "P 10", "no process"]);
        let lanes: Vec<Option<usize>> = chart
            .rows
            .iter()
            .map(|row| match row {
                Row::Step(step) => Some(step.lane),
                Row::Gap(_) => None,
            })
            .collect();
        assert_eq!(lanes, [Some(1), Some(0), Some(2)]);
        assert!(matches!(&chart.rows[1], Row::Step(step) if step.notes == ["with P 10"]));
        let many = (0..100).map(|at| step(&[&format!("P {at}")])).collect::<Vec<_>>();
        let trace = serde_json::from_value(json!({ "steps": many, "cycle_from": null })).expect("a trace");
        assert_eq!(Chart::new(&trace).lanes.len(), 41);
    }

    #[test]
    fn the_middle_of_long_traces_is_left_out() {
        let mut trace = sample();
        trace.steps = vec![trace.steps[0].clone(); 1000];
        let chart = Chart::new(&trace);
        assert_eq!(chart.rows.len(), 301);
        assert_eq!(chart.rows[150], Row::Gap(700));
        assert!(matches!(&chart.rows[151], Row::Step(step) if step.number == 851));
    }
}
