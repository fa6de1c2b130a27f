//! Which instances a state may enable, by look-ups in place of evaluation.
//!
//! Conjuncts of guards that read few bits of the packed state are gathered in clusters of elements: `pc[i]` and `j[i]` of one
//! process, say. For each cluster a table gives, for every value of its bits, the set of the instances whose conjuncts
//! over the cluster are all true. A state's candidates are the intersection over the clusters; what is left of a guard is
//! evaluated for candidates only.
//!
//! Invariants: a table has `2^bits` rows of `words` words; instance `i` is bit `i % 64` of word `i / 64`; an instance without a
//! conjunct in a cluster is in every row of it; each gathered conjunct is in one cluster.
//!
//! Soundness: only conjuncts that cannot fault are gathered, so that the order in which they are looked at does not
//! matter; rows for bits that no state has are empty.
//!
//! Complexity: a state costs `clusters * words` look-ups; where that is more than [`MOST_LOOKUPS`], there is no selection.

use super::code::Code;
use crate::states::Layout;

/// The most bits of a cluster.
const MOST_BITS: u32 = 10;

/// The most words that are intersected for a state.
const MOST_LOOKUPS: usize = 256;

/// The least number of instances that are worth a selection.
const LEAST_INSTANCES: usize = 8;

/// The candidates of each state.
#[derive(Clone, Debug)]
pub(super) struct Selection {
    clusters: Vec<Cluster>,
    words: usize,
    instances: usize,
}

/// Elements whose values are looked up together.
#[derive(Clone, Debug)]
struct Cluster {
    /// `(word, shift, mask, place in the key)` of each element.
    fields: Vec<(usize, u32, u64, u32)>,
    table: Vec<u64>,
}

/// How values are packed.
pub(super) struct Packed<'a> {
    /// Where the elements lie.
    pub(super) layout: &'a Layout,
    /// The least value of each element.
    pub(super) lows: &'a [i32],
    /// The greatest value of each element.
    pub(super) highs: &'a [i32],
}

impl Packed<'_> {
    fn bits(&self, elements: &[usize]) -> u32 {
        elements.iter().map(|&element| self.layout.place(element).2.count_ones()).sum()
    }
}

