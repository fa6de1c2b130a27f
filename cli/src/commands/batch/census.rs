//! The census: what the symmetries of models are like, model by model, and by language and family.
//!
//! A model's entry is read from the reports of `detect` and `check`: the class of its group's structure, the names that the group moves and
//! their orbits, generators by kind and by proof, near symmetries by the reason that breaks them, and the states that symmetry saves. The
//! family of a model is its folder.
//!
//! Invariant: what a limit left is counted apart, because the group may be larger; a reduction is counted only where the full number of
//! states is known.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use super::row::Row;
use super::sheet::factor;
use super::tables::by_number;
use crate::paint::{clean, counted, cut};
use crate::render::export::read::cycles;

/// The most generators that an entry lists, and the most characters of each.
const MOST_GENERATORS: (usize, usize) = (12, 240);
/// The most near symmetries that an entry lists.
const MOST_NEAR: usize = 12;

frontend::named! {
    /// The class of a group's structure.
    #[derive(Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub(super) enum Shape {
        /// Of one element.
        Trivial = "trivial",
        /// All permutations of some points.
        Symmetric = "symmetric",
        /// Rotations.
        Cyclic = "cyclic",
        /// Rotations and reflections.
        Dihedral = "dihedral",
        /// Even permutations.
        Alternating = "alternating",
        /// A wreath product.
        Wreath = "wreath",
        /// A direct product of more than one factor.
        Product = "product",
        /// Known by its order only, or not named.
        Other = "other",
    }
}

impl Shape {
    /// The class of a structure as reports name it: `S3`, `C4 x S2^2`, `S2 wr S3`, `G(48)`.
    pub(super) fn of(structure: &str) -> Shape {
        // Parentheses hold the parts of wreath products.
        let mut depth = 0i32;
        let outside: String = structure
            .chars()
            .filter(|character| {
                depth += i32::from(*character == '(') - i32::from(*character == ')');
                depth == 0 && *character != ')'
            })
            .collect();
        let is_numbered = |letter: char| {
            outside
                .strip_prefix(letter)
                .is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|b| b.is_ascii_digit()))
        };
        match () {
            () if structure == "1" => Shape::Trivial,
            () if outside.contains(" x ") || outside.contains('^') => Shape::Product,
            () if outside.contains("wr") => Shape::Wreath,
            () if is_numbered('S') => Shape::Symmetric,
            () if is_numbered('C') => Shape::Cyclic,
            () if is_numbered('D') => Shape::Dihedral,
            () if is_numbered('A') => Shape::Alternating,
            () => Shape::Other,
        }
    }
}

/// A near symmetry of a model.
#[derive(Clone, PartialEq, Serialize, Deserialize, Debug)]
pub(super) struct Near {
    /// The permutations.
    pub(super) permutations: String,
    /// The line that breaks them.
    pub(super) line: u64,
    /// The text there.
    pub(super) text: String,
    /// The reason.
    pub(super) reason: String,
}

/// A generator of a model's group.
#[derive(Clone, PartialEq, Serialize, Deserialize, Debug)]
pub(super) struct Generator {
    /// Its cycles.
    pub(super) cycles: String,
    /// `process`, `data` or `mixed`.
    pub(super) kind: String,
    /// `text`, `tables` or `sat`; absent where a limit came before.
    pub(super) proved_by: Option<String>,
}

/// The entry of a model.
#[derive(Clone, PartialEq, Serialize, Deserialize, Debug)]
pub(super) struct Census {
    /// The class of the structure.
    pub(super) shape: Shape,
    /// The number of names that the group moves.
    pub(super) degree: u64,
    /// Whether it moves each of them to each other.
    pub(super) transitive: bool,
    /// The sizes of its orbits of more than one name, largest first.
    pub(super) orbits: Vec<u64>,
    /// Generators that are proved by the text.
    pub(super) by_text: u64,
    /// Generators that are proved by tables of instances or behaviour.
    pub(super) by_tables: u64,
    /// Whether nothing was left undecided.
    pub(super) exact: bool,
    /// The first generators.
    pub(super) generators: Vec<Generator>,
    /// The first near symmetries.
    pub(super) near: Vec<Near>,
    /// All near symmetries.
    pub(super) near_count: u64,
    /// Seconds of each stage of the detection.
    pub(super) phases: BTreeMap<String, f64>,
}

