//! Forks of the space of a process: values mean the same in all forks, and the layout never changes.

use super::space::{Expansion, Space};
use crate::tuning::TUNING;
use explore::memory::Halt;
use explore::search::Sharded;
use explore::states::Store;

impl Sharded for Space<'_> {
    type Mark = ();
    type Learnt = ();
    type Packing = ();

    fn fork(&self, most_bytes: u64) -> Self {
        let mut fork = self.clone();
        fork.store = Store::new(self.packing.layout.bytes(), u64::MAX, TUNING.search);
        fork.most_bytes = most_bytes;
        fork
    }

    fn limit(&mut self, most_bytes: u64) {
        self.most_bytes = most_bytes;
    }

    fn part(&mut self) {}

    fn steps(&mut self, state: &[u64], expansion: &mut Expansion) -> Result<u32, Halt> {
        expansion.steps(self, state)
    }

    fn packed(expansion: &Expansion) -> &[u64] {
        &expansion.words
    }

    fn leaves_out(expansion: &Expansion) -> bool {
        expansion.choice.is_reduced
    }

    fn shard_hash(&self, state: &[u64]) -> u64 {
        self.store.hash(state)
    }

    fn fields(&self, state: &[u64]) -> Vec<u32> {
        (0..self.packing.layout.len()).map(|field| self.packing.layout.get(state, field)).collect()
    }

    fn pack(&self, fields: &[u32], to: &mut Vec<u64>) {
        let first = to.len();
        to.resize(first + self.packing.layout.stride(), 0);
        for (field, &value) in fields.iter().enumerate() {
            self.packing.layout.set(&mut to[first..], field, value);
        }
    }

    fn mark(&self) {}

    fn learnt(&self, (): &()) -> Option<()> {
        None
    }

    fn learn(&mut self, (): &()) -> Result<(), Halt> {
        Ok(())
    }

    fn packing(&self) {}

    fn repack<'b>(&self, (): &(), _: impl Iterator<Item = &'b mut Vec<u64>>) {}
}
