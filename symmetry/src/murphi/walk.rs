//! The walk over a program that unites the classes of places and notes what the text does with them.

mod body;

use std::collections::BTreeMap;

use frontend::murphi::program::{
    Argument, Base, BinaryOp, Binder, BinderValues, Binding, Bound, Claim, Expr, ExprKind, Frame, Header, Place,
    ProcedureId, Program, Property, Slots, Step, TypeId, TypeKind, Types,
};
use frontend::murphi::syntax::ast::{PropertyKind, UnaryOp};
use frontend::source::Span;

use super::obstacle::{Obstacle, Reason};
use super::ring;
use super::roles::{Class, Node, NodeId, Roles, TRUTH};
use super::uses::{Facts, MOST_OBSTACLES, Uses};

/// The value of an expression.
#[derive(Clone, Copy)]
enum Term {
    /// A simple value of a class.
    Simple(Class),
    /// An array, record or multiset.
    Whole(NodeId),
    /// Nothing that has a class.
    Nothing,
}

/// The walk over a program.
pub(super) struct Walk<'p> {
    program: &'p Program,
    roles: Roles,
    /// The next class on the way to the one that stands for a united class.
    parents: Vec<Class>,
    facts: Vec<Facts>,
    /// The parts of the locals of the current frame.
    locals: Vec<NodeId>,
    /// The result of the current function.
    result: Option<NodeId>,
}

