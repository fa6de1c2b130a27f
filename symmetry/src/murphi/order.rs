//! Whether the order shows in which a loop or quantifier takes the values of a class.
//!
//! Rounds of a loop commute where none reads or writes what another one writes: every variable that is written is only
//! accessed at the loop's own value, at the same index. Additions to a multiset commute with each other, since its slots are
//! sorted after the step, and so do changes of one kind that collect something (`collect`): counts, sums, flags. A loop that asserts, assumes or covers something, or ends early, is left open; faults of any kind
//! but these are errors, whichever comes first.
//!
//! A quantifier stops at the first value that decides. Its order does not show where no round can fault, and where the
//! rounds of a step are so few that their bound is not met.
//!
//! # Soundness
//!
//! Places without a proof are open: each search watches them while it evaluates.

use frontend::murphi::program::{
    Binder, BinderValues, Binding, Child, Expr, Frame, Header, Owner, Part, Place, Program, Stmt, StmtKind,
};
use frontend::source::Span;

use super::access::{Access, Accesses, Bounds, Mode, Root, Scope, Summary};
use super::collect::Wrong;
use super::faults::Faults;
use super::slots;

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
    faults: Faults<'p>,
    wrong: Wrong,
}

impl<'p> Order<'p> {
    /// Of a program.
    pub fn new(program: &'p Program) -> Order<'p> {
        Order::with(program, Wrong::default())
    }

    /// As [`Order::new`], with known faults.
    pub(super) fn with(program: &'p Program, wrong: Wrong) -> Order<'p> {
        let faults = Faults::new(program, wrong);
        let mut summaries: Vec<Summary> = Vec::new();
        for procedure in &program.procedures {
            let aliases = aliases(&procedure.frame, &[], &procedure.body);
            let scope = Scope { frame: &procedure.frame, aliases: &aliases };
            let mut accesses = Accesses::new(program, &summaries, (&faults, wrong), scope, None);
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
        Order { program, summaries, is_bounded, slots_that_show: slots::that_show(program), faults, wrong }
    }

    /// Whether the rounds of a loop commute.
    pub(super) fn loops(&self, scope: Scope<'p, '_>, binder: &Binder, body: &'p [Stmt]) -> Rounds {
        let rules = (&self.faults, self.wrong);
        let mut accesses = Accesses::new(self.program, &self.summaries, rules, scope, Some(binder.local));
        accesses.body(body);
        if accesses.stops || accesses.claims {
            return Rounds::Open;
        }
        let list: Vec<Access> = accesses.found.into_iter().collect();
        let mut changes = list.iter().filter(|access| access.mode != Mode::Read);
        let commute = |one: &Access, other: &Access| {
            let is_apart = one.root != other.root && one.root != Root::Unknown && other.root != Root::Unknown;
            let is_own = one.root == other.root && one.own.is_some() && one.own == other.own;
            let collects = |access: &Access| matches!(access.mode, Mode::Add | Mode::Collect(_));
            let is_alike = one.mode == other.mode || self.wrong.mixes_kinds() && collects(other);
            let both_collect = collects(one) && is_alike;
            is_apart || is_own || both_collect || self.wrong.is_read() && collects(one) && other.mode == Mode::Read
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
        if is_typed && self.is_bounded && self.faults.never(frame, body) { Rounds::Free } else { Rounds::Open }
    }

    /// Whether no evaluation of an expression faults, for the number of its rounds neither.
    pub(super) fn cannot_fault(&self, frame: &Frame, expr: &Expr) -> bool {
        self.is_bounded && self.faults.never(frame, expr)
    }
}

/// The places of the aliases of a frame.
pub(super) fn aliases<'p>(frame: &Frame, header: &'p [Header], body: &'p [Stmt]) -> Vec<Option<&'p Place>> {
    let mut list = vec![None; frame.locals.len()];
    let mut note = |binding: &'p Binding| list[binding.local.index()] = binding.place();
    for construct in header {
        if let Header::Alias(binding) = construct {
            note(binding);
        }
    }
    Child::Body(body).visit(&mut |part| {
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
    let mut evaluated = program.texts().filter(|text| !matches!(text.owner, Owner::Procedure(_)));
    evaluated.all(|text| {
        let condition = text.condition.map_or(Some(0), |condition| bounds.expr(condition));
        header(text.header) && Bounds::is_small(condition) && Bounds::is_small(bounds.body(text.body))
    })
}
