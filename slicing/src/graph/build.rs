//! Building the graph: nodes, then the edges of bodies, of messages, and of families of classes.

use std::collections::{BTreeMap, HashMap, HashSet};

use frontend::model::{
    Base, Block, Class, ClassId, Dialect, Expr, ExprKind, LocalId, MethodId, Model, Role, Rvalue, ServerId, Sort,
    StmtKind, VariableId,
};
use frontend::source::Span;
use petgraph::graph::{DiGraph, NodeIndex};

use super::{BodyRef, Dependence, DependenceGraph, Key, Member, Node, NodeKind, flows, variable_key};
use crate::analysis::bodies::{all, bodies, inner, length, numbered};
use crate::analysis::flow::Switches;
use crate::analysis::reads::{Name, Purpose, called, operands, reads, reads_sender};
use crate::analysis::targets::{is_reactive, targets};

/// The dependence graph of a verified model.
///
/// # Complexity
/// Statements times definitions that reach them, plus sends times possible receivers.
pub fn build(model: &Model, switches: Switches) -> DependenceGraph<'_> {
    let graph = DependenceGraph { model, graph: DiGraph::new(), index: BTreeMap::new(), targets: targets(model) };
    let mut builder = Builder { out: graph, edges: HashSet::new() };
    builder.nodes();
    for body in bodies(model) {
        builder.control(body);
        builder.names(body);
        builder.messages(body);
        flows::add(&mut builder, body, switches);
    }
    builder.families();
    builder.parameters();
    assert_eq!(builder.out.index.len(), builder.out.graph.node_count(), "every node is of one part");
    builder.out
}

pub(super) struct Builder<'a> {
    pub(super) out: DependenceGraph<'a>,
    /// The edges so far.
    edges: HashSet<(NodeIndex, NodeIndex, Dependence)>,
}

impl<'a> Builder<'a> {
    pub(super) fn edge(&mut self, from: Key, to: Key, dependence: Dependence) {
        // The value of a round of `forEachValueOf` has no node: what uses it is inside of the loop.
        let is_drawn = |key: Key| matches!(key, Key::Formal(..)) || self.out.node(key).is_some();
        debug_assert!(is_drawn(from) && is_drawn(to), "{dependence:?} joins parts with nodes");
        if let (Some(from), Some(to)) = (self.out.node(from), self.out.node(to)) {
            // There is one edge per reason, because a method may refuse to follow some reasons.
            if self.edges.insert((from, to, dependence)) {
                self.out.graph.add_edge(from, to, dependence);
            }
        }
    }

    fn node(&mut self, key: Key, class: ClassId, span: Span) -> NodeIndex {
        let kind = match key {
            Key::Class(_) => NodeKind::Class,
            Key::Variable(_, id) => NodeKind::Variable(id),
            Key::Entry(body) => NodeKind::Entry(body),
            Key::Body(body) => NodeKind::Body(body),
            Key::Formal(body, index) => NodeKind::Formal(body, index),
            Key::Statement(body, number) => NodeKind::Statement(body, number),
            Key::Actual(body, number, index) => NodeKind::Actual(body, number, index),
        };
        let node = self.out.graph.add_node(Node { kind, class, span });
        let known = self.out.index.insert(key, node);
        assert!(known.is_none(), "a part has one node");
        node
    }

    fn nodes(&mut self) {
        let model = self.out.model;
        for (index, class) in model.classes.iter().enumerate() {
            let id = ClassId::from_index(index);
            self.node(Key::Class(id), id, class.span);
            for (index, variable) in class.variables.iter().enumerate() {
                let key = variable_key(model, id, VariableId::from_index(index));
                if variable.declared_in == id {
                    self.node(key, id, variable.span);
                    self.edge(Key::Class(id), key, Dependence::Member);
                }
            }
        }
        for body in bodies(model) {
            self.node(Key::Entry(body), body.class, body.span(model));
            self.edge(Key::Class(body.class), Key::Entry(body), Dependence::Member);
            self.node(Key::Body(body), body.class, body.span(model));
            self.edge(Key::Entry(body), Key::Body(body), Dependence::Control);
            for (index, parameter) in body.of(model).parameters().iter().enumerate() {
                self.node(Key::Formal(body, index), body.class, parameter.span);
                self.edge(Key::Entry(body), Key::Formal(body, index), Dependence::Control);
            }
            all(0, &body.of(model).block, &mut |number, statement| {
                self.node(Key::Statement(body, number), body.class, statement.span);
                if let StmtKind::Send { arguments, .. } = &statement.kind {
                    for (index, argument) in arguments.iter().enumerate() {
                        self.node(Key::Actual(body, number, index), body.class, argument.span);
                        let from = Key::Statement(body, number);
                        self.edge(from, Key::Actual(body, number, index), Dependence::Control);
                    }
                }
            });
        }
    }

