//! Whether a program may tell the slots of a multiset apart.
//!
//! A state is sorted after each step, so that an image has its elements in other slots. That is not seen where a slot is
//! only the way to its element: the slot of a `choose`, a count or a removal is used with its own multiset, counts call
//! nothing, a removal looks at no element but its own, and no slot is looked at that may hold another element by then: an
//! added element takes the first free slot, which is the one that a rule emptied if it empties only one. Where a loop adds
//! elements, the first of its rounds fills that slot, so that it is not looked at afterwards. Elements are followed through aliases; a `var`
//! parameter may be any element if some call is given one, and a procedure that is given one and adds in loops looks at it.

use std::collections::BTreeSet;

use frontend::murphi::program::{
    Argument, Base, Child, Expr, ExprKind, Frame, Header, LocalId, Owner, Part, Place, ProcedureId, Program, Slots,
    Step, Stmt, StmtKind, Text, TypeKind,
};
use frontend::source::Span;

/// The effects of a procedure or body on multisets.
#[derive(Clone, Copy, Default)]
struct Changes {
    /// It adds elements.
    adds: bool,
    /// A loop does.
    adds_in_loops: bool,
    /// It empties several slots.
    empties: bool,
    /// It copies a whole multiset over another.
    copies: bool,
}

/// The places at which slots may be told apart.
pub(super) fn that_show(program: &Program) -> Vec<Span> {
    if !program.types.list.iter().any(|of| matches!(of.kind, TypeKind::Multiset { .. })) {
        return Vec::new();
    }
    let mut list = Vec::new();
    let mut changes: Vec<Changes> = Vec::new();
    let passes = passes_elements(program);
    for text in program.texts() {
        let mut bound = Bound::new(program, References::new(&text, passes));
        bound.text(&text);
        list.append(&mut bound.shown);
        let of_body = || of_body(program, &changes, text.body);
        let chooses = text.header.iter().any(|part| matches!(part, Header::Choose(_)));
        match text.owner {
            Owner::Procedure(_) => changes.push(of_body()),
            Owner::Start(_) | Owner::Rule(_) if chooses => {
                let own = of_body();
                let looks = || looks_after_loops(program, &changes, text.body, &bound.references);
                let is_refilled = !bound.removed.is_empty() && looks();
                if own.copies || (own.adds && (own.empties || bound.removed.len() > 1)) || is_refilled {
                    list.push(text.span);
                }
            }
            _ => {}
        }
    }
    list
}

/// Whether a slot is looked at after a loop that adds elements, or in it.
fn looks_after_loops(program: &Program, changes: &[Changes], body: &[Stmt], references: &References<'_>) -> bool {
    let (mut seen, mut after, mut looks) = (false, false, false);
    let is_given = |id: ProcedureId, arguments: &[Argument]| {
        let is_element =
            |argument: &Argument| matches!(argument, Argument::Reference(place) if references.is_behind(place));
        of_procedure(changes, id).adds_in_loops && arguments.iter().any(is_element)
    };
    Child::Body(body).visit(&mut |part| match part {
        Part::Place(place) => looks |= seen && references.is_behind(place),
        Part::Stmt(stmt) => {
            // Within one statement a function may be called before an element is looked at.
            seen |= after || calls_one_that_adds(changes, stmt);
            after = false;
            looks |= seen && matches!(stmt.kind, StmtKind::MultisetRemove(..));
            match &stmt.kind {
                StmtKind::For(..) | StmtKind::While(..) => {
                    seen |= of_body(program, changes, std::slice::from_ref(stmt)).adds_in_loops;
                }
                // What a procedure is given is looked at before, but for elements that it is given by reference.
                StmtKind::Call(id, arguments) => {
                    after = of_procedure(changes, *id).adds_in_loops;
                    looks |= is_given(*id, arguments);
                }
                _ => {}
            }
        }
        Part::Expr(expr) => looks |= matches!(&expr.kind, ExprKind::Call(id, arguments) if is_given(*id, arguments)),
    });
    looks
}

