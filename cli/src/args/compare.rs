//! The options of `compare`.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use super::check::Representative;
use super::{ReadingArgs, SweepArgs, values};

const EXAMPLES: &str = "\
Examples:
  quotient compare ring.rebeca                      every detector, and no reduction
  quotient compare models/ --html out.html          all models below a folder, with a page
  quotient compare models/*.rebeca --csv -o all.csv
  quotient compare ring.rebeca --max-states 1000000 --timeout 1m
  quotient compare ring.lpe -D N=2..6 --skip-larger  each value of a constant
  quotient compare ring.rebeca --representative auto --representative local-search
  quotient compare models/ --repeat 5 --html out.html  medians of five runs

Models are found as by `batch`: files, folders and patterns. Each row explores the whole state space under one detector and one choice of
representatives; no property is checked. A run that a limit ends shows how far it
came, as `> n`. --timeout is for the whole command: each detection and each
exploration takes at most an equal part of what is left, and leaves to the
others what it does not need. The other limits are per run. The reduction is
the factor to the row without symmetry. Rows are printed as they come, but for
--json and --output; on a terminal that is narrower than the table a row
continues in the next line.
Orders of more than 20 digits are rounded in the table; --json and --csv have
all digits.

Below the rows of a model its groups are compared as groups: equal, a subgroup,
conjugate or neither. Groups are conjugate where an element of the group that all
detectors generate together takes one to the other; their quotients are then
isomorphic. Generators that not every detector finds follow, each with the rules
of the papers that explain it, and what each detector buys and costs. A summary
over all models closes the table.

--engines runs other programs, found in PATH, on the coloured graph that
`constraint` reads, each for at most 20 s: their order, time and agreement with
ours. GAP gives the place of groups of at most 2,000 elements in its library.
Programs that are not installed are named once.

A model may say in its first lines how it is run, as for `batch`: //@ quotient:
-D N=4 --max-states 10000. Its constants, language, limits and --representative
apply where the command line has none; a comparison asks for no property, and
uses no other reduction.

--repeat N runs each detection and each exploration N times, and gives the
median of each time, and its spread; one that meets a limit is not repeated.

With several values for a constant (-D N=2..8, -D N=2,4,8) a model is compared
once for each, and the page draws how its groups and states grow.

--json is one document: its `models` are an array, also for one model, with an
entry for each of several values of constants.

Exit codes: 0 done, 2 usage or model error (the other models are compared).";

/// Options of `compare`.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct CompareArgs {
    /// Models, folders that are searched for models, and patterns with `*`, `**`, `?`
    #[arg(value_name = "MODEL", required = true)]
    pub(crate) models: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) reading: ReadingArgs,
    /// Choice of representatives; may be repeated [default: auto]
    #[arg(long = "representative", value_enum, value_name = "METHOD")]
    pub(crate) representatives: Vec<Representative>,
    #[command(flatten)]
    pub(crate) sweep: SweepArgs,
    /// Run each detection and each exploration N times, and give the median of its times and their spread
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(crate) repeat: u32,
    /// Stop each run after N stored states
    #[arg(long, alias = "states-limit", value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) max_states: Option<u64>,
    /// Stop after this time, such as 30, 30s or 10m, in equal parts for the runs [default: 60s for each model and repetition]
    #[arg(long, value_name = "TIME", value_parser = values::duration)]
    pub(crate) timeout: Option<Duration>,
    /// Stop each run above this much memory, such as 512M or 8G [default: 85 % of the available memory]
    #[arg(long, value_name = "SIZE", value_parser = values::size)]
    pub(crate) max_memory: Option<u64>,
    /// Write the table as comma-separated values
    #[arg(long, conflicts_with = "json")]
    pub(crate) csv: bool,
    /// Write the table as JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// Run nauty, Traces, bliss and saucy on the graph of each model, and let GAP name its groups, as far as they are installed
    #[arg(long)]
    pub(crate) engines: bool,
    /// Also write a page to FILE, with plots
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,
    /// Write the table to FILE, whole or not at all; `-` is standard output
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}
