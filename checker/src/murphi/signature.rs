//! Which elements of a group can give the least image of a state: those that sort the members of each block by signature.
//!
//! The signature of a member is a number made of the slots that belong to it and of those that hold it, and it is refined by
//! the signatures of the other members of these slots. It does not change when members are exchanged, so that the elements
//! which sort by it give the same images for all states of an orbit; the least of these is the representative. Members with
//! one signature are tried in every order, but for twins: members whose exchange leaves the state as it is.
//!
//! Whether a slot belongs to a member, and in which role, is read off the action of the group: a slot belongs to the members
//! all of whose exchanges with others of their block move it, and roles are orbits of pairs of a slot and a member.
//!
//! Soundness: exact. Collisions of signatures cost time only.

use std::ops::Range;

use engine::UnionFind;
use rustc_hash::FxHashMap;

/// The parts that signatures are made of.
#[derive(Debug)]
pub(super) struct Signatures {
    blocks: Vec<Range<usize>>,
    slots: Vec<Slot>,
    roles: Vec<Role>,
    /// The elements, by the place in its block that each member gets.
    elements: FxHashMap<Vec<u8>, u32>,
}

/// A slot that belongs to members or holds some.
#[derive(Debug)]
struct Slot {
    at: usize,
    /// A number of its orbit.
    orbit: u64,
    roles: Range<usize>,
    holds_members: bool,
}

/// A member that a slot belongs to.
#[derive(Debug)]
struct Role {
    member: usize,
    /// A number of the orbit of the slot and the member.
    orbit: u64,
}

/// The role of a member that a slot holds.
const HELD: u64 = 0x51_7c_c1_b7_27_22_0a_95;

/// The role of a member that a slot of its own holds.
const OWN: u64 = 0x2f_98_36_4e_44_01_11_a7;

/// Buffers that are kept between states, to spare allocations.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    colours: Vec<u64>,
    sums: Vec<u64>,
    /// The members of each block in the order of their signatures.
    sorted: Vec<usize>,
    /// Groups of members with one signature, in `sorted`.
    ties: Vec<Range<usize>>,
    key: Vec<u8>,
}

fn mixed(number: u64) -> u64 {
    let number = (number ^ number >> 31).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    number ^ number >> 29
}

/// An element as the action on slots, and on members by the number that each becomes.
pub(super) struct Action {
    pub(super) from: Vec<u32>,
    pub(super) members: Vec<usize>,
}

impl Signatures {
    /// The signatures for a group with all its elements; a slot holds members if `holds` says so.
    pub(super) fn new(blocks: Vec<Range<usize>>, actions: &[Action], holds: &[bool]) -> Signatures {
        let (slots, count) = (holds.len(), blocks.last().map_or(0, |block| block.end));
        let place = |member: usize| {
            let block = blocks.iter().find(|block| block.contains(&member)).expect("a member of a block");
            u8::try_from(member - block.start).expect("blocks are small")
        };
        let key = |action: &Action| action.members.iter().map(|&member| place(member)).collect::<Vec<u8>>();
        let elements = (0u32..).zip(actions).map(|(number, action)| (key(action), number)).collect();
        let is_exchange = |action: &&Action| {
            action.members.iter().enumerate().filter(|&(member, &image)| member != image).count() == 2
        };
        let exchanges: Vec<&Action> = actions.iter().filter(is_exchange).collect();
        let belongs = |at: usize, member: usize| {
            let mut own = exchanges.iter().filter(|exchange| exchange.members[member] != member).peekable();
            own.peek().is_some() && own.all(|exchange| exchange.from[at] as usize != at)
        };
        let (mut orbits, mut pairs) = (UnionFind::new(slots), UnionFind::new(slots * count));
        let pair = |at: usize, member: usize| u32::try_from(at * count + member).expect("few slots");
        for exchange in &exchanges {
            for (at, &from) in (0..).zip(&exchange.from) {
                orbits.union(at, from);
                for (member, &image) in exchange.members.iter().enumerate() {
                    pairs.union(pair(from as usize, member), pair(at as usize, image));
                }
            }
        }
        let (orbits, pairs) = (orbits.least_members(), pairs.least_members());
        let (mut list, mut roles) = (Vec::new(), Vec::new());
        for (at, &is_holder) in holds.iter().enumerate() {
            let first = roles.len();
            for member in (0..count).filter(|&member| belongs(at, member)) {
                roles.push(Role { member, orbit: mixed(u64::from(pairs[at * count + member]) + 1) });
            }
            if first < roles.len() || is_holder {
                let orbit = mixed(u64::from(orbits[at]) ^ HELD);
                list.push(Slot { at, orbit, roles: first..roles.len(), holds_members: is_holder });
            }
        }
        Signatures { blocks, slots: list, roles, elements }
    }

    /// Bytes allocated.
    pub(super) fn bytes(&self) -> u64 {
        let keys = self.elements.len() * (size_of::<Vec<u8>>() + 32);
        (self.slots.len() * size_of::<Slot>() + self.roles.len() * size_of::<Role>() + keys) as u64
    }

    /// The number of the block of a member.
    fn block(&self, member: usize) -> u64 {
        self.blocks.iter().position(|block| block.contains(&member)).map_or(0, |block| block as u64)
    }

    /// The element that exchanges two members.
    fn exchange(&self, one: usize, other: usize, key: &mut Vec<u8>) -> u32 {
        self.identity(key);
        key.swap(one, other);
        self.elements[&*key]
    }

    fn identity(&self, key: &mut Vec<u8>) {
        key.clear();
        key.extend(self.blocks.iter().flat_map(|block| 0..u8::try_from(block.len()).expect("blocks are small")));
    }

