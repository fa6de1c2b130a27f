//! The parts of variables that are defined in every reachable state, whatever the indices on the way to them.
//!
//! A part may be undefined if it is so in a start state, or if something undefined flows into it: by `undefine`, by whole
//! copies, by arguments, results and other names. Assignments of simple values evaluate them, and so fault first.
//!
//! # Soundness
//!
//! Flow is followed without regard to order and conditions: too much may be undefined, not too little. While a start state is made, everything
//! may be undefined: nothing is said of what its text reads, or that of a procedure which it calls, directly or not.

use frontend::murphi::interpret::{self, Cell};
use frontend::murphi::program::{
    Argument, Base, Binding, Bound, Child, Expr, ExprKind, Frame, Header, LocalKind, Owner, Part, Place, ProcedureId,
    Program, Step, StmtKind, TypeId, TypeKind,
};
use frontend::source::Span;
use rustc_hash::FxHashSet;

use super::roles::{Node, NodeId, Roles};
use super::starts;

/// The parts that are always defined.
pub(super) struct Defined {
    roles: Roles,
    /// The parts that may be undefined.
    open: FxHashSet<NodeId>,
    /// The places that are read while a start state is made.
    early: FxHashSet<Span>,
}

impl Defined {
    /// Of a program. With `ignores_starts`, known to be wrong, what start states read counts as what steps read.
    pub(super) fn new(program: &Program, ignores_starts: bool) -> Defined {
        let (roles, _) = Roles::apart(program);
        let early = if ignores_starts { FxHashSet::default() } else { read_by_starts(program) };
        let defined = Defined { roles, open: FxHashSet::default(), early };
        let mut flow = Flow { program, defined, locals: Vec::new(), edges: Vec::new() };
        flow.program();
        flow.finish()
    }

    /// Whether a part of a variable is defined in every reachable state.
    pub(super) fn is_always(&self, program: &Program, place: &Place) -> bool {
        let Base::Variable(id) = place.base else { return false };
        if self.early.contains(&place.span) {
            return false;
        }
        debug_assert!(id.index() < program.variables.len(), "a variable of this program");
        let node = self.part(self.roles.variables[id.index()], &place.steps);
        matches!(self.roles.node(node), Node::Simple(_)) && !self.open.contains(&node)
    }

    fn part(&self, mut node: NodeId, steps: &[Step]) -> NodeId {
        for step in steps {
            node = match (step, self.roles.node(node)) {
                (Step::Field(field), Node::Record(parts)) => parts[*field],
                (_, Node::Array(_, part) | Node::Multiset(part)) => *part,
                _ => unreachable!("steps fit their types"),
            };
        }
        node
    }
}

/// The places that the texts of start states read, and those of the procedures that they call.
fn read_by_starts(program: &Program) -> FxHashSet<Span> {
    let (mut places, mut called) = (FxHashSet::default(), vec![false; program.procedures.len()]);
    let mut open: Vec<usize> = Vec::new();
    let mut part = |part: Part<'_>, open: &mut Vec<usize>| {
        if let Part::Expr(Expr { kind: ExprKind::Read(place), .. }) | Part::Place(place) = part {
            places.insert(place.span);
        }
        let procedure = part.called().map(ProcedureId::index);
        open.extend(procedure.filter(|&procedure| !std::mem::replace(&mut called[procedure], true)));
    };
    for start in &program.starts {
        for construct in &start.header {
            if let Header::Alias(binding) = construct {
                binding.child().visit(&mut |one| part(one, &mut open));
            }
        }
        Child::Body(&start.body).visit(&mut |one| part(one, &mut open));
    }
    while let Some(procedure) = open.pop() {
        Child::Body(&program.procedures[procedure].body).visit(&mut |one| part(one, &mut open));
    }
    places
}

/// The flow of what is undefined.
struct Flow<'p> {
    program: &'p Program,
    defined: Defined,
    locals: Vec<NodeId>,
    /// Where the first may be undefined, the second may be.
    edges: Vec<(NodeId, NodeId)>,
}

impl<'p> Flow<'p> {
    fn program(&mut self) {
        let program = self.program;
        assert!(self.defined.roles.is_of(program), "roles of this program");
        for text in program.texts() {
            let roles = &self.defined.roles;
            let result = if let Owner::Procedure(number) = text.owner { roles.results[number] } else { None };
            self.frame(roles.locals(text.owner).to_vec(), text.frame);
            for construct in text.header {
                if let Header::Alias(binding) = construct {
                    self.binding(binding);
                }
            }
            text.children().for_each(|child| child.visit(&mut |part| self.part(part, result)));
        }
        self.starts();
    }

    fn frame(&mut self, locals: Vec<NodeId>, frame: &Frame) {
        assert_eq!(locals.len(), frame.locals.len(), "roles of this frame");
        for (&node, local) in locals.iter().zip(&frame.locals) {
            if local.kind == LocalKind::Variable {
                self.open(node);
            }
        }
        self.locals = locals;
    }

    /// The parts that are not defined at the starts.
    fn starts(&mut self) {
        let program = self.program;
        let variables = self.defined.roles.variables.clone();
        if !starts::are_few(program) {
            variables.into_iter().for_each(|node| self.open(node));
            return;
        }
        for state in interpret::starts(program).into_iter().filter_map(|start| start.result.ok()) {
            for (variable, &node) in program.variables.iter().zip(&variables) {
                let end = variable.offset + program.types.cells(variable.of);
                self.cells(node, variable.of, &state[variable.offset..end]);
            }
        }
    }