impl Selection {
    /// Gathers conjuncts of the guards, one list an instance, and leaves those that stay to be evaluated. `None`: it would not
    /// pay, and the guards are unchanged.
    pub(super) fn new(guards: &mut [Vec<Code<'_>>], packed: &Packed<'_>) -> Option<Selection> {
        let words = guards.len().div_ceil(64);
        if guards.len() < LEAST_INSTANCES || words > MOST_LOOKUPS {
            return None;
        }
        let elements = clusters(guards, packed);
        if elements.is_empty() || elements.len() * words > MOST_LOOKUPS {
            return None;
        }
        let instances = guards.len();
        let mut owned: Vec<Vec<(usize, Code<'_>)>> = elements.iter().map(|_| Vec::new()).collect();
        for (instance, guard) in guards.iter_mut().enumerate() {
            guard.retain(|conjunct| {
                let read = reads(conjunct);
                let mut at = elements.iter().zip(&mut owned).filter(|(cluster, _)| is_within(&read, cluster));
                at.next().map(|(_, owned)| owned.push((instance, conjunct.clone()))).is_none()
            });
        }
        let made = elements.iter().zip(&owned).map(|(elements, own)| Cluster::new(elements, own, packed, instances));
        let made = made.collect();
        Some(Selection { clusters: made, words, instances })
    }

    /// Calls a function for each candidate of a packed state, in ascending order.
    #[inline]
    pub(super) fn candidates(&self, state: &[u64], mut each: impl FnMut(usize)) {
        for word in 0..self.words {
            let mut set = match self.instances - word * 64 {
                0..64 => (1 << (self.instances % 64)) - 1,
                _ => !0,
            };
            for cluster in &self.clusters {
                set &= cluster.table[cluster.key(state) * self.words + word];
                if set == 0 {
                    break;
                }
            }
            while set != 0 {
                each(word * 64 + set.trailing_zeros() as usize);
                set &= set - 1;
            }
        }
    }

    /// Bytes held.
    pub(super) fn bytes(&self) -> u64 {
        self.clusters.iter().map(|cluster| cluster.table.len() as u64 * 8).sum()
    }
}

impl Cluster {
    fn new(elements: &[usize], own: &[(usize, Code<'_>)], packed: &Packed<'_>, instances: usize) -> Cluster {
        let words = instances.div_ceil(64);
        let mut width = 0;
        let mut fields = Vec::new();
        for &element in elements {
            let (word, shift, mask) = packed.layout.place(element);
            fields.push((word, shift, mask, width));
            width += mask.count_ones();
        }
        let mut table = vec![0; words << width];
        let mut state: Vec<i32> = packed.lows.to_vec();
        for (key, row) in table.chunks_exact_mut(words).enumerate() {
            let key = key as u64;
            let mut is_state = true;
            for (&element, &(.., mask, place)) in elements.iter().zip(&fields) {
                let value = i64::from(packed.lows[element]) + i64::try_from(key >> place & mask).expect("few bits");
                is_state &= value <= i64::from(packed.highs[element]);
                state[element] = i32::try_from(value).unwrap_or(packed.lows[element]);
            }
            if !is_state {
                continue;
            }
            row.fill(!0);
            for (instance, conjunct) in own {
                if conjunct.value(&state, &mut []) == Some(0) {
                    row[instance / 64] &= !(1 << (instance % 64));
                }
            }
        }
        Cluster { fields, table }
    }

    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "a key has MOST_BITS bits")]
    fn key(&self, state: &[u64]) -> usize {
        let part = |&(word, shift, mask, place): &(usize, u32, u64, u32)| (state[word] >> shift & mask) << place;
        self.fields.iter().map(part).fold(0, |key, part| key | part) as usize
    }
}

/// The clusters: elements that conjuncts read, joined where instances test them together and the bits allow.
fn clusters(guards: &[Vec<Code<'_>>], packed: &Packed<'_>) -> Vec<Vec<usize>> {
    let mut clusters: Vec<Vec<usize>> = Vec::new();
    for guard in guards {
        // All that an instance tests together; then, where that is too much, each conjunct alone.
        let mut own: Vec<usize> = Vec::new();
        for read in guard.iter().map(reads).filter(|read| !read.is_empty() && packed.bits(read) <= MOST_BITS) {
            let joined = union(&own, &read);
            if packed.bits(&joined) <= MOST_BITS {
                own = joined;
            }
            join(&mut clusters, &read, packed);
        }
        if !own.is_empty() {
            join(&mut clusters, &own, packed);
        }
    }
    clusters
}

/// Joins the clusters that a set of elements meets, and the set, if the bits allow; else the set becomes one more
/// cluster if it is none yet.
fn join(clusters: &mut Vec<Vec<usize>>, read: &[usize], packed: &Packed<'_>) {
    if clusters.iter().any(|cluster| is_within(read, cluster)) {
        return;
    }
    let meets = |cluster: &&Vec<usize>| cluster.iter().any(|element| read.contains(element));
    let joined = clusters.iter().filter(meets).fold(read.to_vec(), |joined, cluster| union(&joined, cluster));
    if packed.bits(&joined) <= MOST_BITS {
        clusters.retain(|cluster| !is_within(cluster, &joined));
        clusters.push(joined);
    } else {
        clusters.push(read.to_vec());
    }
}

fn union(one: &[usize], other: &[usize]) -> Vec<usize> {
    let mut all = [one, other].concat();
    all.sort_unstable();
    all.dedup();
    all
}

fn is_within(read: &[usize], cluster: &[usize]) -> bool {
    !read.is_empty() && read.iter().all(|element| cluster.contains(element))
}

/// The elements that a code reads, ascending; none where they are not known, or too many to be looked up.
fn reads(code: &Code<'_>) -> Vec<usize> {
    let mut elements = Vec::new();
    if !gather(code, &mut elements) {
        elements.clear();
    }
    elements.sort_unstable();
    elements.dedup();
    elements
}

/// Gathers what a code reads; whether that is known and little.
fn gather(code: &Code<'_>, elements: &mut Vec<usize>) -> bool {
    if elements.len() > 4 * MOST_BITS as usize {
        return false;
    }
    match code {
        Code::Constant(_) => true,
        Code::Element(element) | Code::Test(element, ..) => {
            elements.push(*element);
            true
        }
        Code::Register(_) | Code::Read(_) | Code::Lookup(..) | Code::Each(_) => false,
        Code::Negate(inner) | Code::Not(inner) | Code::PopCount(inner) => gather(inner, elements),
        Code::Binary(_, operands) => operands.iter().all(|operand| gather(operand, elements)),
        Code::All(list) | Code::Any(list) => list.iter().all(|operand| gather(operand, elements)),
        Code::Ite(parts) => parts.iter().all(|part| gather(part, elements)),
    }
}
