//! The number of channels of a model, before the sizes of all of them are known.

use super::super::syntax::ast::{File, Initial, Type, Variable};
use super::{Lowering, declare};

impl Lowering<'_> {
    /// The number of channels that declarations make.
    pub(super) fn count_channels(&self, file: &File) -> i32 {
        let all =
            |list: &[Variable]| list.iter().map(|variable| self.channels_in(variable, 0)).fold(0, i64::saturating_add);
        let mut count = all(&file.globals);
        for (number, locals) in self.locals.iter().enumerate() {
            let slots = self.model.domain(self.slots[number].sort).size();
            let slots = i64::try_from(slots).unwrap_or(i64::MAX);
            count = count.saturating_add(all(&locals.list).saturating_mul(slots));
        }
        i32::try_from(count).unwrap_or(i32::MAX)
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
