//! The options of `check` and `detect` that a command line gives, as words for other processes, and the options of `batch` and of head
//! lines that are passed on to them.
//!
//! The definitions of the options are those of the two commands: an option that one of them gains is passed on as well, unless
//! [`NOT_PASSED`] names it. Only what stands on the command line is kept, so that defaults stay those of the commands.
//!
//! Invariant: the words of an option are read back as the same values.

use std::ffi::OsString;
use std::sync::OnceLock;

use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Args, Command, FromArgMatches};

use super::{CheckArgs, DetectArgs};

/// The options of `check` and `detect` that `batch` does not pass on: it has its own of these, or a row has no place for their results.
const NOT_PASSED: &[&str] = &[
    // The model and how it is read.
    "model",
    "core",
    "language",
    "constants",
    // Limits and threads: `batch` has its own.
    "max_states",
    "max_memory",
    "timeout",
    "threads",
    // Results: rows have a fixed form.
    "json",
    "output",
    "explain_reductions",
    "full",
    "gap",
    "report",
    "report_format",
    "why",
    "family",
    // Checkpoints of one search: the journal of `batch` keeps rows.
    "checkpoint",
    "overwrite",
    "every",
    "resume",
    // Of sweeps: `batch` has its own.
    "skip_larger",
];

/// The options that name files and folders, which a head line does not choose.
const OF_FILES: [&str; 4] = ["property", "buchi", "questions", "spill"];

/// An option with the values that were given.
#[derive(Clone, PartialEq, Eq, Debug)]
struct GivenOption {
    id: String,
    long: String,
    /// None for a flag.
    values: Option<Vec<OsString>>,
}

/// Options that were given.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(crate) struct Given(Vec<GivenOption>);

/// All options of `check` and `detect`, each once.
fn known() -> &'static [Arg] {
    static KNOWN: OnceLock<Vec<Arg>> = OnceLock::new();
    KNOWN.get_or_init(|| {
        let (check, detect) =
            (CheckArgs::augment_args(Command::new("check")), DetectArgs::augment_args(Command::new("detect")));
        let mut known: Vec<Arg> = check.get_arguments().cloned().collect();
        let more = detect.get_arguments().filter(|arg| known.iter().all(|other| other.get_id() != arg.get_id()));
        let more: Vec<Arg> = more.cloned().collect();
        known.extend(more);
        known
    })
}

/// The options that `batch` passes on.
fn passed() -> impl Iterator<Item = &'static Arg> {
    known().iter().filter(|arg| !NOT_PASSED.contains(&arg.get_id().as_str()))
}

/// Whether an option of this long name is one of `check` or `detect`.
pub(crate) fn is_known(long: &str) -> bool {
    known().iter().any(|arg| arg.get_long() == Some(long))
}

impl Given {
    /// Those of some options that stand on the command line.
    fn of<'a>(options: impl Iterator<Item = &'a Arg>, matches: &ArgMatches) -> Given {
        let stands = |id: &str| {
            matches!(matches.try_contains_id(id), Ok(true))
                && matches.value_source(id) == Some(ValueSource::CommandLine)
        };
        let given = options.filter(|arg| stands(arg.get_id().as_str())).filter_map(|arg| {
            let id = arg.get_id().as_str();
            let values = || matches.get_raw(id).into_iter().flatten().map(OsString::from).collect();
            let values = arg.get_action().takes_values().then(values);
            Some(GivenOption { id: id.to_owned(), long: arg.get_long()?.to_owned(), values })
        });
        Given(given.collect())
    }

    /// The words of those whose long names a command takes.
    pub(crate) fn words(&self, takes: &dyn Fn(&str) -> bool) -> Vec<OsString> {
        let mut words = Vec::new();
        for option in self.0.iter().filter(|option| takes(&option.long)) {
            match &option.values {
                None => words.push(format!("--{}", option.long).into()),
                Some(values) => words.extend(values.iter().map(|value| {
                    let mut word = OsString::from(format!("--{}=", option.long));
                    word.push(value);
                    word
                })),
            }
        }
        words
    }

    /// These, and those of others that are not among them.
    pub(crate) fn or(&self, others: &Given) -> Given {
        let is_new = |other: &&GivenOption| self.0.iter().all(|own| own.id != other.id);
        Given(self.0.iter().chain(others.0.iter().filter(is_new)).cloned().collect())
    }

    /// These without some, by their long names.
    pub(crate) fn without(&self, long: &[&str]) -> Given {
        Given(self.0.iter().filter(|option| !long.contains(&option.long.as_str())).cloned().collect())
    }

    /// Whether an option of this long name is among them.
    pub(crate) fn has(&self, long: &str) -> bool {
        self.0.iter().any(|option| option.long == long)
    }

    /// The last value of the option of this long name, if it is among them.
    pub(crate) fn value(&self, long: &str) -> Option<&OsString> {
        self.0.iter().find(|option| option.long == long)?.values.as_ref()?.last()
    }

    /// The long name of the first that names files or folders.
    pub(crate) fn names_file(&self) -> Option<&str> {
        self.0.iter().find(|option| OF_FILES.contains(&option.id.as_str())).map(|option| option.long.as_str())
    }

    /// The files that they name.
    pub(crate) fn files(&self) -> impl Iterator<Item = &OsString> {
        let named = self.0.iter().filter(|option| OF_FILES.contains(&option.id.as_str()) && option.id != "spill");
        named.flat_map(|option| option.values.iter().flatten())
    }
}

