//! Conditions on one cell: the conjuncts at the beginning of guards, and what properties see of a cell.
//!
//! Soundness: a guard stops at its first conjunct that is false. While one of its leading conjuncts is false and none of those before it
//! faults, the guard is false and does not fault. A property sees of a cell the truths, or faults, of the comparisons with constants
//! in which it reads it; of cells that it reads in other ways it sees the value.

use frontend::murphi::program::{BinaryOp, Binder, BinderValues, Expr, ExprKind, Place, Property};
use frontend::murphi::syntax::ast::UnaryOp;

use super::super::code::UNDEFINED;
use super::super::packing::Packing;
use super::footprint::{Area, Walk};
use crate::stubborn::{MOST_VALUES, Seen};

/// The truth of a condition on one cell by the contents of the cell.
#[derive(Clone, Copy, Debug)]
pub(super) struct Test {
    pub(super) cell: usize,
    /// Where it is true.
    pub(super) truths: u64,
    /// Where it faults.
    pub(super) faults: u64,
}

/// The conjuncts of a guard, in order.
pub(super) fn conjuncts(guard: &Expr) -> Vec<&Expr> {
    match &guard.kind {
        ExprKind::And(list) => list.iter().flat_map(conjuncts).collect(),
        _ => vec![guard],
    }
}

/// A conjunct as a test of one cell of few values, if it is one.
pub(super) fn test<'p>(walk: &mut Walk<'p>, packing: &Packing, conjunct: &'p Expr) -> Option<Test> {
    let mut found = None;
    if !is_test(walk, conjunct, &mut found) {
        return None;
    }
    let cell = found?;
    let contents = packing.contents(cell);
    if contents > MOST_VALUES {
        return None;
    }
    let mut test = Test { cell, truths: 0, faults: 0 };
    for content in 0..contents {
        match truth(walk, conjunct, packing.value_of(cell, content)) {
            Ok(0) => {}
            Ok(_) => test.truths |= 1 << content,
            Err(Undefined) => test.faults |= 1 << content,
        }
    }
    Some(test)
}

/// An undefined value is read.
struct Undefined;

fn compared(op: BinaryOp, left: i64, right: i64) -> bool {
    match op {
        BinaryOp::Equal => left == right,
        BinaryOp::NotEqual => left != right,
        BinaryOp::Less => left < right,
        BinaryOp::LessEqual => left <= right,
        BinaryOp::Greater => left > right,
        BinaryOp::GreaterEqual => left >= right,
        _ => unreachable!("a comparison"),
    }
}

/// Whether an expression consists of known values and reads of one cell whose place is always found.
fn is_test<'p>(walk: &mut Walk<'p>, expr: &'p Expr, found: &mut Option<usize>) -> bool {
    if walk.value(expr).is_some() {
        return true;
    }
    let own = |walk: &mut Walk<'p>, place: &'p Place, found: &mut Option<usize>| {
        let Some(cell) = walk.area(place).as_ref().and_then(Area::only) else { return false };
        *found.get_or_insert(cell) == cell
    };
    match &expr.kind {
        ExprKind::Read(place) | ExprKind::IsUndefined(place) => walk.is_simple(place.of) && own(walk, place, found),
        ExprKind::Unary(UnaryOp::Not, inner) => is_test(walk, inner, found),
        ExprKind::Binary(op, left, right) => {
            op.is_comparison() && walk.is_simple(left.of) && is_test(walk, left, found) && is_test(walk, right, found)
        }
        ExprKind::And(list) | ExprKind::Or(list) => list.iter().all(|part| is_test(walk, part, found)),
        ExprKind::Implies(left, right) => is_test(walk, left, found) && is_test(walk, right, found),
        _ => false,
    }
}

