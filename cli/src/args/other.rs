//! The options of the smaller commands.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::{LimitArgs, ModelArgs, ReadingArgs, ReportFileArgs, Symmetry};

const SIMULATE: &str = "\
Examples:
  quotient simulate ring.rebeca                       100 random steps
  quotient simulate ring.rebeca --seed 7 --steps 20   the same run every time
  quotient simulate ring.rebeca --interactive         choose each step
  quotient simulate ring.rebeca --json -o run.json    a trace for `quotient replay`

The run ends early at a deadlock or a fault, with the reason; the exit code is
0 then too. Where --timeout or --max-memory ends it, the run so far is written,
and the exit code is 3.";

/// Options of `simulate`.
#[derive(Args, Debug)]
#[command(after_help = SIMULATE)]
pub(crate) struct SimulateArgs {
    #[command(flatten)]
    pub(crate) model: ModelArgs,
    /// The same seed gives the same run
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) seed: u64,
    /// The most steps
    #[arg(long, value_name = "N", default_value_t = 100, conflicts_with = "interactive")]
    pub(crate) steps: u64,
    /// Choose each step from a menu; `h` lists the commands
    #[arg(long, short)]
    pub(crate) interactive: bool,
    /// Print whole states after each step, not only what changed
    #[arg(long)]
    pub(crate) full: bool,
    /// Write the run as JSON that `quotient replay` reads
    #[arg(long, conflicts_with_all = ["interactive", "full"])]
    pub(crate) json: bool,
    /// Write the run to FILE, whole or not at all; `-` is standard output
    #[arg(short, long, value_name = "FILE", conflicts_with = "interactive")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
}

const REPLAY: &str = "\
Examples:
  quotient replay report.json                       the first counterexample of a report
  quotient replay report.json --property Mutex      that of one property
  quotient replay run.json ring.rebeca              on a model elsewhere
  quotient replay report.json --report chart.svg    the trace as a chart

Each step is run again by the reference interpreter, by rebec, event and
choices; states in the trace are compared. A report and a bare trace are both
accepted. -D and --core are taken from the report unless given.

Exit codes: 0 the trace replays, 1 it does not (with the step), 2 the files
cannot be used, 3 a limit was reached.";

/// Options of `replay`.
#[derive(Args, Debug)]
#[command(after_help = REPLAY)]
pub(crate) struct ReplayArgs {
    /// The trace, or the report that holds it; `-` reads standard input
    #[arg(value_name = "TRACE.json")]
    pub(crate) trace: PathBuf,
    /// The model; the path in the report if absent
    #[arg(value_name = "MODEL")]
    pub(crate) model: Option<PathBuf>,
    /// The property of the counterexample; the first violated one if absent
    #[arg(long, value_name = "NAME")]
    pub(crate) property: Option<String>,
    #[command(flatten)]
    pub(crate) reading: ReadingArgs,
    /// Print whole states after each step, not only what changed
    #[arg(long)]
    pub(crate) full: bool,
    #[command(flatten)]
    pub(crate) files: ReportFileArgs,
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
}

