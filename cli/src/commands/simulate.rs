//! `quotient simulate`: a run of the reference semantics, at random or step by step.
//!
//! The same seed gives the same run: starts and steps are listed in the order of the reference interpreter, and a
//! SplitMix64 generator picks one. A step is a rebec with the choices of its server, faulting ones included, so that a
//! long run meets the faults that are there.

use std::fmt::Write;

use frontend::interpret::trace::{Start, Trace};
use frontend::interpret::{Bounds, MAX_STARTS, Stop, starts, successors};
use serde_json::json;

use super::menu;
use crate::args::SimulateArgs;
use crate::console::Console;
use crate::io;
use crate::outcome::{Failure, Outcome};
use crate::pipeline::{self, Loaded};
use crate::render::paint::{Paint, clean, counted};
use crate::render::trace::TraceStyle;
use crate::render::{json, words};

/// How many starts are chosen from.
const STARTS: usize = if MAX_STARTS < 10_000 { MAX_STARTS } else { 10_000 };

/// Runs a model.
pub(crate) fn run(args: &SimulateArgs, console: &mut Console) -> Result<Outcome, Failure> {
    io::refuse_unwritable(args.output.as_deref())?;
    let loaded = pipeline::load(&args.model.model, &args.model.reading.options(), console)?;
    if args.interactive {
        menu::run(&loaded, args.full, console)?;
        return Ok(Outcome::Done);
    }
    let (trace, end) = wander(&loaded, args.seed, args.steps);
    let text = if args.json {
        tell_json(&loaded, args, &trace, end)
    } else {
        let to_stdout = args.output.as_deref().is_none_or(|path| path == std::path::Path::new(io::STANDARD));
        tell(&loaded, args, &trace, end, Paint { on: to_stdout && console.colours_stdout() })
    };
    io::write(args.output.as_deref(), text.as_bytes())?;
    Ok(Outcome::Done)
}

/// Why a run ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum End {
    /// As many steps as asked for.
    Steps,
    /// No rebec has a message.
    Deadlock,
    /// The last step, or a constructor, fails.
    Fault,
    /// A bound of the tool.
    Limit,
}

impl End {
    fn word(self) -> &'static str {
        match self {
            End::Steps => "steps",
            End::Deadlock => "deadlock",
            End::Fault => "fault",
            End::Limit => "limit",
        }
    }
}

/// The starts of a model, the first [`STARTS`] of them.
pub(super) fn some_starts(loaded: &Loaded) -> Vec<Start> {
    starts(&loaded.model, &Bounds::default()).take(STARTS).collect()
}

fn wander(loaded: &Loaded, seed: u64, steps: u64) -> (Trace, End) {
    let mut random = SplitMix64(seed);
    let mut starts = some_starts(loaded);
    let start = starts.swap_remove(random.below(starts.len()));
    let mut trace = Trace { start, steps: Vec::new(), cycle_from: None };
    loop {
        if let Some((_, stop)) = trace.stop() {
            let end = if matches!(stop, Stop::Fault(_)) { End::Fault } else { End::Limit };
            return (trace, end);
        }
        let state = trace.state(trace.steps.len()).expect("a trace that did not stop has a last state");
        if state.is_deadlock() {
            return (trace, End::Deadlock);
        }
        if trace.steps.len() as u64 >= steps {
            return (trace, End::Steps);
        }
        let mut enabled = successors(&loaded.model, &Bounds::default(), state);
        let step = enabled.swap_remove(random.below(enabled.len()));
        trace.steps.push(step);
    }
}

fn tell(loaded: &Loaded, args: &SimulateArgs, trace: &Trace, end: End, paint: Paint) -> String {
    let style = TraceStyle { model: &loaded.model, source: &loaded.source, full: args.full, paint };
    let name = paint.bold(&clean(&loaded.source.name));
    let mut out = format!("{name}: random run, seed {}\n{}", args.seed, style.trace(trace));
    let steps = counted(trace.steps.len() as u64, "step");
    let _ = writeln!(
        out,
        "\n  {}",
        match end {
            End::Steps => format!("stopped after {steps} (--steps)"),
            End::Deadlock => paint.bad(&format!("deadlock after {steps}: no rebec has a message")),
            End::Fault => paint.bad(&format!("fault after {steps}")),
            End::Limit => paint.open(&format!("a bound of the tool ends the run after {steps}")),
        }
    );
    out
}

fn tell_json(loaded: &Loaded, args: &SimulateArgs, trace: &Trace, end: End) -> String {
    json::pretty(&json!({
        "schema_version": json::SCHEMA_VERSION,
        "command": "simulate",
        "model": json::model(loaded, &args.model.reading.constants),
        "seed": args.seed,
        "ended": end.word(),
        "trace": json::trace(&loaded.model, &loaded.source, trace),
        "state": trace.states().last().map(|state| words::state_json(&loaded.model, state)),
    }))
}

/// SplitMix64: small, and good enough to pick steps.
///
/// Source: Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014.
struct SplitMix64(u64);

impl SplitMix64 {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `bound`, which is not 0.
    fn below(&mut self, bound: usize) -> usize {
        let scaled = (u128::from(self.next()) * bound as u128) >> 64;
        usize::try_from(scaled).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::SplitMix64;

    #[test]
    fn the_generator_gives_the_published_numbers() {
        let mut random = SplitMix64(1_234_567);
        let numbers: Vec<u64> = std::iter::repeat_with(|| random.next()).take(3).collect();
        assert_eq!(numbers, [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]);
    }

    #[test]
    fn numbers_stay_below_their_bound() {
        let mut random = SplitMix64(7);
        assert!(std::iter::repeat_with(|| random.below(3)).take(100).all(|number| number < 3));
        assert_eq!(random.below(1), 0);
    }
}
