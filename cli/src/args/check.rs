//! The options of `check`.

use std::path::PathBuf;
use std::time::Duration;

use checker::SearchOrder;
use clap::{Args, ValueEnum};
use slicing::reduce::{Abstracted, Method};
use symmetry::Strategy;

use super::{ModelArgs, OwnArgs, ReportFileArgs, SweepArgs, values};
use pipeline::Images;
use pipeline::Plan;
use pipeline::Slicing;
use pipeline::Starts;

const EXAMPLES: &str = "\
Examples:
  quotient check ring.rebeca
  quotient check ring.rebeca --name Mutex --name deadlock
  quotient check ring.rebeca --property extra.property --keep-going
  quotient check ring.rebeca -D N=5 --max-states 1000000 --timeout 10m
  quotient check ring.rebeca --json -o report.json
  quotient check ring.rebeca --report ring.html --report ring.junit.xml
  quotient check mutex.lpe -D N=4         a sequential process with its own properties
  quotient check mutex.lpe -D N=2..8 --skip-larger    a row for each value
  quotient check ring.rebeca --name Live --fairness none
  quotient check ring.rebeca --no-overflow --explain-reductions
  quotient check ring.rebeca --buchi bad.hoa          no run is accepted by the automaton
  quotient check ring.rebeca --por on --explain-reductions
  quotient check ring.rebeca --name Mutex --slice bounded --abstract Node.load
  quotient check ring.rebeca --threads 1
  quotient check ring.rebeca --max-memory 8G --spill /var/tmp

Without --name everything is checked: deadlock, overflow, error (any other
run-time fault), assertion (each `assertion(..)` of the model), and the
properties of the property file. With --name only what is named is checked.

With several values for a constant (-D N=2..8, -D N=2,4,8, several constants: all
combinations) the result is a table with a row for each, each run by a process of
its own with its own limits. --json prints a line for each row; --report writes
.csv, and .html with the growth of groups, states and time.

Exit codes: 0 holds, 1 violated, 2 usage or model error, 3 inconclusive,
4 internal error, 130 and 143 stopped by a signal. With several rows it is that of
the worst: internal error, refused, violated, inconclusive, holds.";

/// Options of `check`.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct CheckArgs {
    // First, because the others take their values away.
    #[command(flatten)]
    pub(crate) own: OwnArgs,
    #[command(flatten)]
    pub(crate) model: ModelArgs,
    #[command(flatten)]
    pub(crate) question: QuestionArgs,
    #[command(flatten)]
    pub(crate) reductions: ReductionArgs,
    #[command(flatten)]
    pub(crate) search: SearchArgs,
    #[command(flatten)]
    pub(crate) report: ReportArgs,
    #[command(flatten)]
    pub(crate) files: ReportFileArgs,
    #[command(flatten)]
    pub(crate) sweep: SweepArgs,
}

/// The question.
#[derive(Args, Debug)]
#[command(next_help_heading = "Properties")]
pub(crate) struct QuestionArgs {
    /// Properties to check; without it, MODEL's own file with the extension `.property` if there is one and the model is one of Rebeca, Murphi or DVE
    #[arg(long, value_name = "FILE", conflicts_with = "no_property")]
    pub(crate) property: Option<PathBuf>,
    /// Check that no run is accepted by the Buchi automaton of FILE, in the HOA format; may be repeated
    #[arg(long, value_name = "FILE")]
    pub(crate) buchi: Vec<PathBuf>,
    /// Check the questions of FILE and nothing else, invariants in one run: in the syntax of the model, or lines `name: condition` and `name: formula`
    #[arg(long, value_name = "FILE", conflicts_with_all = ["property", "buchi", "no_property"])]
    pub(crate) questions: Option<PathBuf>,
    /// No deadlock is a state without steps in which CONDITION holds, in the syntax of the model; may be repeated
    #[arg(long = "end", value_name = "CONDITION", value_parser = values::condition, conflicts_with = "questions")]
    pub(crate) ends: Vec<String>,
    /// Check this property only; may be repeated; also deadlock, overflow, error, assertion
    #[arg(long = "name", value_name = "NAME")]
    pub(crate) names: Vec<String>,
    /// Do not read a property file, nor check the `assert` and `ltl` lines of a sequential process
    #[arg(long)]
    pub(crate) no_property: bool,
    /// Do not check for deadlocks
    #[arg(long)]
    pub(crate) no_deadlock: bool,
    /// Which states are deadlocks [default: stuttering for a Murphi model, stuck for all others]
    #[arg(long, value_enum, value_name = "KIND")]
    pub(crate) deadlock: Option<Deadlock>,
    /// Do not check for queue overflow
    #[arg(long)]
    pub(crate) no_overflow: bool,
    /// Do not check for other run-time faults
    #[arg(long)]
    pub(crate) no_faults: bool,
    /// Explore everything instead of stopping at the first violation
    #[arg(long)]
    pub(crate) keep_going: bool,
}

