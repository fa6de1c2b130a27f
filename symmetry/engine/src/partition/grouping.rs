//! Puts vertices with equal counts next to each other, by ascending count: a counting sort for long slices whose counts are close together.

use crate::graph::index;

/// The shortest slice for a counting sort.
const LONG: usize = 24;

/// Scratch space.
#[derive(Debug, Default)]
pub(super) struct Grouping {
    /// By count above the least one, the place of the next vertex.
    places: Vec<u32>,
    sorted: Vec<u32>,
    /// Where groups begin, but for the first.
    starts: Vec<u32>,
}

impl Grouping {
    /// Sorts `slice` by `counts` of its vertices. Returns `false` when all counts are equal; the slice does not change then.
    pub(super) fn group(&mut self, slice: &mut [u32], counts: &[u32]) -> bool {
        let count = |v: u32| counts[v as usize];
        if let [first, second] = slice {
            if count(*first) > count(*second) {
                std::mem::swap(first, second);
            }
            self.starts.clear();
            self.starts.push(1);
            return count(*first) < count(*second);
        }
        let Some((&first, rest)) = slice.split_first() else { return false };
        let (mut least, mut most) = (count(first), count(first));
        for &v in rest {
            least = least.min(count(v));
            most = most.max(count(v));
        }
        if least == most {
            return false;
        }
        self.starts.clear();
        let span = (most - least) as usize + 1;
        if slice.len() < LONG || span > slice.len() {
            slice.sort_unstable_by_key(|&v| count(v));
            let starts = (1..).zip(slice.windows(2)).filter(|(_, pair)| count(pair[0]) != count(pair[1]));
            self.starts.extend(starts.map(|(start, _)| start));
        } else {
            self.count_and_move(slice, |v| (count(v) - least) as usize, span);
        }
        true
    }

    /// Where the groups of the latest sort begin, but for the first: ascending.
    pub(super) fn starts(&self) -> &[u32] {
        &self.starts
    }

    /// A counting sort by keys below `span`.
    fn count_and_move(&mut self, slice: &mut [u32], key: impl Fn(u32) -> usize, span: usize) {
        self.places.clear();
        self.places.resize(span, 0);
        self.sorted.resize(self.sorted.len().max(slice.len()), 0);
        slice.iter().for_each(|&v| self.places[key(v)] += 1);
        let mut start = 0;
        for place in &mut self.places {
            let length = std::mem::replace(place, start);
            if length > 0 && start > 0 {
                self.starts.push(start);
            }
            start += length;
        }
        debug_assert_eq!(start, index(slice.len()), "every vertex is in a group");
        for &v in slice.iter() {
            let place = &mut self.places[key(v)];
            self.sorted[*place as usize] = v;
            *place += 1;
        }
        slice.copy_from_slice(&self.sorted[..slice.len()]);
    }
}
