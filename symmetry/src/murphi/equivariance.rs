//! The proof by text that all permutations of some values of one class, or all rotations, are symmetries of a program.
//!
//! The roles of the places are a claim of the detector, as is the block of values; this walk looks at every construct of
//! the text with them. An expression is *moved* (its value in an image is the image of its value), *fixed* (its value is
//! the same), or a constant outside of the block, which is both. Copies, comparisons for equality and indices must be of
//! the same kind on both sides; order and arithmetic need what is fixed. Every type of a moved place has all values of the
//! block or none, so that what lies outside of a type lies outside of it in the image. Values that rotate are `0 .. n - 1`, all values of
//! each such type; a function of one of them that moves each on by one constant, modulo `n`, is moved (`ring`).
//!
//! The order in which loops and quantifiers take moved values is the one thing that does not commute by this: [`order`]
//! proves that it does not show, or leaves it to each search to watch.
//!
//! # Soundness
//!
//! By induction over the text every evaluation in the image of a state is the image of the evaluation in the state:
//! values, faults up to the kind of error, and the steps, instance by instance. No definition of the detector is used.
//!
//! [`order`]: super::order

mod body;

use std::collections::BTreeSet;

use frontend::murphi::program::{
    Argument, Base, BinaryOp, Binder, BinderValues, Binding, Bound, Claim, Expr, ExprKind, Frame, Header, LocalKind,
    Place, ProcedureId, Program, Property, Step, TypeId, TypeKind, Types,
};
use frontend::murphi::syntax::ast::{PropertyKind, UnaryOp};
use frontend::source::Span;

use super::obstacle::{Obstacle, Reason};
use super::order::{Order, Rounds, aliases};
use super::ring::{self, Turn};
use super::roles::{Node, NodeId, Roles};
use super::uses::Block;

mutants::mutants! {
    /// Known-wrong variants. Only tests set any of them, to show that they are caught.
    pub struct Wrong {
        /// Values that are moved may be compared by order.
        compares_order,
        /// Values that are moved may be computed with.
        computes,
        /// Values that are moved may be named.
        names_values,
        /// Types may have only some of the values.
        tears_types,
        /// The rounds of every loop and quantifier commute.
        ignores_rounds,
        /// The slots of multisets may be told apart.
        ignores_slots,
        /// A function of one name turns the ring if it keeps the first one in it.
        turns_by_first_name,
        /// The conditions of formulas may be moved.
        forgets_formulas,
        /// Faults of what stands between a ruleset and an assumption do not count.
        overlooks_headers,
    }
}

/// The value of an expression in the image of a state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Term {
    /// The same value, which is none of the block.
    Either,
    /// The same value.
    Fixed,
    /// The image of the value.
    Moved,
    /// The image of an array, record or multiset.
    Whole(NodeId),
    /// Nothing, or what is undefined.
    Nothing,
}

/// Proves that all permutations of a block of values are symmetries; the names of the binders whose order is not proved to
/// be hidden, so that searches watch them.
///
/// # Errors
/// The first place that breaks one.
pub fn prove(
    program: &Program,
    roles: &Roles,
    block: &Block,
    claims: &[Claim],
    order: &Order<'_>,
    wrong: Wrong,
) -> Result<BTreeSet<Span>, Obstacle> {
    let ascends = block.values.is_sorted_by(|one, next| one < next);
    assert!(block.values.len() > 1 && ascends, "a block has several values, ascending");
    assert!(!block.is_ring || block.values[0] == 0, "values that rotate begin at zero");
    let (locals, frame, aliases, result, watched) = (&[][..], None, Vec::new(), None, BTreeSet::new());
    let mut proof = Proof { program, roles, block, order, locals, frame, aliases, result, watched, wrong };
    proof.program(claims)?;
    Ok(proof.watched)
}

