//! Whether the order shows in which a loop or quantifier takes the values of a class.
//!
//! Rounds of a loop commute where none reads or writes what another one writes: every variable that is written is only
//! accessed at the loop's own value, at the same index. Additions to a multiset commute with each other, since its slots are
//! sorted after the step. A loop that asserts, assumes or covers something, or ends early, is left open; faults of any kind
//! but these are errors, whichever comes first.
//!
//! A quantifier stops at the first value that decides. Its order does not show where no round can fault, and where the
//! rounds of a step are so few that their bound is not met.
//!
//! # Soundness
//!
//! Places without a proof are open: each search watches them while it evaluates.

use frontend::murphi::program::{
    Base, BinaryOp, Binder, BinderValues, Binding, Bound, Expr, ExprKind, Frame, Header, LocalKind, Place, Program,
    Step, Stmt, StmtKind, TypeId, TypeKind,
};
use frontend::murphi::syntax::ast::UnaryOp;
use frontend::source::Span;

use super::access::{Access, Accesses, Bounds, Mode, Root, Scope, Summary};
use super::defined::Defined;
use super::slots;
use super::visit::{self, Part};

/// Whether the order of rounds is proved not to show.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rounds {
    /// It is.
    Free,
    /// It is left to the search.
    Open,
}

/// The order of evaluation in a program, as far as it is known.
pub struct Order<'p> {
    program: &'p Program,
    summaries: Vec<Summary>,
    /// Whether no step makes so many rounds that it faults.
    is_bounded: bool,
    /// The places at which the slots of a multiset may be told apart.
    pub slots_that_show: Vec<Span>,
    /// The variables that are never undefined.
    defined: Defined,
}

impl<'p> Order<'p> {
    /// Of a program.
    pub fn new(program: &'p Program) -> Order<'p> {
        let mut summaries: Vec<Summary> = Vec::new();
        for procedure in &program.procedures {
            let aliases = aliases(&procedure.frame, &[], &procedure.body);
            let scope = Scope { frame: &procedure.frame, aliases: &aliases };
            let mut accesses = Accesses::new(program, &summaries, scope, None);
            accesses.body(&procedure.body);
            let is_shared = |access: &Access| !matches!(access.root, Root::Local(_));
            let (found, claims) = (accesses.found, accesses.claims);
            // What is behind a `var` parameter is an access of the caller to its argument.
            let is_unknown = |access: &Access| access.root == Root::Unknown && procedure.parameters > 0;
            let found = found.into_iter().filter(|access| is_shared(access) && !is_unknown(access));
            let rounds = Bounds { program, summaries: &summaries }.body(&procedure.body);
            summaries.push(Summary { accesses: found.collect(), claims, rounds });
        }
        let is_bounded = is_bounded(program, &summaries);
        let defined = Defined::new(program);
        Order { program, summaries, is_bounded, slots_that_show: slots::that_show(program), defined }
    }

    /// Whether the rounds of a loop commute.
    pub(super) fn loops(&self, scope: Scope<'p, '_>, binder: &Binder, body: &'p [Stmt]) -> Rounds {
        let mut accesses = Accesses::new(self.program, &self.summaries, scope, Some(binder.local));
        accesses.body(body);
        if accesses.stops || accesses.claims {
            return Rounds::Open;
        }
        let list: Vec<Access> = accesses.found.into_iter().collect();
        let mut changes = list.iter().filter(|access| access.mode != Mode::Read);
        let commute = |one: &Access, other: &Access| {
            let is_apart = one.root != other.root && one.root != Root::Unknown && other.root != Root::Unknown;
            let is_own = one.root == other.root && one.own.is_some() && one.own == other.own;
            let both_add = one.mode == Mode::Add && other.mode == Mode::Add;
            is_apart || is_own || both_add
        };
        limits::work((list.len() * list.len()) as u64);
        if changes.all(|change| list.iter().all(|access| commute(change, access))) {
            Rounds::Free
        } else {
            Rounds::Open
        }
    }

    /// Whether the order of the values of a quantifier does not show.
    pub(super) fn quantifier(&self, frame: &Frame, binder: &Binder, body: &Expr) -> Rounds {
        let is_typed = matches!(binder.values, BinderValues::Type(_));
        if is_typed && self.is_bounded && self.is_faultless(frame, body) { Rounds::Free } else { Rounds::Open }
    }

    /// Whether no evaluation of an expression faults, for the number of its rounds neither.
    pub(super) fn cannot_fault(&self, frame: &Frame, expr: &Expr) -> bool {
        self.is_bounded && self.is_faultless(frame, expr)
    }

    /// Whether no evaluation of an expression faults.
    fn is_faultless(&self, frame: &Frame, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Value(_) => true,
            ExprKind::Read(place) => self.is_found(frame, place) && self.is_defined(frame, place),
            ExprKind::IsUndefined(place) => self.is_found(frame, place),
            ExprKind::Unary(UnaryOp::Not, inner) | ExprKind::IsMember(inner, _) => self.is_faultless(frame, inner),
            ExprKind::Binary(op, left, right) => {
                use BinaryOp::{Equal, Greater, GreaterEqual, Less, LessEqual, NotEqual};
                matches!(op, Equal | NotEqual | Less | LessEqual | Greater | GreaterEqual)
                    && self.program.types.is_simple(left.of)
                    && [left, right].into_iter().all(|operand| self.is_faultless(frame, operand))
            }
            ExprKind::And(list) | ExprKind::Or(list) => list.iter().all(|operand| self.is_faultless(frame, operand)),
            ExprKind::Implies(left, right) => [left, right].into_iter().all(|part| self.is_faultless(frame, part)),
            ExprKind::Conditional(condition, then, otherwise) => {
                [condition, then, otherwise].into_iter().all(|part| self.is_faultless(frame, part))
            }
            ExprKind::Quantified(_, binder, body) => {
                matches!(binder.values, BinderValues::Type(_)) && self.is_faultless(frame, body)
            }
            ExprKind::Unary(..) | ExprKind::Undefined | ExprKind::Call(..) | ExprKind::Count(..) => false,
        }
    }

