//! The report of `check`, read back from its JSON by the writers of other formats.
//!
//! The writers see the JSON contract only, so a report renders the same way whether it was just made or comes from a
//! file, and a new search or detector cannot break them: missing fields are absent or empty, unknown fields are
//! ignored.
//!
//! Invariant: every text in here went through [`clean`]: no name of a model carries control characters or marks of
//! writing direction into a page, a file or a terminal.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};

use crate::paint::{clean, size};
use crate::render::unbounded;
use crate::trace_file::TraceFile;

/// A report of `check`, or a bare trace made to look like one.
#[derive(Clone, Deserialize, Default, Debug)]
#[serde(default)]
pub(crate) struct ReportFile {
    /// The model.
    pub(crate) model: ModelFile,
    /// `holds`, `violated`, `inconclusive`; empty for a bare trace.
    pub(crate) verdict: String,
    /// Whether everything was explored.
    pub(crate) complete: bool,
    /// Whether states were compared whole and representatives are exact.
    pub(crate) exact: bool,
    /// The answers.
    pub(crate) properties: Vec<PropertyFile>,
    /// Definitions that the properties may use.
    pub(crate) definitions: Vec<DefinitionFile>,
    /// The arguments of the command, but for those about the output.
    pub(crate) command_line: Vec<String>,
    /// The parts of the model with the numbers of their executions.
    pub(crate) coverage: Option<Vec<CoveredFile>>,
    /// The names of the parts left out of the question.
    pub(crate) not_asked: Vec<String>,
    /// Stored states.
    pub(crate) states: u64,
    /// Transitions.
    pub(crate) transitions: u64,
    /// Depth of the search.
    pub(crate) depth: u64,
    /// Deadlocks, if all were counted.
    pub(crate) deadlock_states: Option<u64>,
    /// The names of the reductions that were applied.
    pub(crate) reductions: Vec<String>,
    /// The reductions that were considered, with their effects or the reasons that they were not applied.
    pub(crate) reductions_considered: Vec<ReductionFile>,
    /// The group that was used.
    pub(crate) group: Option<GroupFile>,
    /// The limit that was reached.
    pub(crate) limit: Option<LimitFile>,
    /// The variables that grow.
    pub(crate) growing: Vec<GrowingFile>,
    /// Notices and warnings.
    pub(crate) notices: Vec<NoticeFile>,
    /// Seconds.
    pub(crate) seconds: f64,
    /// Bytes.
    pub(crate) peak_memory_bytes: Option<u64>,
}

/// The model of a report.
#[derive(Clone, Deserialize, Default, Debug)]
#[serde(default)]
pub(crate) struct ModelFile {
    /// Its path.
    pub(crate) path: String,
    /// `rebeca` or `lpe`.
    pub(crate) language: String,
    /// The version of Core Rebeca.
    pub(crate) dialect: Option<String>,
    /// The constants that `-D` fixed.
    pub(crate) constants: Map<String, Json>,
    /// Rebecs of `main`, or the size of the sort of processes.
    pub(crate) processes: Option<u64>,
    /// State variables, arrays counted by element.
    pub(crate) variables: Option<u64>,
}

/// The answer to one part of the question.
#[derive(Clone, Deserialize, Default, Debug)]
#[serde(default)]
pub(crate) struct PropertyFile {
    /// Its name.
    pub(crate) name: String,
    /// Its kind.
    pub(crate) kind: String,
    /// Its condition or formula.
    pub(crate) text: Option<String>,
    /// The verdict.
    pub(crate) verdict: String,
    /// The reason, in words.
    pub(crate) message: String,
    /// The counterexample.
    pub(crate) trace: Option<TraceFile>,
    /// The runs that show the answer to a formula of branching time.
    pub(crate) explanation: Option<ExplanationFile>,
    /// The separate run that answered it.
    pub(crate) run: Option<RunFile>,
}

/// The runs that show the answer to a formula of branching time, in addition to its counterexample.
#[derive(Clone, Deserialize, Default, Debug)]
#[serde(default)]
pub(crate) struct ExplanationFile {
    /// The main run where the formula holds.
    pub(crate) witness: Option<TraceFile>,
    /// What the main run shows.
    pub(crate) shows: Vec<ShownFile>,
    /// The runs that branch off it.
    pub(crate) branches: Vec<BranchFile>,
}

