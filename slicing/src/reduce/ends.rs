//! Statements that may end a step before a part that might not end: the criteria that a slice needs only because of what else stays.
//!
//! A server that does not end on one branch has no successors on any branch. If the slice loses a statement that ends the step on that
//! branch, a loop behind it or around it may run on with values that it never meets in the model, and real successors are lost with it.
//! So where a loop or call that might not end stays in the bodies that one message runs, everything in them that may end the step stays,
//! unless nothing that stays comes after it.
//!
//! Soundness: take a message that the model serves with successors, so that each branch ends, and a branch of the slice. It is a branch of
//! the model without the removed parts, up to the first statement that is removed and ends the branch of the model. Up to there each call
//! executes at most as many statements as in the model, and no more calls nest. After it nothing that stays is executed, or only bodies
//! that end by their text ([`most_statements`](frontend::interpret::most_statements)). Overflow of queues does not end bodies: it is
//! found when a body has ended. With `new` everything that may end a step is a criterion already.
//!
//! Complexity: the criteria are a least fixed point; each round is linear in the statements, but for the calls of methods.

use std::collections::{BTreeMap, BTreeSet};

use frontend::model::{ClassId, MethodId, Stmt, StmtKind};

use super::criteria::{Criterion, Reason, arguments};
use super::keep::Kept;
use crate::analysis::bodies::{BodyRef, Member, all, bodies, length};
use crate::analysis::faults::{Faults, is_long};
use crate::analysis::flow::Switches;
use crate::analysis::reads::called;
use crate::analysis::targets::live;
use crate::analysis::values::values;
use crate::graph::{DependenceGraph, Key};

/// The statements of the bodies that may run.
pub(crate) struct Ends {
    bodies: BTreeMap<BodyRef, Vec<Fact>>,
}

/// What matters of a statement.
struct Fact {
    /// Whether it may end the step, otherwise than by the length of bodies.
    may_stop: bool,
    /// The number behind those of the statements that may run after it and stand before it, or in it: that behind the outermost loop
    /// around it, or behind itself.
    until: usize,
    calls: Option<MethodId>,
}

impl Ends {
    /// The statements of a model; none if no step can be endless.
    pub(crate) fn new(graph: &DependenceGraph<'_>, switches: Switches) -> Ends {
        let model = graph.model;
        let live = live(model);
        let of_live: Vec<BodyRef> = bodies(model).into_iter().filter(|body| live.contains(&body.class)).collect();
        let may_be_endless = |body: &BodyRef| is_long(model, *body, &|_| true) || body.is_method();
        if switches.forgets_hidden_loops() || !of_live.iter().any(may_be_endless) {
            return Ends { bodies: BTreeMap::new() };
        }
        let values = values(model);
        let facts = of_live.into_iter().map(|body| {
            let faults = Faults { model, values: &values, targets: &graph.targets, body, switches };
            let mut facts = Vec::new();
            let mut behind = 0;
            all(0, &body.of(model).block, &mut |number, statement| {
                debug_assert_eq!(number, facts.len(), "facts are in the order of statements");
                let may_stop = faults.may_stop(number, statement) || stops(graph, body, number, statement);
                if matches!(statement.kind, StmtKind::Loop { .. } | StmtKind::ForEach { .. }) {
                    let inside: usize = statement.blocks().into_iter().map(length).sum();
                    behind = behind.max(number + 1 + inside);
                }
                facts.push(Fact { may_stop, until: behind.max(number + 1), calls: called(statement) });
            });
            (body, facts)
        });
        Ends { bodies: facts.collect() }
    }

    /// The criteria that are missing for what stays.
    pub(crate) fn missing(&self, kept: &Kept<'_, '_>) -> Vec<Criterion> {
        let model = kept.graph.model;
        let mut found = BTreeSet::new();
        for (&body, facts) in self.bodies.iter().filter(|(body, _)| !body.is_method()) {
            let stays = |number: &usize| kept.statement(body, *number);
            let staying = || (0..facts.len()).filter(stays);
            let called = staying().filter_map(|number| facts[number].calls);
            if !is_long(model, body, &|number| stays(&number)) && !self.may_be_endless(kept, body.class, called) {
                continue;
            }
            let until = staying().map(|number| facts[number].until).max().unwrap_or(0);
            let lost = |body: BodyRef, number: usize, fact: &Fact| fact.may_stop && !is_whole(kept, body, number);
            let before = || facts.iter().take(until).enumerate();
            found.extend(before().filter(|(number, fact)| lost(body, *number, fact)).map(|(number, _)| (body, number)));
            for method in self.reached(body.class, before().filter_map(|(_, fact)| fact.calls)) {
                let method = BodyRef { class: body.class, member: Member::Method(method) };
                let all = self.bodies[&method].iter().enumerate();
                found.extend(
                    all.filter(|(number, fact)| lost(method, *number, fact)).map(|(number, _)| (method, number)),
                );
            }
        }
        let criteria = found.into_iter().map(|(body, number)| {
            let node = kept.graph.index[&Key::Statement(body, number)];
            Criterion { node, reason: Reason::MayHideEndless, of_class: true }
        });
        let criteria: Vec<Criterion> =
            criteria.flat_map(|one| arguments(kept.graph, &one).into_iter().chain([one])).collect();
        let is_lost = |criterion: &Criterion| !kept.reached[criterion.node.index()];
        assert!(criteria.is_empty() || criteria.iter().any(is_lost), "a part that is missing was not kept");
        criteria
    }

    /// Whether calls of these methods might not end, or nest without end.
    fn may_be_endless(&self, kept: &Kept<'_, '_>, class: ClassId, called: impl Iterator<Item = MethodId>) -> bool {
        self.reached(class, called).into_iter().any(|method| {
            let body = BodyRef { class, member: Member::Method(method) };
            let own = self.bodies[&body].iter().filter_map(|fact| fact.calls);
            is_long(kept.graph.model, body, &|number| kept.statement(body, number))
                || self.reached(class, own).contains(&method)
        })
    }

    /// Methods, and those that they call.
    fn reached(&self, class: ClassId, called: impl Iterator<Item = MethodId>) -> BTreeSet<MethodId> {
        let mut open: Vec<MethodId> = called.collect();
        let mut found = BTreeSet::new();
        while let Some(method) = open.pop() {
            if found.insert(method) {
                let body = BodyRef { class, member: Member::Method(method) };
                open.extend(self.bodies[&body].iter().filter_map(|fact| fact.calls));
            }
        }
        found
    }
}

/// Whether a statement is an assertion, or a message that nobody takes.
fn stops(graph: &DependenceGraph<'_>, body: BodyRef, number: usize, statement: &Stmt) -> bool {
    match statement.kind {
        StmtKind::Assert { .. } => true,
        StmtKind::Send { .. } => graph.targets.of(body, number).next().is_none(),
        _ => false,
    }
}

/// Whether a statement stays with all of its operands.
fn is_whole(kept: &Kept<'_, '_>, body: BodyRef, number: usize) -> bool {
    let mut operands =
        (0..).map(|index| Key::Actual(body, number, index)).take_while(|key| kept.graph.node(*key).is_some());
    kept.statement(body, number) && operands.all(|key| kept.has(key))
}
