//! What stands below the rows of a model: how the groups stand to each other, the generators that not every detector finds, and what each
//! detector buys and costs.

use pipeline::comparison::{Pair, Relation};

use super::{Row, Saved, Spread, Table, wrapped};
use crate::paint::{count, counted, cycles, order, size, time};

/// The most generators that are printed.
const SHOWN: usize = 12;

/// The words of [`word`].
pub(super) const WORDS: [&str; 7] =
    ["equal", "subgroup", "supergroup", "conjugate", "incomparable", "undecided", "unknown"];

/// The relation of two groups as one word.
pub(super) fn word(relation: &Relation) -> &'static str {
    match relation {
        Relation::Equal => "equal",
        Relation::Subgroup(_) => "subgroup",
        Relation::Supergroup(_) => "supergroup",
        Relation::Conjugate => "conjugate",
        Relation::Incomparable => "incomparable",
        Relation::Undecided => "undecided",
        Relation::Unknown => "unknown",
    }
}

/// The relation of two groups as a sentence.
pub(super) fn sentence(table: &Table, pair: &Pair) -> String {
    let [one, other] = pair.of.map(|place| table.detectors[place].name);
    match &pair.relation {
        Relation::Equal => format!("{one} and {other}: equal"),
        Relation::Subgroup(index) => format!("{one} in {other}: a subgroup of index {}", order(index)),
        Relation::Supergroup(index) => format!("{other} in {one}: a subgroup of index {}", order(index)),
        Relation::Conjugate => format!("{one} and {other}: conjugate and different"),
        Relation::Incomparable => format!("{one} and {other}: neither contains the other, not conjugate"),
        Relation::Undecided => {
            format!(
                "{one} and {other}: neither contains the other; whether they are conjugate is not decided within the bounds"
            )
        }
        Relation::Unknown => format!("{one} and {other}: not compared, for want of time or of common points"),
    }
}

/// A generator that not every detector finds.
pub(super) struct Partial<'t> {
    /// Its cycles, as text.
    pub(super) cycles: String,
    /// What it moves.
    pub(super) kind: &'static str,
    /// The rules of the papers that explain it.
    pub(super) rules: &'t [&'static str],
    /// The detectors that find it.
    pub(super) by: Vec<&'static str>,
    /// The detectors that do not.
    pub(super) missing: Vec<&'static str>,
}

/// The generators that not every detector finds, each once.
pub(super) fn partial(table: &Table) -> Vec<Partial<'_>> {
    let mut list: Vec<Partial<'_>> = Vec::new();
    for (detector, holders) in table.detectors.iter().zip(&table.comparison.found_by) {
        for (generator, holders) in detector.generators.iter().zip(holders) {
            let cycles = cycles(&generator.cycles);
            if holders.len() == table.detectors.len() || list.iter().any(|known| known.cycles == cycles) {
                continue;
            }
            let name = |place: usize| table.detectors[place].name;
            let missing = (0..table.detectors.len()).filter(|place| !holders.contains(place)).map(name).collect();
            let by = holders.iter().copied().map(name).collect();
            list.push(Partial { cycles, kind: generator.kind, rules: &generator.rules, by, missing });
        }
    }
    list
}

/// The text for people.
pub(super) fn text(table: &Table, width: Option<u16>) -> String {
    let mut out = String::new();
    let mut section = |title: &str, lines: Vec<String>| {
        for (at, line) in lines.into_iter().enumerate() {
            let line = format!("  {:<11}{line}", if at == 0 { title } else { "" });
            out.push_str(&wrapped(&line, 15, width));
        }
    };
    section("groups", table.comparison.pairs.iter().map(|pair| sentence(table, pair)).collect());
    let list = partial(table);
    let mut lines: Vec<String> = list.iter().take(SHOWN).map(line).collect();
    if list.len() > SHOWN {
        lines.push(format!("and {}", counted((list.len() - SHOWN) as u64, "more generator")));
    }
    section("generators", lines);
    section("GAP", small_groups(table));
    section("gain", table.rows.iter().skip(1).filter_map(gain).collect());
    section("spread", table.rows.iter().filter_map(spread).collect());
    out
}

/// The names of groups in the library of GAP.
pub(super) fn small_groups(table: &Table) -> Vec<String> {
    let name = |[order, place]: [u64; 2]| format!("SmallGroup({order}, {place})");
    let named = table.detectors.iter().filter_map(|one| Some(format!("{}: {}", one.name, name(one.small_group?))));
    named.chain(table.unnamed.clone()).collect()
}

fn line(generator: &Partial<'_>) -> String {
    let rules =
        if generator.rules.is_empty() { "no rule of the papers".to_owned() } else { generator.rules.join(", ") };
    let Partial { cycles, kind, by, missing, .. } = generator;
    format!("{kind} {cycles}   by {}; not by {}   rules: {rules}", by.join(", "), missing.join(", "))
}

/// What a detector buys and costs.
pub(super) fn gain(row: &Row) -> Option<String> {
    let (Saved { states, transitions, seconds, memory }, group) = (row.saved?, row.group.as_ref()?);
    let amount = |number: i64, noun: &str| {
        format!("{} {} {noun}s", count(number.unsigned_abs()), if number < 0 { "more" } else { "fewer" })
    };
    let more = |is_more: bool| if is_more { "more" } else { "less" };
    let memory = memory.map(|bytes| format!(", {} {}", size(bytes.unsigned_abs()), more(bytes < 0)));
    Some(format!(
        "{}: {}, {}, {} {}{}; detection {}",
        row.detector,
        amount(states, "state"),
        amount(transitions, "transition"),
        time(seconds.abs()),
        more(seconds < 0.0),
        memory.unwrap_or_default(),
        time(group.seconds)
    ))
}

/// How far the times of repetitions lie apart.
pub(super) fn spread(row: &Row) -> Option<String> {
    let own = row.spread.as_ref()?;
    let times = |spread: &Spread| {
        let range = |[least, greatest]: [f64; 2]| format!("{} to {}", time(least), time(greatest));
        let processors = spread.cpu_seconds.map(|ends| format!(", of processors {}", range(ends)));
        format!("{} in {}{}", range(spread.seconds), counted(spread.runs.into(), "run"), processors.unwrap_or_default())
    };
    let detection = row.group.as_ref().and_then(|group| group.spread.as_ref());
    let detection = detection.map(|spread| format!("; detection {}", times(spread)));
    Some(format!("{}: {}{}", row.detector, times(own), detection.unwrap_or_default()))
}
