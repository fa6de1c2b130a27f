//! The guide: every command in it is run, and prints what the guide says.
//!
//! In a block `console` each line that starts with `$ ` is a command for the shell, and what follows is its output. A block
//! with `file=NAME` behind its language is written to that file first. Commands of a chapter run one after the other in a
//! folder of their own, in which `fixtures` is that of the project. Times, sizes of memory and the width of gaps are not
//! compared. `GUIDE_UPDATE=1` writes what was printed into the chapters: read the difference.

use std::path::{Path, PathBuf};
use std::process::Command;

use battery::harness::{files, root};
use battery::measured::plain;

use crate::binary::command;

fn chapters() -> PathBuf {
    root().join("docs/guide/src")
}

/// Runs a line in the shell, with the built binary as `quotient`.
fn printed(folder: &Path, line: &str) -> String {
    let binary = command().get_program().to_owned();
    let programs = Path::new(&binary).parent().expect("a folder").to_string_lossy().into_owned();
    let path = format!("{programs}:{}", std::env::var("PATH").unwrap_or_default());
    let mut shell = Command::new("sh");
    shell.current_dir(folder).args(["-c", line]).env("PATH", path).env_remove("NO_COLOR").env_remove("COLUMNS");
    let output = shell.output().expect("a shell");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// A chapter with the outputs of its commands as they are now.
fn run_again(text: &str) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    std::os::unix::fs::symlink(root().join("fixtures"), folder.path().join("fixtures")).expect("a link");
    let mut out = String::new();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        out.push_str(line);
        out.push('\n');
        let Some(kind) = line.strip_prefix("```").filter(|kind| !kind.is_empty()) else { continue };
        let mut block = Vec::new();
        while let Some(inner) = lines.next_if(|inner| *inner != "```") {
            block.push(inner);
        }
        if let Some((_, name)) = kind.split_once("file=") {
            std::fs::write(folder.path().join(name), block.join("\n") + "\n").expect("a file");
        }
        if kind == "console" {
            for command in block.iter().filter_map(|inner| inner.strip_prefix("$ ")) {
                let output = printed(folder.path(), command);
                out.push_str(&format!("$ {command}\n"));
                out.extend(output.lines().map(|line| format!("{}\n", line.trim_end())));
            }
        } else {
            out.extend(block.iter().map(|inner| format!("{inner}\n")));
        }
    }
    out
}

#[test]
fn the_guide_shows_the_output_of_every_command() {
    let updates = std::env::var_os("GUIDE_UPDATE").is_some();
    let mut commands = 0;
    let mut problems = Vec::new();
    for path in files(&chapters(), &["md"], false) {
        let text = std::fs::read_to_string(&path).expect("a chapter");
        commands += text.lines().filter(|line| line.starts_with("$ ")).count();
        let now = run_again(&text);
        if updates {
            std::fs::write(&path, now).expect("a chapter");
            continue;
        }
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let (documented, printed): (Vec<&str>, Vec<&str>) = (text.lines().collect(), now.lines().collect());
        let differ =
            documented.iter().zip(&printed).position(|(documented, printed)| plain(documented) != plain(printed));
        let shorter = (documented.len() != printed.len()).then_some(documented.len().min(printed.len()));
        if let Some(at) = differ.or(shorter) {
            let line = |lines: &[&str]| lines.get(at).map_or("(the end)", |line| line).to_owned();
            problems.push(format!(
                "{name}:{}\n  guide:   {}\n  printed: {}",
                at + 1,
                line(&documented),
                line(&printed)
            ));
        }
    }
    assert!(commands > 15, "only {commands} commands");
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn the_summary_lists_every_chapter() {
    let summary = std::fs::read_to_string(chapters().join("SUMMARY.md")).expect("the summary");
    let mut listed: Vec<&str> = summary.split("](").skip(1).filter_map(|part| part.split(')').next()).collect();
    listed.sort_unstable();
    let paths = files(&chapters(), &["md"], false);
    let names = paths.iter().filter_map(|path| path.file_name()?.to_str()).filter(|name| *name != "SUMMARY.md");
    assert_eq!(listed, names.collect::<Vec<&str>>());
}