/// Whether an expression of a statement, outside of the statements in it, calls a function that adds elements in a loop.
fn calls_one_that_adds(changes: &[Changes], stmt: &Stmt) -> bool {
    let mut own = stmt.children().into_iter().filter(|child| !matches!(child, Child::Body(_)));
    own.any(|child| child.calls(|id| of_procedure(changes, id).adds_in_loops))
}

/// The effects of a procedure; one that is not known yet, as it calls itself, may have all of them.
fn of_procedure(changes: &[Changes], id: ProcedureId) -> Changes {
    let any = Changes { adds: true, adds_in_loops: true, empties: true, copies: true };
    changes.get(id.index()).copied().unwrap_or(any)
}

/// The places that the references of a frame stand for.
struct References<'p> {
    frame: &'p Frame,
    aliases: Vec<Option<&'p Place>>,
    /// Whether a parameter may stand for an element of a multiset.
    passes: bool,
}

impl<'p> References<'p> {
    fn new(&Text { frame, header, body, .. }: &Text<'p>, passes: bool) -> References<'p> {
        References { frame, aliases: super::order::aliases(frame, header, body), passes }
    }

    /// Whether a place may be a part of the element in a slot, perhaps by another name.
    fn is_behind<'a>(&'a self, mut place: &'a Place) -> bool {
        loop {
            if place.steps.iter().any(|step| matches!(step, Step::Slot(_))) {
                return true;
            }
            let Base::Local(local) = place.base else { return false };
            match self.aliases[local.index()] {
                Some(to) => place = to,
                None => return self.passes && self.frame.local(local).kind.is_reference(),
            }
        }
    }
}

/// Whether some call is given a reference to an element of a multiset.
fn passes_elements(program: &Program) -> bool {
    let mut passes = false;
    let mut look = |references: &References<'_>, part: Part<'_>| {
        let given = part.call().into_iter().flat_map(|(_, arguments)| arguments);
        passes |= given.into_iter().any(|one| matches!(one, Argument::Reference(place) if references.is_behind(place)));
    };
    for text in program.texts() {
        let references = References::new(&text, false);
        text.children().for_each(|child| child.visit(&mut |part| look(&references, part)));
    }
    passes
}

fn of_body(program: &Program, changes: &[Changes], body: &[Stmt]) -> Changes {
    let mut own = Changes::default();
    let mut called = |procedure: ProcedureId| {
        let other = of_procedure(changes, procedure);
        own.adds |= other.adds;
        own.adds_in_loops |= other.adds_in_loops;
        own.empties |= other.empties;
        own.copies |= other.copies;
    };
    let mut made = Changes::default();
    Child::Body(body).visit(&mut |part| match part {
        part if part.called().is_some() => part.called().into_iter().for_each(&mut called),
        Part::Stmt(stmt) => match &stmt.kind {
            StmtKind::MultisetAdd(value, _) => {
                made.adds = true;
                made.copies |= program.types.has_multiset(value.of);
            }
            StmtKind::For(_, inner) | StmtKind::While(_, inner) => {
                made.adds_in_loops |= of_body(program, changes, inner).adds;
            }
            StmtKind::MultisetRemoveWhere(..) => made.empties = true,
            StmtKind::Undefine(place) | StmtKind::Clear(place) => made.empties |= program.types.has_multiset(place.of),
            StmtKind::Assign(place, _) => made.copies |= program.types.has_multiset(place.of),
            _ => {}
        },
        Part::Expr(_) | Part::Place(_) => {}
    });
    Changes {
        adds: own.adds | made.adds,
        adds_in_loops: own.adds_in_loops | made.adds_in_loops,
        empties: own.empties | made.empties,
        copies: own.copies | made.copies,
    }
}

/// The multisets of the slots of one frame.
struct Bound<'p> {
    program: &'p Program,
    references: References<'p>,
    multisets: Vec<Option<&'p Place>>,
    /// The slots that `multisetremove` empties.
    removed: BTreeSet<LocalId>,
    shown: Vec<Span>,
}

