//! Turns: states inside of a step, and the states in which a process may rest.
//!
//! The variable of [`Sequential::hold`] has its least value in every state of the model. A summand that gives it another
//! one begins or continues a step, which goes on with every enabled instance. Where there is none, the variable gets its
//! least value again, and the step is over. A state inside of a step in which an instance faults is a state of the model
//! too, so that a run can end in the fault.
//!
//! Source: the `atomic` sequences of Promela.

use super::{Expr, Property, PropertyKind, Sequential};
use crate::sequential::interpret::State;
use crate::source::Span;

/// The variable of the turn.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Turn {
    /// Its element in a state.
    pub element: usize,
    /// Its value in states of the model.
    pub over: i32,
}

impl Turn {
    /// Whether a state is inside of a step.
    pub fn is_taken(self, state: &[i32]) -> bool {
        state[self.element] != self.over
    }

    /// The state after the end of the turn.
    #[must_use]
    pub fn over(self, state: &[i32]) -> State {
        let mut state = state.to_vec();
        state[self.element] = self.over;
        state
    }
}

impl Sequential {
    /// The variable of the turn, if there is one.
    pub fn turn(&self) -> Option<Turn> {
        let variable = self.variable(self.hold?);
        debug_assert!(variable.indices.is_empty(), "the turn is one element");
        Some(Turn { element: variable.offset, over: self.domain(variable.sort).bounds().0 })
    }

    /// Properties, and with them the conditions on which steps and deadlocks depend: a symmetry keeps them too.
    #[must_use]
    pub fn kept(&self, properties: &[Property]) -> Vec<Property> {
        let mut all = properties.to_vec();
        let named = |name: &str, condition: Expr| Property {
            name: name.to_owned(),
            kind: PropertyKind::Invariant(condition),
            span: Span::NONE,
        };
        all.extend(self.ends.clone().map(|ends| named("ends", ends)));
        if let Some(hold) = self.hold {
            use crate::sequential::from_actors::build::{equal, int, read};
            let over = self.turn().map_or(0, |turn| turn.over);
            all.push(named("turn", equal(read(hold, Vec::new()), int(over))));
        }
        all
    }
}