/// A run that branches off another.
#[derive(Clone, Deserialize, Debug)]
pub(crate) struct BranchFile {
    /// The index of the state up to which the two are equal.
    #[serde(default)]
    pub(crate) from: usize,
    /// What it shows.
    #[serde(default)]
    pub(crate) shows: Vec<ShownFile>,
    /// The run.
    pub(crate) trace: TraceFile,
    /// The runs that branch off it.
    #[serde(default)]
    pub(crate) branches: Vec<BranchFile>,
}

/// Branches and theirs, each behind the run that it branches off, with their numbers: `2.1` branches off `2`.
pub(crate) fn numbered(list: &[BranchFile]) -> Vec<(String, &BranchFile)> {
    let mut found = Vec::new();
    for (index, branch) in list.iter().enumerate() {
        let number = (index + 1).to_string();
        let inner = numbered(&branch.branches).into_iter().map(|(place, one)| (format!("{number}.{place}"), one));
        found.push((number.clone(), branch));
        found.extend(inner);
    }
    found
}

/// A part of a formula with its value in a state of a run.
#[derive(Clone, Deserialize, Debug)]
pub(crate) struct ShownFile {
    /// The index of the state.
    pub(crate) at: usize,
    /// The part.
    pub(crate) formula: String,
    /// Its value.
    pub(crate) value: bool,
}

/// A definition that properties may use.
#[derive(Clone, Serialize, Deserialize, Default, Debug)]
#[serde(default)]
pub(crate) struct DefinitionFile {
    /// Its name.
    pub(crate) name: String,
    /// Its condition.
    pub(crate) text: String,
}

/// A part of the model and the number of its executions.
#[derive(Clone, Deserialize, Default, Debug)]
#[serde(default)]
pub(crate) struct CoveredFile {
    /// `server`, `rule`, `summand`, `transition`, `statement`, `branch`, `assertion`, `choice`.
    pub(crate) kind: String,
    /// Its name, or its text.
    pub(crate) name: String,
    /// Its lines.
    pub(crate) place: LinesFile,
    /// The number of its executions.
    pub(crate) count: u64,
    /// Whether it lies inside of parts that are not executed either.
    pub(crate) nested: bool,
}

impl CoveredFile {
    /// Whether it is to be reported as never executed.
    pub(crate) fn is_never(&self) -> bool {
        self.count == 0 && !self.nested
    }
}

/// The lines of a part.
#[derive(Clone, Deserialize, Default, Debug)]
#[serde(default)]
pub(crate) struct LinesFile {
    /// The first, from 1.
    pub(crate) line: usize,
    /// The last.
    pub(crate) last_line: usize,
}

/// The separate run of a formula.
#[derive(Clone, Deserialize, Default, Debug)]
#[serde(default)]
pub(crate) struct RunFile {
    /// States of the product with the automaton.
    pub(crate) states: u64,
    /// Its transitions.
    pub(crate) transitions: u64,
    /// Stored states of the system.
    pub(crate) system_states: u64,
    /// The reductions that were considered.
    pub(crate) reductions_considered: Vec<ReductionFile>,
    /// The group that was used.
    pub(crate) group: Option<GroupFile>,
    /// Seconds.
    pub(crate) seconds: f64,
}

/// A reduction that was considered.
#[derive(Clone, Serialize, Deserialize, Default, Debug)]
#[serde(default)]
pub(crate) struct ReductionFile {
    /// Its name.
    pub(crate) name: String,
    /// Whether it was applied.
    pub(crate) applied: bool,
    /// The effect of the reduction, or the reason that it was not applied.
    pub(crate) detail: String,
}

/// The group of a report.
#[derive(Clone, Deserialize, Default, Debug)]
#[serde(default)]
pub(crate) struct GroupFile {
    /// Its order, in decimal.
    pub(crate) order: String,
    /// The order of the group before it was cut to the question, in decimal.
    pub(crate) model_order: String,
    /// The detector that found it.
    pub(crate) detector: String,
    /// The name of the method that chose representatives.
    pub(crate) representative: String,
    /// Whether representatives are exact.
    pub(crate) exact: bool,
    /// Names of its factors, if the report has them.
    pub(crate) structure: Option<String>,
    /// Its generators, if the report has them.
    pub(crate) generators: Vec<GeneratorFile>,
    /// Its orbits, if the report has them.
    pub(crate) orbits: Vec<Vec<String>>,
}

