//! The report of `check` for people.
//!
//! ```text
//! phil4.rebeca: holds
//!   deadlock     holds
//!   overflow     holds
//!
//!   374,075 states   1,688,536 transitions   depth 46   0.31 s   9.2 MiB
//!   complete, exact   reductions: none
//! ```

use std::fmt::Write;

use checker::{
    Answer, DataUse, Fairness, GroupUsed, Growing, Limit, LimitKind, Orbits, QueryKind, Reduction, ReductionKind,
    Report, Unwatched, Verdict,
};

use super::{Checked, explanation, unbounded};
use crate::args::CheckArgs;
use crate::console::Console;
use crate::language::{Presented, TraceStyle};
use crate::paint::{Paint, clean, count, counted, size, time, whole_order};
use crate::words;
use pipeline::Trace;

/// The report; under `--quiet` its first line only.
pub(crate) fn report<L: Presented>(checked: &Checked<L>, args: &CheckArgs, console: &Console, colour: bool) -> String {
    let (report, paint) = (&checked.report, Paint { on: colour });
    let is_violated = report.answers.iter().any(|answer| answer.verdict == Verdict::Violated);
    debug_assert!(!is_violated || report.verdict == Verdict::Violated, "the verdict is the worst of the answers");
    let name = paint.bold(&clean(&checked.loaded.source.name));
    let mut out = format!("{name}: {}{}\n", verdict(report.verdict, paint), reason(report));
    if console.is_quiet() {
        return out;
    }
    out.push_str(&answers(report, paint));
    let not_asked = not_asked(checked);
    if !not_asked.is_empty() {
        let _ = writeln!(out, "  {}", paint.faint(&format!("not checked: {}", not_asked.join(", "))));
    }
    let style =
        TraceStyle { model: &checked.loaded.model, source: &checked.loaded.source, full: args.report.full, paint };
    // Equal runs are shown once.
    let mut shown: Vec<(&str, String)> = Vec::new();
    for answer in report.answers.iter().filter(|answer| answer.verdict == Verdict::Violated) {
        let Some(trace) = &answer.trace else { continue };
        let run = style.trace(trace);
        let tree = answer.explanation.as_ref().map(|one| explanation::branches(&style, one)).unwrap_or_default();
        match shown.iter().find(|(_, known)| *known == run) {
            Some((name, _)) => {
                let same = format!("  the run of the counterexample to {}\n", clean(name));
                out.push_str(&violation(checked, answer, &same, paint));
                out.push_str(&tree);
            }
            None => {
                out.push_str(&violation(checked, answer, &run, paint));
                out.push_str(&tree);
                shown.push((&answer.name, run));
            }
        }
    }
    for answer in &report.answers {
        let Some((title, run, branches)) = explanation::witness(&style, answer) else { continue };
        out.push_str(&title);
        match shown.iter().find(|(_, known)| *known == run) {
            Some((name, _)) => {
                let _ = writeln!(out, "  the run that is shown for {}", clean(name));
            }
            None => {
                out.push_str(&run);
                shown.push((&answer.name, run));
            }
        }
        out.push_str(&branches);
    }
    let _ = write!(out, "\n{}", totals(checked, args, paint));
    out
}

/// The report where a limit or a signal came before the search, in a phase.
pub(crate) fn unsearched(name: &str, report: &Report<()>, phase: &str, colour: bool) -> String {
    let paint = Paint { on: colour };
    let during = if phase.is_empty() { String::new() } else { format!(" while {phase}") };
    format!("{}: {}{}{during}\n", paint.bold(&clean(name)), verdict(report.verdict, paint), reason(report))
}

/// The word for a verdict.
pub(crate) fn word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Holds => "holds",
        Verdict::Violated => "violated",
        Verdict::Inconclusive => "inconclusive",
    }
}

fn verdict(verdict: Verdict, paint: Paint) -> String {
    match verdict {
        Verdict::Holds => paint.good(word(verdict)),
        Verdict::Violated => paint.bad(word(verdict)),
        Verdict::Inconclusive => paint.open(word(verdict)),
    }
}

/// The word for an assumption about infinite runs.
pub(crate) fn fairness(fairness: Fairness) -> &'static str {
    match fairness {
        Fairness::None => "none",
        Fairness::Weak => "weak",
    }
}

