//! The options of `slice` and `bounds`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use slicing::reduce::Method;

use super::{LimitArgs, ModelArgs};

const SLICE: &str = "\
Examples:
  quotient slice ring.rebeca --name Mutex              what Mutex depends on
  quotient slice ring.rebeca --method deadlock         what deadlock depends on
  quotient slice ring.rebeca --method bounded --abstract Node.load,Node.hops
  quotient slice ring.rebeca --name Mutex --why 12     why line 12 stays or went
  quotient slice ring.rebeca --graph dot | dot -Tsvg > ring.svg
  quotient slice ring.rebeca --graph dot --class Node | dot -Tsvg > node.svg
  quotient slice mutex.lpe --name Mutex -o small.lpe
  quotient slice german.m --name coherence -o small.m
  quotient slice mutex.lpe --graph dot | dot -Tsvg > mutex.svg

Without --name the slice is for every property, but nothing built in. What holds
of the slice holds of the model; a violation is one only if `quotient check
--slice` brings it back to the model.";

/// Options of `slice`.
#[derive(Args, Debug)]
#[command(after_help = SLICE)]
pub(crate) struct SliceArgs {
    #[command(flatten)]
    pub(crate) model: ModelArgs,
    /// Properties to slice for; without it, MODEL's own file with the extension `.property` if there is one and the model is one of Rebeca, Murphi or DVE
    #[arg(long, value_name = "FILE")]
    pub(crate) property: Option<PathBuf>,
    /// Slice for this property only; may be repeated; also deadlock, error, assertion
    #[arg(long = "name", value_name = "NAME")]
    pub(crate) names: Vec<String>,
    /// Slicing method [default: deadlock if that is named, else static]
    #[arg(long, value_enum, value_name = "METHOD")]
    pub(crate) method: Option<SliceMethod>,
    /// Variables whose assignments become choices, as `Class.variable`
    #[arg(long = "abstract", value_name = "VAR", value_delimiter = ',')]
    pub(crate) replace: Vec<String>,
    /// Write the dependence graph of the model instead
    #[arg(long, value_enum, value_name = "FORMAT", conflicts_with_all = ["why", "json"])]
    pub(crate) graph: Option<DependenceFormat>,
    /// Only this class in the graph, with its dependences on others
    #[arg(long, value_name = "NAME", requires = "graph")]
    pub(crate) class: Option<String>,
    /// Explain why the statements of this line stay or are removed, instead of the slice
    #[arg(long, value_name = "LINE", conflicts_with = "json")]
    pub(crate) why: Option<usize>,
    /// Begin the text with comment lines that say what was removed
    #[arg(long, conflicts_with = "json")]
    pub(crate) comments: bool,
    /// Write a report as JSON, with the text in it
    #[arg(long)]
    pub(crate) json: bool,
    /// Write to FILE, whole or not at all; `-` is standard output
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
}

choices! {
    /// `--method`.
    SliceMethod => Method {
        /// The dependences of the properties; strong preservation
        Static => Method::Static,
        /// The dependences of deadlock
        Deadlock => Method::Deadlock,
        /// Static, with the variables of `--abstract` taking any of their values
        Bounded => Method::Bounded,
        /// As small as it can be while the answer is right
        StepWise => Method::StepWise,
    }
}

/// `--graph`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum DependenceFormat {
    /// For Graphviz
    Dot,
    /// Nodes and edges as JSON
    Json,
}

const BOUNDS: &str = "\
Examples:
  quotient bounds ring.rebeca          how full each queue can get
  quotient bounds ring.rebeca --json

A bound follows from the flow of messages only: data is ignored. A queue that
never holds more than its bound in the text cannot overflow. `check` stores
queues as they are, whatever their bounds; `convert --to lpe` gives them as many
slots as they need.";

/// Options of `bounds`.
#[derive(Args, Debug)]
#[command(after_help = BOUNDS)]
pub(crate) struct BoundsArgs {
    #[command(flatten)]
    pub(crate) model: ModelArgs,
    /// Write the bounds as JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// Write to FILE, whole or not at all; `-` is standard output
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
}
