//! Every command is stopped at every kind of place: tests under a world that requests a stop at the look of a chosen number.
//!
//! The models are small ones of the shapes on which commands once went on for minutes beyond their limits: many idle rebecs, votes that
//! are counted, tiers, many initial states, long bodies. A command that a limit stops gives what it gives without
//! limits, or it is inconclusive; it never panics. Between two looks lies a bounded number of elementary steps, and after the stop a
//! command looks a bounded number of times more. `batch` is absent: it runs the binary.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use battery::measured;
use battery::panics::caught;
use clap::Parser;
use limits::{Watch, World};

use crate::args::Cli;
use crate::within;

/// The cause of a stop.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Why {
    Time,
    Memory,
    Signal,
}

/// The most elementary steps between two looks: some milliseconds.
const MOST_STEPS: u64 = 1 << 20;

/// The most looks after the stop, of which each is some microseconds.
const MOST_LOOKS: u64 = 20_000;

/// The file of the run that was simulated last, which is replayed.
const BEFORE: &str = "run.json";

/// The limit on time, and on memory in bytes.
const LIMIT: (Duration, u64) = (Duration::from_secs(3600), 1 << 40);

/// A world in which something requests a stop from the look of a number on.
#[derive(Debug)]
struct StoppingWorld {
    at: u64,
    why: Why,
    looks: AtomicU64,
    most_steps: AtomicU64,
}

impl StoppingWorld {
    fn new(at: u64, why: Why) -> Arc<StoppingWorld> {
        Arc::new(StoppingWorld { at, why, looks: AtomicU64::new(0), most_steps: AtomicU64::new(0) })
    }

    fn requests(&self, why: Why) -> bool {
        self.why == why && self.looks.load(Ordering::Relaxed) >= self.at
    }
}

impl World for StoppingWorld {
    fn now(&self) -> Duration {
        // A look takes ten microseconds.
        let now = Duration::from_micros(10 * self.looks.load(Ordering::Relaxed));
        if self.requests(Why::Time) { now + LIMIT.0 } else { now }
    }

    fn held(&self) -> u64 {
        if self.requests(Why::Memory) { LIMIT.1 + 1 } else { 1 << 20 }
    }

    fn signal(&self) -> Option<i32> {
        self.requests(Why::Signal).then_some(15)
    }

    fn worked(&self, steps: u64) {
        self.looks.fetch_add(1, Ordering::Relaxed);
        self.most_steps.fetch_max(steps, Ordering::Relaxed);
    }
}

/// The result of a command.
#[derive(PartialEq, Eq, Debug)]
struct Given {
    code: u8,
    /// The output, without times and sizes.
    written: String,
}

/// Runs a command line under a world; its output, or the report of `replay`, is a file of the folder.
fn run(line: &[String], world: &Arc<StoppingWorld>, folder: &Path) -> Given {
    let out = folder.join("out");
    let _ = std::fs::remove_file(&out);
    let words = ["quotient", "--quiet"].into_iter().map(str::to_owned);
    let option: &[&str] = if line[0] == "replay" { &["--report-format", "html", "--report"] } else { &["-o"] };
    let option = option.iter().map(|&word| word.to_owned());
    let words = words.chain(line.iter().cloned()).chain(option).chain([out.to_string_lossy().into_owned()]);
    let cli = Cli::try_parse_from(words).unwrap_or_else(|error| panic!("{line:?}: {error}"));
    let watch = Watch::new(Arc::clone(world) as Arc<dyn World>, Some(LIMIT.0), Some(LIMIT.1));
    let code = caught(|| within(&cli, &watch)).unwrap_or_else(|panic| panic!("{line:?}: {panic}"));
    let written = std::fs::read_to_string(&out).unwrap_or_default();
    let is_fraction = |word: &str| word.contains('.') && word.trim_end_matches(',').parse::<f64>().is_ok();
    let names = ["seconds", "memory", "bytes"];
    let differs =
        |line: &String| names.iter().any(|name| line.contains(name)) || line.split_whitespace().any(is_fraction);
    // Measures of time and memory may have a fraction or none.
    let lines = written.lines().map(measured::plain).filter(|line| !differs(line));
    // Of two runs, either takes longer.
    Given { code, written: lines.map(|line| line.replace("# more", "# less") + "\n").collect() }
}

