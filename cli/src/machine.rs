//! What produced a file of results: the version, the machine and the command line.
//!
//! Times mean something next to the machine that they were measured on only. The description has what the system says of itself without
//! names of people, folders or the machine.

use std::sync::OnceLock;

use serde_json::{Value as Json, json};

use crate::command_line::{command_line, shell};
use crate::paint::{clean, size};

/// The version of this program.
pub(crate) const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The system, the processor and the memory, such as `linux x86_64, 2 x Xeon, 7.7 GiB`.
pub(crate) fn machine() -> &'static str {
    static MACHINE: OnceLock<String> = OnceLock::new();
    MACHINE.get_or_init(described)
}

fn described() -> String {
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let system = format!("{} {}", std::env::consts::OS, std::env::consts::ARCH);
    let processor = read("/proc/cpuinfo", "model name").unwrap_or_else(|| "processors".to_owned());
    let kibibytes = read("/proc/meminfo", "MemTotal").and_then(|text| text.split(' ').next()?.parse::<u64>().ok());
    let memory = kibibytes.map(|kibibytes| format!(", {}", size(kibibytes << 10))).unwrap_or_default();
    clean(&format!("{system}, {cores} x {processor}{memory}"))
}

/// The value of a line `name : value` of a file of the system.
fn read(path: &str, name: &str) -> Option<String> {
    let text = std::fs::read_to_string(path).ok()?;
    let (_, value) = text.lines().find_map(|line| line.split_once(':').filter(|(known, _)| known.trim() == name))?;
    let words: Vec<&str> = value.split_whitespace().collect();
    (!words.is_empty()).then(|| words.join(" "))
}

/// The columns of a table that say what produced it, in each row: a line of comment would be a row to most readers of CSV.
pub(crate) fn columns() -> [(&'static str, String); 3] {
    [
        ("version", VERSION.to_owned()),
        ("machine", machine().to_owned()),
        ("command_line", clean(&shell(&command_line()))),
    ]
}

/// What produced a file of results, as JSON.
pub(crate) fn json() -> Json {
    json!({ "version": VERSION, "machine": machine(), "command_line": command_line() })
}

/// The same in one line.
pub(crate) fn line() -> String {
    clean(&format!("quotient {VERSION}; {}; {}", shell(&command_line()), machine()))
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_machine_has_a_description_of_one_line() {
        let text = super::machine();
        assert!(text.contains(std::env::consts::ARCH) && text.lines().count() == 1, "{text}");
    }
}