    /// Control: a statement runs because of the statements around it, and a jump is kept with the statement that it
    /// leaves.
    fn control(&mut self, body: BodyRef) {
        let block = &body.of(self.out.model).block;
        let top = numbered(0, block).map(|(number, _)| number).collect::<Vec<_>>();
        for number in top {
            self.edge(Key::Body(body), Key::Statement(body, number), Dependence::Control);
        }
        self.inside(body, 0, block, None, None);
        if body.is_method() {
            // A method is kept whole or removed whole.
            all(0, block, &mut |number, _| {
                self.edge(Key::Statement(body, number), Key::Entry(body), Dependence::Member);
                self.edge(Key::Body(body), Key::Statement(body, number), Dependence::Control);
            });
            self.edge(Key::Body(body), Key::Entry(body), Dependence::Member);
        }
    }

    /// `left` is the statement that `break` leaves, `round` the loop whose next round `continue` starts.
    fn inside(&mut self, body: BodyRef, first: usize, block: &Block, left: Option<usize>, round: Option<usize>) {
        for (number, statement) in numbered(first, block) {
            let own = Key::Statement(body, number);
            let (left, round) = match &statement.kind {
                StmtKind::Loop { .. } | StmtKind::ForEach { .. } => (Some(number), Some(number)),
                StmtKind::Switch { .. } => (Some(number), round),
                StmtKind::Break => {
                    // A statement that is left is kept together with the jump out of it.
                    left.iter().for_each(|&to| self.edge(own, Key::Statement(body, to), Dependence::Control));
                    (left, round)
                }
                StmtKind::Continue => {
                    round.iter().for_each(|&to| self.edge(own, Key::Statement(body, to), Dependence::Control));
                    (left, round)
                }
                StmtKind::Return(_) => {
                    self.edge(own, Key::Body(body), Dependence::Control);
                    (left, round)
                }
                _ => (left, round),
            };
            for (first, block) in inner(number, statement) {
                for (child, _) in numbered(first, block) {
                    self.edge(own, Key::Statement(body, child), Dependence::Control);
                }
                self.inside(body, first, block, left, round);
            }
        }
    }

    /// Names: a used local is declared, and a used known rebec exists; `sender` comes with the activation.
    fn names(&mut self, body: BodyRef) {
        let model = self.out.model;
        let whole = body.of(model);
        let mut declared = BTreeMap::new();
        all(0, &whole.block, &mut |number, statement| {
            if let StmtKind::Let { local, .. } = &statement.kind {
                declared.insert(*local, number);
            }
        });
        all(0, &whole.block, &mut |number, statement| {
            let own = Key::Statement(body, number);
            for (expr, purpose) in operands(statement) {
                let to = match purpose {
                    Purpose::Argument(index) => Key::Actual(body, number, index),
                    _ => own,
                };
                let mut names = Vec::new();
                reads(expr, &mut names);
                for name in names {
                    match name {
                        // This includes places that control never reaches, and thus no definition: the text needs the
                        // name.
                        Name::Local(local) => {
                            self.edge(declaration(body, &declared, local), to, Dependence::Declaration);
                        }
                        Name::Variable(id) if model.class(body.class).variables[id.index()].role == Role::Known => {
                            self.edge(variable_key(model, body.class, id), to, Dependence::Declaration);
                        }
                        Name::Variable(_) => {}
                    }
                }
                if reads_sender(expr) {
                    self.edge(Key::Entry(body), to, Dependence::Sender);
                }
            }
            if let StmtKind::Assign { place, .. } = &statement.kind
                && let Base::Local(local) = place.base
            {
                let from = declaration(body, &declared, local);
                self.edge(from, own, Dependence::Declaration);
            }
        });
    }

