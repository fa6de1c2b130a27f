//! Instances of rules and properties: a value for each ruleset around them and a used slot for each choice.
//!
//! Rulesets are no loops, and the rounds of each alias and choice are counted on their own: no instance depends on those before it.

use super::Stop;
use super::machine::Machine;
use crate::murphi::program::Header;

/// The outcome of one instance.
pub(super) struct Instance<'m, 'a> {
    /// The machine, with the header bound.
    pub(super) machine: &'m mut Machine<'a>,
    /// The values of its rulesets and the slots of its choices, outermost first.
    pub(super) values: &'m [i32],
    /// The reason why an alias or choice of the header has no value; then nothing is bound.
    pub(super) stop: Option<Stop>,
}

impl<'a> Machine<'a> {
    /// Visits the instances of a header in order. Where an alias or choice has no value, one instance stands for all inside it.
    pub(super) fn instances(&mut self, header: &'a [Header], visit: &mut dyn FnMut(Instance<'_, 'a>)) {
        self.inside(header, &mut Vec::new(), visit);
    }

    fn inside(&mut self, header: &'a [Header], values: &mut Vec<i32>, visit: &mut dyn FnMut(Instance<'_, 'a>)) {
        if let Err(stop) = self.construct(header, values, visit) {
            visit(Instance { machine: self, values, stop: Some(stop) });
        }
    }

    fn construct(
        &mut self,
        header: &'a [Header],
        values: &mut Vec<i32>,
        visit: &mut dyn FnMut(Instance<'_, 'a>),
    ) -> Result<(), Stop> {
        let Some((first, rest)) = header.split_first() else {
            visit(Instance { machine: self, values, stop: None });
            return Ok(());
        };
        let mut taken = |machine: &mut Machine<'a>, values: &mut Vec<i32>, value: i32| {
            values.push(value);
            machine.inside(rest, values, visit);
            values.pop();
        };
        match first {
            Header::For(binder) => {
                self.values::<()>(binder, &mut |machine, value| {
                    limits::work(1);
                    machine.bind(binder.local, value);
                    taken(machine, values, value);
                    Ok(None)
                })?;
            }
            Header::Choose(slots) => {
                self.renew();
                for number in self.used(slots)? {
                    self.bind(slots.slot, number);
                    taken(self, values, number);
                }
            }
            Header::Alias(binding) => {
                self.renew();
                self.enter(binding)?;
                self.inside(rest, values, visit);
            }
        }
        Ok(())
    }
}
