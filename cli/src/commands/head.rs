//! Head lines: the first lines of a model say how `batch` and `compare` run it.
//!
//! ```text
//! //@ quotient: --no-deadlock -D N=4        Rebeca, .lpe, Promela, DVE
//! --@ quotient: --no-deadlock -D N=4        Murphi
//! <!--@ quotient: --no-deadlock -->         Petri nets
//! ```
//!
//! The head of a text is what stands before its first line that is neither empty nor a comment nor a declaration of XML. Several head
//! lines are put together. The words are read by the definitions of the command line ([`HeadArgs`]), so that what is wrong there is wrong
//! here. A line of this form below the head is refused: it would be passed over without a word.
//!
//! Soundness: a model may come from a stranger. A head line names no files, no outputs and no threads, so that it decides about nothing
//! but its own row.
//!
//! What the command line says wins: a constant by its name, an option by its name, a limit by its name.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use clap::Parser;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use frontend::diagnostics::Diagnostic;
use frontend::source::{Source, Span, with_line_feeds};

use crate::args::given::is_known;
use crate::args::sweep::Constant;
use crate::args::{Given, HeadArgs, ModelLimitArgs, ReadingArgs};
use crate::codes;

/// The bytes of a text that are searched for head lines.
const MOST_BYTES: usize = 1 << 20;

/// The beginnings of head lines, in the comments of the languages.
const MARKS: [&str; 3] = ["//@", "--@", "<!--@"];

/// The word behind the mark.
const KEY: &str = "quotient:";

/// How a model is run.
#[derive(Clone, Debug)]
pub(super) struct Settings {
    /// How it is read.
    pub(super) reading: ReadingArgs,
    /// Its limits.
    pub(super) limits: ModelLimitArgs,
    /// Further options.
    pub(super) given: Given,
    /// The words of its head, as they stand there; none if it has no head.
    pub(super) text: Option<String>,
}

/// The part of a file that is searched for head lines; nothing of what is no regular file, which can be read once, or cannot be read.
pub(super) fn beginning(path: &Path) -> Vec<u8> {
    let mut bytes = Vec::new();
    if path.is_file() {
        // Whoever reads the model says what is wrong with the file.
        let _ = File::open(path).and_then(|file| file.take(MOST_BYTES as u64).read_to_end(&mut bytes));
    }
    bytes
}

/// The settings of the command line, completed by those of the head of a model.
///
/// # Errors
/// A head line that is no line of options, with the text that it stands in.
pub(super) fn settings(path: &Path, bytes: &[u8], own: &Settings) -> Result<Settings, Box<(Diagnostic, Source)>> {
    let Some(head) = read(path, bytes)? else { return Ok(own.clone()) };
    Ok(Settings {
        reading: completed(&own.reading, &head.reading),
        limits: own.limits.or(head.limits),
        given: own.given.or(&head.given),
        text: head.text,
    })
}

/// The options for reading of the command line, completed by those of a head line.
fn completed(own: &ReadingArgs, head: &ReadingArgs) -> ReadingArgs {
    let is_new = |constant: &&Constant| own.constants.iter().all(|known| known.name != constant.name);
    ReadingArgs {
        core: own.core.or(head.core),
        language: own.language.or(head.language),
        constants: own.constants.iter().chain(head.constants.iter().filter(is_new)).cloned().collect(),
    }
}

/// Reads the head of a model; nothing if it has no head line.
///
/// # Errors
/// A line that is no line of options, with the text that it stands in.
fn read(path: &Path, bytes: &[u8]) -> Result<Option<Settings>, Box<(Diagnostic, Source)>> {
    let text = String::from_utf8_lossy(&bytes[..bytes.len().min(MOST_BYTES)]);
    let text = with_line_feeds(&text);
    let source = || Source::new(crate::io::display(path), text.as_ref());
    let lines = lines(&text);
    let wrong = |diagnostic: Diagnostic| Box::new((diagnostic, source()));
    let Some(first) = lines.first() else { return Ok(None) };
    if let Some(below) = lines.iter().find(|line| !line.is_in_head) {
        let message = "a line of options stands below the first lines of the model, where it says nothing";
        let diagnostic = Diagnostic::error(codes::HEAD_LINE, below.span, message);
        return Err(wrong(diagnostic.help("write it above the first line that is no comment")));
    }
    let mut words = Vec::new();
    for line in &lines {
        let Some(more) = shlex::split(line.words) else {
            return Err(wrong(Diagnostic::error(codes::HEAD_LINE, line.span, "a quotation mark is not closed")));
        };
        words.extend(more);
    }
    let args = HeadArgs::try_parse_from(&words).map_err(|error| {
        let (message, help) = described(&error);
        // The line that has the word which is wrong.
        let invalid = invalid(&error);
        let has = |line: &&Line| invalid.as_ref().is_some_and(|word| line.words.contains(word.as_str()));
        let span = lines.iter().find(has).unwrap_or(first).span;
        wrong(Diagnostic::error(codes::HEAD_LINE, span, message).help_opt(help))
    })?;
    let HeadArgs { reading, limits, passed } = args;
    if let Some(option) = passed.0.names_file() {
        return Err(wrong(Diagnostic::error(codes::HEAD_LINE, first.span, refusal(option))));
    }
    let text = lines.iter().map(|line| line.words).collect::<Vec<_>>().join(" ");
    Ok(Some(Settings { reading, limits, given: passed.0, text: Some(text) }))
}

/// A line of options.
struct Line<'a> {
    words: &'a str,
    span: Span,
    is_in_head: bool,
}

