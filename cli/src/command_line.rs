//! The command line of a report: what was asked of the program, without the options that only say where and how the report is written.
//!
//! Invariant: two runs whose command lines are equal here have the same report but for times and memory.

/// Options with a value that say where and how a report is written.
const WITH_VALUE: [&str; 7] = ["-o", "--output", "--report", "--report-format", "--format", "--colour", "--color"];

/// Options without a value that do.
const ALONE: [&str; 3] = ["--json", "--quiet", "-q"];

/// The arguments of this process behind its name.
pub(crate) fn command_line() -> Vec<String> {
    essential(std::env::args_os().skip(1).map(|argument| argument.to_string_lossy().into_owned()))
}

/// The arguments that change what a report says.
fn essential(arguments: impl Iterator<Item = String>) -> Vec<String> {
    let mut kept = Vec::new();
    let mut arguments = arguments.peekable();
    while let Some(argument) = arguments.next() {
        if argument == "--" {
            kept.extend(arguments);
            break;
        }
        let name = argument.split_once('=').map_or(argument.as_str(), |(name, _)| name);
        if WITH_VALUE.contains(&name) {
            if name == argument {
                arguments.next();
            }
        } else if !ALONE.contains(&argument.as_str()) {
            kept.push(argument);
        }
    }
    kept
}

/// Arguments in one line that a shell reads back.
pub(crate) fn shell(arguments: &[String]) -> String {
    let plain =
        |text: &str| !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || "-_./=:,@%+".contains(c));
    let quoted = arguments.iter().map(|text| match plain(text) {
        true => text.clone(),
        false => format!("'{}'", text.replace('\'', "'\\''")),
    });
    std::iter::once("quotient".to_owned()).chain(quoted).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::{essential, shell};

    #[test]
    fn options_of_the_output_are_left_out() {
        let kept = |line: &str| essential(line.split(' ').map(str::to_owned)).join(" ");
        assert_eq!(kept("check a.lpe -D N=4 --json -o x.json --report=r.html"), "check a.lpe -D N=4");
        assert_eq!(kept("check --quiet --report r.md --timeout 5s -- a.m"), "check --timeout 5s a.m");
    }

    #[test]
    fn a_shell_reads_the_line_back() {
        let words = ["check", "a b.lpe", "it's"].map(str::to_owned);
        assert_eq!(shell(&words), "quotient check 'a b.lpe' 'it'\\''s'");
    }
}
