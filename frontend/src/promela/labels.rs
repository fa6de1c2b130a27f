//! Labels and the targets of jumps: every label of a proctype has a name of its own afterwards, and a jump names the label that it goes to.
//!
//! Braces are a scope, as are the uses of an `inline` text, which stand in braces; options of a choice are none. A word is known in the braces where it is
//! met first, be it as a label or in a jump, and means the same in all braces within. So two labels of one name are kept apart where their words are known in
//! different braces, or where they stand in different `inline` texts; else the name stands twice. A jump goes to the label whose word is known in the same
//! braces; without one, to the first one whose word is known in braces around it; without one, to the last one of the proctype. Of several labels a later one
//! comes first, and a label comes behind those within its statement.
//!
//! Complexity: a few look-ups for each label and jump, for each of the braces around it.
//!
//! Source: SPIN 6.5.2, `lookup`, `set_lab` and `get_labspec`.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use super::lower::Wrong;
use super::syntax::ast::{Label, Stmt, StmtKind};
use crate::diagnostics::{Diagnostic, Diagnostics, codes};

/// The name of a label as it stands in the text. That of another label of the name has a number behind a space, which no word has.
pub(super) fn plain(name: &str) -> &str {
    name.split(' ').next().unwrap_or(name)
}

/// The name of the label of a name that has a number.
fn own(name: String, number: usize) -> String {
    if number == 1 { name } else { format!("{name} {number}") }
}

/// The labels of one name. They are numbered from 1, in the order of the ends of their statements.
#[derive(Default)]
struct Named {
    /// Their number.
    count: usize,
    /// For the braces in which the word of some of them is known, the first and the last of these.
    within: BTreeMap<Vec<u32>, (usize, usize)>,
    /// These braces together with the `inline` text that a label stands in.
    kept_apart: BTreeSet<(Vec<u32>, Option<Rc<str>>)>,
}

/// The labels of a proctype.
#[derive(Default)]
struct Labels {
    /// For each word the braces in which it is known.
    known: BTreeMap<String, BTreeSet<Vec<u32>>>,
    /// The labels of each name.
    named: BTreeMap<String, Named>,
    /// For each jump, in the order of the text, the braces in which its word is known.
    jumps: Vec<Vec<u32>>,
}

/// Gives each label of a proctype or claim a name of its own, and each jump that of its target; the first label keeps its name.
pub(super) fn labels(body: &mut [Stmt], wrong: Wrong, sink: &mut Diagnostics) {
    let mut labels = Labels::default();
    labels.place(body, wrong, sink);
    let mut jumps = std::mem::take(&mut labels.jumps).into_iter();
    labels.aim(body, &mut jumps);
    assert!(jumps.next().is_none(), "each jump that was met has its target");
}

impl Labels {
    /// The braces in which a word is known.
    fn braces(&mut self, label: &Label, wrong: Wrong) -> Vec<u32> {
        if wrong.labels_ignore_braces() {
            return Vec::new();
        }
        let known = self.known.entry(label.name.text.clone()).or_default();
        let around = (0..=label.braces.len()).map(|depth| &label.braces[..depth]);
        let found = { around }.find(|braces| !wrong.braces_know_all_words() && known.contains(*braces));
        let found = found.unwrap_or(&label.braces).to_vec();
        known.insert(found.clone());
        found
    }

    /// Finds the labels and jumps, and names the labels.
    fn place(&mut self, body: &mut [Stmt], wrong: Wrong, sink: &mut Diagnostics) {
        for stmt in body {
            limits::work(1);
            let braces = match &stmt.kind {
                StmtKind::Goto(label) | StmtKind::Label(label, _) => self.braces(label, wrong),
                _ => Vec::new(),
            };
            if matches!(stmt.kind, StmtKind::Goto(_)) {
                self.jumps.push(braces);
                continue;
            }
            stmt.bodies_mut().for_each(|body| self.place(body, wrong, sink));
            if let StmtKind::Label(label, _) = &mut stmt.kind {
                self.put(label, braces, wrong, sink);
            }
        }
    }

    /// Adds a label behind the others.
    fn put(&mut self, label: &mut Label, braces: Vec<u32>, wrong: Wrong, sink: &mut Diagnostics) {
        let name = label.name.text.clone();
        let named = self.named.entry(name.clone()).or_default();
        if !named.kept_apart.insert((braces.clone(), label.inline.clone())) && !wrong.labels_ignore_braces() {
            let message = format!("the label `{name}` stands twice in this proctype");
            let help = "labels are kept apart in braces of their own, if the word is no label or target of a jump before these";
            sink.push(Diagnostic::error(codes::PROMELA_DUPLICATE, label.name.span, message).help(help));
        }
        named.count += 1;
        named.within.entry(braces).or_insert((named.count, named.count)).1 = named.count;
        debug_assert_eq!(plain(&name), name, "the own names of two labels differ");
        label.name.text = own(name, named.count);
    }

    /// Aims the jumps at their labels; one without a label keeps its word.
    fn aim(&self, body: &mut [Stmt], jumps: &mut impl Iterator<Item = Vec<u32>>) {
        for stmt in body {
            if let StmtKind::Goto(label) = &mut stmt.kind {
                let braces = jumps.next().expect("each jump was met");
                if let Some(target) = self.target(&label.name.text, &braces) {
                    label.name.text = own(std::mem::take(&mut label.name.text), target);
                }
            }
            stmt.bodies_mut().for_each(|body| self.aim(body, jumps));
        }
    }

    /// The number of the label that a jump goes to among those of its name.
    fn target(&self, name: &str, braces: &[u32]) -> Option<usize> {
        let named = self.named.get(name)?;
        if let Some(&(_, last)) = named.within.get(braces) {
            return Some(last);
        }
        let around = (0..braces.len()).filter_map(|depth| named.within.get(&braces[..depth]));
        Some(around.map(|&(first, _)| first).min().unwrap_or(named.count))
    }
}
