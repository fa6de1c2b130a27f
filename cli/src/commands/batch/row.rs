//! A row: the result of a model, from the JSON of the commands that were run on it.
//!
//! A row is also a line of the journal and of the result; fields may be added, never renamed. Traces are not kept: a
//! row has a fixed size whatever the model does.
//!
//! Invariant: a field that the commands did not report is absent, never zero.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use super::census::Census;
use super::jobs::identity;
use crate::args::sweep;

frontend::named! {
    /// The result of a model.
    #[derive(Serialize, Deserialize, Default)]
    #[serde(rename_all = "lowercase")]
    pub(super) enum Status {
        /// Every command came to an answer.
        #[default]
        Done = "done",
        /// It was left out, because a row of smaller values met a limit.
        Skipped = "skipped",
        /// A limit was reached, or a question cannot be answered.
        Inconclusive = "inconclusive",
        /// The text was refused, with diagnostics.
        Refused = "refused",
        /// A command was ended because it passed its time by far.
        Killed = "killed",
        /// A command ended in a fault of the tool, or by a signal of the system.
        Crashed = "crashed",
    }
}

/// A row.
#[derive(Clone, PartialEq, Serialize, Deserialize, Default, Debug)]
pub(super) struct Row {
    /// The path of the model.
    pub(super) path: String,
    /// The values of the constants that have several.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(super) constants: BTreeMap<String, i64>,
    /// The options of the model's head line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) options: Option<String>,
    /// The fingerprint of the texts of the model and of its property file.
    pub(super) fingerprint: String,
    /// Its result: the worst of its commands.
    pub(super) status: Status,
    /// The reason that it is not done.
    pub(super) message: Option<String>,
    /// `rebeca`, `lpe` or `murphi`.
    pub(super) language: Option<String>,
    /// The version of Core Rebeca.
    pub(super) dialect: Option<String>,
    /// Rebecs of `main`, or the size of the sort of processes.
    pub(super) processes: Option<u64>,
    /// State variables, arrays counted by element.
    pub(super) variables: Option<u64>,
    /// The result of `check`.
    pub(super) check: Option<CheckRow>,
    /// The result of `detect`.
    pub(super) detect: Option<DetectRow>,
    /// The result of `compare`.
    pub(super) compare: Option<CompareRow>,
    /// What its symmetries are like.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) census: Option<Census>,
    /// Seconds of all its commands, with reading and writing; the median of repetitions.
    #[serde(default)]
    pub(super) seconds: f64,
    /// Seconds of processors that all its commands used; the median of repetitions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) cpu_seconds: Option<f64>,
    /// The spread of the times of repetitions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) spread: Option<Spread>,
}

/// The spread of the times of repetitions: the least and the greatest.
#[derive(Clone, PartialEq, Serialize, Deserialize, Debug)]
pub(super) struct Spread {
    /// The number of repetitions.
    pub(super) runs: u32,
    /// Seconds of all commands.
    pub(super) seconds: [f64; 2],
    /// Seconds of processors.
    pub(super) cpu_seconds: Option<[f64; 2]>,
    /// Seconds of the search of `check`.
    pub(super) check_seconds: Option<[f64; 2]>,
    /// Seconds of all stages of `detect`.
    pub(super) detect_seconds: Option<[f64; 2]>,
}

/// The result of `check`.
#[derive(Clone, PartialEq, Serialize, Deserialize, Debug)]
pub(super) struct CheckRow {
    /// The verdict.
    pub(super) verdict: String,
    /// The violated properties.
    pub(super) violated: Vec<String>,
    /// Stored states.
    pub(super) states: u64,
    /// Transitions.
    pub(super) transitions: u64,
    /// Depth.
    pub(super) depth: u64,
    /// Whether everything was explored.
    pub(super) complete: bool,
    /// The order of the group that was used.
    pub(super) order: Option<String>,
    /// The detector that found it.
    pub(super) detector: Option<String>,
    /// The number of states without any reduction, where the check knows it, in decimal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) full_states: Option<String>,
    /// The limit that was met.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) limit: Option<String>,
    /// Seconds.
    pub(super) seconds: f64,
    /// Bytes at the peak.
    pub(super) memory: Option<u64>,
}

/// The result of `detect`.
#[derive(Clone, PartialEq, Serialize, Deserialize, Debug)]
pub(super) struct DetectRow {
    /// The order of the group.
    pub(super) order: String,
    /// Names of its factors.
    pub(super) structure: Option<String>,
    /// The number of generators.
    pub(super) generators: u64,
    /// The number of them that move processes only.
    pub(super) process: u64,
    /// The number of them that move data only.
    pub(super) data: u64,
    /// The number of them that move both.
    pub(super) mixed: u64,
    /// Generators that no rule of the papers finds.
    pub(super) beyond: u64,
    /// Vertices of the coloured graph.
    pub(super) vertices: Option<u64>,
    /// Edges of the coloured graph.
    pub(super) edges: Option<u64>,
    /// Candidates that the validator refused.
    pub(super) rejected: u64,
    /// The limit that was met.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) limit: Option<String>,
    /// Seconds of all stages.
    pub(super) seconds: f64,
}