    /// Opens the parts of a value that are undefined.
    fn cells(&mut self, node: NodeId, of: TypeId, cells: &[Cell]) {
        debug_assert_eq!(cells.len(), self.program.types.cells(of), "a value has the cells of its type");
        let types = &self.program.types;
        limits::work(1);
        match (self.defined.roles.node(node).clone(), types.kind(of)) {
            (Node::Simple(_), _) => {
                if cells[0].is_none() {
                    self.defined.open.insert(node);
                }
            }
            (Node::Array(_, part), TypeKind::Array { element, .. }) => {
                for cells in cells.chunks(types.cells(*element).max(1)) {
                    self.cells(part, *element, cells);
                }
            }
            (Node::Record(parts), TypeKind::Record(fields)) => {
                for (part, field) in parts.into_iter().zip(fields) {
                    self.cells(part, field.of, &cells[field.offset..field.offset + types.cells(field.of)]);
                }
            }
            (Node::Multiset(part), TypeKind::Multiset { element, .. }) => {
                for slot in cells.chunks(types.cells(*element) + 1).filter(|slot| slot[0].is_some()) {
                    self.cells(part, *element, &slot[1..]);
                }
            }
            _ => unreachable!("parts are made of their types"),
        }
    }

    /// All simple parts may be undefined; an undefined multiset is empty.
    fn open(&mut self, node: NodeId) {
        match self.defined.roles.node(node).clone() {
            Node::Simple(_) => drop(self.defined.open.insert(node)),
            Node::Array(_, part) => self.open(part),
            Node::Record(parts) => parts.into_iter().for_each(|part| self.open(part)),
            Node::Multiset(_) | Node::Slot => {}
        }
    }

    /// The simple parts of one value flow to those of another.
    fn flow(&mut self, from: NodeId, to: NodeId) {
        limits::work(1);
        match (self.defined.roles.node(from).clone(), self.defined.roles.node(to).clone()) {
            (Node::Simple(_), Node::Simple(_)) => self.edges.push((from, to)),
            (Node::Array(_, part), Node::Array(_, its)) | (Node::Multiset(part), Node::Multiset(its)) => {
                self.flow(part, its);
            }
            (Node::Record(parts), Node::Record(its)) => {
                parts.into_iter().zip(its).for_each(|(part, its)| self.flow(part, its));
            }
            _ => {}
        }
    }

    /// One place is another name of the other.
    fn tie(&mut self, one: NodeId, other: NodeId) {
        self.flow(one, other);
        self.flow(other, one);
    }

    fn place(&self, place: &Place) -> NodeId {
        let base = match place.base {
            Base::Variable(id) => self.defined.roles.variables[id.index()],
            Base::Local(id) => self.locals[id.index()],
        };
        self.defined.part(base, &place.steps)
    }

    /// A value is copied with what is undefined in it.
    fn copied(&mut self, value: &Expr, to: NodeId) {
        match &value.kind {
            ExprKind::Read(place) => self.flow(self.place(place), to),
            ExprKind::Undefined => self.open(to),
            ExprKind::Conditional(_, then, otherwise) => {
                self.copied(then, to);
                self.copied(otherwise, to);
            }
            ExprKind::Call(id, _) => {
                if let Some(from) = self.defined.roles.results[id.index()] {
                    self.flow(from, to);
                }
            }
            _ => {}
        }
    }

    fn binding(&mut self, binding: &Binding) {
        let local = self.locals[binding.local.index()];
        match &binding.to {
            Bound::Place(place) => self.tie(local, self.place(place)),
            Bound::Value(value) => self.copied(value, local),
        }
    }

    fn call(&mut self, procedure: usize, arguments: &[Argument]) {
        debug_assert_eq!(arguments.len(), self.program.procedures[procedure].parameters, "a call has every argument");
        for (number, argument) in arguments.iter().enumerate() {
            let parameter = self.defined.roles.procedures[procedure][number];
            match argument {
                Argument::Value(value) => self.copied(value, parameter),
                Argument::Reference(place) => self.tie(parameter, self.place(place)),
            }
        }
    }

    fn part(&mut self, part: Part<'p>, result: Option<NodeId>) {
        let stmt = match part {
            Part::Expr(Expr { kind: ExprKind::Call(id, arguments), .. }) => return self.call(id.index(), arguments),
            Part::Expr(_) | Part::Place(_) => return,
            Part::Stmt(stmt) => stmt,
        };
        match &stmt.kind {
            StmtKind::Assign(place, value) if !self.program.types.is_simple(place.of) => {
                self.copied(value, self.place(place));
            }
            StmtKind::Undefine(place) => self.open(self.place(place)),
            StmtKind::Alias(bindings, _) => bindings.iter().for_each(|binding| self.binding(binding)),
            StmtKind::Call(id, arguments) => self.call(id.index(), arguments),
            StmtKind::Return(Some(value)) => {
                if let Some(result) = result.filter(|_| !self.program.types.is_simple(value.of)) {
                    self.copied(value, result);
                }
            }
            StmtKind::MultisetAdd(value, multiset) => {
                if let Node::Multiset(part) = *self.defined.roles.node(self.place(multiset)) {
                    self.copied(value, part);
                }
            }
            _ => {}
        }
    }

    /// Follows the flow to its end.
    fn finish(mut self) -> Defined {
        self.edges.sort_unstable();
        self.edges.dedup();
        let mut list: Vec<NodeId> = self.defined.open.iter().copied().collect();
        while let Some(from) = list.pop() {
            limits::work(1);
            let first = self.edges.partition_point(|edge| edge.0 < from);
            for &(_, to) in self.edges[first..].iter().take_while(|edge| edge.0 == from) {
                if self.defined.open.insert(to) {
                    list.push(to);
                }
            }
        }
        self.defined
    }
}