/// Idle rebecs, any of which may be exchanged.
fn idle(count: usize) -> String {
    let mut text =
        "reactiveclass A(2) { knownrebecs { } statevars { int x; } msgsrv initial() { x = 1; } } main {".to_owned();
    (0..count).for_each(|number| write!(text, " A r{number}():();").expect("a string"));
    text + " }"
}

/// A rebec that sends itself many messages in one body.
fn sends(count: usize) -> String {
    let sends = "self.m(); if (x > 2) { x = 0; } ".repeat(count);
    format!(
        "reactiveclass A(250) {{ knownrebecs {{ A a; }} statevars {{ int x; }}\n\
         msgsrv initial() {{ {sends} }} msgsrv m() {{ x = 1; }} }} main {{ A r(r):(); A s(r):(); }}"
    )
}

/// Many servers of one class, each of which sends to another one.
fn servers(count: usize) -> String {
    let mut text =
        "reactiveclass A(3) { knownrebecs { A n; } statevars { int x; } A() { x = 0; self.m0(); }".to_owned();
    for number in 0..count {
        let next = (number + 7) % count;
        write!(
            text,
            " msgsrv m{number}() {{ if (x == 1) {{ x = 2; n.m{next}(); }} else {{ x = 1; self.m{next}(); }} }}"
        )
        .expect("a string");
    }
    text + " } main { A a(b):(); A b(a):(); }"
}

/// Voters whose votes are counted.
fn votes(count: usize) -> String {
    format!(
        "const N = {count}; type V : 0..N-1; type P : {{ open, shut }};\n\
         proc Q(yes : BOOL[V], cast : BOOL[V], phase : P) =\n\
         sum v:V . [phase = open && cast[v] = 0] approve(v) {{ yes[v] := 1; cast[v] := 1; }} -> Q\n\
         + sum v:V . [phase = open && cast[v] = 0] reject(v) {{ cast[v] := 1; }} -> Q\n\
         + [phase = open && yes[0] + yes[1] + yes[2] >= 2] accept {{ phase := shut; }} -> Q\n\
         + [phase = open && forall v:V . cast[v] = 1] close {{ phase := shut; }} -> Q;\n\
         init Q(yes = 0, cast = 0, phase = open);\n\
         assert Counted = phase = shut => yes[0] <= 1;"
    )
}

const TIERS: &str = "type S : 0..8; type C : 0..2; type PC : { idle, asked }; const srv[C] = [0,0,1];\n\
    proc T(up : BOOL[S], pc : PC[C]) = sum s:S . [!up[s]] open { up[s] := 1; } -> T\n\
    + sum c:C . sum s:S . [s = srv[c] && up[s] && pc[c] = idle] request { pc[c] := asked; } -> T\n\
    + sum c:C . [pc[c] = asked] reply { pc[c] := idle; } -> T;\n\
    init T(up = 0, pc = idle);";

const STARTS: &str = "type B : 0..11; proc X(x : B, y : B, z : B) = [x = 1 || y = 1] a { z := 1; } -> X; init X(*);";

/// A graph whose vertices are in rows and columns, each joined with the others of its row and of its column.
fn rook(side: usize) -> String {
    let mut edges = Vec::new();
    for (a, b) in (0..side * side).flat_map(|b| (0..b).map(move |a| (a, b))) {
        if a / side == b / side || a % side == b % side {
            edges.push(format!("e {} {}\n", a + 1, b + 1));
        }
    }
    format!("p edge {} {}\n{}", side * side, edges.len(), edges.concat())
}