const FMT: &str = "\
Examples:
  quotient fmt ring.rebeca ring.property    format in place
  quotient fmt --check models/*.rebeca      list the files that differ; exit code 1 if any does
  quotient fmt - < ring.rebeca              standard input to standard output
  quotient fmt ring.rebeca -o -             to standard output";

/// Options of `fmt`.
#[derive(Args, Debug)]
#[command(after_help = FMT)]
pub(crate) struct FmtArgs {
    /// Models and property files; `-` formats standard input to standard output
    #[arg(value_name = "FILE", required = true)]
    pub(crate) files: Vec<PathBuf>,
    /// Write nothing; list the files that are not formatted
    #[arg(long, conflicts_with = "output")]
    pub(crate) check: bool,
    /// Write to FILE instead of in place; `-` is standard output; for one file only
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
}

const CONVERT: &str = "\
Examples:
  quotient convert ring.rebeca --to text                    the model with everything resolved
  quotient convert ring.rebeca --to communication | dot -Tsvg > ring.svg
  quotient convert ring.rebeca --to aut -o ring.aut         the state space for other tools
  quotient convert ring.rebeca --to dot --max-states 200
  quotient convert ring.rebeca --to lpe                     the model as one sequential process
  quotient convert ring.rebeca --to hoa --name Live -o live.hoa   the runs that violate Live
  quotient convert mutex.lpe --to aut
  quotient convert mutex.lpe --to graph --map vertices.txt | quotient graph -

State spaces are those of the model itself, without reductions. State 0 is the
initial state; a model with several initial states gets a fresh state 0 with an
edge `init` to each of them. Faulting steps have no successor and are left out.
Over the limit nothing is written.

The automaton of a formula (HOA format) accepts the runs that violate it; its
propositions are names of `define` and `prop` lines, or conditions. `quotient
check MODEL --buchi FILE` checks that no run is accepted.

The sequential form has the states, deadlocks and faults of the model; its own
property file becomes `assert` and `ltl` lines. Rebecs are weakly fair there if all
that have steps are of one class; otherwise a notice names the formulas that may
need it. Of Murphi it has the states, the steps, the faults and the invariants.
`quotient explain E0640`, for Murphi E0832, lists what has no such form.

Exit codes: 0 written, 2 usage or model error, 3 a limit was reached.";

/// Options of `convert`.
#[derive(Args, Debug)]
#[command(after_help = CONVERT)]
pub(crate) struct ConvertArgs {
    #[command(flatten)]
    pub(crate) model: ModelArgs,
    /// The format to write
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub(crate) to: ConvertTo,
    /// With --to lpe and hoa: the properties; without it, MODEL's own file with the extension `.property` if there is one and the model is one of Rebeca, Murphi or DVE
    #[arg(long, value_name = "FILE", conflicts_with = "no_property")]
    pub(crate) property: Option<PathBuf>,
    /// With --to hoa: the formula whose violating runs are accepted
    #[arg(long, value_name = "NAME")]
    pub(crate) name: Option<String>,
    /// With --to lpe: do not read a property file
    #[arg(long)]
    pub(crate) no_property: bool,
    /// The largest state space that is written
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) max_states: u64,
    /// The format of the coloured graph
    #[arg(long, value_enum, value_name = "FORMAT", default_value = "dimacs")]
    pub(crate) graph_format: GraphFormat,
    /// Write what each vertex of the coloured graph stands for to FILE
    #[arg(long, value_name = "FILE")]
    pub(crate) map: Option<PathBuf>,
    /// Write to FILE, whole or not at all; `-` is standard output
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
}

/// `--to`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum ConvertTo {
    /// Canonical text
    Text,
    /// Canonical text of a Murphi model
    Murphi,
    /// The sequential form
    Lpe,
    /// The graph of known rebecs, for Graphviz
    Communication,
    /// The state space in Aldebaran format
    Aut,
    /// The state space, for Graphviz
    Dot,
    /// Bodies in static single assignment form
    Ssa,
    /// The constraints that symmetries are read from
    Csp,
    /// The coloured graph of the constraints
    Graph,
    /// The Buchi automaton of the runs that violate a formula
    Hoa,
}

/// `convert --graph-format`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum GraphFormat {
    /// As `quotient graph` reads it
    Dimacs,
    /// For Graphviz
    Dot,
    /// For nauty's dreadnaut
    Dreadnaut,
}

const GRAPH: &str = "\
Examples:
  quotient graph petersen.dimacs                 order, structure, generators, orbits
  quotient graph petersen.dimacs --json
  quotient graph petersen.dimacs --to gap        the group for GAP
  quotient graph petersen.dimacs --to dot | dot -Tsvg > petersen.svg

The file has a line `p edge VERTICES EDGES`, a line `n VERTEX COLOUR` for each
vertex whose colour is not 0, and a line `e VERTEX VERTEX` for each edge;
vertices count from 1, lines `c ..` are comments. Every generator is checked
on the graph as it was read.

Exit codes: 0 done, 2 usage or malformed graph, 3 stopped by a limit.";

/// Options of `graph`.
#[derive(Args, Debug)]
#[command(after_help = GRAPH)]
pub(crate) struct GraphArgs {
    /// The graph's file in DIMACS format; `-` reads standard input
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// Write the group or the graph in another format
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub(crate) to: Option<GraphTo>,
    /// Print the result as JSON
    #[arg(long, conflicts_with = "to")]
    pub(crate) json: bool,
    /// Write to FILE, whole or not at all; `-` is standard output
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
}

/// `graph --to`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum GraphTo {
    /// The generators as a GAP group
    Gap,
    /// The graph in DIMACS format, normalised
    Dimacs,
    /// The graph for nauty's dreadnaut
    Dreadnaut,
    /// The graph for Graphviz
    Dot,
}

const EXPLAIN: &str = "\
Examples:
  quotient explain          all codes with their titles
  quotient explain E0203    one code: cause, example, fix";

/// Options of `explain`.
#[derive(Args, Debug)]
#[command(after_help = EXPLAIN)]
pub(crate) struct ExplainArgs {
    /// The code, such as E0203; all codes if absent
    #[arg(value_name = "CODE")]
    pub(crate) code: Option<String>,
}

const COMPLETIONS: &str = "\
Examples:
  quotient completions bash > ~/.local/share/bash-completion/completions/quotient
  quotient completions fish > ~/.config/fish/completions/quotient.fish";

/// Options of `completions`.
#[derive(Args, Debug)]
#[command(after_help = COMPLETIONS)]
pub(crate) struct CompletionsArgs {
    /// The shell
    #[arg(value_enum)]
    pub(crate) shell: clap_complete::Shell,
}

const MCC: &str = "\
Examples:
  quotient mcc Philosophers-PT-000005 StateSpace
  quotient mcc Philosophers-PT-000005 ReachabilityCardinality --timeout 60s

FOLDER is an instance as the contest packs it: `model.pnml`, and a file of
formulas for each examination that has one. Each answer is a line on standard
output as soon as it is known. An examination that is not known gives
DO_NOT_COMPETE. Exit codes: 0 all is answered, 3 something is not.";

/// Options of `mcc`.
#[derive(Args, Debug)]
#[command(after_help = MCC)]
pub(crate) struct MccArgs {
    /// The folder of the instance
    #[arg(value_name = "FOLDER")]
    pub(crate) folder: PathBuf,
    /// The examination: `StateSpace`, `UpperBounds`, `CTLFireability`, ..
    #[arg(value_name = "EXAMINATION")]
    pub(crate) examination: String,
    /// The detector of symmetries
    #[arg(long, value_enum, value_name = "STRATEGY", default_value = "auto")]
    pub(crate) symmetry: Symmetry,
    /// Turn every reduction off
    #[arg(long)]
    pub(crate) plain: bool,
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
}
