//! `quotient simulate`: a run of the reference semantics, at random or step by step.
//!
//! The same seed gives the same run: starts and steps are listed in the order of the reference interpreter, and a
//! SplitMix64 generator picks one. A step is a rebec with the choices of its server, faulting ones included, so that
//! a long run meets the faults of the model.

use std::fmt::Write;

use limits::{Cause, Stopped};
use serde::Serialize;
use serde_json::Value as Json;
use serde_json::value::RawValue;

use super::menu;
use crate::args::SimulateArgs;
use crate::console::Console;
use crate::io;
use crate::language::{self, Presented, TraceStyle};
use crate::load::{self, AnyLoaded, Loaded};
use crate::outcome::{Failure, Outcome, report_watch, reporting};
use crate::paint::{Paint, clean, counted};
use crate::paths::refuse_overwriting;
use crate::render::json;
use crate::trace_file::TraceFile;
use pipeline::Trace;

/// Runs a model.
pub(crate) fn run(args: &SimulateArgs, console: &mut Console) -> Result<Outcome, Failure> {
    io::refuse_unwritable(args.output.as_deref())?;
    refuse_overwriting([&*args.model.model], args.output.as_deref())?;
    match load::load(&args.model.model, &args.model.reading.options(), console)? {
        AnyLoaded::Actors(loaded) => simulate(&loaded, args, console),
        AnyLoaded::Process(loaded) => simulate(&loaded, args, console),
        AnyLoaded::Murphi(loaded) => simulate(&loaded, args, console),
    }
}

fn simulate<L: Presented>(loaded: &Loaded<L>, args: &SimulateArgs, console: &Console) -> Result<Outcome, Failure> {
    if args.interactive {
        menu::run(loaded, args.full, console)?;
        return Ok(Outcome::Done);
    }
    // Writing a step takes longer than taking it.
    let run = limits::share(1, 4, || wander(&loaded.model, args.seed, args.steps));
    let (mut trace, mut end) = run.map_err(Failure::Stopped)?;
    let text = if args.json {
        let (steps, written, stopped) = steps_json(loaded, &trace);
        if let Some(stopped) = stopped.filter(|_| written < trace.steps.len()) {
            trace.steps.truncate(written);
            end = End::Stopped(stopped);
        }
        reporting(|| Ok(describe_json(loaded, args, (&trace, steps), end)))?
    } else {
        let to_stdout = args.output.as_deref().is_none_or(|path| path == std::path::Path::new(io::STANDARD));
        let paint = Paint { on: to_stdout && console.colours_stdout() };
        loop {
            match reporting(|| Ok(describe(loaded, args, &trace, end, paint))) {
                // The beginning of a run that is too long to be written in the time that is left.
                Err(Failure::Stopped(stopped)) if !trace.steps.is_empty() => {
                    trace.steps.truncate(trace.steps.len() / 64);
                    end = End::Stopped(stopped);
                }
                text => break text?,
            }
        }
    };
    io::write(args.output.as_deref(), text.as_bytes())?;
    Ok(match end {
        End::Stopped(stopped) => Outcome::stopped(stopped),
        _ => limits::watch().consult().map_or_else(Outcome::stopped, |()| Outcome::Done),
    })
}

/// The reason that a run ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum End {
    /// The requested number of steps.
    Steps,
    /// No step is possible.
    Deadlock,
    /// The last step, or the start, fails.
    Fault,
    /// A bound of the tool.
    Limit,
    /// A limit or a signal.
    Stopped(Stopped),
}

impl End {
    fn word(self) -> &'static str {
        match self {
            End::Steps => "steps",
            End::Deadlock => "deadlock",
            End::Fault => "fault",
            End::Limit | End::Stopped(_) => "limit",
        }
    }
}

