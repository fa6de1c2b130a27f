//! Criteria: the nodes that the question is about.
//!
//! A property is about the values of its variables between steps, which their variable nodes represent. An assertion
//! and a statement that may fault are criteria themselves. Deadlock is about messages that cause further messages
//! without end: servers from which every chain of activations is finite can only delay a deadlock, so the criteria are
//! the sends to all other servers.
//!
//! A call faults once it executes too many statements, so each statement of a body in which that may happen is a criterion: without
//! some of them the bound is not reached.
//!
//! A statement that ends a step hides every statement after it. A send that no receiver can take always ends its step,
//! so it is a criterion of every question. What may end a step before a loop that might not end is one where the loop stays (`ends`). If the model creates rebecs, every statement that may end a step is a
//! criterion too, because the `new` after it could run without end in the slice.
//!
//! Source: \[Sab10\] 5.1, and 5.2 with a fixed point over servers in place of nodes without outgoing edges: a counter
//! that only depends on itself is removed too.

use std::collections::BTreeSet;
use std::fmt;

use frontend::model::{Base, Expr, ExprKind, Model, PropertySet, Rvalue, StmtKind};
use petgraph::graph::NodeIndex;

use super::query::Query;
use crate::analysis::bodies::{BodyRef, Member, all, bodies};
use crate::analysis::faults::{Faults, is_long};
use crate::analysis::flow::Switches;
use crate::analysis::reads::called;
use crate::analysis::targets::{Target, Targets, live};
use crate::analysis::values::values;
use crate::graph::{DependenceGraph, Key};

/// A criterion: a node, and the part of the question that requires it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Criterion {
    /// The node.
    pub node: NodeIndex,
    /// The part of the question.
    pub reason: Reason,
    /// Whether it is about all rebecs of its class, not only about those that properties name.
    pub(crate) of_class: bool,
}

/// The part of the question that requires a criterion.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Reason {
    /// The property of this name reads the variable.
    Property(String),
    /// Assertions are checked.
    Assertion,
    /// Faults are checked, and the statement may be one.
    Fault,
    /// The body may execute more statements than a call may, and this is one of them.
    Length,
    /// The send has no receiver: it always ends its step.
    EndsStep,
    /// The statement may end a step of a model that makes rebecs.
    MayEndStep,
    /// The statement may end a step before a loop or call that might not end.
    MayHideEndless,
    /// The statement makes a rebec.
    Creation,
    /// Deadlock is checked, and the message may cause further messages without end.
    EndlessMessages,
}

impl Reason {
    /// Whether the criterion is the end of a step, which the evaluation of the arguments of a send may cause too.
    fn is_end_of_step(&self) -> bool {
        matches!(self, Reason::Fault | Reason::EndsStep | Reason::MayEndStep | Reason::MayHideEndless)
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Reason::Property(name) => return write!(f, "property `{name}`"),
            Reason::Assertion => "assertions are checked",
            Reason::Fault => "faults are checked, and this may be one",
            Reason::Length => "its body may execute too many statements, and this is one of them",
            Reason::EndsStep => "it always ends its step",
            Reason::MayEndStep => "it may end a step of a model that makes rebecs",
            Reason::MayHideEndless => "it may end a step before a loop or call that might not end",
            Reason::Creation => "it makes a rebec",
            Reason::EndlessMessages => "deadlock is checked, and this message may cause messages without end",
        })
    }
}

/// The criteria of the question.
pub(crate) fn criteria(graph: &DependenceGraph<'_>, query: &Query, switches: Switches) -> Vec<Criterion> {
    let mut found = Vec::new();
    for property in &query.properties.properties {
        for atom in property.kind.conditions() {
            remote(graph, atom, &property.name, &mut found);
        }
    }
    let model = graph.model;
    let values = values(model);
    let live = live(model);
    let endless = if query.deadlock { Some(terminating(model, &graph.targets)) } else { None };
    for body in bodies(model).into_iter().filter(|body| live.contains(&body.class)) {
        let faults = Faults { model, values: &values, targets: &graph.targets, body, switches };
        let is_long = !switches.forgets_length() && is_long(model, body, &|_| true);
        all(0, &body.of(model).block, &mut |number, statement| {
            let mut add = |reason: Reason| {
                let node = graph.index[&Key::Statement(body, number)];
                found.push(Criterion { node, reason, of_class: true });
            };
            let is_assertion = matches!(statement.kind, StmtKind::Assert { .. });
            if query.assertions && is_assertion {
                add(Reason::Assertion);
            }
            let sends = matches!(statement.kind, StmtKind::Send { .. });
            if query.faults && faults.may_fault(number, statement) {
                add(Reason::Fault);
            } else if query.faults && is_long {
                add(Reason::Length);
            } else if switches.forgets_ends() {
                // known to be wrong, for the tests
            } else if sends && graph.targets.of(body, number).next().is_none() {
                add(Reason::EndsStep);
            } else if !model.creatable.is_empty() && (is_assertion || faults.may_fault(number, statement)) {
                add(Reason::MayEndStep);
            } else if !model.creatable.is_empty() && is_long {
                add(Reason::Length);
            }
            if let Some(Rvalue::New { .. }) = statement.value() {
                add(Reason::Creation);
            }
            if let Some(terminating) = &endless
                && graph.targets.of(body, number).any(|target| !terminating.contains(&target))
            {
                add(Reason::EndlessMessages);
            }
        });
    }
    // Operands of sends are separate nodes.
    let arguments: Vec<Criterion> = found.iter().flat_map(|criterion| arguments(graph, criterion)).collect();
    found.extend(arguments);
    found
}