/// A generator.
#[derive(Clone, Serialize, Deserialize, Default, Debug)]
#[serde(default)]
pub(crate) struct GeneratorFile {
    /// Its cycles in the names of the model: a text, or lists of names.
    pub(crate) cycles: Json,
    /// `process`, `data` or `mixed`.
    pub(crate) kind: String,
    /// The papers' rules that find it too.
    pub(crate) rules: Vec<String>,
}

impl GeneratorFile {
    /// The cycles as text: `(phil0, phil1)(fork0, fork1)`.
    pub(crate) fn text(&self) -> String {
        cycles(&self.cycles)
    }
}

/// Cycles as text.
pub(crate) fn cycles(json: &Json) -> String {
    match json {
        Json::Array(list) => list
            .iter()
            .map(|cycle| match cycle {
                Json::Array(points) => format!("({})", points.iter().map(shown).collect::<Vec<_>>().join(", ")),
                other => shown(other),
            })
            .collect(),
        other => shown(other),
    }
}

/// A report of `detect`.
#[derive(Clone, Deserialize, Default, Debug)]
#[serde(default)]
pub(crate) struct DetectionFile {
    /// The model.
    pub(crate) model: ModelFile,
    /// The detector that proposed the symmetries.
    pub(crate) strategy: String,
    /// The properties that are kept.
    pub(crate) properties: Vec<String>,
    /// The group.
    pub(crate) group: GroupFile,
    /// The coloured graph.
    pub(crate) graph: GraphFile,
    /// Candidates that are no symmetries.
    pub(crate) rejected: Vec<RejectedFile>,
    /// Permutations that a few places keep out of the group.
    pub(crate) near: Vec<NearFile>,
    /// Answers about single permutations.
    pub(crate) why: Vec<WhyFile>,
    /// Parts of the model that the graph does not represent.
    pub(crate) not_represented: Vec<String>,
    /// The limit that ended the search.
    pub(crate) limit: Option<LimitFile>,
    /// Seconds by stage.
    pub(crate) seconds: Map<String, Json>,
}

/// Permutations that a few places keep out of the group.
#[derive(Clone, Serialize, Deserialize, Default, Debug)]
#[serde(default)]
pub(crate) struct NearFile {
    /// The permutations.
    pub(crate) permutations: String,
    /// The first place.
    pub(crate) broken_by: PlaceFile,
    /// The other places.
    pub(crate) also_broken_by: Vec<PlaceFile>,
}

impl NearFile {
    /// All places.
    pub(crate) fn places(&self) -> impl Iterator<Item = &PlaceFile> {
        std::iter::once(&self.broken_by).chain(&self.also_broken_by)
    }
}

/// An answer about one permutation.
#[derive(Clone, Deserialize, Default, Debug)]
#[serde(default)]
pub(crate) struct WhyFile {
    /// Its cycles.
    pub(crate) cycles: Json,
    /// Whether it is a symmetry; nothing where that is open.
    pub(crate) symmetry: Option<bool>,
    /// The first place that breaks it.
    pub(crate) broken_by: Option<PlaceFile>,
    /// The reason why it is none, where no place shows it.
    pub(crate) witness: Option<String>,
}

/// A place of the text.
#[derive(Clone, Serialize, Deserialize, Default, Debug)]
#[serde(default)]
pub(crate) struct PlaceFile {
    /// The line, from 1.
    pub(crate) line: usize,
    /// The column, from 1.
    pub(crate) column: usize,
    /// The text there.
    pub(crate) text: String,
    /// The reason.
    pub(crate) reason: String,
}

/// A coloured graph.
#[derive(Clone, Serialize, Deserialize, Default, Debug)]
#[serde(default)]
pub(crate) struct GraphFile {
    /// Its vertices.
    pub(crate) vertices: u64,
    /// Its edges.
    pub(crate) edges: u64,
    /// The order of its automorphisms, in decimal.
    pub(crate) order: String,
}

/// A candidate that is no symmetry.
#[derive(Clone, Deserialize, Default, Debug)]
#[serde(default)]
pub(crate) struct RejectedFile {
    /// Its cycles.
    pub(crate) cycles: Json,
    /// The reason.
    pub(crate) witness: String,
}

impl DetectionFile {
    /// Reads the JSON of a report of `detect`.
    ///
    /// # Errors
    /// A value that does not fit the contract.
    pub(crate) fn read(mut json: Json) -> Result<DetectionFile, String> {
        make_plain(&mut json);
        serde_json::from_value(json).map_err(|error| error.to_string())
    }
}