/// The value of a test where its cell has one.
fn truth(walk: &Walk<'_>, expr: &Expr, value: i64) -> Result<i64, Undefined> {
    if let Some(known) = walk.value(expr) {
        return Ok(known.into());
    }
    match &expr.kind {
        ExprKind::Read(_) if value == UNDEFINED => Err(Undefined),
        ExprKind::Read(_) => Ok(value),
        ExprKind::IsUndefined(_) => Ok((value == UNDEFINED).into()),
        ExprKind::Unary(_, inner) => Ok((truth(walk, inner, value)? == 0).into()),
        ExprKind::Binary(op, left, right) => {
            Ok(compared(*op, truth(walk, left, value)?, truth(walk, right, value)?).into())
        }
        ExprKind::And(list) => first(walk, list, value, 0),
        ExprKind::Or(list) => first(walk, list, value, 1),
        ExprKind::Implies(left, right) => {
            if truth(walk, left, value)? == 0 {
                Ok(1)
            } else {
                truth(walk, right, value)
            }
        }
        _ => unreachable!("no part of a test"),
    }
}

/// Whether all parts are true, or any is: up to the first that decides.
fn first(walk: &Walk<'_>, list: &[Expr], value: i64, decides: i64) -> Result<i64, Undefined> {
    for part in list {
        if truth(walk, part, value)? == decides {
            return Ok(decides);
        }
    }
    Ok(1 - decides)
}

/// What properties see of cells.
pub(super) struct Sight<'a> {
    pub(super) packing: &'a Packing,
    pub(super) seen: Vec<Seen>,
}

impl Sight<'_> {
    /// Adds what a property sees.
    pub(super) fn property<'p>(&mut self, walk: &mut Walk<'p>, property: &'p Property) {
        walk.header(&property.header);
        self.expr(walk, &property.condition);
        for &cell in &walk.effects.reads {
            self.seen[cell] = Seen::Value;
        }
    }

    fn expr<'p>(&mut self, walk: &mut Walk<'p>, expr: &'p Expr) {
        match &expr.kind {
            ExprKind::And(list) | ExprKind::Or(list) => list.iter().for_each(|part| self.expr(walk, part)),
            ExprKind::Implies(left, right) => {
                self.expr(walk, left);
                self.expr(walk, right);
            }
            ExprKind::Unary(UnaryOp::Not, inner) => self.expr(walk, inner),
            ExprKind::Quantified(_, binder, body) if is_plain(binder) => {
                walk.set(binder.local, None);
                self.expr(walk, body);
            }
            ExprKind::Binary(op, left, right) if op.is_comparison() => match (&left.kind, &right.kind) {
                (ExprKind::Read(place), ExprKind::Value(value)) if walk.is_simple(place.of) => {
                    self.atom(walk, place, &|own| compared(*op, own, (*value).into()));
                }
                (ExprKind::Value(value), ExprKind::Read(place)) if walk.is_simple(place.of) => {
                    self.atom(walk, place, &|own| compared(*op, (*value).into(), own));
                }
                _ => walk.expr(expr),
            },
            ExprKind::Read(place) if walk.is_simple(place.of) => self.atom(walk, place, &|own| own != 0),
            _ => walk.expr(expr),
        }
    }

    /// Adds that the truth of a condition on a place is seen, and whether it is undefined.
    fn atom<'p>(&mut self, walk: &mut Walk<'p>, place: &'p Place, holds: &dyn Fn(i64) -> bool) {
        let Some(area) = walk.area(place) else { return };
        for &cell in &area.firsts {
            let contents = self.packing.contents(cell);
            if area.is_slots || contents > MOST_VALUES {
                walk.effects.reads.extend(area.all());
                continue;
            }
            let truth = |content: usize| match self.packing.value_of(cell, content) {
                UNDEFINED => 2,
                value => u32::from(holds(value)),
            };
            let before: Vec<u32> = match &self.seen[cell] {
                Seen::Value => continue,
                Seen::Nothing => vec![0; contents],
                Seen::Classes(classes) => classes.to_vec(),
            };
            let pairs: Vec<(u32, u32)> = before.into_iter().zip((0..contents).map(truth)).collect();
            let number = |pair| pairs.iter().position(|known| *known == pair).expect("one of them");
            let classes = pairs.iter().map(|&pair| u32::try_from(number(pair)).expect("few values"));
            self.seen[cell] = Seen::Classes(classes.collect());
        }
    }
}

fn is_plain(binder: &Binder) -> bool {
    matches!(binder.values, BinderValues::Type(_))
}