    /// Computes the signatures of all members in a state.
    fn colour(&self, state: &[i64], number: impl Fn(usize, i64) -> Option<usize> + Copy, scratch: &mut Scratch) {
        let count = self.blocks.last().map_or(0, |block| block.end);
        scratch.colours.clear();
        scratch.colours.resize(count, 0);
        for round in 0..3 {
            let Scratch { colours, sums, .. } = &mut *scratch;
            sums.clear();
            sums.extend(colours.iter().map(|&colour| mixed(colour)));
            for slot in &self.slots {
                let held = if slot.holds_members { number(slot.at, state[slot.at]) } else { None };
                let roles = &self.roles[slot.roles.clone()];
                if round > 0 && roles.len() + usize::from(held.is_some()) < 2 {
                    continue;
                }
                let content = held.map_or(state[slot.at].cast_unsigned(), |member| HELD ^ self.block(member));
                let others = roles.iter().map(|role| mixed(colours[role.member] ^ role.orbit));
                let all = others.fold(held.map_or(0, |member| mixed(colours[member] ^ HELD)), u64::wrapping_add);
                let seen = mixed(slot.orbit ^ mixed(content)).wrapping_add(all);
                for role in roles {
                    let own = if held == Some(role.member) { OWN } else { 0 };
                    let sum = &mut sums[role.member];
                    *sum = sum.wrapping_add(mixed(seen ^ role.orbit ^ own));
                }
                if let Some(member) = held {
                    sums[member] = sums[member].wrapping_add(mixed(seen ^ HELD));
                }
            }
            std::mem::swap(&mut scratch.colours, &mut scratch.sums);
            self.sort(scratch);
            if scratch.ties.is_empty() {
                return;
            }
        }
    }

    /// Sorts the members of each block by their signatures.
    fn sort(&self, scratch: &mut Scratch) {
        let Scratch { colours, sorted, ties, .. } = scratch;
        sorted.clear();
        ties.clear();
        for block in &self.blocks {
            sorted.extend(block.clone());
            let own = &mut sorted[block.clone()];
            own.sort_unstable_by_key(|&member| (colours[member], member));
            let mut first = block.start;
            for at in block.start + 1..=block.end {
                if at == block.end || colours[sorted[at]] != colours[sorted[first]] {
                    if at - first > 1 {
                        ties.push(first..at);
                    }
                    first = at;
                }
            }
        }
    }

    /// Visits the elements that can give the least image of a state. `number` is the number of the member that is a value,
    /// `keeps` tells whether an element leaves the state as it is.
    pub(super) fn candidates(
        &self,
        state: &[i64],
        number: impl Fn(usize, i64) -> Option<usize> + Copy,
        keeps: impl Fn(u32) -> bool,
        scratch: &mut Scratch,
        visit: &mut dyn FnMut(u32),
    ) {
        self.colour(state, number, scratch);
        let Scratch { sorted, ties, key, .. } = scratch;
        if ties.is_empty() {
            return self.visit_sorted(sorted, key, visit);
        }
        // The first twin of each member of a group.
        let mut twins: Vec<usize> = (0..sorted.len()).collect();
        for tie in &*ties {
            for at in tie.clone() {
                let twin = (tie.start..at)
                    .find(|&first| twins[first] == first && keeps(self.exchange(sorted[first], sorted[at], key)));
                twins[at] = twin.unwrap_or(at);
            }
        }
        let groups: Vec<Range<usize>> = ties.clone();
        self.arrange(&groups, &mut Arranging { twins: &twins, order: sorted.clone(), key, visit });
    }

    /// Visits the element that puts members in an order.
    fn visit_sorted(&self, order: &[usize], key: &mut Vec<u8>, visit: &mut dyn FnMut(u32)) {
        key.clear();
        key.resize(order.len(), 0);
        for block in &self.blocks {
            for (place, at) in (0u8..).zip(block.clone()) {
                key[order[at]] = place;
            }
        }
        visit(self.elements[&*key]);
    }

    /// Visits the orders of the first group and of all others, twins in one order only.
    fn arrange(&self, groups: &[Range<usize>], to: &mut Arranging<'_>) {
        let Some((group, rest)) = groups.split_first() else { return self.visit_sorted(&to.order, to.key, to.visit) };
        let members = to.order[group.clone()].to_vec();
        let classes = to.twins[group.clone()].iter().map(|twin| twin - group.start).collect();
        let taken = vec![false; members.len()];
        self.fill(group.start, &mut Filling { members, classes, taken, rest }, to);
    }

    /// Puts the members of a group that are not taken to the places from one on.
    fn fill(&self, place: usize, group: &mut Filling<'_>, to: &mut Arranging<'_>) {
        let mut is_full = true;
        for at in 0..group.members.len() {
            let Filling { members, classes, taken, .. } = group;
            // A twin follows those of its class that come before it.
            let is_next = !taken[at] && !(0..at).any(|before| classes[before] == classes[at] && !taken[before]);
            is_full &= taken[at];
            if is_next {
                taken[at] = true;
                to.order[place] = members[at];
                self.fill(place + 1, group, to);
                group.taken[at] = false;
            }
        }
        if is_full {
            self.arrange(group.rest, to);
        }
    }
}

/// An order that is built, and the visitor of the elements of complete ones.
struct Arranging<'a> {
    /// The first twin of each place.
    twins: &'a [usize],
    order: Vec<usize>,
    key: &'a mut Vec<u8>,
    visit: &'a mut dyn FnMut(u32),
}

/// A group whose members are put to their places.
struct Filling<'a> {
    members: Vec<usize>,
    /// The first twin of each member.
    classes: Vec<usize>,
    taken: Vec<bool>,
    /// The groups behind it.
    rest: &'a [Range<usize>],
}
