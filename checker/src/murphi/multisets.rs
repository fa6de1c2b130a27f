//! Multisets in compiled code: their slots, and their normal form after a step.

use frontend::murphi::interpret::sort_multisets;
use frontend::murphi::program::Program;

use super::code::{Code, Op, UNDEFINED};
use super::machine::{Machine, Stop, number, slot};

impl Machine {
    /// Instructions on slots of multisets.
    pub(super) fn multiset(&mut self, code: &Code, op: &Op, base: usize) -> Result<(), Stop> {
        match *op {
            Op::Slot { to, from, slot: held, size, site } => {
                let first = self.find(base, from) + slot(self.get(base, held)) * size as usize;
                if self.memory[first] == UNDEFINED {
                    return Err(self.fault(code, site, 0));
                }
                self.set(base, to, number(first + 1));
            }
            Op::Used { to, from, size, capacity } => {
                let first = self.find(base, from);
                for at in 0..capacity {
                    let is_used = self.memory[first + (at * size) as usize] != UNDEFINED;
                    self.set(base, to + at, is_used.into());
                }
            }
            Op::Take { to, from, size, capacity, site } => {
                let first = self.find(base, from);
                let mut slots = (0..capacity).map(|at| first + (at * size) as usize);
                let free = slots.find(|&at| self.memory[at] == UNDEFINED);
                let free = free.ok_or_else(|| self.fault(code, site, 0))?;
                self.write(free, 1);
                self.set(base, to, number(free + 1));
            }
            _ => unreachable!("an instruction on slots"),
        }
        Ok(())
    }

    /// The numbers of the used slots of the multiset that begins at a slot.
    pub(super) fn used(&self, first: i64, size: u32, capacity: u32) -> Vec<i32> {
        let is_used = |&(_, at): &(i32, u32)| self.memory[slot(first) + (at * size) as usize] != UNDEFINED;
        (0..).zip(0..capacity).filter(is_used).map(|(number, _)| number).collect()
    }

    /// Sorts every multiset of the state, those inside of others first: used slots first, in the order of their elements.
    pub(super) fn sort(&mut self, program: &Program) {
        let cells = program.cells();
        sort_multisets(program, &mut self.memory[..cells], UNDEFINED);
        debug_assert_eq!(self.origin.len(), cells, "a step begins in a state");
        let changed = (0..cells).filter(|&at| self.memory[at] != self.origin[at]);
        self.written = changed.map(|at| u32::try_from(at).expect("cells are bounded")).collect();
    }
}