    /// Messages, calls and creations.
    fn messages(&mut self, body: BodyRef) {
        let model = self.out.model;
        all(0, &body.of(model).block, &mut |number, statement| {
            let own = Key::Statement(body, number);
            if let Some(method) = called(statement) {
                let entry = Key::Entry(BodyRef { class: body.class, member: Member::Method(method) });
                self.edge(own, entry, Dependence::Activation);
                self.edge(entry, own, Dependence::Target);
            }
            if let Some(Rvalue::New { class, .. }) = statement.value() {
                for made in made(model, *class) {
                    self.edge(own, Key::Entry(made), Dependence::Activation);
                    self.edge(Key::Entry(made), own, Dependence::Target);
                }
            }
            if let StmtKind::Send { receiver, targets, .. } = &statement.kind {
                self.send(body, number, receiver, targets);
            }
        });
    }

    fn send(&mut self, body: BodyRef, number: usize, receiver: &Expr, targets: &[Option<ServerId>]) {
        let own = Key::Statement(body, number);
        let entry = |class, server| BodyRef { class, member: Member::Server(server) };
        let possible: Vec<_> = self.out.targets.of(body, number).collect();
        if possible.is_empty() && !matches!(receiver.sort, Sort::Rebec(_)) {
            // No receiver takes the message, but the text needs a class that could.
            for (class, server) in targets.iter().enumerate().filter_map(|(class, server)| Some((class, (*server)?))) {
                self.edge(Key::Entry(entry(ClassId::from_index(class), server)), own, Dependence::Target);
            }
        }
        for (class, server) in possible {
            self.edge(own, Key::Entry(entry(class, server)), Dependence::Activation);
            // A server that is removed while a message to it stays would turn the send into a fault.
            self.edge(Key::Entry(entry(class, server)), own, Dependence::Target);
        }
        if let (Sort::Rebec(class), false) = (receiver.sort, receiver.kind == ExprKind::Null)
            && let Some(server) = targets[class.index()]
        {
            self.edge(Key::Entry(entry(class, server)), own, Dependence::Target);
        }
    }

