//! The command line as types. Names of options are part of the interface: scripts depend on them.
//!
//! [`check`] holds the options of `check`, [`detect`] those of `detect`, [`batch`] those of `batch`, [`head`] those of a line of a model for it, [`given`] passes options on, [`other`] those of the
//! smaller commands, [`values`] reads sizes and durations, [`sweep`] constants with their values, [`report`] has reports in other formats. Options that
//! several commands share are structs flattened into each.

/// Declares the values of an option, each with what it stands for.
macro_rules! choices {
    ($(#[$meta:meta])* $name:ident => $of:ty { $($(#[$of_value:meta])* $value:ident => $stands:expr,)* }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
        pub(crate) enum $name { $($(#[$of_value])* $value,)* }

        impl $name {
            /// What the value stands for.
            pub(crate) fn get(self) -> $of {
                match self { $($name::$value => $stands,)* }
            }
        }
    };
}

mod batch;
mod check;
mod compare;
mod detect;
pub(crate) mod given;
mod head;
mod other;
mod report;
mod slice;
pub(crate) mod sweep;
mod values;

pub(crate) use batch::{BaselineArgs, BatchArgs, BatchReportArgs, ModelLimitArgs, StepArgs, WorkArgs};
pub(crate) use check::{
    CheckArgs, Deadlock, Emptiness, Fairness, ImagesMode, QuestionArgs, Representative, Search, SearchArgs, SliceMode,
    StructuralMode, Symmetry,
};
pub(crate) use compare::CompareArgs;
pub(crate) use detect::DetectArgs;
pub(crate) use given::{Given, GivenArgs, OwnArgs, PassedArgs};
pub(crate) use head::HeadArgs;
pub(crate) use other::{
    CompletionsArgs, ConvertArgs, ConvertTo, ExplainArgs, FmtArgs, GraphArgs, GraphFormat, GraphTo, MccArgs,
    ReplayArgs, SimulateArgs,
};
pub(crate) use report::{ReportFileArgs, ReportFormat};

pub(crate) use sweep::SweepArgs;

pub(crate) use slice::{BoundsArgs, DependenceFormat, SliceArgs, SliceMethod};

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand, ValueEnum};
use frontend::model::Dialect;

use pipeline::Reading;
use sweep::{Assignment, Constant};

const ABOUT: &str = "\
Finds the symmetries of concurrent models, proves them, and checks the models in their quotients

Reads Rebeca (.rebeca), sequential processes (.lpe), Murphi (.m), DVE (.dve), Promela (.pml) and Petri nets (.pnml).";

const EXAMPLES: &str = "\
Examples:
  quotient check ring.rebeca              all properties and built-in checks
  quotient check cache.m --json           the report as JSON
  quotient detect ring.lpe                the symmetries, each of them proved
  quotient simulate ring.rebeca --seed 7  one random run
  quotient explain E0203                  what a diagnostic means

Exit codes: 0 holds, 1 violated, 2 usage or model error, 3 inconclusive,
4 internal error, 130 and 143 stopped by a signal.";

/// The whole command line.
#[derive(Parser, Debug)]
#[command(name = "quotient", version, about = ABOUT, after_help = EXAMPLES, max_term_width = 120)]
#[command(arg_required_else_help = true, subcommand_required = true)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) console: ConsoleArgs,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// The commands.
#[derive(Subcommand, Debug)]
pub(crate) enum Command {
    /// Check a model: a verdict, and a counterexample for each violation
    Check(Box<CheckArgs>),
    /// Find the symmetries of a model, each of them proved
    Detect(DetectArgs),
    /// Compare what detects symmetries, and the reduction that each one buys
    Compare(CompareArgs),
    /// Check and analyse many models: a table, CSV, JSON lines, pages
    Batch(Box<BatchArgs>),
    /// Run a model at random or step by step
    Simulate(SimulateArgs),
    /// Run a counterexample again by the reference semantics
    Replay(ReplayArgs),
    /// Format models and property files
    Fmt(FmtArgs),
    /// Write a model, its communication graph or its state space in another format
    Convert(ConvertArgs),
    /// Cut a model to what a question depends on
    Slice(Box<SliceArgs>),
    /// Bound the queues of a model by its message flow
    Bounds(BoundsArgs),
    /// Find the automorphisms of a coloured graph
    Graph(GraphArgs),
    /// Answer an examination of the Model Checking Contest about a Petri net
    Mcc(MccArgs),
    /// Explain a diagnostic code
    Explain(ExplainArgs),
    /// Print a completion script for a shell
    Completions(CompletionsArgs),
    /// Print the manual page
    #[command(after_help = "Examples:\n  quotient man > quotient.1\n  quotient man | man -l -")]
    Man,
}

/// The style of diagnostics and results; for every command.
#[derive(Args, Clone, Copy, Debug)]
#[command(next_help_heading = "Messages")]
pub(crate) struct ConsoleArgs {
    /// Diagnostics with excerpts of the text, or one line each
    #[arg(long, global = true, value_enum, value_name = "STYLE", default_value = "human")]
    pub(crate) format: Format,
    /// Print errors and the bare result only: no notices, no warnings, no progress
    #[arg(long, short, global = true)]
    pub(crate) quiet: bool,
    /// When to use colour; `auto` uses it on a terminal and respects NO_COLOR
    #[arg(long, visible_alias = "color", global = true, value_enum, value_name = "WHEN", default_value = "auto")]
    pub(crate) colour: Colour,
}

/// The style of diagnostics.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum Format {
    /// With excerpts of the text
    Human,
    /// One line each: file:line:column: code: message
    Short,
}

/// The use of colour.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum Colour {
    /// On a terminal, unless NO_COLOR is set
    Auto,
    /// Also into files and pipes
    Always,
    /// Never
    Never,
}

/// The time and memory that a command may take.
#[derive(Args, Clone, Copy, Default, Debug)]
#[command(next_help_heading = "Limits")]
pub(crate) struct LimitArgs {
    /// Stop after this time, such as 30, 30s or 10m
    #[arg(long, value_name = "TIME", value_parser = values::duration)]
    pub(crate) timeout: Option<Duration>,
    /// Stop above this much memory, such as 512M or 8G [default: 85 % of the available memory]
    #[arg(long, value_name = "SIZE", value_parser = values::size)]
    pub(crate) max_memory: Option<u64>,
}

impl Command {
    /// The limits on time and memory of the whole command.
    pub(crate) fn limits(&self) -> (Option<Duration>, Option<u64>) {
        let limits = match self {
            // The limits of a sweep apply to each row.
            Command::Check(args) if args.model.reading.is_sweep() => LimitArgs::default(),
            Command::Detect(args) if args.model.reading.is_sweep() => LimitArgs::default(),
            Command::Check(args) => return (args.search.timeout, args.search.memory()),
            Command::Detect(args) => args.limits,
            Command::Simulate(args) => args.limits,
            Command::Replay(args) => args.limits,
            Command::Fmt(args) => args.limits,
            Command::Convert(args) => args.limits,
            Command::Slice(args) => args.limits,
            Command::Bounds(args) => args.limits,
            Command::Graph(args) => args.limits,
            Command::Mcc(args) => args.limits,
            // `compare` divides its time among its runs; the limits of `batch` apply to each model.
            Command::Compare(_) | Command::Batch(_) => LimitArgs::default(),
            Command::Explain(_) | Command::Completions(_) | Command::Man => LimitArgs::default(),
        };
        (limits.timeout, limits.max_memory)
    }
}

impl Command {
    /// The options for reading a model, if this command reads one and does not run once for each of several values.
    pub(crate) fn reading_of_one(&self) -> Option<&ReadingArgs> {
        match self {
            Command::Simulate(args) => Some(&args.model.reading),
            Command::Replay(args) => Some(&args.reading),
            Command::Convert(args) => Some(&args.model.reading),
            Command::Slice(args) => Some(&args.model.reading),
            Command::Bounds(args) => Some(&args.model.reading),
            _ => None,
        }
    }
}

/// The model, and the values that the command line fixes in it.
#[derive(Args, Clone, Debug)]
pub(crate) struct ModelArgs {
    /// The model's file; `-` reads standard input
    #[arg(value_name = "MODEL")]
    pub(crate) model: PathBuf,
    #[command(flatten)]
    pub(crate) reading: ReadingArgs,
}

/// The options for reading a model.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Model")]
pub(crate) struct ReadingArgs {
    /// The version of Core Rebeca; by content if absent
    #[arg(long, value_enum, value_name = "VERSION")]
    pub(crate) core: Option<Core>,
    /// The language of the model; by the file's extension if absent: `.lpe` is sequential, `.pml` Promela, `.dve` DVE, `.pnml` a Petri net, `.m` Murphi (or Rebeca, if it begins so), all else Rebeca
    #[arg(long, value_enum, value_name = "LANGUAGE")]
    pub(crate) language: Option<LanguageName>,
    /// Give the `env` constant or feature variable NAME, the `const` of a sequential process, of Murphi or of DVE, or the macro of Promela, a value; of several for one name the last counts.
    /// `check`, `detect`, `compare` and `batch` run once for each of several values: N=2..8, N=2,4,8
    #[arg(short = 'D', value_name = "NAME=VALUE", value_parser = Constant::read)]
    pub(crate) constants: Vec<Constant>,
}

impl ReadingArgs {
    /// The same as options of the reader.
    pub(crate) fn options(&self) -> Reading {
        Reading {
            language: self.language.map(LanguageName::get),
            dialect: self.core.map(Core::get),
            constants: self.values(),
            ranges: self
                .constants
                .iter()
                .filter(|constant| constant.has_range)
                .map(|constant| constant.name.clone())
                .collect(),
        }
    }

    /// The constants with their only values, or with the first of several.
    pub(crate) fn values(&self) -> Vec<(String, i64)> {
        self.constants.iter().map(|constant| (constant.name.clone(), constant.values[0])).collect()
    }

    /// Whether the command is a sweep: some constant has several values.
    pub(crate) fn is_sweep(&self) -> bool {
        sweep::is_sweep(&self.constants)
    }

    /// The options of one run of a sweep.
    pub(crate) fn assigned(&self, assignment: &Assignment) -> ReadingArgs {
        ReadingArgs { constants: sweep::assigned(&self.constants, assignment), ..self.clone() }
    }

    /// The same as words of a command line.
    pub(crate) fn words(&self) -> Vec<String> {
        let named = |option: &str, value: Option<clap::builder::PossibleValue>| {
            value.map(|value| format!("--{option}={}", value.get_name()))
        };
        let core = self.core.and_then(|core| named("core", core.to_possible_value()));
        let language = self.language.and_then(|language| named("language", language.to_possible_value()));
        let constants = self.constants.iter().map(Constant::word);
        core.into_iter().chain(language).chain(constants).collect()
    }
}

choices! {
    /// Languages.
    LanguageName => pipeline::LanguageName {
        /// Rebeca
        Rebeca => pipeline::LanguageName::Rebeca,
        /// The sequential language
        Lpe => pipeline::LanguageName::Lpe,
        /// Murphi
        Murphi => pipeline::LanguageName::Murphi,
        /// DVE
        Dve => pipeline::LanguageName::Dve,
        /// Petri nets
        Pnml => pipeline::LanguageName::Pnml,
        /// Promela
        Promela => pipeline::LanguageName::Promela,
    }
}

choices! {
    /// Versions of Core Rebeca.
    Core => Dialect {
        /// Every rebec starts with `initial` in its queue
        #[value(name = "2.0")]
        V20 => Dialect::Rebeca20,
        /// Constructors run before the first state
        #[value(name = "2.1")]
        V21 => Dialect::Rebeca21,
        /// As 2.1
        #[value(name = "2.2")]
        V22 => Dialect::Rebeca21,
        /// As 2.1
        #[value(name = "2.3")]
        V23 => Dialect::Rebeca21,
    }
}

#[cfg(test)]
mod tests {
    use super::Cli;
    use clap::{CommandFactory, Parser};

    #[test]
    fn the_definition_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn every_command_shows_examples() {
        for command in Cli::command().get_subcommands() {
            let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
            assert!(help.contains("Examples:"), "{} lacks examples", command.get_name());
        }
    }

    #[test]
    fn contradicting_options_are_refused() {
        for line in ["quotient check m --property p --no-property", "quotient check m --frobnicate", "quotient check"] {
            assert!(Cli::try_parse_from(line.split(' ')).is_err(), "{line}");
        }
    }
}
