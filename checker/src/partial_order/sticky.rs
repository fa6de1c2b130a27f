//! The static cycle proviso: messages that are never singleton ample sets, so that reduced steps cannot continue for
//! ever.
//!
//! A state is expanded by one rebec only if its oldest message is a candidate that is not sticky. Each message served
//! that way was in a queue before, or was sent by another one served before; so an infinite run of such steps would
//! follow an infinite path of candidates along arrows. The sticky messages are a feedback set: without them the
//! arrows between candidates have no cycle, hence such runs end, and every cycle of the reduced graph has a state
//! that is expanded in full. The set depends on the model only, so the ample set is a function of the state, whatever
//! the order of the search.
//!
//! With a group the candidates and the sticky set are unions of its orbits: undoing the elements along a path of the
//! quotient gives a path whose messages are images of candidates that are not sticky, and these are again such.
//!
//! Method: kinds without arrows in or out of them are trimmed until none is left, then one orbit becomes sticky,
//! until no kind is left; at last each sticky orbit that is not needed is freed again. Two orders are tried: least
//! value first, most arrows first.
//!
//! Invariants: the arrows between free candidates are acyclic (asserted); free candidates are a union of orbits.
//!
//! Source: the idea of Kurshan, Levin, Minea, Peled and Yenigun (1998), on messages instead of control locations.

use std::cmp::Reverse;

use bitvec::vec::BitVec;

use super::flow::Flow;

/// The cost of a sticky kind, by its value.
const COST: [u64; 3] = [1, 4, 6];

/// The kinds that may be singleton ample sets: the candidates without a feedback set, the cheaper one of two.
/// `orbits` gives each kind the least kind of its orbit; `loss` (0 to 2) gives the loss of reduction when a kind is
/// sticky.
pub(super) fn free(flow: &Flow, candidates: &BitVec<u64>, orbits: &[u32], loss: &[u32]) -> BitVec<u64> {
    assert_eq!(orbits.len(), candidates.len(), "every kind has its orbit");
    assert_eq!(loss.len(), candidates.len(), "every kind has its loss");
    let members = members(orbits);
    let mut closed = candidates.clone();
    for (at, &orbit) in orbits.iter().enumerate() {
        if !candidates[at] {
            set_all(&mut closed, &members[orbit as usize], false);
        }
    }
    let picks: [Pick; 2] = [
        |loss, degree| (u64::from(loss), Reverse(degree)),
        |loss, degree| (0, Reverse(degree * 16 / COST[loss as usize])),
    ];
    let cost = |free: &BitVec<u64>| -> u64 {
        let sticky = closed.iter_ones().filter(|&at| !free[at]);
        sticky.map(|at| COST[loss[at] as usize]).sum()
    };
    let found = picks.map(|pick| without_cycles(flow, &closed, orbits, &members, |at, degree| pick(loss[at], degree)));
    let free = found.into_iter().min_by_key(cost).expect("two sets");
    assert!(cyclic(flow, &free).not_any(), "the sticky messages are a feedback set");
    assert!(free.iter_ones().all(|at| candidates[at]), "only candidates are singleton ample sets");
    assert!(free.iter_ones().all(|at| free[orbits[at] as usize]), "the free messages are closed under the group");
    free
}

/// The order in which orbits become sticky, by value and degree.
type Pick = fn(u32, u64) -> Rank;
type Rank = (u64, Reverse<u64>);

/// A set of kinds, a union of orbits, without a minimal set of orbits such that no cycle is left.
fn without_cycles(
    flow: &Flow,
    set: &BitVec<u64>,
    orbits: &[u32],
    members: &[Vec<usize>],
    rank: impl Fn(usize, u64) -> Rank,
) -> BitVec<u64> {
    let mut free = set.clone();
    let mut sticky = Vec::new();
    let mut rest = cyclic(flow, &free);
    while let Some(at) = first(flow, &rest, &rank) {
        let orbit = orbits[at] as usize;
        sticky.push(orbit);
        set_all(&mut free, &members[orbit], false);
        set_all(&mut rest, &members[orbit], false);
        rest = cyclic(flow, &rest);
    }
    for &orbit in sticky.iter().rev() {
        set_all(&mut free, &members[orbit], true);
        if cyclic(flow, &free).any() {
            set_all(&mut free, &members[orbit], false);
        }
    }
    free
}

fn members(orbits: &[u32]) -> Vec<Vec<usize>> {
    let mut members = vec![Vec::new(); orbits.len()];
    for (at, &orbit) in orbits.iter().enumerate() {
        members[orbit as usize].push(at);
    }
    members
}

fn set_all(set: &mut BitVec<u64>, members: &[usize], value: bool) {
    members.iter().for_each(|&at| set.set(at, value));
}

/// The rest of a set of kinds when those without arrows into the set, or out of it, are removed repeatedly: empty if
/// and only if the set has no cycle.
fn cyclic(flow: &Flow, set: &BitVec<u64>) -> BitVec<u64> {
    let mut rest = set.clone();
    loop {
        let before = rest.count_ones();
        let mut entered: BitVec<u64> = BitVec::repeat(false, rest.len());
        for at in rest.clone().iter_ones() {
            let mut leaves = false;
            for arrow in flow.sends[at].iter().filter(|arrow| rest[arrow.to as usize]) {
                entered.set(arrow.to as usize, true);
                leaves = true;
            }
            if !leaves {
                rest.set(at, false);
            }
        }
        rest &= entered;
        if rest.count_ones() == before {
            return rest;
        }
    }
}

/// The kind of least rank.
fn first(flow: &Flow, rest: &BitVec<u64>, rank: impl Fn(usize, u64) -> Rank) -> Option<usize> {
    let mut entering = vec![0u64; rest.len()];
    let arrows = rest.iter_ones().flat_map(|at| flow.sends[at].iter());
    arrows.for_each(|arrow| entering[arrow.to as usize] += 1);
    let leaving = |at: usize| flow.sends[at].iter().filter(|arrow| rest[arrow.to as usize]).count() as u64;
    rest.iter_ones().min_by_key(|&at| (rank(at, entering[at] * leaving(at)), at))
}