/// The walk over the text.
struct Proof<'p> {
    program: &'p Program,
    roles: &'p Roles,
    block: &'p Block,
    order: &'p Order<'p>,
    /// The parts of the locals of the current frame.
    locals: &'p [NodeId],
    frame: Option<&'p Frame>,
    /// The places of its aliases.
    aliases: Vec<Option<&'p Place>>,
    /// The result of the current function.
    result: Option<NodeId>,
    watched: BTreeSet<Span>,
    wrong: Wrong,
}

type Proved<T = ()> = Result<T, Obstacle>;

fn no<T>(span: Span, reason: Reason) -> Proved<T> {
    Err(Obstacle { span, reason })
}

impl<'p> Proof<'p> {
    fn program(&mut self, claims: &[Claim]) -> Proved {
        let (program, roles) = (self.program, self.roles);
        if !self.wrong.ignores_slots()
            && let Some(&span) = self.order.slots_that_show.first()
        {
            return no(span, Reason::Slots);
        }
        assert!(roles.is_of(program), "roles of this program");
        for (variable, &node) in program.variables.iter().zip(&roles.variables) {
            self.fits(node, variable.of, variable.span)?;
        }
        for (number, procedure) in program.procedures.iter().enumerate() {
            self.enter(&procedure.frame, &roles.procedures[number])?;
            self.aliases = aliases(&procedure.frame, &[], &procedure.body);
            self.result = roles.results[number];
            if let (Some(node), Some(of)) = (self.result, procedure.result) {
                self.fits(node, of, procedure.span)?;
            }
            if !self.turns(number) {
                self.body(&procedure.body)?;
            }
            self.result = None;
        }
        let rules = program.starts.iter().zip(&roles.starts).chain(program.rules.iter().zip(&roles.rules));
        for (rule, locals) in rules {
            self.enter(&rule.frame, locals)?;
            self.aliases = aliases(&rule.frame, &rule.header, &rule.body);
            self.header(&rule.header)?;
            if let Some(guard) = &rule.guard {
                self.condition(guard)?;
            }
            self.body(&rule.body)?;
        }
        for (number, property) in program.properties.iter().enumerate() {
            let is_forgotten =
                self.wrong.forgets_formulas() && matches!(property.kind, PropertyKind::Atom | PropertyKind::End);
            let is_claimed = !is_forgotten && claims.iter().any(|claim| claim.kind.is_about(number));
            if !is_claimed && property.kind != PropertyKind::Assume {
                continue;
            }
            self.enter(&property.frame, &roles.properties[number])?;
            self.header(&property.header)?;
            self.condition(&property.condition)?;
            self.instances(property)?;
        }
        Ok(())
    }

    /// Whether a function from the ring to the ring commutes with its rotations.
    fn turns(&self, number: usize) -> bool {
        let is_moved = |node: Option<NodeId>| node.is_some_and(|node| self.term(node) == Term::Moved);
        let (id, size) = (ProcedureId::from_index(number), self.block.values.len());
        let is_own = self.block.is_ring && is_moved(self.locals.first().copied()) && is_moved(self.result);
        is_own && ring::is_turn(self.program, id, size)
    }

    /// Of an assumption or a cover the first instance decides that does not say no. That each instance can be reached again
    /// is a claim of its own, which must not move.
    fn instances(&mut self, property: &'p Property) -> Proved {
        // Aliases and bounds between the ruleset and the property may fault as well.
        let is_value = |one: &Header| matches!(one, Header::For(Binder { values: BinderValues::Type(_), .. }));
        let binds_only = self.wrong.overlooks_headers() || property.header.iter().all(is_value);
        for construct in &property.header {
            let binder = match construct {
                Header::For(binder) => binder,
                // Slots are taken in the order of their elements, which no search watches.
                Header::Choose(_)
                    if matches!(property.kind, PropertyKind::Assume | PropertyKind::Cover)
                        && !self.wrong.ignores_slots() =>
                {
                    return no(property.span, Reason::Slots);
                }
                Header::Choose(_) | Header::Alias(_) => continue,
            };
            let span = property.frame.local(binder.local).span;
            let rounds = match binds_only {
                true => self.order.quantifier(&property.frame, binder, &property.condition),
                false => Rounds::Open,
            };
            match property.kind {
                PropertyKind::Liveness if self.is_moved(binder) => return no(span, Reason::Each),
                PropertyKind::Cover if self.is_moved(binder) && rounds == Rounds::Open => {
                    return no(span, Reason::Rounds);
                }
                PropertyKind::Assume => self.rounds(binder, rounds),
                _ => {}
            }
        }
        Ok(())
    }