/// The reason that a report does not have the verdict `holds`, behind the verdict.
fn reason<T>(report: &Report<T>) -> String {
    let mut open = report.answers.iter().filter(|answer| answer.verdict == report.verdict);
    let described = match (report.verdict, report.first_limit(), open.next()) {
        (Verdict::Inconclusive, _, _) if report.fault.is_some() => "part of the tool failed".to_owned(),
        (Verdict::Inconclusive, Some(limit), _) => stopped(&limit),
        (Verdict::Violated | Verdict::Inconclusive, _, Some(first)) => {
            let more = match open.count() {
                0 => String::new(),
                more => format!(" (and {more} more)"),
            };
            let message = clean(&words::finding(&first.finding));
            // The message of an assertion begins with that word.
            let repeats = first.kind == QueryKind::Assertion;
            if repeats { format!("{message}{more}") } else { format!("{}: {message}{more}", first.name) }
        }
        _ => return String::new(),
    };
    format!(": {described}")
}

/// The names of the parts left out of the question.
pub(crate) fn not_asked<L: Presented>(checked: &Checked<L>) -> Vec<String> {
    let built_in = checked.report.unwatched.iter().map(|unwatched| match unwatched {
        Unwatched::Deadlock => "deadlock",
        Unwatched::Overflow => "overflow",
        Unwatched::Assertion => "assertion",
        Unwatched::Error => "error",
    });
    built_in.map(str::to_owned).chain(checked.left_out.iter().cloned()).collect()
}

/// One line per answer, in columns.
fn answers<T>(report: &Report<T>, paint: Paint) -> String {
    let width = report.answers.iter().map(|answer| answer.name.chars().count()).max().unwrap_or(0).max(9);
    let words = report.answers.iter().map(|answer| word(answer.verdict).len()).max().unwrap_or(0);
    let open = || report.answers.iter().filter(|answer| answer.verdict == Verdict::Inconclusive);
    let first = open().next().map(|answer| &answer.finding);
    // One reason for all open answers stands in the first line or in the last.
    let shared = !report.complete && open().count() > 1 && open().all(|answer| Some(&answer.finding) == first);
    let mut out = String::new();
    for answer in &report.answers {
        let padding = " ".repeat(words - word(answer.verdict).len());
        let line = format!("  {:<width$}   {}", answer.name, verdict(answer.verdict, paint));
        let message = clean(&words::finding(&answer.finding));
        let unanswered = match answer.verdict {
            Verdict::Holds => true,
            Verdict::Violated => false,
            Verdict::Inconclusive => shared,
        };
        let _ = if unanswered || message.is_empty() {
            writeln!(out, "{line}")
        } else {
            writeln!(out, "{line}{padding}   {message}")
        };
    }
    out
}

/// A counterexample by its run, and at the end the fault and its place.
fn violation<L: Presented>(checked: &Checked<L>, answer: &Answer<Trace<L>>, run: &str, paint: Paint) -> String {
    let kind = match answer.kind {
        QueryKind::Deadlock | QueryKind::Overflow | QueryKind::Assertion | QueryKind::Error => String::new(),
        QueryKind::Invariant => "assertion ".to_owned(),
        QueryKind::Ltl | QueryKind::Ctl => "formula ".to_owned(),
        QueryKind::Cover | QueryKind::Recovery => format!("{} ", answer.kind.name()),
    };
    let Some(trace) = &answer.trace else { return String::new() };
    let steps = counted(trace.steps.len() as u64, "step");
    let title = format!("counterexample to {kind}{}, {steps}", answer.name);
    let mut out = format!("\n{}\n{}", paint.bold(&title), run);
    if trace.last_state().is_none() && answer.kind != QueryKind::Ltl {
        return out; // its last lines say what is wrong and where
    }
    let _ = writeln!(out, "  {}: {}", paint.bad(&answer.name), clean(&words::finding(&answer.finding)));
    if answer.kind == QueryKind::Deadlock && !checked.has_ends {
        let other = checked.loaded.model.ends().map(|other| format!(", or {other}")).unwrap_or_default();
        let _ = writeln!(out, "       where the model may end: --end CONDITION{other}");
    }
    let is_declared =
        !matches!(answer.kind, QueryKind::Deadlock | QueryKind::Overflow | QueryKind::Assertion | QueryKind::Error);
    if let Some((_, place)) = checked.declared.iter().find(|(name, _)| is_declared && *name == answer.name) {
        let _ = writeln!(out, "       declared at {place}");
    }
    out
}