/// The models, by file name, and the commands that are run on each of them.
fn cases(folder: &Path) -> Vec<Vec<String>> {
    let rebeca: &[&str] = &[
        "check M --threads 1",
        "check M --threads 1 --plain --json",
        "check M --threads 2 --slice off",
        "detect M --json",
        "compare M --max-states 500",
        "simulate M --steps 20",
        "slice M --name error",
        "bounds M",
        "convert M --to lpe",
        "convert M --to dot",
        "fmt M",
        "simulate M --steps 300 --json",
        "replay OUT M",
    ];
    let questions: &[&str] = &["check M --threads 1", "detect M --json", "bounds M"];
    let process: &[&str] = &[
        "check M --threads 1",
        "check M --threads 1 --plain --json",
        "check M --threads 2 --por off --slice off",
        "detect M --json",
        "compare M --max-states 500",
        "simulate M --steps 300 --json",
        "replay OUT M --full",
    ];
    let graph: &[&str] = &["graph M", "graph M --json", "graph M --to gap", "graph M --to dot"];
    let models = [
        ("idle.rebeca", idle(5), rebeca),
        ("sends.rebeca", sends(20), rebeca),
        ("servers.rebeca", servers(12), questions),
        ("votes.lpe", votes(4), process),
        ("tiers.lpe", TIERS.to_owned(), process),
        ("starts.lpe", STARTS.to_owned(), process),
        ("rook.col", rook(8), graph),
    ];
    let mut cases = Vec::new();
    for (name, text, commands) in models {
        let path: PathBuf = folder.join(name);
        std::fs::write(&path, text).expect("a folder to write to");
        let word = |word: &str| match word {
            "M" => path.to_string_lossy().into_owned(),
            "OUT" => folder.join(BEFORE).to_string_lossy().into_owned(),
            _ => word.to_owned(),
        };
        cases.extend(commands.iter().map(|line| line.split(' ').map(word).collect()));
    }
    cases
}

/// Some of the looks of a run that has so many.
fn sampled(looks: u64) -> Vec<u64> {
    let mut sampled: Vec<u64> =
        [1, 2, 3, looks / 8, looks / 4, looks / 2, looks - looks / 4, looks.saturating_sub(1)].into();
    sampled.sort_unstable();
    sampled.dedup();
    sampled.retain(|&at| 0 < at && at <= looks);
    sampled
}

#[test]
fn every_command_stops_wherever_it_is() {
    let folder = tempfile::tempdir().expect("a folder");
    for line in cases(folder.path()) {
        let run = |world: &Arc<StoppingWorld>| run(&line, world, folder.path());
        let never = StoppingWorld::new(u64::MAX, Why::Time);
        let whole = run(&never);
        assert!(whole.code < 2, "{line:?}: {whole:?}");
        assert!(line[0] != "replay" || whole.code == 0, "{line:?}: {whole:?}");
        let steps = never.most_steps.load(Ordering::Relaxed);
        assert!(steps <= MOST_STEPS, "{line:?}: {steps} steps without a look");
        for (place, at) in sampled(never.looks.load(Ordering::Relaxed)).into_iter().enumerate() {
            let why = [Why::Time, Why::Memory, Why::Signal][place % 3];
            let world = StoppingWorld::new(at, why);
            let description = || format!("{line:?}, {why:?} at look {at}");
            let stopped = run(&world);
            let inconclusive = if why == Why::Signal { 143 } else { 3 };
            assert!([whole.code, inconclusive].contains(&stopped.code), "{}: {stopped:?}", description());
            assert!(line[0] != "check" || folder.path().join("out").exists(), "{}: no report", description());
            let looks = world.looks.load(Ordering::Relaxed).saturating_sub(at);
            assert!(looks <= MOST_LOOKS, "{}: {looks} looks afterwards", description());
            let steps = world.most_steps.load(Ordering::Relaxed);
            assert!(steps <= MOST_STEPS, "{}: {steps} steps without a look", description());
        }
        assert_eq!(run(&StoppingWorld::new(u64::MAX, Why::Signal)), whole, "{line:?}: stops leave nothing behind");
        if line[0] == "simulate" {
            std::fs::rename(folder.path().join("out"), folder.path().join(BEFORE)).expect("it was written");
        }
    }
}