/// The result of `compare`: one entry per detector.
#[derive(Clone, PartialEq, Serialize, Deserialize, Default, Debug)]
pub(super) struct CompareRow {
    /// States without any reduction.
    pub(super) states: Option<u64>,
    /// Seconds without any reduction.
    pub(super) seconds: Option<f64>,
    /// The detectors.
    pub(super) detectors: Vec<DetectorRow>,
}

/// One detector.
#[derive(Clone, PartialEq, Serialize, Deserialize, Default, Debug)]
pub(super) struct DetectorRow {
    /// Its name.
    pub(super) name: String,
    /// The order of its group.
    pub(super) order: Option<String>,
    /// Stored states with it.
    pub(super) states: Option<u64>,
    /// Seconds to find it.
    pub(super) detect_seconds: Option<f64>,
    /// Seconds to explore with it.
    pub(super) check_seconds: Option<f64>,
}

impl Row {
    /// An empty row.
    pub(super) fn new(path: String, fingerprint: String) -> Row {
        Row { path, fingerprint, ..Row::default() }
    }

    /// Adds the processor time of a command.
    pub(super) fn add_cpu(&mut self, used: Option<Duration>) {
        if let Some(used) = used {
            self.cpu_seconds = Some(self.cpu_seconds.unwrap_or(0.0) + used.as_secs_f64());
        }
    }

    /// The values of its constants: `M=2 N=4`.
    pub(super) fn constants_text(&self) -> String {
        sweep::written(&self.constants.iter().map(|(name, value)| (name.clone(), *value)).collect())
    }

    /// Its name for people: the path, and the values of constants.
    pub(super) fn key(&self) -> String {
        sweep::named(&self.path, &self.constants_text())
    }

    /// What tells it from every other row.
    pub(super) fn identity(&self) -> String {
        identity(&self.path, &self.constants_text())
    }

    /// Whether a limit ended it, so that larger values would meet it too.
    pub(super) fn met_limit(&self) -> bool {
        self.limit().is_some() || matches!(self.status, Status::Inconclusive | Status::Killed)
    }

    /// The limit that it met.
    pub(super) fn limit(&self) -> Option<&str> {
        let of_check = self.check.as_ref().and_then(|check| check.limit.as_deref());
        of_check.or_else(|| self.detect.as_ref()?.limit.as_deref())
    }

    /// Takes over the description of the model in a report.
    pub(super) fn describe(&mut self, report: &Json) {
        let model = &report["model"];
        let text = |key: &str| model[key].as_str().map(str::to_owned);
        self.language = text("language").or(self.language.take());
        self.dialect = text("dialect").or(self.dialect.take());
        self.processes = model["processes"].as_u64().or(self.processes);
        self.variables = model["variables"].as_u64().or(self.variables);
    }

    /// The worse of two ends; the first message of the worst stays.
    pub(super) fn end(&mut self, status: Status, message: Option<String>) {
        if status > self.status {
            self.status = status;
            self.message = message;
        }
    }

    /// The largest known group.
    pub(super) fn order(&self) -> Option<&str> {
        let detected = self.detect.as_ref().map(|detect| detect.order.as_str());
        let compared = self.compare.as_ref().and_then(|compare| compare.order_of("constraint"));
        let used = self.check.as_ref().and_then(|check| check.order.as_deref());
        detected.or(compared).or(used)
    }

    /// States without and with the best reduction.
    pub(super) fn reduction(&self) -> Option<(u64, u64)> {
        let compare = self.compare.as_ref()?;
        let least = compare.detectors.iter().filter_map(|detector| detector.states).min()?;
        Some((compare.states?, least)).filter(|&(_, least)| least > 0)
    }

    /// The number of states that share a stored one: of the best detector, or of the check where sizes of orbits give the full number.
    #[expect(clippy::cast_precision_loss)]
    pub(super) fn bought(&self) -> Option<f64> {
        let of_check = || {
            let stored = self.check.as_ref().filter(|check| check.complete && check.states > 0)?.states;
            Some(self.check.as_ref()?.full_states.as_ref()?.parse::<f64>().ok()? / stored as f64)
        };
        self.factor().or_else(of_check)
    }

