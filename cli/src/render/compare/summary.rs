//! The summary of `compare` over all models: for each detector what it reached, for each pair of detectors who won.
//!
//! A detector counts with its first choice of representatives. Time is that of the detection and of the search together. It wins a model
//! against another one if it stores fewer states there. Only finished runs are compared.

use std::collections::BTreeSet;

use serde::Serialize;
use serde_json::{Value as Json, json};
use symmetry::Strategy;

use super::{Absent, Row, Table, folded_to, groups, wrapped};
use crate::paint::counted;

/// The name of the run without symmetry.
pub(super) const NONE: &str = "none";

/// What one detector reached.
#[derive(Clone, PartialEq, Serialize, Debug)]
pub(super) struct Reached {
    #[serde(rename = "detector")]
    pub(super) name: &'static str,
    /// The models for which it came to a group; for `none`, those that were read.
    pub(super) models: usize,
    /// Those with a group of more than one element.
    pub(super) symmetric: usize,
    /// Those whose search finished.
    pub(super) finished: usize,
    /// Those where no detector stores fewer states, and it stores fewer than a search without symmetry.
    #[serde(rename = "fewest_states")]
    pub(super) fewest: usize,
    /// Those where detection and search together are faster than the search without symmetry.
    pub(super) faster: usize,
    /// Those where they are slower.
    pub(super) slower: usize,
    /// The geometric mean of the reduction factors.
    #[serde(rename = "mean_reduction")]
    pub(super) reduction: Option<f64>,
    /// The seconds of the finished models, ascending.
    pub(super) seconds: Vec<f64>,
}

/// Two detectors over all models.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Against {
    pub(super) of: [&'static str; 2],
    /// Models where the first stores fewer states, where it stores more, and where both store as many.
    pub(super) states: [usize; 3],
    /// The relations of their groups, with the number of models of each.
    pub(super) relations: Vec<(&'static str, usize)>,
}

/// The summary.
#[derive(Debug)]
pub(crate) struct Summary {
    /// The models, with each combination of several values of constants.
    pub(super) models: usize,
    /// The models, whatever the values.
    pub(super) distinct: usize,
    pub(super) refused: usize,
    /// Those that met a limit with smaller values.
    pub(super) left_out: usize,
    pub(super) detectors: Vec<Reached>,
    pub(super) pairs: Vec<Against>,
}

impl Summary {
    /// The summary of some tables.
    pub(crate) fn new(tables: &[Table]) -> Summary {
        let names = Strategy::ALL.map(Strategy::name);
        let is_there = |name: &&str| tables.iter().any(|table| table.detectors.iter().any(|one| one.name == *name));
        let names: Vec<&'static str> = names.into_iter().filter(is_there).collect();
        let found = tables.iter().flat_map(|table| &table.detectors);
        debug_assert!({ found }.all(|one| names.contains(&one.name)), "every detector is counted");
        let detectors = std::iter::once(NONE).chain(names.iter().copied()).map(|name| reached(tables, name)).collect();
        let pairs =
            names.iter().enumerate().flat_map(|(at, &one)| names[at + 1..].iter().map(move |&other| [one, other]));
        Summary {
            models: tables.len(),
            distinct: tables.iter().map(|table| table.subject.path.as_str()).collect::<BTreeSet<_>>().len(),
            refused: tables.iter().filter(|table| table.is_refused()).count(),
            left_out: tables.iter().filter(|table| matches!(table.absent, Some(Absent::LeftOut(_)))).count(),
            detectors,
            pairs: pairs.filter_map(|of| against(tables, of)).collect(),
        }
    }

    /// The heads of the columns and the cells of each detector.
    pub(super) fn cells(&self) -> ([&'static str; 9], Vec<[String; 9]>) {
        let heads = [
            "detector",
            "models",
            "symmetric",
            "finished",
            "fewest states",
            "faster",
            "slower",
            "mean reduction",
            "seconds",
        ];
        let cells = |one: &Reached| {
            let number = |number: usize| if one.name == NONE { "-".to_owned() } else { number.to_string() };
            [
                one.name.to_owned(),
                one.models.to_string(),
                number(one.symmetric),
                one.finished.to_string(),
                number(one.fewest),
                number(one.faster),
                number(one.slower),
                one.reduction.map_or_else(|| "-".to_owned(), |factor| format!("{factor:.2}")),
                format!("{:.2}", one.seconds.iter().sum::<f64>()),
            ]
        };
        (heads, self.detectors.iter().map(cells).collect())
    }

    /// For people; nothing for a single model, whose table says it all.
    pub(super) fn text(&self, width: Option<u16>) -> String {
        if self.models < 2 {
            return String::new();
        }
        let (heads, rows) = self.cells();
        let widths: Vec<usize> =
            heads.iter().map(|head| head.len().max(if *head == heads[0] { 15 } else { 6 })).collect();
        let absent = [(self.refused, "refused"), (self.left_out, "left out")];
        let absent = absent.iter().filter(|(number, _)| *number > 0).map(|(number, word)| format!(", {number} {word}"));
        let models = counted(self.distinct as u64, "model");
        let what = match self.models == self.distinct {
            true => models,
            false => format!("{} of {models}", counted(self.models as u64, "choice")),
        };
        let mut out = format!("\nsummary of {what}{}\n", absent.collect::<String>());
        for line in std::iter::once(heads.map(str::to_owned)).chain(rows) {
            out.push_str(&folded_to(&line, &widths, &[0], width));
        }
        for pair in &self.pairs {
            let ([one, other], [fewer, more, equal]) = (pair.of, pair.states);
            let relations: Vec<String> = pair.relations.iter().map(|(word, many)| format!("{many} {word}")).collect();
            let line = format!(
                "  {one} against {other}: fewer states on {fewer}, more on {more}, as many on {equal}; groups: {}",
                relations.join(", ")
            );
            out.push_str(&wrapped(&line, 4, width));
        }
        out
    }

    /// As JSON.
    pub(super) fn as_json(&self) -> Json {
        let pairs = self.pairs.iter().map(|pair| {
            let relations: serde_json::Map<String, Json> =
                pair.relations.iter().map(|&(word, many)| (word.to_owned(), json!(many))).collect();
            let [fewer, more, equal] = pair.states;
            json!({
                "detectors": pair.of,
                "fewer_states": fewer,
                "more_states": more,
                "as_many_states": equal,
                "relations": relations,
            })
        });
        json!({
            "models": self.models,
            "refused": self.refused,
            "left_out": self.left_out,
            "detectors": self.detectors,
            "pairs": pairs.collect::<Vec<Json>>(),
        })
    }
}

/// The finished row of a detector.
pub(super) fn finished<'t>(table: &'t Table, name: &str) -> Option<&'t Row> {
    table.row(name).filter(|row| row.complete && (name == NONE || row.group.is_some()))
}

