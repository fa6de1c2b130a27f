//! Forks of the space of a process: values mean the same in all forks, and the layout never changes.

use super::space::{Expansion, Space};
use crate::tuning::TUNING;
use explore::memory::Halt;
use explore::search::Sharded;
use explore::states::{Layout, Store};

impl Sharded for Space<'_> {
    type Mark = ();
    type Learnt = ();
    type Packing = ();

    fn fork(&self, most_bytes: u64) -> Self {
        let mut fork = self.clone();
        fork.store = Store::new(self.packing.layout.bytes(), u64::MAX, TUNING.search);
        fork.most_bytes = most_bytes;
        fork.executions = self.executions.emptied();
        fork
    }

    fn limit(&mut self, most_bytes: u64) {
        self.most_bytes = most_bytes;
    }

    #[inline]
    fn steps(&mut self, state: &[u64], expansion: &mut Expansion) -> Result<u32, Halt> {
        let count = expansion.steps(self, state)?;
        self.executions.add(expansion.executed.iter().copied());
        Ok(count)
    }

    fn packed(expansion: &Expansion) -> &[u64] {
        &expansion.words
    }

    fn leaves_out(expansion: &Expansion) -> bool {
        expansion.choice.is_reduced
    }

    fn layout(&self) -> &Layout {
        &self.packing.layout
    }

    fn mark(&self) {}

    fn packing(&self) {}
}
