//! Channels that are chosen by a variable that the same statement receives into.
//!
//! SPIN looks the channel up again for each field, behind the assignments of the fields before it, and takes the message away with the last one, before
//! that is assigned. A field of a buffered channel that is known by its name is read so here, too; every other statement whose channel may be another one
//! on the way is refused.
//!
//! Source: SPIN 6.5.2, `qrecv` in `pan.m`.

use super::super::syntax::Child;
use super::super::syntax::ast::{Argument, Expr, Place};
use super::targets::Target;
use super::{Context, Lowering, Refused};
use crate::diagnostics::codes;

impl Lowering<'_> {
    /// Refuses a receive statement that changes which channel it is about; records among its arguments are taken apart.
    pub(super) fn refuse_other_channel(
        &mut self,
        channel: &Place,
        (arguments, keeps): (&[Argument], bool),
        list: &[Target],
        context: &Context,
    ) -> Result<(), Refused> {
        let chooses =
            |argument: &Argument| matches!(argument, Argument::Place(place) if self.is_chosen_by(channel, place));
        let Some((last, before)) = arguments.split_last() else { return Ok(()) };
        let (by_last, by_others) = (chooses(last) && !keeps, before.iter().any(chooses));
        let is_buffered = list.iter().any(|target| self.groups[target.group].capacity > 0);
        let is_fixed = self.leaf(context.process, channel).is_some_and(|leaf| leaf.group.is_some());
        let is_changed = by_last && is_buffered || by_others && !(is_fixed && is_buffered);
        if !is_changed || self.wrong.channels_are_chosen_once() {
            return Ok(());
        }
        let message = "a channel that is chosen by a variable received into is not supported";
        let help = Some("receive into another variable, and assign it then".to_owned());
        self.refuse_with(codes::PROMELA_UNSUPPORTED, channel.span, message, help)
    }

    /// Whether a place denotes another channel where a variable has another value.
    fn is_chosen_by(&self, channel: &Place, variable: &Place) -> bool {
        let is_other = |(left, right): (Option<&Expr>, Option<&Expr>)| {
            let of = |index: Option<&Expr>| index.and_then(|index| self.constant(index));
            of(left).zip(of(right)).is_some_and(|(left, right)| left != right)
        };
        let index = |part: &super::super::syntax::ast::Part| part.index.as_deref().cloned();
        let indices = channel.parts.iter().map(index).zip(variable.parts.iter().map(index));
        let is_itself = name(channel) == name(variable)
            && !{ indices }.any(|(left, right)| is_other((left.as_ref(), right.as_ref())));
        is_itself || channel.indices().any(|index| mentions(index, variable))
    }
}

fn name(place: &Place) -> Vec<&str> {
    place.parts.iter().map(|part| part.name.text.as_str()).collect()
}

/// Whether an expression reads a variable or field of the name of a place.
fn mentions(expr: &Expr, place: &Place) -> bool {
    expr.children().into_iter().any(|child| match child {
        Child::Expr(inner) => mentions(inner, place),
        Child::Place(other) | Child::Target(other) => {
            name(other) == name(place) || other.indices().any(|index| mentions(index, place))
        }
        Child::Body(_) | Child::Labelled(_) => false,
    })
}