impl Census {
    /// The entry of a report of `detect`.
    pub(super) fn of(report: &Json) -> Census {
        let group = &report["group"];
        let list = |value: &Json| value.as_array().cloned().unwrap_or_default();
        let text = |value: &Json| clean(value.as_str().unwrap_or_default());
        let mut orbits: Vec<u64> = list(&group["orbits"]).iter().map(|orbit| list(orbit).len() as u64).collect();
        orbits.retain(|&size| size > 1);
        orbits.sort_unstable_by(|a, b| b.cmp(a));
        let generators = list(&group["generators"]);
        let proved = |by: &str| generators.iter().filter(|generator| generator["proved_by"] == by).count() as u64;
        let near = list(&report["near"]);
        let phases = report["seconds"].as_object().into_iter().flatten();
        Census {
            shape: Shape::of(group["structure"].as_str().unwrap_or(if group["order"] == "1" { "1" } else { "" })),
            degree: orbits.iter().sum(),
            transitive: orbits.len() == 1,
            orbits,
            by_text: proved("text"),
            by_tables: proved("tables") + proved("sat"),
            exact: report["exact"] == true,
            generators: generators
                .iter()
                .take(MOST_GENERATORS.0)
                .map(|generator| Generator {
                    cycles: cut(&clean(&cycles(&generator["cycles"])), MOST_GENERATORS.1, ".."),
                    kind: text(&generator["kind"]),
                    proved_by: generator["proved_by"].as_str().map(str::to_owned),
                })
                .collect(),
            near: near
                .iter()
                .take(MOST_NEAR)
                .map(|near| Near {
                    permutations: text(&near["permutations"]),
                    line: near["broken_by"]["line"].as_u64().unwrap_or(0),
                    text: text(&near["broken_by"]["text"]),
                    reason: text(&near["broken_by"]["reason"]),
                })
                .collect(),
            near_count: near.len() as u64,
            phases: phases.filter_map(|(stage, value)| Some((stage.clone(), value.as_f64()?))).collect(),
        }
    }

    /// The sizes of orbits: `5^2 3`.
    pub(super) fn orbits_text(&self) -> String {
        let runs = self.orbits.chunk_by(|a, b| a == b);
        let text = |run: &[u64]| if run.len() > 1 { format!("{}^{}", run[0], run.len()) } else { run[0].to_string() };
        runs.map(text).collect::<Vec<_>>().join(" ")
    }

    /// The reasons of near symmetries.
    pub(super) fn reasons(&self) -> Vec<String> {
        let mut reasons: Vec<String> = self.near.iter().map(|near| kind_of(&near.reason)).collect();
        reasons.sort_unstable();
        reasons.dedup();
        reasons
    }
}

/// A reason without the names and numbers of a model.
fn kind_of(reason: &str) -> String {
    let without = reason.split('`').enumerate().map(|(at, part)| if at % 2 == 0 { part } else { ".." });
    let mut out = String::new();
    for part in without {
        out.push_str(part);
    }
    let words = out.split_whitespace().map(|word| if word.bytes().any(|b| b.is_ascii_digit()) { ".." } else { word });
    words.collect::<Vec<_>>().join(" ")
}

/// The family of a model: its folder.
pub(super) fn family(path: &str) -> String {
    let folder = Path::new(path).parent().and_then(Path::file_name);
    folder.map_or_else(String::new, |folder| clean(&folder.to_string_lossy()))
}

/// The totals of some models.
#[derive(Clone, PartialEq, Serialize, Default, Debug)]
pub(super) struct Totals {
    /// Models with an entry.
    pub(super) models: usize,
    /// Those whose detection met a limit: their groups may be larger.
    pub(super) limited: usize,
    /// Those whose group has more than one element.
    pub(super) symmetric: usize,
    /// Models by the class of the structure.
    pub(super) shapes: BTreeMap<String, usize>,
    /// Models whose group moves all that it moves to each other.
    pub(super) transitive: usize,
    /// Generators that move processes only.
    pub(super) process: u64,
    /// Generators that move data only.
    pub(super) data: u64,
    /// Generators that move both.
    pub(super) mixed: u64,
    /// Generators that are proved by the text.
    pub(super) by_text: u64,
    /// Generators that are proved by tables.
    pub(super) by_tables: u64,
    /// Models with near symmetries.
    pub(super) near: usize,
    /// Models by the reasons that break near symmetries.
    pub(super) reasons: BTreeMap<String, usize>,
    /// Models of which the full number of states is known, and a group of more than one element.
    pub(super) reduced: usize,
    /// Middle and greatest number of states that share a stored one, of those.
    pub(super) factors: Option<[f64; 2]>,
}

