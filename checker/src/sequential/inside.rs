//! Conditions that are noted in the states inside of steps.

use frontend::sequential::{Expr, Sequential};

use super::code::Code;
use super::watched::compiled;

/// A condition that is noted inside of steps.
#[derive(Clone, Debug)]
pub(super) struct Inside<'m> {
    /// The condition.
    pub(super) condition: Expr,
    code: Code<'m>,
    registers: usize,
}

impl<'m> Inside<'m> {
    pub(super) fn new(model: &'m Sequential, condition: &Expr) -> Inside<'m> {
        let (code, registers) = compiled(model, condition);
        Inside { condition: condition.clone(), code, registers }
    }

    /// Whether it holds in a state; not where it has no value.
    pub(super) fn holds(&self, state: &[i32]) -> bool {
        self.code.value(state, &mut vec![0; self.registers]).is_some_and(|value| value != 0)
    }
}
