//! Programs of others that compute automorphism groups, run on the coloured graph of a model: nauty and Traces by `dreadnaut`, `bliss`,
//! `saucy`; and GAP, which names groups by their place in its library.
//!
//! Each is a child process with its input in a temporary file, and a limit on time. The order that a program prints is compared with that of our
//! engine. A program that rounds orders agrees where ours rounds to the same.
//!
//! Invariant: nothing here enters a group or a verdict; a program that is missing, fails or is late leaves its cell empty, with the reason.

mod child;
pub(super) mod gap;
mod saucy;

use std::path::Path;
use std::time::{Duration, Instant};

use engine::{Graph, write_dimacs, write_dreadnaut};

use crate::render::compare::engines::{Agreement, Engine, GraphOfModel};
use child::End;

/// The most time for one program and one graph.
const MOST: Duration = Duration::from_secs(20);

/// The most vertices and edges of a graph that is written for other programs.
const MOST_PARTS: usize = 4_000_000;

frontend::named! {
    /// A program.
    pub(crate) enum Program {
        /// nauty, by `dreadnaut`.
        Nauty = "nauty",
        /// Traces, by `dreadnaut`.
        Traces = "Traces",
        /// bliss.
        Bliss = "bliss",
        /// saucy.
        Saucy = "saucy",
    }
}

impl Program {
    /// All of them.
    pub(crate) const ALL: [Program; 4] = [Program::Nauty, Program::Traces, Program::Bliss, Program::Saucy];

    /// The command.
    fn command(self) -> &'static str {
        match self {
            Program::Nauty | Program::Traces => "dreadnaut",
            Program::Bliss => "bliss",
            Program::Saucy => "saucy",
        }
    }

    /// The graph as the program reads it.
    fn input(self, graph: &Graph) -> String {
        match self {
            // `-a`: generators are not printed; `As`, `At`: sparse nauty, Traces.
            Program::Nauty => format!("As -a\n{}q\n", write_dreadnaut(graph)),
            Program::Traces => format!("At -a\n{}q\n", write_dreadnaut(graph)),
            Program::Bliss => write_dimacs(graph),
            Program::Saucy => saucy::text(graph),
        }
    }

    /// The order in what the program prints.
    fn order(self, printed: &str) -> Option<String> {
        let behind = |key: &str| {
            let at = printed.rfind(key)? + key.len();
            let text = printed[at..].trim_start();
            let end = text.find(|c: char| !(c.is_ascii_alphanumeric() || c == '.' || c == '+' || c == '-'));
            Some(text[..end.unwrap_or(text.len())].to_owned())
                .filter(|text| text.starts_with(|c: char| c.is_ascii_digit()))
        };
        match self {
            Program::Nauty | Program::Traces => behind("grpsize="),
            Program::Bliss => behind("|Aut|:"),
            Program::Saucy => behind("group size ="),
        }
    }
}

/// The programs that are installed, and the names of those that are not.
pub(super) struct Installed {
    pub(super) programs: Vec<Program>,
    pub(super) has_gap: bool,
    pub(super) missing: Vec<&'static str>,
}

impl Installed {
    /// Those of the folders of `PATH`.
    pub(super) fn find() -> Installed {
        let (programs, missing): (Vec<Program>, Vec<Program>) =
            Program::ALL.into_iter().partition(|program| child::is_installed(program.command()));
        let mut missing: Vec<&'static str> = missing.into_iter().map(Program::name).collect();
        let has_gap = child::is_installed(gap::COMMAND);
        missing.extend((!has_gap).then_some("GAP"));
        Installed { programs, has_gap, missing }
    }
}

/// The graph of a model with the groups that all programs find; each takes at most its share of the time.
pub(super) fn run(graph: &Graph, installed: &Installed) -> GraphOfModel {
    let (vertices, edges) = (graph.len(), graph.edge_count());
    let watch = limits::watch();
    let share = u32::try_from(installed.programs.len() + 1).unwrap_or(u32::MAX);
    let started = Instant::now();
    let own = watch.share(1, share).run(|| csp::automorphisms(graph).report);
    let own = own.ok().filter(|report| report.complete).map(|report| report.order.to_string());
    let own_seconds = started.elapsed().as_secs_f64();
    let engines = installed.programs.iter().map(|&program| match vertices + edges <= MOST_PARTS {
        true => by_program(program, graph, own.as_deref(), share),
        false => Engine::without(program.name(), "the graph is too large".to_owned()),
    });
    GraphOfModel { vertices, edges, own_seconds, engines: engines.collect(), order: own }
}

fn by_program(program: Program, graph: &Graph, own: Option<&str>, share: u32) -> Engine {
    let most = limits::watch().left().map_or(MOST, |left| MOST.min(left / share));
    let run = |input: &Path| -> Vec<String> {
        let path = input.to_string_lossy().into_owned();
        match program {
            Program::Nauty | Program::Traces => Vec::new(),
            Program::Bliss => vec![path],
            Program::Saucy => vec!["-s".to_owned(), "-q".to_owned(), path],
        }
    };
    let reads_input = matches!(program, Program::Nauty | Program::Traces);
    let job =
        child::Job { command: program.command(), arguments: &run, input: &program.input(graph), reads_input, most };
    let started = Instant::now();
    let ended = child::run(&job);
    let seconds = started.elapsed().as_secs_f64();
    let without = |reason: String| Engine::without(program.name(), reason);
    match ended {
        Ok(End::Done(printed)) => match program.order(&printed) {
            Some(order) => {
                let agreement = own.map_or(Agreement::Unknown, |own| Agreement::of(&order, own));
                Engine { name: program.name(), order: Some(order), seconds: Some(seconds), agreement, reason: None }
            }
            None => without("it printed no order".to_owned()),
        },
        Ok(End::Failed) => without("it failed".to_owned()),
        Ok(End::Late) => without(format!("it was ended after {}", crate::paint::time(seconds))),
        Err(error) => without(format!("it did not start: {error}")),
    }
}

#[cfg(test)]
mod tests {
    use super::Program;

    #[test]
    fn orders_are_read_from_what_programs_print() {
        let nauty = "3 orbits; grpsize=2; 1 gen; 3 nodes; maxlev=2\ncpu time = 0.00 seconds\n";
        assert_eq!(Program::Nauty.order(nauty).as_deref(), Some("2"));
        assert_eq!(
            Program::Traces.order("1 orbit; grpsize=1.307674368000e12; 2 gens").as_deref(),
            Some("1.307674368000e12")
        );
        assert_eq!(
            Program::Bliss.order("Max level:      1\n|Aut|:          1307674368000\nTotal time:").as_deref(),
            Some("1307674368000")
        );
        assert_eq!(
            Program::Saucy.order("edges = 4\ngroup size = 1.200000e1\nlevels = 2\n").as_deref(),
            Some("1.200000e1")
        );
        for program in Program::ALL {
            assert_eq!(program.order("error: no graph"), None);
        }
    }
}