/// The explored part, and the means of the exploration.
fn totals<L: Presented>(checked: &Checked<L>, args: &CheckArgs, paint: Paint) -> String {
    let report = &checked.report;
    let mut facts = vec![
        counted(report.states, "state"),
        counted(report.transitions, "transition"),
        format!("depth {}", report.depth),
    ];
    if let Some(deadlocks) = report.deadlock_states {
        facts.push(counted(deadlocks, "deadlock state"));
    }
    facts.push(time(report.seconds));
    facts.extend(checked.peak_memory.map(size));
    if report.spilled.bytes > 0 {
        facts.push(format!("{} on the disk", size(report.spilled.bytes)));
    }
    let mut out = format!("  {}\n", facts.join("   "));
    if let Some(limit) = report.limit.filter(|_| report.verdict != Verdict::Inconclusive) {
        let _ = writeln!(out, "  {}", paint.open(&stopped(&limit)));
    }
    let has_open = report.answers.iter().any(|answer| answer.verdict == Verdict::Inconclusive && answer.run.is_none());
    let complete = match (report.complete, report.verdict) {
        (true, _) => "complete",
        (false, Verdict::Violated) if report.limit.is_some() => "incomplete",
        (false, Verdict::Violated) if args.question.questions.is_some() => "stopped when everything was decided",
        (false, Verdict::Violated) if has_open => {
            "stopped at the first violation (--keep-going decides the open answers)"
        }
        (false, Verdict::Violated) => "stopped at the first violation",
        (false, _) => "incomplete",
    };
    let exact = if report.exact { "exact" } else { "not exact" };
    let applied = applied(&report.reductions);
    let _ = writeln!(out, "  {complete}, {exact}   reductions: {applied}");
    if let Some(reduction) = smaller_net(&report.reductions).filter(|_| !args.report.explain_reductions) {
        let _ = writeln!(out, "  {}: {}", reduction.kind.name(), words::detail(reduction));
    }
    if let Some(group) = &report.group {
        let _ = writeln!(out, "  symmetry: {}", symmetry(group));
    }
    for Growing { name, from, to, levels } in &report.growing {
        let name = format!("`{}`", clean(name));
        let _ = writeln!(out, "  {}", unbounded::text(&name, [*from, *to].map(i64::from), *levels));
    }
    for data in &report.data {
        let _ = writeln!(out, "  {}", values(data));
    }
    out.push_str(&runs(report, paint));
    if args.report.explain_reductions {
        out.push_str(&explained(report));
    }
    if let Some(requested @ 2..) = args.search.threads {
        let _ = writeln!(out, "  {}", threads(report, requested));
    }
    out
}

/// The values of a sort of data, and what they show.
fn values(data: &DataUse) -> String {
    let DataUse { sort, values, used, needed } = data;
    let has = if sort.contains(',') { "have" } else { "has" };
    let sort = clean(sort);
    match data.enough() {
        Some(enough) => format!(
            "data: `{sort}` {has} {values} values, and the verdicts are those for every number of them from {enough} on, \
             if nothing else in the text changes with it"
        ),
        None => format!(
            "data: {used} of {values} values of `{sort}` are in use at once, and {needed} more are needed: more values may change verdicts"
        ),
    }
}

/// The number of threads that searched, where more than one was requested.
fn threads<T>(report: &Report<T>, requested: u32) -> String {
    let used = match report.threads {
        1 => format!("one thread ({requested} were requested)"),
        used => format!("{used} threads"),
    };
    let has_runs = report.threads > 1 && report.answers.iter().any(|answer| answer.run.is_some());
    if has_runs { format!("{used}; formulas on one thread") } else { used }
}

/// Each reduction that was considered, one per line: of the reachability run, then of each separate run.
fn explained<T>(report: &Report<T>) -> String {
    let own = report.answers.iter().filter_map(|answer| Some((answer.name.as_str(), &answer.run.as_ref()?.reductions)));
    let lines: Vec<(&str, &Reduction)> = std::iter::once(("", &report.reductions))
        .chain(own)
        .flat_map(|(name, reductions)| reductions.iter().map(move |reduction| (name, reduction)))
        .collect();
    let width = lines.iter().map(|(_, reduction)| reduction.kind.name().len()).max().unwrap_or(0);
    let mut out = String::new();
    for (name, reduction) in lines {
        let kind = reduction.kind.name();
        let applied = if reduction.is_applied() { "applied    " } else { "not applied" };
        let whose = if name.is_empty() { String::new() } else { format!("{}: ", clean(name)) };
        let _ = writeln!(out, "  {kind:<width$}   {applied}   {whose}{}", clean(&words::detail(reduction)));
    }
    out
}

/// The group of the quotient, and its use.
fn symmetry(group: &GroupUsed) -> String {
    let GroupUsed { order, model_order, detector, representative, exact, orbits, names: _ } = group;
    let whole = whole_order(model_order);
    let cut =
        if order == model_order { String::new() } else { format!(" (of {whole}, cut by the question or by a bound)") };
    let several = if *exact { "" } else { "   several states per orbit" };
    let mut out = format!("group of order {}{cut} by {detector}   {representative}{several}", whole_order(order));
    if let Some(Orbits { by_size, sum, up_to_renumbering, transitions: _ }) = orbits {
        let sizes: Vec<String> = by_size.iter().map(|(size, orbits)| format!("{} of {size}", count(*orbits))).collect();
        let renumbered = if *up_to_renumbering { ", up to the numbers of created rebecs" } else { "" };
        let sum = sum.parse().map_or_else(|_| sum.clone(), count);
        let _ = write!(out, "\n  orbits: {}; {sum} states in all{renumbered}", sizes.join(", "));
    }
    out
}