    /// Whether the way to a place never faults.
    fn is_found(&self, frame: &Frame, place: &Place) -> bool {
        let mut of = match place.base {
            Base::Variable(id) => self.program.variable(id).of,
            Base::Local(id) => frame.local(id).of,
        };
        for step in &place.steps {
            match (step, self.program.types.kind(of)) {
                (Step::Field(field), TypeKind::Record(fields)) => of = fields[*field].of,
                (Step::Index(value), TypeKind::Array { index, element }) => {
                    if !self.is_faultless(frame, value) || !self.is_within(frame, value, *index) {
                        return false;
                    }
                    of = *element;
                }
                _ => return false,
            }
        }
        true
    }

    /// Whether all values of an expression are of a type.
    fn is_within(&self, frame: &Frame, value: &Expr, of: TypeId) -> bool {
        let types = &self.program.types;
        match &value.kind {
            ExprKind::Value(value) => types.position(of, *value).is_some(),
            ExprKind::Read(place) => {
                let own = if place.steps.is_empty()
                    && let Base::Local(local) = place.base
                {
                    frame.local(local).of
                } else {
                    place.of
                };
                own == of
                    || types.values(own).iter().all(|range| {
                        let mut others = types.values(of).into_iter();
                        others.any(|other| other.contains(range.start()) && other.contains(range.end()))
                    })
            }
            _ => false,
        }
    }

    /// Whether a simple value is never undefined where it is read.
    fn is_defined(&self, frame: &Frame, place: &Place) -> bool {
        match place.base {
            Base::Variable(_) => self.defined.is_always(self.program, place),
            // Binders; other values may be undefined.
            Base::Local(local) => {
                let local = frame.local(local);
                place.steps.is_empty() && local.kind == LocalKind::Value && self.defined.is_binder(local.span)
            }
        }
    }
}

/// The places of the aliases of a frame.
pub(super) fn aliases<'p>(frame: &Frame, header: &'p [Header], body: &'p [Stmt]) -> Vec<Option<&'p Place>> {
    let mut list = vec![None; frame.locals.len()];
    let mut note = |binding: &'p Binding| {
        if let Bound::Place(place) = &binding.to {
            list[binding.local.index()] = Some(place);
        }
    };
    for construct in header {
        if let Header::Alias(binding) = construct {
            note(binding);
        }
    }
    visit::body(body, &mut |part| {
        if let Part::Stmt(stmt) = part
            && let StmtKind::Alias(bindings, _) = &stmt.kind
        {
            bindings.iter().for_each(&mut note);
        }
    });
    list
}

/// Whether each step and each property makes so few rounds that none faults for their number.
fn is_bounded(program: &Program, summaries: &[Summary]) -> bool {
    let bounds = Bounds { program, summaries };
    let header = |header: &[Header]| {
        let rounds = header.iter().map(|construct| match construct {
            Header::For(binder) => bounds.binder(binder).map(|rounds| rounds.max(1)),
            Header::Alias(binding) => bounds.child(binding.child()).filter(|&rounds| rounds == 0).map(|_| 1),
            Header::Choose(_) => Some(1),
        });
        Bounds::is_small(rounds.into_iter().try_fold(1u64, |product, rounds| product.checked_mul(rounds?)))
    };
    let rules = program.starts.iter().chain(&program.rules).all(|rule| {
        let guard = rule.guard.as_ref().map_or(Some(0), |guard| bounds.expr(guard));
        header(&rule.header) && Bounds::is_small(guard) && Bounds::is_small(bounds.body(&rule.body))
    });
    let mut properties = program.properties.iter();
    rules && properties.all(|one| header(&one.header) && Bounds::is_small(bounds.expr(&one.condition)))
}
