//! The question of `check`, from options and properties.
//!
//! Without `--name` the question contains everything that no option removes. With `--name` it contains only the named
//! parts: the built-in names `deadlock`, `overflow`, `error`, `assertion`, and the names of properties. The report
//! lists the parts left out. Questions of a file stand in place of everything that is not named, and are decided in one run.

use checker::{Limits, Question, Threads};
use frontend::interpret::Bounds;
use frontend::murphi::program::Program;
use ltl::Properties as _;

use crate::args::{CheckArgs, Deadlock, Fairness, QuestionArgs, Search, SearchArgs};
use crate::codes;
use crate::language::Presented;
use crate::outcome::Failure;
use crate::paint::clean;
use crate::room;
use crate::words::there_are;
use pipeline::language::Language;

/// A question, and the properties that it leaves out.
pub(crate) struct Requested<P> {
    /// The question.
    pub(crate) question: Question<P>,
    /// The names of the properties that `--name` left out.
    pub(crate) left_out: Vec<String>,
}

/// The question that the options describe.
pub(crate) fn requested<L: Presented>(
    args: &CheckArgs,
    mut properties: L::Properties,
) -> Result<Requested<L::Properties>, Failure> {
    let names = &args.question.names;
    let declared = L::declared(&properties);
    let declared = declared.iter().map(|&(name, _)| name);
    refuse_unknown(names, declared.clone().chain(L::BUILT_IN.iter().copied()), "")?;
    refuse_contradictions(args)?;
    refuse_stuttering::<L>(&args.question)?;
    let wanted = |name: &str| names.is_empty() || names.iter().any(|requested| requested == name);
    let left_out = declared.filter(|name| !wanted(name)).map(str::to_owned).collect();
    let asks = args.question.questions.is_some();
    // Next to questions, what is built in is checked only where it is named.
    let built_in = |name: &str| wanted(name) && !(asks && names.is_empty());
    let deadlock = built_in("deadlock") && !args.question.excludes_deadlock();
    properties.keep(&wanted, deadlock);
    let question = Question {
        deadlock,
        stuck: args.question.deadlock == Some(Deadlock::Stuck),
        overflow: built_in("overflow") && !args.question.no_overflow,
        assertions: built_in("assertion"),
        faults: built_in("error") && !args.question.no_faults,
        properties,
        whole: L::Properties::default(),
        keep_going: args.question.keep_going || asks,
        until_decided: asks && !args.question.keep_going,
        fairness: args.reductions.fairness.map_or(checker::Fairness::Weak, Fairness::get),
        emptiness: args.reductions.emptiness.get(),
        order: args.search.search.get(),
        explains: true,
        threads: Threads { most: threads(&args.search), ..Threads::default() },
        limits: Limits {
            max_states: args.search.max_states,
            max_depth: args.search.max_depth,
            max_memory: room::most_memory(args.search.memory()),
        },
        bounds: Bounds { max_rebecs: args.search.max_rebecs, ..Bounds::default() },
    };
    Ok(Requested { question, left_out })
}

/// The number of threads that the search may use.
fn threads(args: &SearchArgs) -> u32 {
    let cores = || std::thread::available_parallelism().ok().and_then(|cores| u32::try_from(cores.get()).ok());
    if one_thread(args).is_some() { 1 } else { args.threads.or_else(cores).unwrap_or(1).min(room::threads()) }
}

/// The option for which a search stays on one thread.
pub(crate) fn one_thread(args: &SearchArgs) -> Option<&'static str> {
    let options = [
        (args.search == Search::Dfs, "--search dfs"),
        (args.checkpoint.is_some(), "--checkpoint"),
        (args.resume.is_some(), "--resume"),
    ];
    options.into_iter().find_map(|(is_there, option)| is_there.then_some(option))
}

/// Refuses names that no property has; `none` says what to do where there are no properties.
pub(super) fn refuse_unknown<'a>(
    names: &[String],
    known: impl Iterator<Item = &'a str> + Clone,
    none: &str,
) -> Result<(), Failure> {
    let is_unknown = |name: &&String| known.clone().all(|known| known != name.as_str());
    let Some(name) = names.iter().find(is_unknown) else { return Ok(()) };
    let help = if known.clone().next().is_some() { there_are(name, known) } else { none.to_owned() };
    Err(Failure::usage(codes::UNKNOWN_PROPERTY, format!("there is no property `{}`", clean(name))).help(help))
}

