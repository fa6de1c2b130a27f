//! `quotient explain`: the meaning of a diagnostic code.

use std::fmt::Write;

use frontend::diagnostics::{Explanation, closest};

use crate::args::ExplainArgs;
use crate::codes::{self, all, explain, remedy};
use crate::console::Console;
use crate::io;
use crate::outcome::{Failure, Outcome};
use crate::paint::{Paint, clean};

/// The width of explanations, in columns.
const WIDTH: usize = 88;

/// Explains one code, or lists all.
pub(crate) fn run(args: &ExplainArgs, console: &Console) -> Result<Outcome, Failure> {
    let paint = Paint { on: console.colours_stdout() };
    let text = match &args.code {
        None => list(paint),
        Some(code) => {
            let code = code.trim().trim_start_matches(['[', '`']).trim_end_matches([']', '`']);
            page(&explain(code).ok_or_else(|| unknown(code))?, paint)
        }
    };
    io::write(None, text.as_bytes())?;
    Ok(Outcome::Done)
}

fn list(paint: Paint) -> String {
    let lines = all().into_iter().map(|entry| format!("{}  {}\n", paint.bold(entry.code.as_str()), entry.title));
    lines.collect()
}

fn page(entry: &Explanation, paint: Paint) -> String {
    let mut out = format!("{}\n\n", paint.bold(&format!("{}: {}", entry.code, entry.title)));
    let _ = writeln!(out, "{}\n", wrap(entry.cause, WIDTH));
    let _ = writeln!(out, "{}", paint.bold("Example"));
    for line in entry.example.lines() {
        let _ = writeln!(out, "    {line}");
    }
    let remedy = remedy(entry.code).map_or_else(String::new, |remedy| format!(" On the command line, {remedy}."));
    let _ = writeln!(out, "\n{}\n{}", paint.bold("Fix"), wrap(&format!("{}{remedy}", entry.fix), WIDTH));
    out
}

fn unknown(code: &str) -> Failure {
    let known = all();
    let near = closest(code, known.iter().map(|entry| entry.code.as_str()));
    let help = match near {
        Some(near) => format!("did you mean `{near}`? `quotient explain` lists all codes"),
        None => "`quotient explain` lists all codes".to_owned(),
    };
    Failure::usage(codes::UNKNOWN_CODE, format!("there is no diagnostic code `{}`", clean(code))).help(help)
}

/// Breaks text at white space into lines of at most `width` columns; longer words get separate lines.
fn wrap(text: &str, width: usize) -> String {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let line = lines.last_mut().expect("there is always a line");
        if line.is_empty() {
            line.push_str(word);
        } else if line.chars().count() + 1 + word.chars().count() <= width {
            line.push(' ');
            line.push_str(word);
        } else {
            lines.push(word.to_owned());
        }
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::wrap;

    #[test]
    fn text_is_broken_at_spaces() {
        assert_eq!(wrap("one two three", 7), "one two\nthree");
        assert_eq!(wrap("  a  b ", 10), "a b");
        assert_eq!(wrap("incomprehensible", 5), "incomprehensible");
    }
}