/// Whether nets are made smaller by structural reductions.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum StructuralMode {
    /// Where --property, --questions, --name or --deadlock stuck says what is asked, and neither --keep-going nor --stats asks for counts
    Auto,
    /// Wherever it keeps what is asked; states and transitions are then those of the smaller net
    On,
    /// Never
    Off,
}

/// Whether values of dead variables are forgotten.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum DeadValues {
    /// In Murphi models, where the question allows it
    Auto,
    /// Never
    Off,
}

choices! {
    /// Whether the group may move the starts.
    StartsMode => Starts {
        /// In larger runs, where the question allows it
        Auto => Starts::Auto,
        /// Never
        Fixed => Starts::Fixed,
        /// In all runs, where the question allows it
        Moved => Starts::Moved,
    }
}

choices! {
    /// Whether invariants that the group moves are checked at images.
    ImagesMode => Images {
        /// In larger runs, where the question allows it
        Auto => Images::Auto,
        /// In all runs, where the question allows it
        On => Images::On,
        /// Never: they cut the group
        Off => Images::Off,
    }
}

/// The kinds of deadlock.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum Deadlock {
    /// States all of whose steps stay; for Murphi models
    Stuttering,
    /// States without a step
    Stuck,
    /// None: as --no-deadlock
    Off,
}

/// The reductions that are applied.
#[derive(Args, Debug)]
#[command(next_help_heading = "Reductions")]
pub(crate) struct ReductionArgs {
    /// Turn every reduction off
    #[arg(long)]
    pub(crate) plain: bool,
    /// Symmetry reduction, with heap symmetry for rebecs that `new` makes; the source of static candidates
    #[arg(long, value_enum, value_name = "DETECTOR", default_value = "auto")]
    pub(crate) symmetry: Symmetry,
    /// Whether the group keeps the starts, or may move them: then states are orbits whose sizes do not add up
    #[arg(long, value_enum, value_name = "MODE", default_value = "auto")]
    pub(crate) starts: StartsMode,
    /// Whether invariants that the group moves are checked at all images of each state, and do not cut the group
    #[arg(long, value_enum, value_name = "MODE", default_value = "auto")]
    pub(crate) images: ImagesMode,
    /// Choice of representatives
    #[arg(long, value_enum, value_name = "METHOD", default_value = "auto")]
    pub(crate) representative: Representative,
    /// Count the orbits of the stored states by size; their sum is the number of states without symmetry reduction
    #[arg(long)]
    pub(crate) stats: bool,
    /// Partial order reduction: singleton ample sets; with overflow checked, only `on` looks for them
    #[arg(long, value_enum, value_name = "MODE", default_value = "auto")]
    pub(crate) por: PartialOrder,
    /// Slicing
    #[arg(long, value_enum, value_name = "METHOD", default_value = "auto")]
    pub(crate) slice: SliceMode,
    /// Structural reductions of Petri nets: check a smaller net that reaches the same deadlocks, and the same markings of the places that are asked about
    #[arg(long, value_enum, value_name = "MODE", default_value = "auto")]
    pub(crate) structural: StructuralMode,
    /// Forget values that no step reads before it writes them; not with the deadlock check for states all of whose steps stay
    #[arg(long, value_enum, value_name = "MODE", default_value = "auto")]
    pub(crate) dead_values: DeadValues,
    /// Variables that `--slice bounded` lets take any of their values, as `Class.variable`
    #[arg(long = "abstract", value_name = "VAR", value_delimiter = ',')]
    pub(crate) replace: Vec<String>,
    /// Fairness assumed of infinite runs by formulas [default: weak, and none for a process without `fair`]
    #[arg(long, value_enum, value_name = "KIND")]
    pub(crate) fairness: Option<Fairness>,
    /// The search for violating runs
    #[arg(long, value_enum, value_name = "METHOD", default_value = "scc")]
    pub(crate) emptiness: Emptiness,
}

impl QuestionArgs {
    /// Whether deadlocks are not checked.
    pub(crate) fn excludes_deadlock(&self) -> bool {
        self.no_deadlock || self.deadlock == Some(Deadlock::Off)
    }