/// States all of whose steps stay are deadlocks in models of Murphi only.
fn refuse_stuttering<L: Presented>(args: &QuestionArgs) -> Result<(), Failure> {
    if args.deadlock != Some(Deadlock::Stuttering) || L::NAME == <Program as Language>::NAME {
        return Ok(());
    }
    let message = format!("`--deadlock stuttering` is judged in models of Murphi, and this is one of {}", L::NAME);
    Err(Failure::contradiction(message).help("`--deadlock stuck` is the default for this language"))
}

fn refuse_contradictions(args: &CheckArgs) -> Result<(), Failure> {
    let asked = &args.question;
    let pairs = [
        ("deadlock", asked.excludes_deadlock(), "--no-deadlock"),
        ("overflow", asked.no_overflow, "--no-overflow"),
        ("error", asked.no_faults, "--no-faults"),
    ];
    let is_named = |name: &str| asked.names.iter().any(|requested| requested == name);
    let named = pairs.into_iter().find(|(name, is_refused, _)| *is_refused && is_named(name));
    let message = named.map(|(name, _, option)| format!("`--name {name}` requests what `{option}` excludes"));
    let kind = || match asked.deadlock {
        Some(Deadlock::Stuck | Deadlock::Stuttering) if asked.no_deadlock => Some(("--deadlock", "--no-deadlock")),
        _ => args.reductions.contradiction(),
    };
    let other = || kind().map(|(option, excludes)| format!("`{option}` requests what `{excludes}` excludes"));
    let Some(message) = message.or_else(other) else { return Ok(()) };
    Err(Failure::contradiction(message).help("leave out one of the two options"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::{Cli, Command};
    use clap::Parser;
    use frontend::model::{Expr, ExprKind, Model, Property, PropertyKind, PropertySet, Sort};
    use frontend::source::Span;

    fn request(line: &str) -> Result<Requested<PropertySet>, Failure> {
        let Command::Check(args) = Cli::try_parse_from(line.split(' ')).expect("parses").command else {
            panic!("not a check")
        };
        let property = |name: &str| {
            let truth = Expr { kind: ExprKind::Bool(true), sort: Sort::Bool, span: Span::NONE };
            Property { name: name.to_owned(), kind: PropertyKind::Invariant(truth), span: Span::NONE }
        };
        let set = PropertySet { definitions: Vec::new(), properties: vec![property("Mutex"), property("Order")] };
        requested::<Model>(&args, set)
    }

    #[test]
    fn everything_is_requested_without_names() {
        let Requested { question, left_out } = request("quotient check m --no-overflow").expect("a request");
        assert!(question.deadlock && question.faults && !question.overflow);
        assert_eq!(question.properties.properties.len(), 2);
        assert!(left_out.is_empty());
    }

    #[test]
    fn a_name_requests_nothing_else() {
        let Requested { question, left_out } =
            request("quotient check m --name Order --name error").expect("a request");
        assert!(question.faults && !question.deadlock && !question.overflow && !question.assertions);
        assert_eq!(question.properties.properties.len(), 1);
        assert_eq!(left_out, ["Mutex"]);
    }

    #[test]
    fn impossible_requests_are_refused() {
        for options in [
            "--name Mutx",
            "--name error --no-faults",
            "--no-deadlock --name deadlock",
            "--plain --por on",
            "--plain --slice static",
            "--plain --starts moved",
            "--plain --representative several",
            "--symmetry none --representative several",
            "--symmetry none --images on",
            "--symmetry none --starts moved",
            "--no-deadlock --deadlock stuck",
        ] {
            assert!(matches!(request(&format!("quotient check m {options}")), Err(Failure::Usage(_))), "{options}");
        }
        for options in [
            "--plain --symmetry none --por off --slice off",
            "--slice step-wise",
            "--symmetry scalar-set --fairness none",
            "--no-deadlock --deadlock off",
        ] {
            assert!(request(&format!("quotient check m {options}")).is_ok(), "{options}");
        }
    }
}