/// Options of `check` and `detect` as they are given to another command: where it `ADDS` them, as options of `batch` and of head lines, otherwise
/// those that stand on the own command line of `check` or `detect`, and that one row of a sweep receives.
#[derive(Clone, Default, Debug)]
pub(crate) struct GivenArgs<const ADDS: bool>(pub(crate) Given);

/// The options of one row of a sweep; it defines none.
pub(crate) type OwnArgs = GivenArgs<false>;

/// The options of `check` and `detect` as options of `batch` and of head lines.
pub(crate) type PassedArgs = GivenArgs<true>;

impl<const ADDS: bool> Args for GivenArgs<ADDS> {
    fn augment_args(command: Command) -> Command {
        let with_heading = |arg: &Arg| match arg.get_help_heading() {
            Some(_) => arg.clone(),
            None => arg.clone().help_heading("Symmetries"),
        };
        if ADDS { command.args(passed().map(with_heading)) } else { command }
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl<const ADDS: bool> FromArgMatches for GivenArgs<ADDS> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        Ok(GivenArgs(Given::of(passed(), matches)))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{NOT_PASSED, known};
    use crate::args::{Cli, Command};
    use clap::{CommandFactory, Parser};

    fn words(line: &str) -> Vec<String> {
        let Command::Batch(args) = Cli::try_parse_from(line.split(' ')).expect("parses").command else {
            panic!("not a batch")
        };
        args.passed.0.words(&|_| true).into_iter().map(|word| word.into_string().expect("text")).collect()
    }

    #[test]
    fn what_is_given_is_passed_on_and_nothing_else() {
        assert!(words("quotient batch m").is_empty());
        let line = "quotient batch m --no-deadlock --symmetry none --name A --name B --max-depth=7 --abstract A.x,B.y --max-states 5";
        let expected = [
            "--name=A",
            "--name=B",
            "--no-deadlock",
            "--symmetry=none",
            "--abstract=A.x",
            "--abstract=B.y",
            "--max-depth=7",
        ];
        let mut found = words(line);
        let mut expected = expected.map(str::to_owned).to_vec();
        found.sort();
        expected.sort();
        assert_eq!(found, expected);
        let again = format!("quotient batch m {}", words(line).join(" "));
        assert_eq!(words(&again), words(line));
    }

    #[test]
    fn every_option_of_check_and_detect_is_one_of_batch() {
        let cli = Cli::command();
        let batch = cli.find_subcommand("batch").expect("batch");
        let has = |id: &str| batch.get_arguments().any(|arg| arg.get_id() == id);
        for arg in known() {
            let id = arg.get_id().as_str();
            assert!(NOT_PASSED.contains(&id) || has(id), "{id}");
        }
        assert!(NOT_PASSED.iter().all(|id| known().iter().any(|arg| arg.get_id() == id)), "an id that is none");
    }
}