    /// Whether the property file next to the model is not read, whatever the language.
    pub(crate) fn replaces_own(&self) -> bool {
        self.no_property || self.property.is_some() || self.questions.is_some()
    }

    /// Whether the options say what is asked, and ask for verdicts only: counts of states need not be those of the model.
    fn asks_for_verdicts(&self) -> bool {
        let says = self.property.is_some() || self.questions.is_some() || !self.names.is_empty();
        (says || self.deadlock == Some(Deadlock::Stuck)) && !self.keep_going
    }
}

impl ReductionArgs {
    /// An option that requests a reduction, and the one next to it that turns that off.
    pub(crate) fn contradiction(&self) -> Option<(&'static str, &'static str)> {
        let of_groups = [
            (self.starts == StartsMode::Moved, "--starts moved"),
            (self.images == ImagesMode::On, "--images on"),
            (self.representative != Representative::Auto, "--representative"),
        ];
        let others = [
            (!matches!(self.symmetry, Symmetry::Auto | Symmetry::None), "--symmetry"),
            (self.por == PartialOrder::On, "--por on"),
            (!matches!(self.slice, SliceMode::Auto | SliceMode::Off), "--slice"),
            (self.structural == StructuralMode::On, "--structural on"),
        ];
        let excluded = [
            (self.plain, "--plain", &others[..]),
            (self.plain, "--plain", &of_groups[..]),
            (self.symmetry == Symmetry::None, "--symmetry none", &of_groups[..]),
        ];
        excluded.into_iter().filter(|(excludes, ..)| *excludes).find_map(|(_, option, requests)| {
            let (_, requested) = requests.iter().find(|(is_requested, _)| *is_requested)?;
            Some((*requested, option))
        })
    }

    /// The reductions that these options allow for a question.
    pub(crate) fn plan(&self, question: &QuestionArgs, replace: Abstracted) -> Plan {
        let symmetry = self.symmetry.get().filter(|_| !self.plain);
        let partial_order = !self.plain && self.por != PartialOrder::Off;
        Plan {
            gives_up: self.symmetry == Symmetry::Auto,
            structural: match self.structural {
                _ if self.plain => false,
                StructuralMode::Auto => question.asks_for_verdicts() && !self.stats,
                StructuralMode::On => true,
                StructuralMode::Off => false,
            },
            slicing: if self.plain { Slicing::Off } else { self.slice.get() },
            replace,
            dead_values: !self.plain && self.dead_values == DeadValues::Auto,
            symmetry,
            starts: self.starts.get(),
            images: self.images.get(),
            heap_symmetry: symmetry.is_some(),
            representative: self.representative.get(),
            counts_orbits: self.stats,
            partial_order,
            proves_bounds: partial_order && self.por == PartialOrder::On,
            overflow_excluded: false,
        }
    }
}

impl SearchArgs {
    /// The most memory that the process may hold.
    pub(crate) fn memory(&self) -> Option<u64> {
        self.max_memory.or_else(crate::world::default_memory)
    }
}

/// Order and bounds of the search.
#[derive(Args, Debug)]
#[command(next_help_heading = "Search")]
pub(crate) struct SearchArgs {
    /// Breadth-first finds shortest counterexamples, with partial order the shortest of the orders left
    #[arg(long, value_enum, value_name = "ORDER", default_value = "bfs")]
    pub(crate) search: Search,
    /// Stop after N stored states
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) max_states: Option<u64>,
    /// Go at most N steps from an initial state
    #[arg(long, value_name = "N")]
    pub(crate) max_depth: Option<u64>,
    /// Stop above this much memory, such as 512M or 8G [default: 85 % of the available memory]
    #[arg(long, value_name = "SIZE", value_parser = values::size)]
    pub(crate) max_memory: Option<u64>,
    /// Put states into a file in DIR when memory is short [default: the folder of the system for temporary files]
    #[arg(long, value_name = "DIR")]
    pub(crate) spill: Option<PathBuf>,
    /// Stop when memory is short, and write no states to a disk
    #[arg(long, conflicts_with = "spill")]
    pub(crate) no_spill: bool,
    /// Stop after this time, such as 30, 30s or 10m
    #[arg(long, value_name = "TIME", value_parser = values::duration)]
    pub(crate) timeout: Option<Duration>,
    /// The most rebecs of one class that `new` may make; with heap symmetry, that can be reached at the same time
    #[arg(long, value_name = "N", default_value_t = 64, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub(crate) max_rebecs: u32,
    /// Threads of a breadth-first search; what it finds does not depend on them [default: all cores, for large searches]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub(crate) threads: Option<u32>,
    /// Keep a checkpoint of the search in DIR, now and then and when a limit or a signal ends it
    #[arg(long, value_name = "DIR")]
    pub(crate) checkpoint: Option<PathBuf>,
    /// Replace the checkpoint that is in DIR of --checkpoint by those of this search
    #[arg(long, requires = "checkpoint")]
    pub(crate) overwrite: bool,
    /// The time between two checkpoints
    #[arg(long, value_name = "TIME", value_parser = values::duration, default_value = "10m", requires = "checkpoint")]
    pub(crate) every: Duration,
    /// Resume the search from the checkpoint in DIR
    #[arg(long, value_name = "DIR")]
    pub(crate) resume: Option<PathBuf>,
    /// Seed of whatever is chosen at random; the present searches choose nothing at random
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) seed: u64,
}

