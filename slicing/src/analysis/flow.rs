//! Reaching definitions within a body: for each use all definitions that may reach it, not only the last one.
//!
//! A forward walk over the structured statements. It carries, for each name, the set of definitions that reach the
//! current place. Branches are joined, loops are walked until no definition is added, and `break`, `continue` and
//! `return` carry their sets to their targets. An assignment to an element adds to the set, an assignment to a whole
//! variable replaces it, and a call adds a definition of every variable that the method may write.
//!
//! Invariant: sets only grow between two walks of one loop.
//!
//! Soundness: more definitions than those that can reach a use give a larger slice. \[Sab10\] 4.2(v) takes only the
//! last assignment, which is wrong if that assignment is conditional; [`Switches::last_definition_only`] does so on
//! purpose, for the tests that must catch it.
//!
//! Complexity: statements times nesting of loops times the size of the sets.

use frontend::model::{Block, Stmt, StmtKind};

use super::bodies::{inner, length, numbered};
use super::reads::{Name, Purpose, Touched, assigned, called, operands, reads};

mutants::mutants! {
    /// Variants that are known to be wrong; the tests show that they are caught.
    pub struct Switches {
        /// The last definition in the text hides those before it.
        last_definition_only,
        /// A statement that may end a step is removed although a `new` follows it.
        forgets_ends,
        /// A server is taken to understand every message of its name and number of arguments.
        passes_all,
        /// Of the statements that together may pass the bound on those of a call, only loops with conditions may fault.
        forgets_length,
        /// A statement that may end a step is removed although a loop that might not end follows it.
        forgets_hidden_loops,
    }
}

/// A definition: a statement of the body, or the value at entry.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum Definition {
    /// The value when the body starts.
    Entry,
    /// A statement.
    Statement(usize),
}

/// Statement, operand, name, definition: the definition may reach the use.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Use {
    pub(crate) statement: usize,
    pub(crate) purpose: PurposeKey,
    pub(crate) name: Name,
    pub(crate) definition: Definition,
}

/// [`Purpose`] with an order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum PurposeKey {
    Value,
    Receiver,
    Argument(usize),
    Assertion,
}

impl From<Purpose> for PurposeKey {
    fn from(purpose: Purpose) -> PurposeKey {
        match purpose {
            Purpose::Value => PurposeKey::Value,
            Purpose::Receiver => PurposeKey::Receiver,
            Purpose::Argument(index) => PurposeKey::Argument(index),
            Purpose::Assertion => PurposeKey::Assertion,
        }
    }
}

/// The result of a walk.
#[derive(Default)]
pub(crate) struct Flow {
    /// Each use with each definition that may reach it; ascending, without repetition.
    pub(crate) uses: Vec<Use>,
    /// The definitions that may reach the end.
    pub(crate) exit: Reached,
}

/// For each name the definitions that may reach a place; a name without an entry was not defined.
pub(crate) type Reached = std::collections::BTreeMap<Name, std::collections::BTreeSet<Definition>>;

/// The flow of a body, from the definitions that reach its start.
pub(crate) fn flow(block: &Block, entry: Reached, touched: &Touched, switches: Switches) -> Flow {
    let mut walk = Walk { touched, uses: Vec::new(), loops: Vec::new(), returns: Reached::new() };
    let mut exit = walk.block(0, block, Some(entry)).unwrap_or_default();
    join(&mut exit, &walk.returns);
    if switches.last_definition_only() {
        for definitions in exit.values_mut() {
            *definitions = definitions.pop_last().into_iter().collect();
        }
    }
    walk.uses.sort_unstable();
    walk.uses.dedup();
    debug_assert!(walk.loops.is_empty(), "every jump stays in its loop");
    let count = length(block);
    debug_assert!(walk.uses.iter().all(|one| one.statement < count), "statements of the body use definitions");
    let is_own = |definition: &Definition| !matches!(definition, Definition::Statement(number) if *number >= count);
    debug_assert!(exit.values().flatten().all(is_own), "statements of the body define what reaches its end");
    Flow { uses: walk.uses, exit }
}

fn join(into: &mut Reached, from: &Reached) -> bool {
    let mut grew = false;
    for (name, definitions) in from {
        let known = into.entry(*name).or_default();
        for definition in definitions {
            grew |= known.insert(*definition);
        }
    }
    grew
}

fn joined(a: Option<Reached>, b: Option<Reached>) -> Option<Reached> {
    match (a, b) {
        (Some(mut a), Some(b)) => {
            join(&mut a, &b);
            Some(a)
        }
        (a, b) => a.or(b),
    }
}

struct Walk<'a> {
    touched: &'a Touched,
    uses: Vec<Use>,
    /// The targets of `break` and `continue` of the enclosing loops and switches.
    loops: Vec<Jumps>,
    returns: Reached,
}