impl Totals {
    /// The totals of rows.
    pub(super) fn of<'r>(rows: impl Iterator<Item = &'r Row>) -> Totals {
        let mut totals = Totals::default();
        let mut factors = Vec::new();
        for row in rows {
            let (Some(census), Some(detect)) = (&row.census, &row.detect) else { continue };
            totals.models += 1;
            totals.limited += usize::from(detect.limit.is_some());
            *totals.shapes.entry(census.shape.name().to_owned()).or_default() += 1;
            totals.transitive += usize::from(census.transitive);
            totals.process += detect.process;
            totals.data += detect.data;
            totals.mixed += detect.mixed;
            totals.by_text += census.by_text;
            totals.by_tables += census.by_tables;
            totals.near += usize::from(census.near_count > 0);
            for reason in census.reasons() {
                *totals.reasons.entry(reason).or_default() += 1;
            }
            if detect.order != "1" {
                totals.symmetric += 1;
                factors.extend(row.bought());
            }
        }
        factors.sort_by(f64::total_cmp);
        totals.reduced = factors.len();
        totals.factors = factors.last().map(|&most| [factors[factors.len() / 2], most]);
        assert_eq!(totals.shapes.values().sum::<usize>(), totals.models, "every group has one shape");
        assert!(
            totals.reduced <= totals.symmetric && totals.symmetric <= totals.models,
            "only symmetric models are reduced"
        );
        totals
    }
}

/// The census of a batch.
#[derive(Clone, PartialEq, Serialize, Default, Debug)]
pub(super) struct CensusSummary {
    /// All models.
    pub(super) all: Totals,
    /// By language.
    pub(super) languages: BTreeMap<String, Totals>,
    /// By family.
    pub(super) families: BTreeMap<String, Totals>,
}

impl CensusSummary {
    /// The census of rows; none without an entry.
    pub(super) fn of(rows: &[Row]) -> Option<CensusSummary> {
        let all = Totals::of(rows.iter());
        let by = |key: &dyn Fn(&Row) -> String| -> BTreeMap<String, Totals> {
            let mut groups: BTreeMap<String, Vec<&Row>> = BTreeMap::new();
            for row in rows.iter().filter(|row| row.census.is_some()) {
                groups.entry(key(row)).or_default().push(row);
            }
            groups.into_iter().map(|(name, rows)| (name, Totals::of(rows.into_iter()))).collect()
        };
        (all.models > 0).then(|| CensusSummary {
            all,
            languages: by(&|row| row.language.clone().unwrap_or_default()),
            families: by(&|row| format!("{}/{}", row.language.as_deref().unwrap_or_default(), family(&row.path))),
        })
    }
}

