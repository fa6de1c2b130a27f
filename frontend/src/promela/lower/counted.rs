//! The number of channels of a model, before the sizes of all of them are known.

use super::super::syntax::ast::{File, Initial, Type, Variable};
use super::{Lowering, Refused, declare};
use crate::diagnostics::codes;
use crate::sequential::MAX_ELEMENTS;
use crate::source::Span;

impl Lowering<'_> {
    /// The number of channels that declarations make, which is bounded as the elements of a state are.
    pub(super) fn count_channels(&mut self, file: &File) -> Result<i32, Refused> {
        let locals = self.locals.iter().zip(&self.slots).map(|(locals, slots)| {
            let slots = i64::try_from(self.model.domain(slots.sort).size()).unwrap_or(i64::MAX);
            (locals.list.as_slice(), slots)
        });
        let lists = std::iter::once((file.globals.as_slice(), 1)).chain(locals);
        let counts: Vec<(Span, i64)> = lists
            .flat_map(|(list, slots)| list.iter().map(move |variable| (variable, slots)))
            .map(|(variable, slots)| (variable.name.span, self.channels_in(variable, 0).saturating_mul(slots)))
            .collect();
        let most = i64::try_from(MAX_ELEMENTS).expect("a small bound");
        let mut all = 0i64;
        for (span, count) in counts {
            all = all.saturating_add(count);
            if all > most {
                let message = format!("the variables up to this one have more than {MAX_ELEMENTS} channels");
                return self.refuse(codes::PROMELA_SIZE, span, &message);
            }
        }
        Ok(i32::try_from(all).expect("a small bound"))
    }

    /// The number of channels that the declaration of a variable, or of the fields of its record, makes.
    fn channels_in(&self, variable: &Variable, depth: usize) -> i64 {
        let size = variable.size.as_ref().and_then(|size| self.constant(size)).unwrap_or(1).clamp(1, declare::MAX_SIZE);
        let own = match &variable.of {
            // Deeper records are refused where they are declared.
            Type::Record(name) if depth < declare::MAX_RECORDS => {
                let fields = self.records.get(name).into_iter().flatten();
                fields.map(|field| self.channels_in(field, depth + 1)).fold(0, i64::saturating_add)
            }
            _ => i64::from(matches!(variable.initial, Some(Initial::Channel(_)))),
        };
        own.saturating_mul(size)
    }
}