fn wander<L: Presented>(model: &L, seed: u64, steps: u64) -> (Trace<L>, End) {
    let mut random = SplitMix64(seed);
    let mut trace = Trace::<L>::new(model.random_start(&mut |bound| random.below(bound)));
    loop {
        let Some(state) = trace.last_state() else {
            let end = if L::is_limited(&trace) { End::Limit } else { End::Fault };
            return (trace, end);
        };
        // A limit ends the run before the step that it stops.
        let choose = || model.chosen(state, |count| random.below(count));
        let step = match limits::watch().run(choose) {
            Err(stopped) => return (trace, End::Stopped(stopped)),
            Ok(None) => return (trace, End::Deadlock),
            Ok(Some(step)) => step,
        };
        if trace.steps.len() as u64 >= steps {
            return (trace, End::Steps);
        }
        trace.take(step);
    }
}

fn describe<L: Presented>(loaded: &Loaded<L>, args: &SimulateArgs, trace: &Trace<L>, end: End, paint: Paint) -> String {
    let style = TraceStyle { model: &loaded.model, source: &loaded.source, full: args.full, paint };
    let name = paint.bold(&clean(&loaded.source.name));
    let mut out = format!("{name}: random run, seed {}\n{}", args.seed, style.trace(trace));
    let steps = counted(trace.steps.len() as u64, "step");
    let _ = writeln!(
        out,
        "\n  {}",
        match end {
            End::Steps => format!("stopped after {steps} (--steps)"),
            End::Deadlock => paint.bad(&format!("deadlock after {steps}: {}", L::DEADLOCK)),
            End::Fault => paint.bad(&format!("fault after {steps}")),
            End::Limit => paint.open(&format!("a bound of the tool ends the run after {steps}")),
            End::Stopped(Stopped { cause, .. }) => paint.open(&format!("{} ends the run after {steps}", option(cause))),
        }
    );
    out
}

/// A cause of a stop, with the option that moves it.
fn option(cause: Cause) -> String {
    match cause {
        Cause::Time(_) => format!("{cause} (--timeout)"),
        Cause::Memory(_) => format!("{cause} (--max-memory)"),
        Cause::Work(_) | Cause::Signal(_) => cause.to_string(),
    }
}

/// The steps of a run as JSON, as many of them as half of the time allows, their number, and what stopped them. Each is a text before the
/// next one is made: a run of millions of steps takes no more memory than its text.
fn steps_json<L: Presented>(loaded: &Loaded<L>, trace: &Trace<L>) -> (String, usize, Option<Stopped>) {
    let watch = report_watch().share(1, 2);
    let mut steps = language::json::steps(&loaded.model, &loaded.source, trace);
    let (mut text, mut written) = (String::from("["), 0);
    let stopped = loop {
        match watch.run(|| steps.next().map(|step| serde_json::to_string_pretty(&step).expect("keys are texts"))) {
            Err(stopped) => break Some(stopped),
            Ok(None) => break None,
            Ok(Some(step)) => {
                text.push_str(if written > 0 { ",\n      " } else { "\n      " });
                text.push_str(&step.replace('\n', "\n      "));
                written += 1;
            }
        }
    };
    text.push_str(if written > 0 { "\n    ]" } else { "]" });
    (text, written, stopped)
}

/// A report of a run.
#[derive(Serialize)]
struct Report {
    schema_version: u32,
    command: &'static str,
    model: Json,
    seed: u64,
    ended: &'static str,
    trace: TraceFile<Box<RawValue>>,
    state: Option<Json>,
}

/// A run with the text of its steps as JSON.
fn describe_json<L: Presented>(
    loaded: &Loaded<L>,
    args: &SimulateArgs,
    (trace, steps): (&Trace<L>, String),
    end: End,
) -> String {
    let Loaded { model, source, .. } = loaded;
    let steps = RawValue::from_string(steps).expect("a list of steps");
    json::serialised(&Report {
        schema_version: json::SCHEMA_VERSION,
        command: "simulate",
        model: json::model(loaded, &args.model.reading.values()),
        seed: args.seed,
        ended: end.word(),
        trace: language::json::trace_of(model, source, trace, steps),
        state: trace.states().last().map(|state| model.state_json(state)),
    })
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
        debug_assert!(scaled < bound as u128, "a number below the bound");
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
