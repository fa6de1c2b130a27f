//! Whether the rounds of a `for` commute, so that the order of its values does not show.
//!
//! They do if the loop contains no `while`, and each variable that it changes is one of these:
//!
//! 1. a local that the round declares itself,
//! 2. an array that the loop reads and changes only at the value of the round, in one and the same dimension,
//! 3. a variable that the loop does not read, and to which all its assignments give the same literal.
//!
//! A constant is a literal where it is used. So for other values of constants rule 3 needs that one assignment gives the number; members of
//! enumerations are the same in all.
//!
//! # Soundness
//!
//! No round reads what another one changes, and what two rounds change gets the same value from both. So a round does in every order
//! what it does as the first one. A fault ends the step: it faults in one order exactly if some round faults, hence in every order.

use frontend::sequential::{Expr, ExprKind, ParameterId, Place, Stmt, StmtKind, VariableId};
use rustc_hash::{FxHashMap, FxHashSet};

/// The uses of one variable in a loop.
#[derive(Default)]
struct Use {
    /// The dimensions in which every use has the value of the round; `None` before the first use.
    own: Option<Vec<bool>>,
    is_read: bool,
    is_written: bool,
    /// The only literal that is assigned.
    literal: Option<i32>,
    has_others: bool,
    /// Whether several assignments give it, as a number.
    is_repeated: bool,
}

struct Round {
    value: ParameterId,
    uses: FxHashMap<VariableId, Use>,
    declared: FxHashSet<VariableId>,
    has_while: bool,
}

/// Whether the rounds of a loop commute.
pub(super) struct Commuting {
    pub(super) here: bool,
    /// Whether they commute whatever the values of constants.
    pub(super) always: bool,
}

/// Whether the rounds of a loop with this variable commute.
pub(super) fn commute(value: ParameterId, body: &[Stmt]) -> Commuting {
    let mut round = Round { value, uses: FxHashMap::default(), declared: FxHashSet::default(), has_while: false };
    round.block(body);
    let mut commuting = Commuting { here: !round.has_while, always: !round.has_while };
    for (variable, found) in round.uses.iter().filter(|(_, found)| found.is_written) {
        let own = found.own.as_ref().is_some_and(|dimensions| dimensions.contains(&true));
        if !own && !round.declared.contains(variable) {
            let is_alike = !found.is_read && !found.has_others && found.literal.is_some();
            commuting.here &= is_alike;
            commuting.always &= is_alike && !found.is_repeated;
        }
    }
    commuting
}

impl Round {
    fn block(&mut self, body: &[Stmt]) {
        for stmt in body {
            match &stmt.kind {
                StmtKind::Assign(place, value) => {
                    self.place(place);
                    self.expr(value);
                    let found = self.uses.entry(place.variable).or_default();
                    found.is_written = true;
                    match &value.kind {
                        ExprKind::Int(literal) if found.literal.is_none_or(|known| known == *literal) => {
                            found.is_repeated |= found.literal.replace(*literal).is_some();
                        }
                        ExprKind::Member(_, member)
                            if found.literal.is_none_or(|known| u32::try_from(known) == Ok(*member)) =>
                        {
                            found.literal = i32::try_from(*member).ok();
                        }
                        _ => found.has_others = true,
                    }
                }
                StmtKind::If(condition, then, otherwise) => {
                    self.expr(condition);
                    self.block(then);
                    self.block(otherwise);
                }
                StmtKind::Var(id, value) => {
                    self.expr(value);
                    self.declared.insert(*id);
                }
                StmtKind::For(_, body) => self.block(body),
                StmtKind::While(condition, body) => {
                    self.expr(condition);
                    self.block(body);
                    self.has_while = true;
                }
                StmtKind::Fail(_) => {}
            }
        }
    }

    /// A use of a place, and the reads of its indices.
    fn place(&mut self, place: &Place) {
        let here: Vec<bool> = place.indices.iter().map(|index| index.kind == ExprKind::Parameter(self.value)).collect();
        let found = self.uses.entry(place.variable).or_default();
        match &mut found.own {
            Some(own) => own.iter_mut().zip(here).for_each(|(own, here)| *own &= here),
            none => *none = Some(here),
        }
        place.indices.iter().for_each(|index| self.expr(index));
    }

    fn expr(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Read(place) => {
                self.place(place);
                self.uses.entry(place.variable).or_default().is_read = true;
            }
            _ => expr.operands().into_iter().for_each(|operand| self.expr(operand)),
        }
    }
}