impl<'p> Bound<'p> {
    fn new(program: &'p Program, references: References<'p>) -> Bound<'p> {
        let multisets = vec![None; references.frame.locals.len()];
        Bound { program, references, multisets, removed: BTreeSet::new(), shown: Vec::new() }
    }

    fn text(&mut self, text: &Text<'p>) {
        for construct in text.header {
            if let Header::Choose(slots) = construct {
                self.slots(slots);
            }
        }
        text.children().for_each(|child| child.visit(&mut |part| self.part(part)));
    }

    fn slots(&mut self, slots: &'p Slots) {
        self.multisets[slots.slot.index()] = Some(&slots.multiset);
    }

    fn part(&mut self, part: Part<'p>) {
        match part {
            Part::Place(place) => self.place(place),
            Part::Expr(Expr { kind: ExprKind::Count(slots, condition), span, .. }) => {
                self.slots(slots);
                if condition.has_call() {
                    self.shown.push(*span);
                }
            }
            Part::Stmt(stmt) => match &stmt.kind {
                StmtKind::MultisetRemove(slot, multiset) => {
                    self.removed.insert(*slot);
                    if !self.is_of(*slot, multiset.base, &multiset.steps) {
                        self.shown.push(stmt.span);
                    }
                }
                StmtKind::MultisetRemoveWhere(slots, condition) => {
                    self.slots(slots);
                    if !self.sees_only(condition, slots.slot) {
                        self.shown.push(stmt.span);
                    }
                }
                _ => {}
            },
            Part::Expr(_) => {}
        }
    }

    fn place(&mut self, place: &'p Place) {
        for (at, step) in place.steps.iter().enumerate() {
            if let Step::Slot(slot) = step
                && !self.is_of(*slot, place.base, &place.steps[..at])
            {
                self.shown.push(place.span);
            }
        }
    }

    /// Whether a slot is one of the multiset at a place, whatever was done since it was bound.
    fn is_of(&self, slot: LocalId, base: Base, steps: &[Step]) -> bool {
        debug_assert!(self.program.types.list.len() > 1, "a program has types");
        let Some(own) = self.multisets[slot.index()] else { return false };
        own.base == base
            && own.steps.len() == steps.len()
            && own.steps.iter().zip(steps).all(|(one, other)| match (one, other) {
                (Step::Field(one), Step::Field(other)) => one == other,
                (Step::Slot(one), Step::Slot(other)) => one == other,
                (Step::Index(one), Step::Index(other)) => self.is_stable(one, other),
                _ => false,
            })
    }

    /// Whether a condition looks at no element but that in one slot, and calls and counts nothing.
    fn sees_only(&self, condition: &Expr, slot: LocalId) -> bool {
        let mut sees = true;
        let is_own = |step: &Step| matches!(step, Step::Slot(own) if *own == slot);
        Child::Expr(condition).visit(&mut |part| match part {
            Part::Expr(Expr { kind: ExprKind::Call(..) | ExprKind::Count(..), .. }) => sees = false,
            Part::Place(place) => {
                let is_element = place.steps.iter().any(|step| matches!(step, Step::Slot(_)));
                let has_own_slots = place.steps.iter().all(|step| !matches!(step, Step::Slot(_)) || is_own(step));
                sees &= if is_element { has_own_slots } else { !self.references.is_behind(place) };
            }
            _ => {}
        });
        sees
    }

    /// Whether two indices are the same value, which does not change.
    fn is_stable(&self, one: &Expr, other: &Expr) -> bool {
        match (&one.kind, &other.kind) {
            (ExprKind::Value(one), ExprKind::Value(other)) => one == other,
            (ExprKind::Read(one), ExprKind::Read(other)) => {
                let is_value = |local: LocalId| self.references.frame.local(local).kind.is_value();
                one.steps.is_empty()
                    && other.steps.is_empty()
                    && one.base == other.base
                    && matches!(one.base, Base::Local(local) if is_value(local))
            }
            _ => false,
        }
    }
}
