//! The process that is the property: an automaton that reads the states of the run, one transition for each step of the
//! others, and whose accepted runs are the violations.
//!
//! Its guards are evaluated in the state that a step leaves, and in the last state of a run that has ended, for ever. Each
//! guard is a conjunction of literals over the conditions that it is made of.

use ltl::{Automaton, Cube, Edge, MOST_BITS};

use super::expressions::{conjunction, may_fault};
use super::{Lowering, Wrong};
use crate::diagnostics::codes;
use crate::dve::syntax::ast::{self, System};
use crate::sequential::spans::expression_without_spans;
use crate::sequential::{Expr, ExprKind, Formula, Property, PropertyKind};

impl Lowering<'_> {
    /// Adds the property that a system names.
    pub(super) fn property(&mut self, system: &System) {
        let Some(name) = &system.property else { return };
        let process = self.processes.iter().position(|process| process.tree.name.text == name.text);
        let Some(process) = process.or_else(|| self.unknown(name, None)) else { return };
        let tree = self.processes[process].tree;
        if !self.only_watches(tree) {
            return;
        }
        let mut atoms: Vec<Expr> = Vec::new();
        let accepting: Vec<Option<i32>> = tree.accept.iter().map(|state| self.state(state, process)).collect();
        let mut edges = vec![Vec::new(); tree.states.len()];
        for transition in &tree.transitions {
            let (from, to) = (self.state(&transition.from, process), self.state(&transition.to, process));
            let guards: Vec<Option<Expr>> =
                transition.guards.iter().map(|guard| self.condition(guard, Some(process))).collect();
            let whole = conjunction(guards.into_iter().flatten().collect(), transition.from.span);
            let label = cube(&whole, &mut atoms, self.wrong);
            if atoms.len() > MOST_BITS {
                return self.too_large(name.span, &format!("the guards have more than {MOST_BITS} conditions"));
            }
            let (Some((from, to)), Some(label)) = (from.zip(to), label) else { continue };
            let marks = u128::from(accepting.contains(&Some(from)));
            let index = |state: i32| usize::try_from(state).unwrap_or(0);
            edges[index(from)].push(Edge { to: index(to), label, marks });
        }
        let Some(initial) = tree.init.as_ref().and_then(|init| self.state(init, process)) else { return };
        let mut targets = edges.iter().flatten().map(|edge: &Edge| edge.to);
        debug_assert!(targets.all(|to| to < tree.states.len()), "every edge leads to a state of the process");
        let automaton = Automaton { sets: 1, initial: vec![usize::try_from(initial).unwrap_or(0)], edges };
        let atoms = atoms.into_iter().map(Formula::Atom).collect();
        let accepted = Formula::Accepted(Box::new(automaton), atoms);
        let kind = PropertyKind::Ltl(Formula::Not(Box::new(accepted)));
        self.model.properties.push(Property { name: tree.name.text.clone(), kind, span: tree.name.span });
    }

    /// Whether a process does nothing but watch others; reports it otherwise.
    fn only_watches(&mut self, tree: &ast::Process) -> bool {
        let sync = tree.transitions.iter().find_map(|transition| transition.sync.as_ref().map(|sync| sync.span));
        let effect =
            tree.transitions.iter().find_map(|transition| transition.effects.first().map(|effect| effect.span));
        let commit = tree.commit.first().map(|name| name.span);
        let declared = tree
            .declarations
            .iter()
            .find(|declaration| !matches!(declaration.kind, ast::Declared::Data { constant: true, .. }));
        let found = sync.or(effect).or(commit).or(declared.map(|declaration| declaration.name.span));
        if let Some(span) = found {
            let message = "the process that is the property only watches the others";
            let help = "its transitions have guards only, and it has no variables and no committed states";
            self.error(codes::DVE_PROPERTY, span, message, help);
        }
        found.is_none()
    }
}

/// The label of a condition; `None` if it is never true. New conditions are added to the atoms.
fn cube(condition: &Expr, atoms: &mut Vec<Expr>, wrong: Wrong) -> Option<Cube> {
    match &condition.kind {
        ExprKind::Int(0) => None,
        ExprKind::Int(1) => Some(Cube::TRUE),
        ExprKind::And(list) => {
            // An operand that may fault is not evaluated behind one that is false: it stays with those before it.
            let may_fault = |operand| may_fault(operand) && !wrong.splits_guards();
            let safe = list.iter().skip(1).position(may_fault).map_or(list.len(), |at| at + 1);
            let rest = if safe < list.len() { literal(condition, true, atoms)? } else { Cube::TRUE };
            list[..safe].iter().try_fold(rest, |label, operand| label.and(cube(operand, atoms, wrong)?))
        }
        ExprKind::Not(inner) if !matches!(inner.kind, ExprKind::And(_) | ExprKind::Not(_) | ExprKind::Int(_)) => {
            literal(inner, false, atoms)
        }
        _ => literal(condition, true, atoms),
    }
}

fn literal(condition: &Expr, holds: bool, atoms: &mut Vec<Expr>) -> Option<Cube> {
    let plain = expression_without_spans(condition);
    let known = atoms.iter().position(|atom| expression_without_spans(atom) == plain);
    let number = known.unwrap_or_else(|| {
        atoms.push(condition.clone());
        atoms.len() - 1
    });
    // Past the bound the caller reports it.
    (number < MOST_BITS).then(|| Cube::literal(number, holds))
}