    /// The number of states that share a stored one, on average.
    #[expect(clippy::cast_precision_loss)]
    pub(super) fn factor(&self) -> Option<f64> {
        self.reduction().map(|(full, least)| full as f64 / least as f64)
    }
}

impl CompareRow {
    /// One detector.
    pub(super) fn detector(&self, name: &str) -> Option<&DetectorRow> {
        self.detectors.iter().find(|detector| detector.name == name)
    }

    /// The order of one detector's group.
    pub(super) fn order_of(&self, name: &str) -> Option<&str> {
        self.detector(name)?.order.as_deref()
    }
}

/// A text of a report.
fn text(json: &Json) -> Option<String> {
    json.as_str().map(str::to_owned)
}

/// The row of a report of `check`.
pub(super) fn check_row(report: &Json) -> CheckRow {
    let none = Vec::new();
    let properties = report["properties"].as_array().unwrap_or(&none);
    let violated = properties.iter().filter(|property| property["verdict"] == "violated");
    CheckRow {
        verdict: text(&report["verdict"]).unwrap_or_default(),
        violated: violated.filter_map(|property| text(&property["name"])).collect(),
        states: report["states"].as_u64().unwrap_or(0),
        transitions: report["transitions"].as_u64().unwrap_or(0),
        depth: report["depth"].as_u64().unwrap_or(0),
        complete: report["complete"] == true,
        order: text(&report["group"]["order"]),
        detector: text(&report["group"]["detector"]),
        full_states: text(&report["full_states"]),
        limit: text(&report["limit"]["kind"]),
        seconds: report["seconds"].as_f64().unwrap_or(0.0),
        memory: report["peak_memory_bytes"].as_u64(),
    }
}

/// The row of a report of `detect`.
pub(super) fn detect_row(report: &Json) -> DetectRow {
    let group = &report["group"];
    let none = Vec::new();
    let generators = group["generators"].as_array().unwrap_or(&none);
    let count = |fits: &dyn Fn(&Json) -> bool| generators.iter().filter(|generator| fits(generator)).count() as u64;
    let seconds = report["seconds"].as_object().into_iter().flatten();
    DetectRow {
        order: text(&group["order"]).unwrap_or_else(|| "1".to_owned()),
        structure: text(&group["structure"]).or_else(|| text(&report["structure"])),
        generators: generators.len() as u64,
        process: count(&|generator| generator["kind"] == "process"),
        data: count(&|generator| generator["kind"] == "data"),
        mixed: count(&|generator| generator["kind"] == "mixed"),
        beyond: count(&|generator| generator["rules"].as_array().is_none_or(|rules| rules.iter().all(|r| r == "none"))),
        vertices: report["graph"]["vertices"].as_u64(),
        edges: report["graph"]["edges"].as_u64(),
        rejected: report["rejected"].as_array().map_or(0, |rejected| rejected.len() as u64),
        limit: text(&report["limit"]["kind"]),
        seconds: seconds.filter_map(|(_, value)| value.as_f64()).sum(),
    }
}

#[cfg(test)]
mod tests {
    use super::{Row, Status, check_row, detect_row};
    use serde_json::json;

    #[test]
    fn the_worst_end_stays() {
        let mut row = Row::new("m".to_owned(), String::new());
        row.end(Status::Refused, Some("refused".to_owned()));
        row.end(Status::Inconclusive, Some("limit".to_owned()));
        assert_eq!((row.status, row.message.as_deref()), (Status::Refused, Some("refused")));
    }

    #[test]
    fn rows_keep_the_contents_of_reports() {
        let check = check_row(&json!({ "verdict": "violated", "states": 5, "group": null,
            "properties": [{ "name": "P", "verdict": "violated" }, { "name": "Q", "verdict": "holds" }] }));
        assert_eq!((check.violated.as_slice(), check.states, check.order), (&["P".to_owned()][..], 5, None));
        let detect = detect_row(&json!({
            "group": { "order": "6", "generators": [
                { "cycles": "(a b)", "kind": "process", "rules": ["known-rebec"] },
                { "cycles": "(x y)", "kind": "data", "rules": [] } ] },
            "graph": { "vertices": 9, "edges": 12 }, "seconds": { "lower": 0.5, "search": 0.25 } }));
        assert_eq!((detect.process, detect.data, detect.beyond, detect.vertices), (1, 1, 1, Some(9)));
        assert!((detect.seconds - 0.75).abs() < 1e-9);
    }

    #[test]
    fn rows_are_read_back() {
        let mut row = Row::new("m".to_owned(), "f".to_owned());
        row.check = Some(check_row(&json!({ "verdict": "holds" })));
        let line = serde_json::to_string(&row).expect("JSON");
        assert_eq!(serde_json::from_str::<Row>(&line).expect("a row"), row);
    }
}
