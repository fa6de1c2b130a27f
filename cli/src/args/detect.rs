//! The options of `detect`.

use std::path::PathBuf;

use clap::Args;
use pipeline::explain::Cycles;

use super::{LimitArgs, ModelArgs, OwnArgs, ReportFileArgs, SweepArgs};

const EXAMPLES: &str = "\
Examples:
  quotient detect philosophers.lpe                     the group, its generators, its orbits
  quotient detect philosophers.lpe -D N=20 --json
  quotient detect philosophers.lpe -D N=5,10,20        a row for each value
  quotient detect mutex.lpe --name Mutex               the part of it that keeps a property
  quotient detect ring.rebeca --strategy known-rebec   as one published rule finds it
  quotient detect ring.rebeca --gap ring.g             the group for GAP
  quotient detect ring.rebeca --report ring.html       a page, with orbits as colours
  quotient detect large.lpe --timeout 1m               what is proved in a minute
  quotient detect cache.lpe --why '(CACHE 0, CACHE 1)' whether they may be exchanged, and what is in the way

Every generator is proved on the model itself before it is shown; candidates
that are not symmetries are listed with the reason. Properties are kept only if
--property or --name names them.

--family shows what the text of a sequential process proves for every value of
its constants: the sorts of which all permutations are symmetries.

The report ends with near symmetries: permutations that at most three places of
the text keep out of the group.

With several values for a constant the result is a table with a row for each, as
in `check`.

Where --timeout, --max-memory or a signal ends the search, what was proved until
then is written, and said to be incomplete.

Exit codes: 0 done, 2 usage or model error, 3 the model is too large or a limit
was reached, 130, 143 or 129 a signal came.";

/// Options of `detect`.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct DetectArgs {
    // First, because the others take their values away.
    #[command(flatten)]
    pub(crate) own: OwnArgs,
    #[command(flatten)]
    pub(crate) model: ModelArgs,
    /// The source of candidates
    #[arg(long, value_enum, value_name = "STRATEGY", default_value = "constraint")]
    pub(crate) strategy: StrategyName,
    /// Keep the properties of this file
    #[arg(long, value_name = "FILE")]
    pub(crate) property: Option<PathBuf>,
    /// Keep this property; may be repeated
    #[arg(long = "name", value_name = "NAME")]
    pub(crate) names: Vec<String>,
    /// Also say whether this permutation is a symmetry, and if not the first place that breaks it; may be repeated
    #[arg(long = "why", value_name = "CYCLES", value_parser = pipeline::explain::cycles)]
    pub(crate) why: Vec<Cycles>,
    /// Also say which permutations are symmetries for every value of the constants
    #[arg(long)]
    pub(crate) family: bool,
    /// Write the result as JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// Write the result to FILE, whole or not at all; `-` is standard output
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Write the group to FILE as text for GAP
    #[arg(long, value_name = "FILE")]
    pub(crate) gap: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) files: ReportFileArgs,
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
    #[command(flatten)]
    pub(crate) sweep: SweepArgs,
}

choices! {
    /// `--strategy`.
    StrategyName => symmetry::Strategy {
        /// The constraints of the model as a coloured graph; for every language
        Constraint => symmetry::Strategy::Constraint,
        /// Rebecs that know each other in the same order
        KnownRebec => symmetry::Strategy::KnownRebec,
        /// As known-rebec, with rotations of scalar sets
        ScalarSet => symmetry::Strategy::ScalarSet,
        /// The relation of rebecs that know each other
        ChannelDiagram => symmetry::Strategy::ChannelDiagram,
    }
}