    /// Makes a frame the current one.
    fn enter(&mut self, frame: &'p Frame, locals: &'p [NodeId]) -> Proved {
        assert_eq!(frame.locals.len(), locals.len(), "roles of this frame");
        for (local, &node) in frame.locals.iter().zip(locals) {
            match (local.kind, self.roles.node(node)) {
                (LocalKind::Slot, Node::Slot) => {}
                (LocalKind::Slot, _) => return no(local.span, Reason::Mixed),
                _ => self.fits(node, local.of, local.span)?,
            }
        }
        (self.frame, self.locals) = (Some(frame), locals);
        Ok(())
    }

    /// The parts of a value are those of its type, and types keep the block.
    fn fits(&self, node: NodeId, of: TypeId, span: Span) -> Proved {
        match (self.roles.node(node), self.program.types.kind(of)) {
            (Node::Simple(class), TypeKind::Boolean | TypeKind::Range { .. } | TypeKind::Names(_)) => {
                if *class == self.block.class { self.keeps(of, span) } else { Ok(()) }
            }
            (Node::Array(class, part), TypeKind::Array { index, element }) => {
                if *class == self.block.class {
                    self.keeps(*index, span)?;
                }
                self.fits(*part, *element, span)
            }
            (Node::Record(parts), TypeKind::Record(fields)) if parts.len() == fields.len() => {
                parts.iter().zip(fields).try_for_each(|(&part, field)| self.fits(part, field.of, span))
            }
            (Node::Multiset(part), TypeKind::Multiset { element, .. }) => self.fits(*part, *element, span),
            _ => no(span, Reason::Mixed),
        }
    }

    /// A type has all values of the block or none, and no truth values; if these rotate, it has no other values.
    fn keeps(&self, of: TypeId, span: Span) -> Proved {
        let values = self.block.values.iter();
        let inside = values.clone().filter(|&&value| self.program.types.position(of, value).is_some()).count();
        let is_torn = inside != 0 && inside != values.len();
        limits::work(values.len() as u64);
        let is_other = self.block.is_ring && !ring::is_ring(&self.program.types, of, self.block.values.len());
        if of == Types::BOOLEAN || ((is_torn || is_other) && !self.wrong.tears_types()) {
            return no(span, Reason::Part);
        }
        Ok(())
    }

    fn term(&self, node: NodeId) -> Term {
        match self.roles.node(node) {
            Node::Simple(class) if *class == self.block.class => Term::Moved,
            Node::Simple(_) => Term::Fixed,
            Node::Slot => Term::Nothing,
            _ => Term::Whole(node),
        }
    }

    /// Two terms that are copied or compared are of the same kind, which is the result.
    fn alike(&self, one: Term, other: Term, span: Span) -> Proved<Term> {
        match (one, other) {
            (Term::Whole(one), Term::Whole(other)) => self.same(one, other, span).map(|()| Term::Whole(one)),
            (Term::Nothing, term) | (term, Term::Nothing) => Ok(term),
            (Term::Either, term) | (term, Term::Either) if !matches!(term, Term::Whole(_)) => Ok(term),
            (Term::Fixed, Term::Fixed) => Ok(Term::Fixed),
            (Term::Moved, Term::Moved) => Ok(Term::Moved),
            (Term::Fixed, Term::Moved) | (Term::Moved, Term::Fixed) if self.wrong.names_values() => Ok(Term::Moved),
            _ => no(span, Reason::Mixed),
        }
    }

