//! The expectations of a fixture, written in its head as lines `//@ key: value`.
//!
//! The directives are the first lines of the file. Reading is strict: an unknown key, a value that does not fit, a
//! directive further down, or none at all is an error, so that a misspelt expectation cannot pass for a met one.
//!
//! | key | value |
//! |---|---|
//! | `states`, `transitions` | `full N`: of the whole state space; `quotient N`: with symmetry and no properties; `reduced N`: with partial order; separated by commas |
//! | `deadlocks` | how many states hold no message |
//! | `check` | `NAME => VERDICT`: `deadlock`, `overflow`, `assertion`, `error` are `none`, `violated` or `inconclusive`, properties `holds`, `violated` or `inconclusive` |
//! | `unfair` | `NAME => VERDICT`: of a formula, when no fairness is assumed |
//! | `fault` | part of the message of the first violated answer that is a fault |
//! | `steps` | how many steps its breadth-first counterexample has, the faulting one included |
//! | `run` | options of the command line |
//! | `define` | `NAME=VALUE`: another value of a constant; may be repeated |
//! | `slow` | no value: runs only when `QUOTIENT_SLOW` is `1` or `only` |
//! | `reject` | the codes of all errors, in order |
//! | `reports` | the codes of all warnings and notices, in order |
//! | `model` | the model of a property file in `reject/` or `notice/`, a path from its folder; else `../support/one.rebeca` |

use checker::Verdict;

/// The expectations of one fixture.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Expectations {
    /// States by treatment.
    pub states: Vec<(String, u64)>,
    /// Transitions by treatment.
    pub transitions: Vec<(String, u64)>,
    /// States that hold no message.
    pub deadlocks: Option<u64>,
    /// Verdicts by name.
    pub checks: Vec<(String, Verdict)>,
    /// Verdicts about formulas without fairness.
    pub unfair: Vec<(String, Verdict)>,
    /// Part of the message of the first violated answer that is a fault.
    pub fault: Option<String>,
    /// The length of its shortest counterexample.
    pub steps: Option<usize>,
    /// Options of the command line.
    pub run: Vec<String>,
    /// Other values of constants.
    pub defines: Vec<(String, i64)>,
    /// Whether it runs only on demand.
    pub is_slow: bool,
    /// The codes of the errors.
    pub reject: Option<Vec<String>>,
    /// The codes of the warnings and notices.
    pub reports: Option<Vec<String>>,
    /// The model of a property file.
    pub model: Option<String>,
}

type Reader = fn(&mut Expectations, &str) -> Result<(), String>;

const KEYS: &[(&str, Reader)] = &[
    ("states", |e, value| counts(&mut e.states, value)),
    ("transitions", |e, value| counts(&mut e.transitions, value)),
    ("deadlocks", |e, value| once(&mut e.deadlocks, number(value)?)),
    ("check", |e, value| check(&mut e.checks, value)),
    ("unfair", |e, value| check(&mut e.unfair, value)),
    ("fault", |e, value| once(&mut e.fault, value.to_owned())),
    ("steps", |e, value| once(&mut e.steps, usize::try_from(number(value)?).map_err(|_| "too many steps".to_owned())?)),
    ("run", |e, value| {
        e.run.extend(value.split_whitespace().map(str::to_owned));
        Ok(())
    }),
    ("define", |e, value| {
        let (name, value) = value.split_once('=').ok_or("expected `NAME=VALUE`")?;
        let value = value.trim().parse().map_err(|_| format!("`{value}` is not a number"))?;
        e.defines.push((name.trim().to_owned(), value));
        Ok(())
    }),
    ("slow", |e, value| {
        e.is_slow = true;
        if value.is_empty() { Ok(()) } else { Err("`slow` has no value".to_owned()) }
    }),
    ("reject", |e, value| once(&mut e.reject, codes(value)?)),
    ("reports", |e, value| once(&mut e.reports, codes(value)?)),
    ("model", |e, value| once(&mut e.model, value.to_owned())),
];

/// The names of the treatments that have counts: no reduction; symmetry without properties; partial order with
/// overflow left out of the question.
const TREATMENTS: &[&str] = &["full", "quotient", "reduced"];

/// The start of a line of directives: a comment of the language of the file.
const MARKS: [&str; 3] = ["//@", "--@", "<!--@"];

/// The built-in checks of every model.
pub const BUILT_IN: &[&str] = &["deadlock", "overflow", "assertion", "error"];

