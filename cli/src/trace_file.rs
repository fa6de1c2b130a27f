//! Traces as JSON: the form that `check --json` and `simulate --json` write and `replay` reads.
//!
//! Values are booleans, integers (of any width and of scalar sets), names of rebecs, and `null` for no rebec and for a
//! scalar that was never assigned; in a sequential process they are integers and names of values of enumerations. Keys
//! keep the order of the model. Fields may be added, never renamed; a reader ignores fields that it does not know and
//! does without those that are missing.
//!
//! Invariants: all steps but the last have a state; `fault` is present exactly if the last step, or the start when
//! there are no steps, has none.

use frontend::source::{Source, Span};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};

/// The number of steps at each end of a trace that carry their whole state. A longer trace leaves out the states
/// between, which its changes determine.
pub(crate) const SHOWN_STATES: usize = 1_000;

/// The elementary steps of writing one value with its name.
pub(crate) const VALUE: u64 = 16;

/// A trace; its steps are a list, or the text of one.
#[derive(Clone, PartialEq, Serialize, Deserialize, Debug)]
pub(crate) struct TraceFile<S = Vec<StepFile>> {
    /// Its start.
    #[serde(default)]
    pub(crate) start: StartFile,
    /// Its steps.
    pub(crate) steps: S,
    /// The index of the state (0 is the initial one) to which the last state goes back.
    pub(crate) cycle_from: Option<usize>,
    /// The fault of the last step.
    pub(crate) fault: Option<FaultFile>,
}

/// The start of a trace.
#[derive(Clone, PartialEq, Serialize, Deserialize, Default, Debug)]
#[serde(default)]
pub(crate) struct StartFile {
    /// The values of the feature variables.
    pub(crate) features: Map<String, Json>,
    /// The arguments in `main` that were chosen.
    pub(crate) arguments: Vec<StartArgument>,
    /// The constructors that chose.
    pub(crate) constructors: Vec<StartChoices>,
    /// The initial state; absent when a constructor fails.
    pub(crate) state: Option<Json>,
}

/// An argument in `main` that was chosen.
#[derive(Clone, PartialEq, Serialize, Deserialize, Debug)]
pub(crate) struct StartArgument {
    /// The rebec.
    pub(crate) rebec: String,
    /// The name of the parameter.
    pub(crate) parameter: String,
    /// Its value.
    pub(crate) value: Json,
}

/// The choices of one constructor.
#[derive(Clone, PartialEq, Serialize, Deserialize, Debug)]
pub(crate) struct StartChoices {
    /// The rebec.
    pub(crate) rebec: String,
    /// Its choices.
    pub(crate) choices: Vec<ChoiceFile>,
}

/// One step: a rebec serves its oldest message, or an instance of a summand is taken.
#[derive(Clone, PartialEq, Serialize, Deserialize, Default, Debug)]
pub(crate) struct StepFile {
    /// The rebec; `null` in a sequential process.
    pub(crate) rebec: Option<String>,
    /// The name of the message or event.
    pub(crate) event: String,
    /// Its arguments.
    pub(crate) arguments: Option<Vec<Json>>,
    /// The sender.
    pub(crate) sender: Option<String>,
    /// The processes that move, where steps belong to processes and there are no rebecs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) processes: Vec<String>,
    /// The choices, in order.
    #[serde(default)]
    pub(crate) choices: Vec<ChoiceFile>,
    /// The changes of the step.
    #[serde(default)]
    pub(crate) changes: Vec<ChangeFile>,
    /// The state after the step; absent when the step fails.
    pub(crate) state: Option<Json>,
    /// The place of the server.
    pub(crate) location: Option<LocationFile>,
}

/// A choice.
#[derive(Clone, PartialEq, Serialize, Deserialize, Debug)]
pub(crate) struct ChoiceFile {
    /// The summation variable, in a sequential process.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) name: Option<String>,
    /// The value.
    pub(crate) value: Json,
    /// The number of the option, from 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) option: Option<u32>,
    /// The line of the statement that chooses.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) line: Option<usize>,
    /// Its column.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) column: Option<usize>,
}

/// A change of a step.
#[derive(Clone, PartialEq, Serialize, Deserialize, Debug)]
#[serde(untagged)]
pub(crate) enum ChangeFile {
    /// A variable.
    Variable {
        /// The rebec; `null` in a sequential process.
        rebec: Option<String>,
        /// The variable, with its indices.
        variable: String,
        /// The value before; `null` for a rebec that did not exist.
        from: Json,
        /// The value after.
        to: Json,
    },
    /// A queue.
    Queue {
        /// The rebec.
        rebec: String,
        /// `push` or `pop`.
        queue: String,
        /// The message.
        message: MessageFile,
    },
    /// A rebec that was made.
    Created {
        /// The rebec.
        rebec: String,
        /// Its class.
        created: String,
    },
    /// A change of a later version.
    Other(Json),
}

/// A message in a queue.
#[derive(Clone, PartialEq, Serialize, Deserialize, Debug)]
pub(crate) struct MessageFile {
    /// Its name.
    pub(crate) message: String,
    /// Its arguments.
    pub(crate) arguments: Vec<Json>,
    /// The sender.
    pub(crate) sender: String,
}

/// A place in the model's text, counted from 1.
#[derive(Clone, Copy, PartialEq, Serialize, Deserialize, Debug)]
pub(crate) struct LocationFile {
    /// The line.
    pub(crate) line: usize,
    /// The column in characters.
    pub(crate) column: usize,
}

impl LocationFile {
    /// The place of a span; none for no span.
    pub(crate) fn of(source: &Source, span: Span) -> Option<LocationFile> {
        let position = (!span.is_none()).then(|| source.position(span.start))?;
        Some(LocationFile { line: position.line, column: position.column })
    }
}

/// The fault of the last step.
#[derive(Clone, PartialEq, Serialize, Deserialize, Debug)]
pub(crate) struct FaultFile {
    /// The rebec whose body ran; `null` in a sequential process.
    pub(crate) rebec: Option<String>,
    /// The message it served, or the event; `null` in a constructor.
    pub(crate) event: Option<String>,
    /// The fault, in words.
    #[serde(default)]
    pub(crate) message: String,
    /// The line of the statement.
    pub(crate) line: Option<usize>,
    /// Its column.
    pub(crate) column: Option<usize>,
}

impl FaultFile {
    /// A fault with its place.
    pub(crate) fn new(
        source: &Source,
        rebec: Option<String>,
        event: Option<String>,
        message: String,
        span: Span,
    ) -> FaultFile {
        let location = LocationFile::of(source, span);
        let (line, column) = location.map(|location| (location.line, location.column)).unzip();
        FaultFile { rebec, event, message, line, column }
    }
}