/// A variable that grows in each of the last levels.
#[derive(Clone, Deserialize, Default, Debug)]
#[serde(default)]
pub(crate) struct GrowingFile {
    /// Its name.
    pub(crate) name: String,
    /// Its value before.
    pub(crate) from: i64,
    /// Its value in the last level.
    pub(crate) to: i64,
    /// The number of levels.
    pub(crate) levels: u64,
}

impl GrowingFile {
    /// In words, with its name as the format writes it.
    pub(crate) fn text(&self, name: &str) -> String {
        unbounded::text(name, [self.from, self.to], self.levels)
    }
}

/// A limit that was reached.
#[derive(Clone, Deserialize, Default, Debug)]
#[serde(default)]
pub(crate) struct LimitFile {
    /// Its kind.
    pub(crate) kind: String,
    /// Its value.
    pub(crate) value: Json,
}

impl LimitFile {
    /// In words: `limit of states reached (1000)`.
    pub(crate) fn text(&self) -> String {
        match self.kind.as_str() {
            "interrupt" => "stopped by a signal".to_owned(),
            "time" => format!("limit of time reached ({} s)", self.value),
            "memory" => match self.value.as_u64() {
                Some(bytes) => format!("limit of memory reached ({})", size(bytes)),
                None => "limit of memory reached".to_owned(),
            },
            kind => format!("limit of {kind} reached ({})", self.value),
        }
    }
}

/// A notice or warning.
#[derive(Clone, Serialize, Deserialize, Default, Debug)]
#[serde(default)]
pub(crate) struct NoticeFile {
    /// `notice` or `warning`.
    pub(crate) severity: String,
    /// Its code.
    pub(crate) code: String,
    /// The message.
    pub(crate) message: String,
    /// The line.
    pub(crate) line: Option<u64>,
    /// The column.
    pub(crate) column: Option<u64>,
}

impl ReportFile {
    /// Reads the JSON of a report, or of a bare trace.
    ///
    /// # Errors
    /// A value that does not fit the contract.
    pub(crate) fn read(mut json: Json) -> Result<ReportFile, String> {
        make_plain(&mut json);
        serde_json::from_value(json).map_err(|error| error.to_string())
    }

    /// The properties with a counterexample.
    pub(crate) fn violations(&self) -> impl Iterator<Item = (&PropertyFile, &TraceFile)> {
        self.properties.iter().filter_map(|property| Some((property, property.trace.as_ref()?)))
    }
}

/// Cleans every text and every key.
pub(crate) fn make_plain(json: &mut Json) {
    match json {
        Json::String(text) => {
            if needs_cleaning(text) {
                *text = clean(text);
            }
        }
        Json::Array(items) => items.iter_mut().for_each(make_plain),
        Json::Object(fields) => {
            fields.values_mut().for_each(make_plain);
            if fields.keys().any(|key| needs_cleaning(key)) {
                let old = std::mem::take(fields);
                fields.extend(old.into_iter().map(|(key, value)| (clean(&key), value)));
            }
        }
        Json::Null | Json::Bool(_) | Json::Number(_) => {}
    }
}

fn needs_cleaning(text: &str) -> bool {
    !text.is_ascii() || text.bytes().any(|byte| byte.is_ascii_control())
}

/// A value for people: texts without quotation marks.
pub(crate) fn shown(value: &Json) -> String {
    match value {
        Json::String(text) => text.clone(),
        Json::Array(items) => format!("[{}]", items.iter().map(shown).collect::<Vec<_>>().join(", ")),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::{GeneratorFile, ReportFile};
    use serde_json::json;

    #[test]
    fn texts_and_keys_are_cleaned() {
        let json = json!({ "model": { "path": "a\u{1b}[31m\u{202e}b" }, "properties": [{ "name": "x\r\n" }] });
        let report = ReportFile::read(json).expect("a report");
        assert_eq!(report.model.path, "a\\u{1b}[31m\\u{202e}b");
        assert_eq!(report.properties[0].name, "x\\r\\n");
    }

    #[test]
    fn cycles_are_read_as_text_and_as_lists() {
        let text = |cycles| GeneratorFile { cycles, ..GeneratorFile::default() }.text();
        assert_eq!(text(json!("(a b)")), "(a b)");
        assert_eq!(text(json!([["a", "b"], ["c", "d"]])), "(a, b)(c, d)");
    }
}
