//! The growth of cost: dining philosophers and the load balancer by size, as the table of the guide.
//!
//! ```text
//! cargo bench -p quotient-benches --bench cost -- PROGRAM TIME MEMORY
//! ```
//!
//! `PROGRAM` is the built `quotient`, `TIME` and `MEMORY` are the limits of one run, 60s and 4G if they are left out. Each model
//! is checked whole on one thread, plain and with every reduction, each time by a process of its own, so that the memory is that
//! of one run; times are those of the processor. The models are those of `fixtures` with another `main`. A run that a limit ends is
//! told as such: its figures are those at its end.

use std::path::Path;
use std::process::{Command, ExitCode};

use battery::harness::root;
use serde_json::Value as Json;

/// A text of `fixtures` up to its `main`.
fn classes(name: &str) -> String {
    let path = root().join("fixtures/rebeca").join(name);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let classes = text.split("\nmain {").next().unwrap_or_default();
    classes.lines().filter(|line| !line.starts_with("//")).map(|line| format!("{line}\n")).collect()
}

/// Philosophers around a table, as many forks; neighbours begin at the same fork as far as that is possible.
fn philosophers(count: usize) -> String {
    let mut text = classes("philosophers/phil3_lib.rebeca") + "main {\n";
    for at in 0..count {
        let (own, before) = (at, (at + count - 1) % count);
        let own_first = if count.is_multiple_of(2) { at.is_multiple_of(2) } else { at > 0 };
        let (first, second) = if own_first { (own, before) } else { (before, own) };
        text += &format!("    Philosopher phil{at}(fork{first}, fork{second}):();\n");
    }
    for at in 0..count {
        text += &format!("    Fork fork{at}(phil{at}, phil{}):();\n", (at + 1) % count);
    }
    text + "}\n"
}

/// Two balancers between clients and servers.
fn balancer(clients: usize, servers: usize) -> String {
    let list = |prefix: &str| (1..=servers).map(|at| format!("{prefix}{at}")).collect::<Vec<_>>().join(", ");
    let text = classes("load_balancer/lb4_2.rebeca");
    let text = text.replace("scs:1..2", &format!("scs:1..{servers}")).replace("?(1, 2)", &format!("?({})", list("")));
    let mut text = text.replace("Server(5)", &format!("Server({})", clients + 1)) + "main {\n";
    for at in 1..=clients {
        text += &format!("    Client c{at}(lb{}):();\n", if at <= clients / 2 { 1 } else { 2 });
    }
    (1..=servers).for_each(|at| text += &format!("    Server s{at}():();\n"));
    (1..=2).for_each(|at| text += &format!("    LoadBalancer lb{at}({}):();\n", list("s")));
    text + "}\n"
}

/// A number with commas.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let group = |(at, digit): (usize, char)| {
        let comma = at > 0 && (digits.len() - at).is_multiple_of(3);
        if comma { format!(",{digit}") } else { digit.to_string() }
    };
    digits.chars().enumerate().map(group).collect()
}

/// Minutes and seconds as the shell writes them.
fn seconds(word: &str) -> Option<f64> {
    let (minutes, seconds) = word.trim_end_matches('s').split_once('m')?;
    Some(minutes.parse::<f64>().ok()? * 60.0 + seconds.parse::<f64>().ok()?)
}

/// States, seconds of the processor and memory of one run, as columns.
fn run(program: &Path, model: &Path, options: &[&str]) -> Result<String, String> {
    let to = model.with_extension("json");
    let mut command = Command::new("sh");
    command.args(["-c", "\"$@\" >\"$0\"; times"]).arg(&to).arg(program).arg("check").arg(model);
    command.args(["--json", "--keep-going", "--threads", "1", "--no-property"]).args(options);
    let output = command.output().map_err(|error| format!("a shell: {error}"))?;
    let text = std::fs::read_to_string(&to).map_err(|error| error.to_string())?;
    let report: Json = serde_json::from_str(&text).map_err(|_| String::from_utf8_lossy(&output.stderr).into_owned())?;
    // The second line is that of the processes that the shell has run.
    let times = String::from_utf8_lossy(&output.stdout).lines().nth(1).unwrap_or_default().to_owned();
    let seconds: f64 = times.split_whitespace().filter_map(seconds).sum();
    let (states, bytes) = (report["states"].as_u64().unwrap_or(0), report["peak_memory_bytes"].as_u64().unwrap_or(0));
    let ended = if report["complete"] == true { "" } else { " (limit)" };
    Ok(format!("{}{ended} | {seconds:.2} | {:.0}", grouped(states), bytes as f64 / f64::from(1 << 20)))
}

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    let Some(program) = words.first().map(Path::new).filter(|program| program.is_file()) else {
        eprintln!("usage: cost PROGRAM TIME MEMORY");
        return ExitCode::from(2);
    };
    let word = |at: usize, otherwise: &'static str| words.get(at).map_or(otherwise, String::as_str).to_owned();
    let (time, memory) = (word(1, "60s"), word(2, "4G"));
    let limits = ["--timeout", &time, "--max-memory", &memory];
    let plain: Vec<&str> = [&["--plain"][..], &limits].concat();
    // Overflow keeps partial order from being used; it is checked on the plain run.
    let reduced: Vec<&str> = [&["--no-overflow"][..], &limits].concat();
    let mut models: Vec<(String, String)> =
        (3..=7).map(|count| (format!("{count} philosophers"), philosophers(count))).collect();
    let sizes = [(2, 2), (4, 2), (4, 3), (4, 4), (6, 2), (6, 3), (6, 4)];
    models
        .extend(sizes.map(|(clients, servers)| (format!("{clients}/{servers} balancer"), balancer(clients, servers))));
    let folder = tempfile::tempdir().expect("a folder");
    println!("| model | states | s | MiB | reduced states | s | MiB |\n|---|--:|--:|--:|--:|--:|--:|");
    for (name, text) in models {
        let model = folder.path().join("model.rebeca");
        std::fs::write(&model, text).expect("a folder that can be written");
        match run(program, &model, &plain).and_then(|plain| Ok((plain, run(program, &model, &reduced)?))) {
            Ok((plain, reduced)) => println!("| {name} | {plain} | {reduced} |"),
            Err(error) => {
                eprintln!("{name}: {error}");
                return ExitCode::FAILURE;
            }
        }
    }
    ExitCode::SUCCESS
}
