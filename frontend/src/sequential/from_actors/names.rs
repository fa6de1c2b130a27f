//! Names of the sequential form: those of the model where the language allows them and no other object has them.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::sequential::syntax::is_word;

/// Names that are read as operators of formulas.
const TEMPORAL: &[&str] = &["G", "F", "X", "U", "W", "R"];

/// The names taken so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct Names {
    taken: FxHashSet<String>,
    /// For a name to which numbers were added, the next of them: all before it are taken.
    next: FxHashMap<String, u32>,
}

impl Names {
    /// Reserves names for later use.
    pub(crate) fn reserve(&mut self, names: &[&str]) {
        self.taken.extend(names.iter().map(|&name| name.to_owned()));
    }

    /// Releases reserved names.
    pub(crate) fn release(&mut self, names: &[&str]) {
        for &name in names {
            self.taken.remove(name);
        }
        self.next.clear();
    }

    /// The first of the names that is free, or else the last one followed by a number. The name is then taken.
    pub(crate) fn fresh(&mut self, wanted: &[&str]) -> String {
        let fits = |name: &&&str| is_word(name) && !TEMPORAL.contains(*name) && !self.taken.contains(**name);
        let found = wanted.iter().find(fits).map(|name| (*name).to_owned());
        let name = found.unwrap_or_else(|| self.numbered(wanted.last().copied().unwrap_or("x")));
        self.taken.insert(name.clone());
        name
    }

    fn numbered(&mut self, base: &str) -> String {
        let plain = |c: char| if c.is_ascii_alphanumeric() || c == '_' { c } else { '_' };
        let base: String = base.chars().map(plain).collect();
        // Numbers make words of words only.
        let base = if is_word(&format!("{base}_2")) { base } else { format!("x_{base}") };
        let mut number = self.next.get(&base).copied().unwrap_or(2);
        loop {
            limits::work(1);
            let name = format!("{base}_{number}");
            number += 1;
            if is_word(&name) && !self.taken.contains(&name) {
                self.next.insert(base, number);
                return name;
            }
        }
    }
}