    /// The parts of two values move in the same way.
    fn same(&self, one: NodeId, other: NodeId, span: Span) -> Proved {
        limits::work(1);
        let moves = |class: u32| class == self.block.class;
        match (self.roles.node(one), self.roles.node(other)) {
            _ if one == other => Ok(()),
            (Node::Simple(one), Node::Simple(other)) if moves(*one) == moves(*other) => Ok(()),
            (Node::Array(one, part), Node::Array(other, its)) if moves(*one) == moves(*other) => {
                self.same(*part, *its, span)
            }
            (Node::Record(parts), Node::Record(its)) if parts.len() == its.len() => {
                parts.iter().zip(its).try_for_each(|(&part, &its)| self.same(part, its, span))
            }
            (Node::Multiset(part), Node::Multiset(its)) => self.same(*part, *its, span),
            _ => no(span, Reason::Mixed),
        }
    }

    fn place(&mut self, place: &'p Place) -> Proved<NodeId> {
        let mut node = match place.base {
            Base::Variable(id) => self.roles.variables[id.index()],
            Base::Local(id) => self.locals[id.index()],
        };
        for step in &place.steps {
            node = match (step, self.roles.node(node)) {
                (Step::Field(field), Node::Record(parts)) => parts[*field],
                (Step::Index(index), Node::Array(class, part)) => {
                    let needed = if *class == self.block.class { Term::Moved } else { Term::Fixed };
                    let given = self.expr(index)?;
                    self.alike(needed, given, index.span)?;
                    *part
                }
                (Step::Slot(_), Node::Multiset(part)) => *part,
                _ => return no(place.span, Reason::Mixed),
            };
        }
        Ok(node)
    }

    /// An expression whose value must be the same in the image.
    fn fixed(&mut self, expr: &'p Expr, reason: Reason) -> Proved {
        let is_allowed = (reason == Reason::Ordered && self.wrong.compares_order())
            || (reason == Reason::Computed && self.wrong.computes());
        match self.expr(expr)? {
            Term::Moved if !is_allowed => no(expr.span, reason),
            Term::Whole(_) => no(expr.span, Reason::Mixed),
            _ => Ok(()),
        }
    }

    fn condition(&mut self, expr: &'p Expr) -> Proved {
        self.fixed(expr, Reason::Mixed)
    }

    fn conditions(&mut self, list: &'p [Expr]) -> Proved {
        list.iter().try_for_each(|operand| self.condition(operand))
    }

    fn expr(&mut self, expr: &'p Expr) -> Proved<Term> {
        limits::work(1);
        if let Some(turn) = ring::of_expr(self.program, expr).filter(|_| self.block.is_ring)
            && self.expr(turn.name)? == Term::Moved
            && self.commutes(&turn)
        {
            return Ok(Term::Moved);
        }
        match &expr.kind {
            ExprKind::Value(value) => {
                // What rotates is in the ring, whatever is compared or chosen, so that no other value is a name.
                let is_named = self.block.is_ring || self.block.values.binary_search(value).is_ok();
                let is_named = is_named && !self.wrong.names_values() && expr.of != Types::BOOLEAN;
                return Ok(if is_named { Term::Fixed } else { Term::Either });
            }
            ExprKind::Undefined => return Ok(Term::Nothing),
            ExprKind::Read(place) => return self.place(place).map(|node| self.term(node)),
            ExprKind::Call(id, arguments) => {
                self.call(id.index(), arguments)?;
                let result = self.roles.results[id.index()];
                return result.map_or_else(|| no(expr.span, Reason::Mixed), |node| Ok(self.term(node)));
            }
            ExprKind::Conditional(condition, then, otherwise) => {
                self.condition(condition)?;
                let (then, otherwise) = (self.expr(then)?, self.expr(otherwise)?);
                return self.alike(then, otherwise, expr.span);
            }
            ExprKind::Unary(UnaryOp::Not, inner) => self.condition(inner)?,
            ExprKind::Unary(_, inner) => self.fixed(inner, Reason::Computed)?,
            ExprKind::Binary(BinaryOp::Equal | BinaryOp::NotEqual, left, right) => {
                let (one, other) = (self.expr(left)?, self.expr(right)?);
                self.alike(one, other, expr.span)?;
            }
            ExprKind::Binary(op, left, right) => {
                use BinaryOp::{Greater, GreaterEqual, Less, LessEqual};
                let is_order = matches!(op, Less | LessEqual | Greater | GreaterEqual);
                let reason = if is_order { Reason::Ordered } else { Reason::Computed };
                self.fixed(left, reason)?;
                self.fixed(right, reason)?;
            }
            ExprKind::And(list) | ExprKind::Or(list) => self.conditions(list)?,
            ExprKind::Implies(left, right) => {
                self.condition(left)?;
                self.condition(right)?;
            }
            ExprKind::Quantified(_, binder, body) => {
                self.binder(binder, expr.span)?;
                self.condition(body)?;
                let rounds = self.order.quantifier(self.current(), binder, body);
                self.rounds(binder, rounds);
            }
            ExprKind::IsUndefined(place) => drop(self.place(place)?),
            ExprKind::IsMember(value, of) => {
                if self.expr(value)? == Term::Moved {
                    self.keeps(*of, expr.span)?;
                }
            }
            ExprKind::Count(slots, condition) => {
                self.place(&slots.multiset)?;
                self.condition(condition)?;
            }
        }
        Ok(Term::Fixed)
    }

