//! Models whose local states never repeat: the checker next to the reference interpreter with a hash map.
//!
//! ```text
//! cargo bench -p quotient-benches --bench direct
//! ```
//!
//! Steps of local states are remembered, which gains nothing where each is met once. The direct way (`checker::naive`) asks the
//! interpreter for each step of each state. Both must count the same; the last column is how many times as fast the
//! checker is.

use std::process::ExitCode;
use std::time::Instant;

use battery::harness::{messages, read_model};
use checker::{Question, naive};
use frontend::lower::LowerOptions;

/// A counter up to `most`, `count` times.
fn counters(most: u32, count: u32) -> String {
    let rebecs: String = (0..count).map(|at| format!("C c{at}():(); ")).collect();
    format!(
        "reactiveclass C(2) {{ statevars {{ int n; }} msgsrv initial() {{ self.up(); }} \
         msgsrv up() {{ if (n < {most}) {{ n = n + 1; }} self.up(); }} }} main {{ {rebecs} }}"
    )
}

/// A queue that fills in every order of two values, and is emptied.
fn queue(bound: u32) -> String {
    format!(
        "reactiveclass P(3) {{ knownrebecs {{ Q q; }} statevars {{ int sent; }} msgsrv initial() {{ self.go(); }} \
         msgsrv go() {{ int v; v = ?(0, 1); if (sent < {bound}) {{ sent = sent + 1; q.put(v); self.go(); }} }} }} \
         reactiveclass Q({bound}) {{ statevars {{ int sum; }} msgsrv initial() {{ }} \
         msgsrv put(int v) {{ sum = sum * 2 + v; }} }} main {{ P p(q):(); Q q():(); }}"
    )
}

fn main() -> ExitCode {
    let models = [
        ("one counter to 300,000", counters(300_000, 1)),
        ("two counters to 500", counters(500, 2)),
        ("a queue of 13", queue(13)),
    ];
    println!("{:<24} {:>10} {:>12} {:>12} {:>8}", "model", "states", "checker s", "direct s", "faster");
    for (name, text) in models {
        let (model, found) = read_model(text.as_bytes(), &LowerOptions::default());
        let Some(model) = model else {
            eprintln!("{name}: {}", messages(&found));
            return ExitCode::FAILURE;
        };
        let question = Question { keep_going: true, ..Question::default() };
        let mut best = [f64::INFINITY; 2];
        let mut states = [0; 2];
        for _ in 0..3 {
            let started = Instant::now();
            states[0] = checker::check(&model, &question, &mut ()).map_or(0, |report| report.states);
            best[0] = best[0].min(started.elapsed().as_secs_f64());
            let started = Instant::now();
            states[1] = naive::explore(&model, &question.bounds, usize::MAX).states;
            best[1] = best[1].min(started.elapsed().as_secs_f64());
        }
        if states[0] != states[1] {
            eprintln!("{name}: {} states, and {} directly", states[0], states[1]);
            return ExitCode::FAILURE;
        }
        println!("{name:<24} {:>10} {:>12.3} {:>12.3} {:>8.2}", states[0], best[0], best[1], best[1] / best[0]);
    }
    ExitCode::SUCCESS
}