/// The output of the report.
#[derive(Args, Debug)]
#[command(next_help_heading = "Report")]
pub(crate) struct ReportArgs {
    /// Write the report as JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// Write the report to FILE, whole or not at all; `-` is standard output
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Say of each reduction whether it was applied, what it did, or why not and what would allow it
    #[arg(long, conflicts_with = "json")]
    pub(crate) explain_reductions: bool,
    /// Print whole states after each step of a trace, not only what changed
    #[arg(long, conflicts_with = "json")]
    pub(crate) full: bool,
}

choices! {
    /// `--symmetry`.
    Symmetry => Option<Strategy> {
        /// The widest that is sound for the question
        Auto => Some(Strategy::Constraint),
        /// Off
        None => None,
        /// Rebecs that know each other alike
        KnownRebec => Some(Strategy::KnownRebec),
        /// As known-rebec, with rotations of scalar sets
        ScalarSet => Some(Strategy::ScalarSet),
        /// Automorphisms of the communication graph
        ChannelDiagram => Some(Strategy::ChannelDiagram),
        /// Automorphisms of the graph of constraints
        Constraint => Some(Strategy::Constraint),
    }
}

choices! {
    /// `--representative`.
    Representative => checker::Representative {
        /// By the shape of the group; one state per orbit
        Auto => checker::Representative::Auto,
        /// The least image under all elements of the group; one state per orbit
        Enumerate => checker::Representative::Enumerate,
        /// As auto, with a bound on the work for a state; several states per orbit where it is met
        Several => checker::Representative::Several,
        /// The heuristic for Rebeca that sorts rebecs; several states per orbit
        OnTheFly => checker::Representative::OnTheFly,
        /// Descent by generators; several states per orbit
        LocalSearch => checker::Representative::LocalSearch,
    }
}

/// `--por`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum PartialOrder {
    /// Where it is sound for the question, and neither overflow nor, of a process or Murphi model, faults are checked
    Auto,
    /// Wherever it is sound; with overflow checked, where the message flow proves that no queue overflows
    On,
    /// Off
    Off,
}

choices! {
    /// `--slice`.
    SliceMode => Slicing {
        /// Static, or deadlock where that is checked: where it preserves the question and overflow is not checked
        Auto => Slicing::Auto,
        /// Off
        Off => Slicing::Off,
        /// The dependences of the properties
        Static => Slicing::By(Method::Static),
        /// The dependences of deadlock and of the rest of the question
        Deadlock => Slicing::By(Method::Deadlock),
        /// Static, with the variables of --abstract taking any of their values
        Bounded => Slicing::By(Method::Bounded),
        /// As small as it can be while the answer is right
        StepWise => Slicing::By(Method::StepWise),
    }
}

choices! {
    /// `--fairness`.
    Fairness => checker::Fairness {
        /// A rebec that has a message from some state on for ever is served again and again
        Weak => checker::Fairness::Weak,
        /// None
        None => checker::Fairness::None,
    }
}

choices! {
    /// `--emptiness`.
    Emptiness => checker::Emptiness {
        /// By strongly connected components
        Scc => checker::Emptiness::Components,
        /// By nested depth-first search; without fairness only
        Ndfs => checker::Emptiness::Nested,
    }
}

choices! {
    /// `--search`.
    Search => SearchOrder {
        /// Level by level
        Bfs => SearchOrder::BreadthFirst,
        /// Along one path first
        Dfs => SearchOrder::DepthFirst,
    }
}