    /// A function of one name that moves every name of the ring on by one constant moves with it.
    fn commutes(&self, turn: &Turn<'_>) -> bool {
        let size = self.block.values.len();
        let is_wrong = self.wrong.turns_by_first_name() && turn.keeps_first(self.program, size);
        is_wrong || turn.commutes(self.program, size)
    }

    fn current(&self) -> &'p Frame {
        self.frame.expect("a frame is current")
    }

    fn is_moved(&self, binder: &Binder) -> bool {
        self.term(self.locals[binder.local.index()]) == Term::Moved
    }

    fn binder(&mut self, binder: &'p Binder, span: Span) -> Proved {
        match &binder.values {
            BinderValues::Type(of) if self.is_moved(binder) => self.keeps(*of, span),
            BinderValues::Type(_) => Ok(()),
            BinderValues::Steps(_) if self.is_moved(binder) => no(span, Reason::Counted),
            BinderValues::Steps(steps) => {
                let bounds = [&steps.from, &steps.to, &steps.by];
                bounds.into_iter().try_for_each(|bound| self.fixed(bound, Reason::Counted))
            }
        }
    }

    /// Notes that the order of moved values is left to the search.
    fn rounds(&mut self, binder: &'p Binder, rounds: Rounds) {
        if self.is_moved(binder) && rounds == Rounds::Open && !self.wrong.ignores_rounds() {
            self.watched.insert(self.current().local(binder.local).span);
        }
    }

    fn call(&mut self, procedure: usize, arguments: &'p [Argument]) -> Proved {
        debug_assert_eq!(arguments.len(), self.program.procedures[procedure].parameters, "a call has every argument");
        for (number, argument) in arguments.iter().enumerate() {
            let (given, span) = match argument {
                Argument::Value(value) => (self.expr(value)?, value.span),
                Argument::Reference(place) => {
                    let node = self.place(place)?;
                    (self.term(node), place.span)
                }
            };
            let needed = self.term(self.roles.procedures[procedure][number]);
            self.alike(needed, given, span)?;
        }
        Ok(())
    }

    fn header(&mut self, header: &'p [Header]) -> Proved {
        header.iter().try_for_each(|construct| match construct {
            Header::For(binder) => self.binder(binder, self.current().local(binder.local).span),
            Header::Alias(binding) => self.binding(binding),
            Header::Choose(slots) => self.place(&slots.multiset).map(drop),
        })
    }

    fn binding(&mut self, binding: &'p Binding) -> Proved {
        let (given, span) = match &binding.to {
            Bound::Place(place) => {
                let node = self.place(place)?;
                (self.term(node), place.span)
            }
            Bound::Value(value) => (self.expr(value)?, value.span),
        };
        let needed = self.term(self.locals[binding.local.index()]);
        self.alike(needed, given, span).map(drop)
    }
}