impl CensusSummary {
    /// The census in lines of text, of models or of rows.
    pub(super) fn describe(&self, out: &mut String, noun: &str) {
        let all = &self.all;
        if all.limited > 0 {
            let _ = writeln!(
                out,
                "detection met a limit in {} of {}: their groups may be larger",
                all.limited,
                counted(all.models as u64, noun)
            );
        }
        if all.symmetric == 0 {
            return;
        }
        let shapes = by_number(&all.shapes).into_iter().filter(|(name, _)| *name != "trivial");
        let shapes: Vec<String> = shapes.map(|(name, number)| format!("{number} {name}")).collect();
        let _ = writeln!(out, "structures: {}; {} transitive", shapes.join(", "), all.transitive);
        let Totals { process, data, mixed, by_text, by_tables, .. } = all;
        let _ = writeln!(
            out,
            "generators: {process} of processes, {data} of data, {mixed} of both; {by_text} proved by text, {by_tables} by tables"
        );
        if all.near > 0 {
            let reasons = by_number(&all.reasons).into_iter().take(3);
            let reasons: Vec<String> = reasons.map(|(reason, models)| format!("{reason} ({models})")).collect();
            let _ = writeln!(out, "near symmetries: in {}: {}", counted(all.near as u64, noun), reasons.join("; "));
        }
        if self.languages.len() > 1 {
            let part = |(name, totals): (&String, &Totals)| format!("{name} {} of {}", totals.symmetric, totals.models);
            let parts: Vec<String> = self.languages.iter().map(part).collect();
            let _ = writeln!(out, "symmetry by language: {}", parts.join(", "));
        }
        if let Some([middle, most]) = all.factors {
            let (middle, most) = (factor(middle), factor(most));
            let models = counted(all.reduced as u64, noun);
            let _ = writeln!(
                out,
                "states for each stored one, {models} with symmetry: half above {middle}, at most {most}"
            );
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::row::{Row, detect_row};
    use super::{Census, CensusSummary, Shape, family, kind_of};
    use serde_json::json;

    /// A row with a group and a near symmetry.
    pub(in super::super) fn row(path: &str, structure: &str, order: &str) -> Row {
        let report = json!({
            "group": { "order": order, "structure": structure, "orbits": [["a", "b"], ["c", "d", "e"], ["f", "g"], ["h"]],
                "generators": [{ "cycles": [["a", "b"]], "kind": "process", "rules": [], "proved_by": "text" },
                    { "cycles": [["c", "d", "e"]], "kind": "data", "rules": [], "proved_by": "tables" }] },
            "near": [{ "permutations": "S3 on P", "broken_by": { "line": 4, "text": "x < y", "reason": "`x` is 3 things" } }],
            "exact": true, "seconds": { "lower": 0.5 } });
        let (detect, census) = (Some(detect_row(&report)), Some(Census::of(&report)));
        Row { detect, census, language: Some("lpe".to_owned()), ..Row::new(path.to_owned(), String::new()) }
    }

    #[test]
    fn structures_have_a_class() {
        for (structure, shape) in [
            ("1", Shape::Trivial),
            ("S12", Shape::Symmetric),
            ("C4", Shape::Cyclic),
            ("D5", Shape::Dihedral),
            ("A4", Shape::Alternating),
            ("S2 wr S3", Shape::Wreath),
            ("(S2 x C3) wr S2", Shape::Wreath),
            ("S3 x C2", Shape::Product),
            ("S2^4", Shape::Product),
            ("(S2 wr S3) x S2", Shape::Product),
            ("G(48)", Shape::Other),
            ("", Shape::Other),
        ] {
            assert_eq!(Shape::of(structure), shape, "{structure}");
        }
    }

    #[test]
    fn entries_have_orbits_and_reasons() {
        let census = row("m", "S2 x C3", "6").census.expect("an entry");
        assert_eq!((census.degree, census.transitive, census.orbits_text().as_str()), (7, false, "3 2^2"));
        assert_eq!((census.by_text, census.by_tables, census.near_count), (1, 1, 1));
        assert_eq!(census.reasons(), [".. is .. things"]);
        assert_eq!(kind_of("line 12 of `a b`: no"), "line .. of ..: no");
        assert_eq!(census.generators[0].cycles, "(a, b)");
    }

    #[test]
    fn families_are_folders() {
        assert_eq!((family("models/rings/a.lpe").as_str(), family("a.lpe").as_str()), ("rings", ""));
        let rows = [row("x/a/1.lpe", "S3", "6"), row("x/a/2.lpe", "1", "1"), row("x/b/3.lpe", "C4", "4")];
        let census = CensusSummary::of(&rows).expect("entries");
        assert_eq!((census.all.models, census.all.symmetric), (3, 2));
        assert_eq!(census.families["lpe/a"].shapes.len(), 2);
        assert_eq!(census.languages["lpe"].near, 3);
        assert!(CensusSummary::of(&[]).is_none());
    }

    #[test]
    fn groups_of_detections_that_a_limit_ended_are_counted_apart() {
        let mut limited = row("x/a/1.lpe", "1", "1");
        limited.detect.as_mut().expect("detected").limit = Some("time".to_owned());
        let census = CensusSummary::of(&[limited, row("x/a/2.lpe", "S3", "6")]).expect("entries");
        assert_eq!((census.all.models, census.all.limited, census.all.symmetric), (2, 1, 1));
        let mut text = String::new();
        census.describe(&mut text, "model");
        assert!(text.contains("detection met a limit in 1 of 2 models: their groups may be larger\n"), "{text}");
    }
}