#[derive(Default)]
struct Jumps {
    breaks: Option<Reached>,
    continues: Option<Reached>,
    is_switch: bool,
}

impl Walk<'_> {
    /// Walks a block; `None` where control does not come.
    fn block(&mut self, first: usize, block: &Block, mut reached: Option<Reached>) -> Option<Reached> {
        for (number, statement) in numbered(first, block) {
            reached = match reached {
                Some(reached) => self.statement(number, statement, reached),
                None => return None,
            };
        }
        reached
    }

    fn statement(&mut self, number: usize, statement: &Stmt, mut reached: Reached) -> Option<Reached> {
        limits::work(16);
        let blocks: Vec<(usize, &Block)> = inner(number, statement).collect();
        match &statement.kind {
            StmtKind::Loop { .. } => return Some(self.repeat(number, statement, &blocks, reached)),
            StmtKind::ForEach { .. } => {
                self.define(number, statement, &mut reached);
                return Some(self.repeat(number, statement, &blocks, reached));
            }
            _ => {}
        }
        self.observe(number, statement, &reached);
        self.define(number, statement, &mut reached);
        match &statement.kind {
            StmtKind::If { .. } => {
                let then = self.block(blocks[0].0, blocks[0].1, Some(reached.clone()));
                let otherwise = self.block(blocks[1].0, blocks[1].1, Some(reached));
                joined(then, otherwise)
            }
            StmtKind::Block(_) => self.block(blocks[0].0, blocks[0].1, Some(reached)),
            StmtKind::Switch { arms, .. } => {
                self.loops.push(Jumps { is_switch: true, ..Jumps::default() });
                let mut falls = None;
                for (first, block) in &blocks {
                    falls = self.block(*first, block, joined(falls, Some(reached.clone())));
                }
                let after = self.loops.pop().and_then(|jumps| jumps.breaks);
                let skips = (!arms.iter().any(|arm| arm.is_default)).then_some(reached);
                joined(joined(falls, after), skips)
            }
            StmtKind::Break => {
                let jumps = self.loops.last_mut().expect("`break` stands in loops and switches");
                jumps.breaks = joined(jumps.breaks.take(), Some(reached));
                None
            }
            StmtKind::Continue => {
                let jumps = self.loops.iter_mut().rev().find(|jumps| !jumps.is_switch);
                let jumps = jumps.expect("`continue` stands in loops");
                jumps.continues = joined(jumps.continues.take(), Some(reached));
                None
            }
            StmtKind::Return(_) => {
                join(&mut self.returns, &reached);
                None
            }
            _ => Some(reached),
        }
    }

    /// A loop: its condition sees the definitions before it and those at the end of its rounds.
    fn repeat(&mut self, number: usize, statement: &Stmt, blocks: &[(usize, &Block)], mut head: Reached) -> Reached {
        loop {
            self.observe(number, statement, &head);
            self.loops.push(Jumps::default());
            let end = self.block(blocks[0].0, blocks[0].1, Some(head.clone()));
            let jumps = self.loops.pop().expect("pushed above");
            let mut round = joined(end, jumps.continues);
            if let Some(&(first, update)) = blocks.get(1) {
                round = self.block(first, update, round);
            }
            if let Some(breaks) = &jumps.breaks {
                // The definitions that `break` carries out reach the place after the loop. They are added to its head
                // too, which only enlarges the sets.
                join(&mut head, breaks);
            }
            if !round.is_some_and(|round| join(&mut head, &round)) {
                return head;
            }
        }
    }

    fn observe(&mut self, number: usize, statement: &Stmt, reached: &Reached) {
        let mut names: Vec<(PurposeKey, Name)> = Vec::new();
        for (expr, purpose) in operands(statement) {
            let mut found = Vec::new();
            reads(expr, &mut found);
            names.extend(found.into_iter().map(|name| (purpose.into(), name)));
        }
        if let Some(method) = called(statement) {
            let read = self.touched.read[method.index()].iter();
            names.extend(read.map(|&id| (PurposeKey::Value, Name::Variable(id))));
        }
        for (purpose, name) in names {
            let definitions = reached.get(&name).into_iter().flatten();
            self.uses.extend(definitions.map(|&definition| Use { statement: number, purpose, name, definition }));
        }
    }

    fn define(&mut self, number: usize, statement: &Stmt, reached: &mut Reached) {
        if let Some(method) = called(statement) {
            for &id in &self.touched.written[method.index()] {
                reached.entry(Name::Variable(id)).or_default().insert(Definition::Statement(number));
            }
        }
        let Some((name, whole)) = assigned(statement) else { return };
        let definitions = reached.entry(name).or_default();
        if whole {
            definitions.clear();
        }
        definitions.insert(Definition::Statement(number));
    }
}