impl Expectations {
    /// Reads the directives of a text.
    ///
    /// # Errors
    /// The problems with them, one line per problem.
    pub fn read(text: &str) -> Result<Expectations, String> {
        let mut found = Expectations::default();
        let mut problems = Vec::new();
        let lines: Vec<&str> = text.lines().collect();
        let directive = |line: &str| MARKS.iter().find_map(|mark| line.strip_prefix(mark)).map(str::to_owned);
        let head: Vec<String> = lines.iter().map_while(|line| directive(line)).collect();
        for (line, directive) in lines.iter().zip(&head) {
            let directive = directive.trim().trim_end_matches("-->").trim_end();
            let (key, value) = directive.split_once(':').unwrap_or((directive, ""));
            let reader = KEYS.iter().find(|(known, _)| *known == key.trim());
            let result = match reader {
                Some((_, read)) => read(&mut found, value.trim()),
                None => Err("unknown key".to_owned()),
            };
            problems.extend(result.err().map(|problem| format!("`{line}`: {problem}")));
        }
        if head.is_empty() {
            problems.push("there are no directives in the first lines".to_owned());
        }
        for line in lines[head.len()..].iter().filter(|line| MARKS.iter().any(|mark| line.contains(mark))) {
            problems.push(format!("`{line}`: directives stand in the first lines"));
        }
        if problems.is_empty() { Ok(found) } else { Err(problems.join("\n")) }
    }

    /// The number expected of a treatment.
    pub fn count(counts: &[(String, u64)], treatment: &str) -> Option<u64> {
        counts.iter().find(|(name, _)| name == treatment).map(|(_, count)| *count)
    }
}

fn once<T>(slot: &mut Option<T>, value: T) -> Result<(), String> {
    match slot.replace(value) {
        None => Ok(()),
        Some(_) => Err("the key stands twice".to_owned()),
    }
}

fn number(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("`{text}` is not a number"))
}

fn counts(into: &mut Vec<(String, u64)>, value: &str) -> Result<(), String> {
    for part in value.split(',') {
        let (name, count) = part.trim().split_once(' ').ok_or("expected a treatment and a number")?;
        if !TREATMENTS.contains(&name) {
            return Err(format!("there is no treatment `{name}`"));
        }
        if into.iter().any(|(other, _)| other == name) {
            return Err(format!("`{name}` stands twice"));
        }
        into.push((name.to_owned(), number(count.trim())?));
    }
    Ok(())
}

fn check(into: &mut Vec<(String, Verdict)>, value: &str) -> Result<(), String> {
    let (name, verdict) = value.split_once("=>").ok_or("expected `NAME => VERDICT`")?;
    let (name, verdict) = (name.trim(), verdict.trim());
    let is_built_in = BUILT_IN.contains(&name);
    let verdict = match verdict {
        "none" if is_built_in => Verdict::Holds,
        "holds" if !is_built_in => Verdict::Holds,
        "violated" => Verdict::Violated,
        "inconclusive" => Verdict::Inconclusive,
        _ => return Err(format!("`{verdict}` is no verdict about `{name}`")),
    };
    if into.iter().any(|(other, _)| other == name) {
        return Err(format!("`{name}` stands twice"));
    }
    into.push((name.to_owned(), verdict));
    Ok(())
}

fn codes(value: &str) -> Result<Vec<String>, String> {
    let is_code = |code: &str| code.len() == 5 && code.starts_with(['E', 'W', 'N']) && code[1..].parse::<u16>().is_ok();
    let codes: Vec<String> = value.split(',').map(|code| code.trim().to_owned()).collect();
    match codes.iter().find(|code| !is_code(code)) {
        Some(code) => Err(format!("`{code}` is no diagnostic code")),
        None => Ok(codes),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directives_are_read() {
        let text = "//@ states: full 324\n//@ check: deadlock => none\n//@ check: P => violated\n//@ run: --max-rebecs 4\n\
                    //@ slow\n\nmain { }\n";
        let found = Expectations::read(text).expect("well-formed");
        assert_eq!(Expectations::count(&found.states, "full"), Some(324));
        let checks = [("deadlock".to_owned(), Verdict::Holds), ("P".to_owned(), Verdict::Violated)];
        assert_eq!(found.checks, checks);
        assert_eq!(found.run, ["--max-rebecs", "4"]);
        assert!(found.is_slow);
    }

    #[test]
    fn misspelt_directives_are_refused() {
        for text in [
            "",
            "main { }",
            "//@ stats: full 3",
            "//@ states: 3",
            "//@ states: half 3",
            "//@ states: full 3, full 4",
            "//@ check: deadlock => holds",
            "//@ check: P => none",
            "//@ check: P = violated",
            "//@ deadlocks: 1\n//@ deadlocks: 1",
            "//@ reject: E01",
            "//@ slow: yes",
            "//@ deadlocks: 1\nmain { }\n//@ steps: 3",
        ] {
            assert!(Expectations::read(text).is_err(), "{text}");
        }
    }
}