/// The arguments of a send that may fault are evaluated too.
pub(crate) fn arguments(graph: &DependenceGraph<'_>, criterion: &Criterion) -> Vec<Criterion> {
    let crate::graph::NodeKind::Statement(body, number) = graph.graph[criterion.node].kind else { return Vec::new() };
    let keys = (0..).map(|index| graph.node(Key::Actual(body, number, index))).take_while(Option::is_some).flatten();
    let is_end = criterion.reason.is_end_of_step();
    keys.filter(|_| is_end).map(|node| Criterion { node, ..criterion.clone() }).collect()
}

fn remote(graph: &DependenceGraph<'_>, expr: &Expr, property: &str, found: &mut Vec<Criterion>) {
    if let ExprKind::Read(place) = &expr.kind
        && let Base::Remote(rebec, id) = place.base
    {
        let node = graph.variable(graph.model.class_of(rebec), id);
        found.push(Criterion { node, reason: Reason::Property(property.to_owned()), of_class: false });
    }
    expr.operands().into_iter().for_each(|operand| remote(graph, operand, property, found));
}

/// The rebecs that properties name.
pub(crate) fn named(properties: &PropertySet) -> BTreeSet<frontend::model::RebecId> {
    fn collect(expr: &Expr, into: &mut BTreeSet<frontend::model::RebecId>) {
        match &expr.kind {
            ExprKind::Rebec(rebec) => {
                into.insert(*rebec);
            }
            ExprKind::Read(place) => {
                if let Base::Remote(rebec, _) = place.base {
                    into.insert(rebec);
                }
            }
            _ => {}
        }
        expr.operands().into_iter().for_each(|operand| collect(operand, into));
    }
    let mut found = BTreeSet::new();
    let atoms = properties.properties.iter().flat_map(|property| property.kind.conditions());
    atoms.chain(properties.definitions.iter().map(|definition| &definition.value)).for_each(|expr| {
        collect(expr, &mut found);
    });
    found
}

/// The servers from which every chain of activations is finite: the least set that holds a server if it holds all
/// servers that it may send messages to. A call counts as all methods of the class.
pub(crate) fn terminating(model: &Model, targets: &Targets) -> BTreeSet<Target> {
    let live = live(model);
    let mut sent: Vec<(Target, BTreeSet<Target>)> = Vec::new();
    let sends = |body: BodyRef| {
        let mut found = BTreeSet::new();
        let (mut calls, mut creates) = (false, false);
        all(0, &body.of(model).block, &mut |number, statement| {
            found.extend(targets.of(body, number));
            calls |= called(statement).is_some();
            creates |= matches!(statement.value(), Some(Rvalue::New { .. }));
        });
        (found, calls, creates)
    };
    let mut unbounded = BTreeSet::new();
    for body in bodies(model).into_iter().filter(|body| live.contains(&body.class)) {
        let Member::Server(server) = body.member else { continue };
        let (mut found, calls, mut creates) = sends(body);
        if calls {
            let methods = bodies(model).into_iter().filter(|other| other.class == body.class && other.is_method());
            for method in methods {
                let (more, _, makes) = sends(method);
                found.extend(more);
                creates |= makes;
            }
        }
        if creates {
            unbounded.insert((body.class, server));
        }
        sent.push(((body.class, server), found));
    }
    let mut done: BTreeSet<Target> = BTreeSet::new();
    loop {
        let before = done.len();
        for (server, found) in &sent {
            if !unbounded.contains(server) && found.is_subset(&done) {
                done.insert(*server);
            }
        }
        if done.len() == before {
            return done;
        }
    }
}
