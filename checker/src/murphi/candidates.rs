//! The instances that a state may enable: those whose guards begin with a test that holds, and those without such a test.
//!
//! Instances are grouped by the slot that they test, and a group has a list for each content of the slot, so that a state costs a look-up
//! for each group and a mark for each candidate.
//!
//! Soundness: an instance whose test is false is not enabled and does not fault, whatever the rest of its guard; where the slot is
//! undefined, all instances that test it are candidates.

use explore::memory::bytes_of;
use explore::states::Field;

use super::code::Code;
use super::packing::Packing;

/// The most contents of a slot for which there are lists.
const MOST_CONTENTS: usize = 1 << 10;

/// The lists of a model.
#[derive(Clone, Debug, Default)]
pub(super) struct Candidates {
    groups: Vec<Group>,
    /// One bit per instance: those that are always candidates.
    always: Vec<u64>,
}

/// The instances that test a slot.
#[derive(Clone, Debug)]
struct Group {
    field: Field,
    /// For each content of the field.
    lists: Vec<Box<[u32]>>,
}

impl Candidates {
    /// The candidates among the instances of a model.
    pub(super) fn new(code: &Code, packing: &Packing) -> Candidates {
        let mut candidates = Candidates { groups: Vec::new(), always: vec![0; code.instances.len().div_ceil(64)] };
        let mut slots: Vec<usize> = Vec::new();
        for (instance, own) in (0u32..).zip(&code.instances) {
            let test = own.test.as_ref().filter(|test| packing.contents(test.slot as usize) <= MOST_CONTENTS);
            let Some(test) = test else {
                candidates.always[(instance / 64) as usize] |= 1 << (instance % 64);
                continue;
            };
            let (slot, value) = (test.slot as usize, i64::from(test.value));
            let group = slots.iter().position(|&known| known == slot).unwrap_or_else(|| {
                slots.push(slot);
                let lists = vec![Box::default(); packing.contents(slot)];
                candidates.groups.push(Group { field: packing.layout.place(slot), lists });
                slots.len() - 1
            });
            for (content, list) in candidates.groups[group].lists.iter_mut().enumerate() {
                if content == 0 || (packing.value_of(slot, content) == value) != test.is_negated {
                    let mut longer = std::mem::take(list).into_vec();
                    longer.push(instance);
                    *list = longer.into();
                }
            }
        }
        candidates
    }

    /// Marks the candidates of a packed state, one bit per instance.
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "a content of a slot with few of them")]
    pub(super) fn mark(&self, words: &[u64], marks: &mut Vec<u64>) {
        marks.clone_from(&self.always);
        for Group { field, lists } in &self.groups {
            let content = words[field.word as usize] >> field.shift & field.mask;
            for &instance in &lists[content as usize] {
                marks[(instance / 64) as usize] |= 1 << (instance % 64);
            }
        }
    }

    /// Bytes allocated.
    pub(super) fn bytes(&self) -> u64 {
        let of_group = |group: &Group| {
            bytes_of::<Box<[u32]>>(group.lists.len())
                + bytes_of::<u32>(group.lists.iter().map(|list| list.len()).sum::<usize>())
        };
        bytes_of::<u64>(self.always.len()) + self.groups.iter().map(of_group).sum::<u64>()
    }
}

/// The first mark at an instance or behind it, before an end.
#[inline]
pub(super) fn next(marks: &[u64], from: usize, end: usize) -> Option<usize> {
    let mut word = from / 64;
    let mut left = *marks.get(word)? & u64::MAX << (from % 64);
    while left == 0 {
        word += 1;
        left = *marks.get(word)?;
    }
    let found = word * 64 + left.trailing_zeros() as usize;
    (found < end).then_some(found)
}

#[cfg(test)]
mod tests {
    use super::next;

    #[test]
    fn marks_are_visited_in_order() {
        let marks = [1 << 63 | 1, 0, 0b1010];
        let from = |start: usize, end: usize| {
            let mut found = Vec::new();
            let mut at = start;
            while let Some(one) = next(&marks, at, end) {
                found.push(one);
                at = one + 1;
            }
            found
        };
        assert_eq!(from(0, 192), [0, 63, 129, 131]);
        assert_eq!(from(1, 131), [63, 129]);
        assert_eq!(from(132, 192), [0; 0]);
    }
}