/// The lines of options of a text.
fn lines(text: &str) -> Vec<Line<'_>> {
    let mut found = Vec::new();
    let (mut is_in_head, mut block) = (true, None);
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let begin = start;
        start += line.len();
        let line = line.trim_end();
        if let Some(words) = words(line) {
            let offset = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
            let span = Span::new(offset(begin), offset(begin + line.len()));
            found.push(Line { words, span, is_in_head });
        }
        is_in_head = is_in_head && is_comment(line.trim_start(), &mut block);
    }
    found
}

/// The options of a line, if it is one of them.
fn words(line: &str) -> Option<&str> {
    let behind = MARKS.iter().find_map(|mark| line.strip_prefix(mark))?;
    let words = behind.trim_start().strip_prefix(KEY)?;
    Some(words.trim_end().trim_end_matches("-->").trim())
}

/// Whether a line is part of the head; `block` is the end of the comment that it stands in.
fn is_comment(line: &str, block: &mut Option<&'static str>) -> bool {
    if let Some(end) = *block {
        if let Some((_, behind)) = line.split_once(end) {
            *block = None;
            return is_comment(behind.trim_start(), block);
        }
        return true;
    }
    let opens = [("/*", "*/"), ("<!--", "-->"), ("<?", "?>")];
    if let Some((behind, end)) = opens.iter().find_map(|(open, end)| Some((line.strip_prefix(open)?, *end))) {
        *block = Some(end);
        return is_comment(behind, block);
    }
    line.is_empty() || line.starts_with("//") || line.starts_with("--")
}

/// The word that is wrong.
fn invalid(error: &clap::Error) -> Option<String> {
    match error.get(ContextKind::InvalidArg)? {
        ContextValue::String(word) => Some(word.split([' ', '=']).next().unwrap_or_default().to_owned()),
        _ => None,
    }
}

/// What is wrong, and what may be meant.
fn described(error: &clap::Error) -> (String, Option<String>) {
    let option = invalid(error).and_then(|word| word.strip_prefix("--").map(str::to_owned));
    if let (ErrorKind::UnknownArgument, Some(option)) = (error.kind(), option.filter(|option| is_known(option))) {
        return (refusal(&option), Some("give it on the command line".to_owned()));
    }
    let text = error.to_string();
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let message = lines.next().unwrap_or_default();
    let tip = lines.find_map(|line| line.strip_prefix("tip: ")).map(str::to_owned);
    (message.strip_prefix("error: ").unwrap_or(message).to_owned(), tip)
}

fn refusal(option: &str) -> String {
    format!("`--{option}` is no option of a head line: a model chooses no files, no outputs and no threads")
}

#[cfg(test)]
mod tests {
    use super::{Settings, read};
    use frontend::source::Source;
    use std::path::Path;

    fn head(text: &str) -> Result<Option<Settings>, String> {
        read(Path::new("m"), text.as_bytes()).map_err(|wrong| {
            let (diagnostic, source): (_, Source) = *wrong;
            format!("{}: {}", source.position(diagnostic.span.start).line, diagnostic.message)
        })
    }

    #[test]
    fn comments_of_every_language_have_heads() {
        for text in [
            "//@ quotient: --no-deadlock -D N=4\nproc",
            "/* a\n   licence */ // and more\n\n--@ quotient: --no-deadlock -D N=4\nvar",
            "<?xml version=\"1.0\"?>\n<!-- a\n net -->\n<!--@ quotient: --no-deadlock -D N=4 -->\n<pnml>",
            "//@ states: full 3\n//@ quotient: --no-deadlock\n//@quotient: -DN=4\n",
        ] {
            let head = head(text).expect(text).expect("a head");
            assert!(head.given.has("no-deadlock"), "{text}");
            assert_eq!(head.reading.values(), [("N".to_owned(), 4)], "{text}");
        }
        assert!(head("proc P").expect("no head").is_none());
    }

    #[test]
    fn words_are_read_as_by_a_shell() {
        let head = head("//@ quotient: --end 'x = 1' --name \"a b\" --timeout 5s").expect("a head").expect("a head");
        assert_eq!(head.given.words(&|_| true), ["--end=x = 1", "--name=a b"]);
        assert_eq!(head.limits.timeout, Some(std::time::Duration::from_secs(5)));
    }

    #[test]
    fn wrong_lines_have_their_place() {
        for (text, expected) in [
            ("// a\n//@ quotient: --frobnicate\n", "2: unexpected argument '--frobnicate' found"),
            ("//@ quotient: --no-deadlock\n//@ quotient: --symmetry some\n", "2: invalid value 'some'"),
            ("//@ quotient: --property f\n", "1: `--property` is no option of a head line"),
            ("//@ quotient: -o f\n", "1: unexpected argument '-o' found"),
            ("//@ quotient: --output f\n", "1: `--output` is no option of a head line"),
            ("//@ quotient: --checkpoint f\n", "1: `--checkpoint` is no option of a head line"),
            ("//@ quotient: --spill f\n", "1: `--spill` is no option of a head line"),
            ("//@ quotient: --threads 9\n", "1: `--threads` is no option of a head line"),
            ("//@ quotient: --name 'a\n", "1: a quotation mark is not closed"),
            ("//@ quotient: model.lpe\n", "1: unexpected argument 'model.lpe' found"),
            ("//@ quotient: --help\n", "1: unexpected argument '--help' found"),
            ("var x;\n//@ quotient: --plain\n", "2: a line of options stands below"),
        ] {
            let found = head(text).expect_err(text);
            assert!(found.starts_with(expected), "{found}");
        }
    }
}