    /// Families: copies of one text are kept together, and so are servers and methods that override each other.
    fn families(&mut self) {
        let model = self.out.model;
        let members = |class: &'a Class| -> HashMap<(bool, &str), Member> {
            let servers = class.servers.iter().enumerate();
            let servers = servers.map(|(at, server)| ((true, &*server.name), Member::Server(ServerId::from_index(at))));
            let methods = class.methods.iter().enumerate();
            let methods =
                methods.map(|(at, method)| ((false, &*method.name), Member::Method(MethodId::from_index(at))));
            // Of members with one name the first counts.
            servers.chain(methods).rev().collect()
        };
        let by_name: Vec<HashMap<(bool, &str), Member>> = model.classes.iter().map(members).collect();
        for body in bodies(model) {
            let class = model.class(body.class);
            let key = (matches!(body.member, Member::Server(_)), body.name(model));
            // Classes have all servers and methods of those above them: a chain of ties joins all of them.
            let next: Vec<ClassId> = match body.member {
                Member::Constructor => class.ancestors.iter().copied().filter(|&above| above != body.class).collect(),
                Member::Server(_) | Member::Method(_) => {
                    class.parent.iter().chain(&class.interfaces).copied().collect()
                }
            };
            limits::work(next.len() as u64);
            for above in next {
                let other = match body.member {
                    Member::Server(_) | Member::Method(_) => by_name[above.index()].get(&key).copied(),
                    Member::Constructor => model.class(above).constructor.as_ref().map(|_| Member::Constructor),
                };
                let Some(member) = other else { continue };
                let other = BodyRef { class: above, member };
                let is_copy = other.declared_in(model) == body.declared_in(model);
                if body.member == Member::Constructor && !is_copy {
                    // Without its own constructor, a class would inherit that of its parent.
                    self.edge(Key::Entry(body), Key::Entry(other), Dependence::Inheritance);
                } else {
                    self.tie(Key::Entry(body), Key::Entry(other));
                }
                if is_copy {
                    self.twins(body, other);
                }
            }
        }
    }

    fn tie(&mut self, one: Key, other: Key) {
        self.edge(one, other, Dependence::Inheritance);
        self.edge(other, one, Dependence::Inheritance);
    }

    fn twins(&mut self, one: BodyRef, other: BodyRef) {
        let sizes = [one, other].map(|twin| {
            let body = twin.of(self.out.model);
            (body.parameters().len(), length(&body.block))
        });
        assert_eq!(sizes[0], sizes[1], "copies of one text have the same parameters and statements");
        let mut numbers = Vec::new();
        all(0, &one.of(self.out.model).block, &mut |number, statement| {
            let arguments = if let StmtKind::Send { arguments, .. } = &statement.kind { arguments.len() } else { 0 };
            numbers.push((number, arguments));
        });
        for (number, arguments) in numbers {
            self.tie(Key::Statement(one, number), Key::Statement(other, number));
            for index in 0..arguments {
                self.tie(Key::Actual(one, number, index), Key::Actual(other, number, index));
            }
        }
        for index in 0..one.of(self.out.model).parameters().len() {
            self.tie(Key::Formal(one, index), Key::Formal(other, index));
        }
    }

    /// Parameters: those of all servers of one name are kept or removed together, because a message may reach any of
    /// these servers. If servers of one name differ in their number of parameters, all parameters stay.
    fn parameters(&mut self) {
        let model = self.out.model;
        let mut names: BTreeMap<&str, Vec<BodyRef>> = BTreeMap::new();
        let mut sent: BTreeMap<&str, Vec<(BodyRef, usize, usize)>> = BTreeMap::new();
        for body in bodies(model) {
            if let Member::Server(_) = body.member {
                names.entry(body.name(model)).or_default().push(body);
            }
            all(0, &body.of(model).block, &mut |number, statement| {
                if let StmtKind::Send { message, arguments, .. } = &statement.kind {
                    sent.entry(message).or_default().push((body, number, arguments.len()));
                }
            });
        }
        for (name, servers) in names {
            let sends = sent.remove(name).unwrap_or_default();
            if name == "initial" && sends.is_empty() {
                continue; // bound by `main` and `new` only, class by class
            }
            let arities: Vec<usize> = servers.iter().map(|server| server.of(model).parameters().len()).collect();
            let differ = arities.iter().any(|arity| *arity != arities[0]);
            for (server, arity) in servers.iter().zip(&arities) {
                for index in 0..*arity {
                    let formal = Key::Formal(*server, index);
                    if differ {
                        self.edge(formal, Key::Entry(*server), Dependence::Declaration);
                    }
                    if *server != servers[0] && index < arities[0] {
                        self.tie(formal, Key::Formal(servers[0], index));
                    }
                    for &(body, number, count) in &sends {
                        if count == *arity {
                            self.edge(Key::Actual(body, number, index), formal, Dependence::ParameterIn);
                            self.edge(formal, Key::Actual(body, number, index), Dependence::Declaration);
                        }
                    }
                }
            }
        }
        for &class in &model.creatable {
            for made in made(model, class) {
                for index in 0..made.of(model).parameters().len() {
                    self.edge(Key::Formal(made, index), Key::Entry(made), Dependence::Declaration);
                }
            }
        }
        for body in bodies(model).into_iter().filter(|body| body.is_method()) {
            for index in 0..body.of(model).parameters().len() {
                self.edge(Key::Formal(body, index), Key::Entry(body), Dependence::Declaration);
            }
        }
    }
}

/// The origin of a name: the statement that declares it, or else the parameter.
fn declaration(body: BodyRef, declared: &BTreeMap<LocalId, usize>, local: LocalId) -> Key {
    match declared.get(&local) {
        Some(&number) => Key::Statement(body, number),
        None => Key::Formal(body, local.index()),
    }
}

/// The bodies that run when a rebec of a class is created.
fn made(model: &Model, class: ClassId) -> Vec<BodyRef> {
    let found = model.class(class);
    let constructor = found.constructor.iter().map(|_| Member::Constructor);
    let initial = (model.dialect == Dialect::Rebeca20).then(|| found.server("initial")).flatten();
    let members = constructor.chain(initial.map(Member::Server));
    members.filter(|_| is_reactive(model, class)).map(|member| BodyRef { class, member }).collect()
}