fn reached(tables: &[Table], name: &'static str) -> Reached {
    let found = |table: &&Table| match name {
        NONE => table.language.is_some(),
        _ => table.detectors.iter().any(|one| one.name == name),
    };
    let is_symmetric = |table: &&Table| {
        let mut own = table.detectors.iter().filter(|one| one.name == name);
        own.any(|one| one.found.order > num_bigint::BigUint::from(1u32))
    };
    let both = || tables.iter().filter_map(|table| Some((table, finished(table, NONE)?, finished(table, name)?)));
    let is_fewest = |table: &Table, whole: &Row, own: &Row| {
        let others = table.detectors.iter().filter_map(|one| finished(table, one.name));
        own.states < whole.states && others.map(|row| row.states).min() == Some(own.states)
    };
    let factors: Vec<f64> = both().filter_map(|(_, whole, own)| whole.over(own)).collect();
    #[expect(clippy::cast_precision_loss, reason = "a mean for people")]
    let mean = || (factors.iter().map(|factor| factor.ln()).sum::<f64>() / factors.len() as f64).exp();
    let mut seconds: Vec<f64> =
        tables.iter().filter_map(|table| Some(finished(table, name)?.total_seconds())).collect();
    seconds.sort_unstable_by(f64::total_cmp);
    let reached = Reached {
        name,
        models: tables.iter().filter(found).count(),
        symmetric: tables.iter().filter(is_symmetric).count(),
        finished: seconds.len(),
        fewest: both().filter(|(table, whole, own)| name != NONE && is_fewest(table, whole, own)).count(),
        faster: both().filter(|(_, whole, own)| own.total_seconds() < whole.total_seconds()).count(),
        slower: both().filter(|(_, whole, own)| own.total_seconds() > whole.total_seconds()).count(),
        reduction: (!factors.is_empty()).then(mean),
        seconds,
    };
    let Reached { models, symmetric, finished, fewest, faster, slower, .. } = reached;
    assert!(symmetric <= models && finished <= models, "a model that is counted was read");
    assert!(fewest <= finished && faster + slower <= finished, "searches that are compared are finished");
    reached
}

fn against(tables: &[Table], of: [&'static str; 2]) -> Option<Against> {
    let mut states = [0; 3];
    for table in tables {
        if let (Some(one), Some(other)) = (finished(table, of[0]), finished(table, of[1])) {
            states[match one.states.cmp(&other.states) {
                std::cmp::Ordering::Less => 0,
                std::cmp::Ordering::Greater => 1,
                std::cmp::Ordering::Equal => 2,
            }] += 1;
        }
    }
    let relation = |table: &Table| -> Option<&'static str> {
        let mut pairs = table.comparison.pairs.iter();
        let pair = pairs.find(|pair| pair.of.map(|place| table.detectors[place].name) == of)?;
        Some(groups::word(&pair.relation))
    };
    let found: Vec<&'static str> = tables.iter().filter_map(relation).collect();
    let many = |word: &'static str| (word, found.iter().filter(|own| **own == word).count());
    let relations: Vec<(&'static str, usize)> =
        groups::WORDS.into_iter().map(many).filter(|(_, many)| *many > 0).collect();
    let counted: usize = relations.iter().map(|(_, many)| many).sum();
    assert_eq!(counted, found.len(), "each relation is one of those that have a word");
    (!found.is_empty()).then_some(Against { of, states, relations })
}
