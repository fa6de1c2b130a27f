//! Channel variables that always denote a channel: parameters that no statement assigns, of proctypes none of whose processes exists at the start, to
//! which every `run` gives a channel.
//!
//! Soundness: the largest set of parameters such that each `run` gives the name of a declaration with channels or a parameter of the set. A
//! process has its arguments from its first step on, so by induction on the length of the run each of them is a channel.

use super::super::syntax::ast::{Expr, ExprKind, Place, Run, Stmt, StmtKind, Type};
use super::Lowering;

impl Lowering<'_> {
    /// Finds the parameters that always denote a channel.
    pub(super) fn parameters_that_are_set(&mut self) {
        let mut runs = Vec::new();
        for (number, process) in self.processes.iter().enumerate() {
            runs_in(&process.body, &mut |run| runs.push((number, run.clone())));
        }
        for (number, locals) in self.locals.iter().enumerate() {
            let parameters = locals.list[..locals.parameters].iter().filter(|parameter| parameter.of == Type::Chan);
            let keys = parameters.map(|parameter| (Some(number), parameter.name.text.clone()));
            if self.slots[number].first.is_empty() {
                self.always_set.extend(keys.filter(|key| !self.assigned.contains(key)));
            }
        }
        loop {
            let before = self.always_set.len();
            for (process, run) in &runs {
                let Some(number) = self.processes.iter().position(|other| other.name.text == run.name.text) else {
                    continue;
                };
                let parameters = self.locals[number].list.iter().zip(&run.arguments);
                let unset = parameters.filter(|(_, argument)| !self.is_channel_in(*process, argument));
                let unset: Vec<String> = unset.map(|(parameter, _)| parameter.name.text.clone()).collect();
                unset.into_iter().for_each(|name| {
                    self.always_set.remove(&(Some(number), name));
                });
            }
            if self.always_set.len() == before {
                return;
            }
        }
    }

    /// Whether a variable always denotes a channel.
    pub(super) fn is_always_set(&self, place: &Place, owner: Option<usize>) -> bool {
        matches!(place.parts.as_slice(), [part] if self.always_set.contains(&(owner, part.name.text.clone())))
    }

    /// Whether an argument of a `run` of a process is always a channel.
    fn is_channel_in(&self, process: usize, argument: &Expr) -> bool {
        let ExprKind::Place(place) = &argument.kind else { return false };
        let leaf = self.leaf(Some(process), place);
        leaf.is_some_and(|leaf| leaf.group.is_some() || self.is_always_set(place, leaf.owner))
    }
}

/// Calls a function for each `run` of a sequence.
fn runs_in(body: &[Stmt], each: &mut dyn FnMut(&Run)) {
    for stmt in body {
        if let StmtKind::Run(run, _) = &stmt.kind {
            each(run);
        }
        stmt.bodies().for_each(|body| runs_in(body, each));
    }
}