impl<'p> Walk<'p> {
    /// Each of so many classes by itself.
    pub(super) fn new(program: &'p Program, roles: Roles, count: Class) -> Walk<'p> {
        let facts = vec![Facts::default(); count as usize];
        Walk { program, roles, parents: (0..count).collect(), facts, locals: Vec::new(), result: None }
    }

    fn program(&mut self, claims: &[Claim]) {
        assert!(self.roles.is_of(self.program), "roles of this program");
        let program = self.program;
        for (number, variable) in program.variables.iter().enumerate() {
            self.types(self.roles.variables[number], variable.of, true, variable.span);
        }
        for (number, procedure) in program.procedures.iter().enumerate() {
            let locals = self.roles.procedures[number].clone();
            if let (Some(node), Some(of)) = (self.roles.results[number], procedure.result) {
                self.types(node, of, false, procedure.span);
            }
            self.frame(locals, &procedure.frame);
            self.result = self.roles.results[number];
            if !self.turns(number) {
                self.body(&procedure.body);
            }
            self.result = None;
        }
        let rules = program.starts.iter().zip(self.roles.starts.clone());
        let rules: Vec<_> = rules.chain(program.rules.iter().zip(self.roles.rules.clone())).collect();
        for (rule, locals) in rules {
            self.frame(locals, &rule.frame);
            self.header(&rule.header);
            if let Some(guard) = &rule.guard {
                self.expr(guard);
            }
            self.body(&rule.body);
        }
        for (number, property) in program.properties.iter().enumerate() {
            let is_claimed = claims.iter().any(|claim| claim.kind.is_about(number));
            if is_claimed || property.kind == PropertyKind::Assume {
                self.property(number, property);
            }
        }
    }

    /// Whether a function moves names on around a ring: its result is a name of the class of its parameter.
    fn turns(&mut self, number: usize) -> bool {
        let (program, id) = (self.program, ProcedureId::from_index(number));
        let procedure = program.procedure(id);
        let size = procedure.frame.locals.first().and_then(|local| ring::size(&program.types, local.of));
        let (Some(size), Some(result)) = (size.filter(|&size| ring::is_turn(program, id, size)), self.result) else {
            return false;
        };
        let parameter = self.term(self.locals[0]);
        self.unite_terms(parameter, self.term(result));
        self.turn(parameter, size, procedure.span);
        true
    }

    fn property(&mut self, number: usize, property: &Property) {
        self.frame(self.roles.properties[number].clone(), &property.frame);
        self.header(&property.header);
        self.expr(&property.condition);
        if property.kind == PropertyKind::Liveness {
            for construct in &property.header {
                if let Header::For(binder) = construct {
                    let span = property.frame.local(binder.local).span;
                    self.refuse(Base::Local(binder.local), span, Reason::Each);
                }
            }
        }
    }

    /// Notes the types of the locals of a frame, which becomes the current one.
    fn frame(&mut self, locals: Vec<NodeId>, frame: &Frame) {
        assert_eq!(locals.len(), frame.locals.len(), "roles of this frame");
        for (&node, local) in locals.iter().zip(&frame.locals) {
            if *self.roles.node(node) != Node::Slot {
                self.types(node, local.of, false, local.span);
            }
        }
        self.locals = locals;
    }

    /// Notes the types of the parts of a value.
    fn types(&mut self, node: NodeId, of: TypeId, is_stored: bool, span: Span) {
        limits::work(1);
        let note = |walk: &mut Self, class: Class, of: TypeId| {
            let facts = &mut walk.facts[class as usize];
            facts.types.entry(of).or_insert(span);
            facts.is_stored |= is_stored;
        };
        let program = self.program;
        match (self.roles.node(node).clone(), program.types.kind(of)) {
            (Node::Simple(class), _) => note(self, class, of),
            (Node::Array(class, part), TypeKind::Array { index, element }) => {
                note(self, class, *index);
                self.types(part, *element, is_stored, span);
            }
            (Node::Record(parts), TypeKind::Record(fields)) => {
                for (part, field) in parts.into_iter().zip(fields) {
                    self.types(part, field.of, is_stored, span);
                }
            }
            (Node::Multiset(part), TypeKind::Multiset { element, .. }) => self.types(part, *element, is_stored, span),
            _ => unreachable!("parts are made of their types"),
        }
    }

    fn find(&mut self, mut class: Class) -> Class {
        while self.parents[class as usize] != class {
            let next = self.parents[class as usize];
            self.parents[class as usize] = self.parents[next as usize];
            class = next;
        }
        class
    }

    fn unite(&mut self, one: Class, other: Class) {
        let (one, other) = (self.find(one), self.find(other));
        if one == other {
            return;
        }
        // The truth values stay the first class.
        let (from, to) = if one < other { (other, one) } else { (one, other) };
        self.parents[from as usize] = to;
        let facts = std::mem::take(&mut self.facts[from as usize]);
        self.facts[to as usize].join(facts);
    }

    fn unite_nodes(&mut self, one: NodeId, other: NodeId) {
        limits::work(1);
        if one == other {
            return;
        }
        match (self.roles.node(one).clone(), self.roles.node(other).clone()) {
            (Node::Simple(one), Node::Simple(other)) => self.unite(one, other),
            (Node::Array(one, part), Node::Array(other, its)) => {
                self.unite(one, other);
                self.unite_nodes(part, its);
            }
            (Node::Record(parts), Node::Record(its)) => {
                parts.into_iter().zip(its).for_each(|(part, its)| self.unite_nodes(part, its));
            }
            (Node::Multiset(part), Node::Multiset(its)) => self.unite_nodes(part, its),
            _ => {}
        }
    }

    fn unite_terms(&mut self, one: Term, other: Term) {
        match (one, other) {
            (Term::Simple(one), Term::Simple(other)) => self.unite(one, other),
            (Term::Whole(one), Term::Whole(other)) => self.unite_nodes(one, other),
            _ => {}
        }
    }

    fn facts(&mut self, class: Class) -> &mut Facts {
        let class = self.find(class);
        &mut self.facts[class as usize]
    }

    /// A new class, with a use that is an obstacle.
    fn computed(&mut self, span: Span, reason: Reason) -> Term {
        let class = Class::try_from(self.parents.len()).expect("classes are bounded");
        self.parents.push(class);
        self.facts.push(Facts { obstacles: vec![Obstacle { span, reason }], ..Facts::default() });
        Term::Simple(class)
    }

    fn obstacle(&mut self, term: Term, span: Span, reason: Reason) {
        if let Term::Simple(class) = term {
            let obstacles = &mut self.facts(class).obstacles;
            if obstacles.len() < MOST_OBSTACLES {
                obstacles.push(Obstacle { span, reason });
            }
        }
    }

    fn refuse(&mut self, base: Base, span: Span, reason: Reason) {
        let term = self.term(self.base(base));
        self.obstacle(term, span, reason);
    }

    fn base(&self, base: Base) -> NodeId {
        match base {
            Base::Variable(id) => self.roles.variables[id.index()],
            Base::Local(id) => self.locals[id.index()],
        }
    }

    fn term(&self, node: NodeId) -> Term {
        match self.roles.node(node) {
            Node::Simple(class) => Term::Simple(*class),
            Node::Slot => Term::Nothing,
            _ => Term::Whole(node),
        }
    }

    fn place(&mut self, place: &Place) -> NodeId {
        let mut node = self.base(place.base);
        for step in &place.steps {
            node = match (step, self.roles.node(node).clone()) {
                (Step::Field(field), Node::Record(parts)) => parts[*field],
                (Step::Index(index), Node::Array(class, part)) => {
                    let index = self.expr(index);
                    self.unite_terms(Term::Simple(class), index);
                    part
                }
                (Step::Slot(_), Node::Multiset(part)) => part,
                _ => unreachable!("steps fit their types"),
            };
        }
        node
    }

    fn read(&mut self, place: &Place) -> Term {
        let node = self.place(place);
        self.term(node)
    }

    fn expr(&mut self, expr: &Expr) -> Term {
        limits::work(1);
        let turn = ring::of_expr(self.program, expr).and_then(|turn| Some((turn.name, turn.size(self.program)?)));
        if let Some((name, size)) = turn {
            let term = self.expr(name);
            return self.turn(term, size, expr.span);
        }
        match &expr.kind {
            ExprKind::Value(_) if expr.of == Types::BOOLEAN => Term::Simple(TRUTH),
            ExprKind::Value(value) => {
                let class = self.computed(expr.span, Reason::Named);
                if let Term::Simple(class) = class {
                    let facts = self.facts(class);
                    let place = facts.obstacles.pop().expect("a new class has one");
                    facts.named.insert(*value, place);
                }
                class
            }
            ExprKind::Undefined => Term::Nothing,
            ExprKind::Read(place) => self.read(place),
            ExprKind::Unary(op, inner) => {
                let inner = self.expr(inner);
                if *op == UnaryOp::Not {
                    return Term::Simple(TRUTH);
                }
                self.obstacle(inner, expr.span, Reason::Computed);
                self.computed(expr.span, Reason::Computed)
            }
            ExprKind::Binary(op, left, right) => self.binary(*op, left, right, expr.span),
            ExprKind::And(list) | ExprKind::Or(list) => {
                for operand in list {
                    self.expr(operand);
                }
                Term::Simple(TRUTH)
            }
            ExprKind::Implies(left, right) => {
                self.expr(left);
                self.expr(right);
                Term::Simple(TRUTH)
            }
            ExprKind::Conditional(condition, then, otherwise) => {
                self.expr(condition);
                let (then, otherwise) = (self.expr(then), self.expr(otherwise));
                self.unite_terms(then, otherwise);
                then
            }
            ExprKind::Quantified(_, binder, body) => {
                self.binder(binder, expr.span);
                self.expr(body);
                Term::Simple(TRUTH)
            }
            ExprKind::Call(id, arguments) => {
                self.call(id.index(), arguments);
                self.roles.results[id.index()].map_or(Term::Nothing, |node| self.term(node))
            }
            ExprKind::IsUndefined(place) => {
                self.place(place);
                Term::Simple(TRUTH)
            }
            ExprKind::IsMember(value, of) => {
                if let Term::Simple(class) = self.expr(value) {
                    self.facts(class).types.entry(*of).or_insert(expr.span);
                }
                Term::Simple(TRUTH)
            }
            ExprKind::Count(slots, condition) => {
                self.slots(slots);
                self.expr(condition);
                self.computed(expr.span, Reason::Computed)
            }
        }
    }

    /// A name is moved on around a ring: the result is a name of the same class.
    fn turn(&mut self, term: Term, size: usize, span: Span) -> Term {
        if let Term::Simple(class) = term {
            let turns = &mut self.facts(class).turns;
            let place = (Obstacle { span, reason: Reason::Computed }, size);
            // Another size is kept, whatever their number.
            if turns.len() < MOST_OBSTACLES || turns.iter().all(|(_, known)| *known != size) {
                turns.push(place);
            }
        }
        term
    }

    fn binary(&mut self, op: BinaryOp, left: &Expr, right: &Expr, span: Span) -> Term {
        let (left, right) = (self.expr(left), self.expr(right));
        let reason = match op {
            BinaryOp::Equal | BinaryOp::NotEqual => {
                self.unite_terms(left, right);
                return Term::Simple(TRUTH);
            }
            BinaryOp::Less | BinaryOp::LessEqual | BinaryOp::Greater | BinaryOp::GreaterEqual => Reason::Ordered,
            _ => Reason::Computed,
        };
        self.obstacle(left, span, reason);
        self.obstacle(right, span, reason);
        if reason == Reason::Ordered { Term::Simple(TRUTH) } else { self.computed(span, reason) }
    }

    fn call(&mut self, procedure: usize, arguments: &[Argument]) {
        debug_assert_eq!(arguments.len(), self.program.procedures[procedure].parameters, "a call has every argument");
        for (number, argument) in arguments.iter().enumerate() {
            let given = match argument {
                Argument::Value(value) => self.expr(value),
                Argument::Reference(place) => self.read(place),
            };
            let parameter = self.term(self.roles.procedures[procedure][number]);
            self.unite_terms(parameter, given);
        }
    }

    fn binder(&mut self, binder: &Binder, span: Span) {
        match &binder.values {
            BinderValues::Type(_) => {
                if let Term::Simple(class) = self.term(self.base(Base::Local(binder.local))) {
                    self.facts(class).is_bound = true;
                }
            }
            BinderValues::Steps(steps) => {
                for bound in [&steps.from, &steps.to, &steps.by] {
                    let bound = self.expr(bound);
                    self.obstacle(bound, span, Reason::Counted);
                }
                self.refuse(Base::Local(binder.local), span, Reason::Counted);
            }
        }
    }

    fn slots(&mut self, slots: &Slots) {
        self.place(&slots.multiset);
    }

    fn header(&mut self, header: &[Header]) {
        for construct in header {
            match construct {
                Header::For(binder) => {
                    let span = match &binder.values {
                        BinderValues::Steps(steps) => steps.from.span.to(steps.to.span),
                        BinderValues::Type(_) => Span::NONE,
                    };
                    self.binder(binder, span);
                }
                Header::Alias(binding) => self.binding(binding),
                Header::Choose(slots) => self.slots(slots),
            }
        }
    }

    fn binding(&mut self, binding: &Binding) {
        let to = match &binding.to {
            Bound::Place(place) => self.read(place),
            Bound::Value(value) => self.expr(value),
        };
        let local = self.term(self.locals[binding.local.index()]);
        self.unite_terms(local, to);
    }

    /// The classes after the walk over a program and the properties that are claimed.
    pub(super) fn finish(mut self, claims: &[Claim]) -> Uses {
        self.program(claims);
        let count = Class::try_from(self.parents.len()).expect("classes are bounded");
        let roots: Vec<Class> = (0..count).map(|class| self.find(class)).collect();
        let mut numbers: BTreeMap<Class, Class> = BTreeMap::new();
        for &root in &roots {
            let next = Class::try_from(numbers.len()).expect("classes are bounded");
            numbers.entry(root).or_insert(next);
        }
        let facts = numbers.keys().map(|&root| std::mem::take(&mut self.facts[root as usize])).collect();
        debug_assert!(numbers.values().is_sorted(), "facts are in the order of their classes");
        self.roles.renumber(|class| numbers[&roots[class as usize]]);
        Uses { roles: self.roles, facts }
    }
}