/// The reduction whose smaller net was searched, if one was.
fn smaller_net(reductions: &[Reduction]) -> Option<&Reduction> {
    reductions.iter().find(|reduction| reduction.kind == ReductionKind::Structural && reduction.is_applied())
}

/// The names of the reductions that were applied.
fn applied(reductions: &[Reduction]) -> String {
    let applied: Vec<&str> = reductions.iter().filter(|it| it.is_applied()).map(|it| it.kind.name()).collect();
    if applied.is_empty() { "none".to_owned() } else { applied.join(", ") }
}

/// The separate runs that answered formulas, one line each.
fn runs<T>(report: &Report<T>, paint: Paint) -> String {
    let mut out = String::new();
    for answer in &report.answers {
        let Some(run) = &answer.run else { continue };
        let smaller = smaller_net(&run.reductions);
        let searched = if smaller.is_some() { "smaller net" } else { "model" };
        let mut facts = vec![
            format!("fairness: {}", fairness(run.fairness)),
            counted(run.states, "state"),
            counted(run.transitions, "transition"),
            format!("over {} of the {searched}", counted(run.system_states, "state")),
            format!("reductions: {}", applied(&run.reductions)),
            time(run.seconds),
        ];
        if run.sweeps > 0 {
            facts.push(format!("steps computed again in {}", counted(run.sweeps, "sweep")));
        }
        let _ = writeln!(out, "  {}   {}", paint.bold(&answer.name), facts.join("   "));
        if let Some(reduction) = smaller {
            let _ = writeln!(out, "    {}: {}", reduction.kind.name(), words::detail(reduction));
        }
        if let Some(limit) = &run.limit {
            let _ = writeln!(out, "  {}", paint.open(&stopped(limit)));
        }
    }
    out
}

/// The limit that ended the search, and the option that moves it.
pub(crate) fn stopped(limit: &Limit) -> String {
    let value = limit.value;
    match limit.kind {
        LimitKind::States => format!("stopped at {} (--max-states)", counted(value, "state")),
        LimitKind::Depth => format!("not explored beyond depth {} (--max-depth)", count(value)),
        LimitKind::Memory if crate::room::is_of_system(value) => {
            format!("stopped at {} of memory: the system lets the process have no more", size(value))
        }
        LimitKind::Memory => format!("stopped at {} of memory (--max-memory)", size(value)),
        LimitKind::Time => format!("stopped after {} (--timeout)", millis(value)),
        LimitKind::Rebecs => format!("not explored beyond {} created rebecs of a class (--max-rebecs)", count(value)),
        LimitKind::Processes => format!("not explored beyond {} processes at a time", count(value)),
        LimitKind::Work => {
            format!("a server or constructor was given up after {} statements over all its choices", count(value))
        }
        LimitKind::Representative => {
            format!(
                "the representative of a state was given up after {} images (--representative several)",
                count(value)
            )
        }
        LimitKind::Disk => "stopped: states on the disk could not be read (--spill)".to_owned(),
        LimitKind::Interrupt => format!("stopped by {}", signal(value)),
    }
}

fn millis(value: u64) -> String {
    match (value / 1000, value % 1000) {
        (seconds, 0) => format!("{} s", count(seconds)),
        (0, millis) => format!("{millis} ms"),
        (seconds, millis) => format!("{}.{millis:03} s", count(seconds)),
    }
}

fn signal(number: u64) -> String {
    match number {
        2 => "an interrupt (SIGINT)".to_owned(),
        1 => "the end of the terminal (SIGHUP)".to_owned(),
        25 => "the limit on the size of files (SIGXFSZ)".to_owned(),
        15 => "a request to terminate (SIGTERM)".to_owned(),
        other => format!("signal {other}"),
    }
}

#[cfg(test)]
mod tests {
    use super::{Limit, LimitKind, millis, stopped};

    #[test]
    fn limits_name_the_option_that_moves_them() {
        let described = |kind, value| stopped(&Limit { kind, value });
        assert_eq!(described(LimitKind::States, 1000), "stopped at 1,000 states (--max-states)");
        assert_eq!(described(LimitKind::Memory, 512 << 20), "stopped at 512 MiB of memory (--max-memory)");
        assert_eq!(described(LimitKind::Interrupt, 2), "stopped by an interrupt (SIGINT)");
    }

    #[test]
    fn milliseconds_are_shown_in_seconds() {
        assert_eq!([millis(30_000), millis(250), millis(1_500)], ["30 s", "250 ms", "1.500 s"]);
    }
}
