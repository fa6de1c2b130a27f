//! `quotient simulate --interactive`: a menu of the enabled steps, on standard input and output.
//!
//! The menu works with a pipe as with a terminal: each line is a number or a command, and the end of the input ends
//! the run.
//!
//! Invariant: `taken` is a run of the reference semantics; undoing drops its last step.

use std::fmt::Write as _;
use std::io::{BufRead, ErrorKind, IsTerminal, Write, stdin, stdout};

use crate::console::Console;
use crate::io;
use crate::language::{Presented, TraceStyle};
use crate::load::Loaded;
use crate::outcome::Failure;
use crate::paint::{Paint, clean, counted};
use frontend::execution::Outcome;
use pipeline::Trace;

const HELP: &str = "  1, 2, ..   take this step
  u          undo the last step
  s          show the whole state
  t          show the run so far
  m          show the menu again
  h          this help
  q          quit
";

/// A request of the user.
enum Order {
    Take(usize),
    Undo,
    Menu,
    State,
    Run,
    Help,
    Quit,
    Unknown,
}

/// Runs the menu until the user quits or the input ends.
pub(crate) fn run<L: Presented>(loaded: &Loaded<L>, full: bool, console: &Console) -> Result<(), Failure> {
    let paint = Paint { on: console.colours_stdout() };
    let style = TraceStyle { model: &loaded.model, source: &loaded.source, full, paint };
    let starts = loaded.model.starts();
    let mut session = Session { loaded, style, starts, taken: None };
    let mut out = String::from("h for help\n");
    out.push_str(&session.begin());
    let mut options = session.options();
    out.push_str(&session.menu(&options));
    loop {
        if !prompt(&out)? {
            return Ok(());
        }
        let Some(line) = read_line() else { return io::write(None, b"\n") };
        let mut moved = false;
        out = match order(&line) {
            Order::Quit => return Ok(()),
            Order::Help => HELP.to_owned(),
            Order::Menu => session.menu(&options),
            Order::State => session.state(),
            Order::Run => session.taken.as_ref().map_or_else(String::new, |taken| style.trace(taken)),
            Order::Undo => {
                moved = true;
                session.undo()
            }
            Order::Take(number) if (1..=options.len()).contains(&number) => {
                moved = true;
                session.take(options.swap_remove(number - 1))
            }
            Order::Take(_) => format!("{}; m shows them\n", counted(options.len() as u64, "option")),
            Order::Unknown => "a number, or u, s, t, m, h, q\n".to_owned(),
        };
        if !stdin().is_terminal() {
            out.insert_str(0, &format!("{}\n", clean(line.trim()))); // a transcript reads like a session
        }
        if moved {
            options = session.options();
            out.push_str(&session.menu(&options));
        }
    }
}

fn order(line: &str) -> Order {
    match line.trim() {
        "q" | "quit" => Order::Quit,
        "u" | "undo" => Order::Undo,
        "s" | "state" => Order::State,
        "t" | "trace" => Order::Run,
        "m" | "menu" | "" => Order::Menu,
        "h" | "help" | "?" => Order::Help,
        text => text.parse().map_or(Order::Unknown, Order::Take),
    }
}

/// Prints the text and a prompt; returns whether the output is still open.
fn prompt(text: &str) -> Result<bool, Failure> {
    let mut out = stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.write_all(b"> ")).and_then(|()| out.flush()) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(false),
        Err(_) => io::write(None, b"> ").map(|()| false),
    }
}

/// A line of at most 4 KiB that is text; `None` at the end of the input.
fn read_line() -> Option<String> {
    let mut bytes = Vec::new();
    let read = std::io::Read::take(stdin().lock(), 4096).read_until(b'\n', &mut bytes);
    if read.ok()? == 0 { None } else { Some(String::from_utf8_lossy(&bytes).into_owned()) }
}

/// A continuation: a start, or a step.
enum Choice<S> {
    Start(usize),
    Step(Box<S>),
}

struct Session<'a, L: Presented> {
    loaded: &'a Loaded<L>,
    style: TraceStyle<'a, L>,
    starts: Vec<L::Start>,
    /// The run so far; absent while the start is chosen.
    taken: Option<Trace<L>>,
}

impl<L: Presented> Session<'_, L> {
    /// Takes the start if there is only one.
    fn begin(&mut self) -> String {
        match self.starts.as_slice() {
            [_] => self.take(Choice::Start(0)),
            _ => String::new(),
        }
    }

    /// The continuations, without those that look and end alike.
    fn options(&self) -> Vec<Choice<L::Step>> {
        let Some(taken) = &self.taken else { return (0..self.starts.len()).map(Choice::Start).collect() };
        let mut options: Vec<L::Step> = Vec::new();
        for step in taken.last_state().map_or_else(Vec::new, |state| self.loaded.model.steps(state)) {
            if !options.iter().rev().any(|other| L::are_alike(other, &step)) {
                options.push(step);
            }
        }
        options.into_iter().map(|step| Choice::Step(Box::new(step))).collect()
    }

    fn menu(&self, options: &[Choice<L::Step>]) -> String {
        let mut headlines = self.style.steps(options.iter().filter_map(Choice::step)).into_iter();
        let width = options.len().to_string().len();
        let mut out = match (&self.taken, options.is_empty()) {
            (Some(taken), true) if taken.last_state().is_some() => format!("deadlock: {}\n", L::DEADLOCK),
            (_, true) => "the run ends here\n".to_owned(),
            (None, false) => format!("{} ways to start:\n", options.len()),
            (Some(_), false) => "next:\n".to_owned(),
        };
        for (index, option) in options.iter().enumerate() {
            let (line, fails) = match option {
                Choice::Start(start) => {
                    let start = &self.starts[*start];
                    (L::choices_text(&self.style, start), start.state().is_none())
                }
                Choice::Step(step) => (headlines.next().unwrap_or_default(), step.state().is_none()),
            };
            let _ = writeln!(out, "  {:>width$}  {line}{}", index + 1, if fails { "   fails" } else { "" });
        }
        out
    }

    fn take(&mut self, choice: Choice<L::Step>) -> String {
        match (choice, &mut self.taken) {
            (Choice::Start(start), _) => {
                let start = self.starts[start].clone();
                let out = self.style.whole_start(&start);
                self.taken = Some(Trace::<L>::new(start));
                out
            }
            (Choice::Step(step), Some(taken)) => {
                taken.take(*step);
                self.style.last_step(taken)
            }
            (Choice::Step(_), None) => String::new(),
        }
    }

    fn state(&self) -> String {
        let state = self.taken.as_ref().map(|taken| self.style.last_state(taken));
        state.unwrap_or_else(|| "no start is chosen yet\n".to_owned())
    }

    fn undo(&mut self) -> String {
        let Some(taken) = &mut self.taken else { return "nothing to undo\n".to_owned() };
        if taken.steps.pop().is_some() {
            return format!("undone; {} taken\n", counted(taken.steps.len() as u64, "step"));
        }
        if self.starts.len() == 1 {
            return "nothing to undo\n".to_owned();
        }
        self.taken = None;
        "undone\n".to_owned()
    }
}

impl<S> Choice<S> {
    fn step(&self) -> Option<&S> {
        match self {
            Choice::Start(_) => None,
            Choice::Step(step) => Some(step),
        }
    }
}
