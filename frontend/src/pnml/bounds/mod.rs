//! Upper bounds on the tokens of each place, from the structure of a net.
//!
//! A weighting `y` of places that no transition increases bounds each place `p` of weight `y[p] > 0` by `y·M0 / y[p]` in all reachable
//! markings. Such weightings are combined transition by transition: those that it does not increase stay, and each one that it increases is
//! added to each one that it decreases, so that nothing is left. Where some were left out, places that look alike get the bounds of each
//! other (`alike`), and where most places look alike this is done at once. A second computation bounds how often a transition can fire that lives on
//! tokens that do not come back.
//!
//! # Soundness
//!
//! A bound is never too small: only weightings are used for which every transition was compared. Where the combinations become too many
//! the ones over the most places are dropped, and where the work does the rest is not combined: bounds are missing then, not wrong.
//!
//! # Source
//!
//! \[Mar82\], for inequalities: the extreme rays of the cone of these weightings, by double description.

pub(super) mod alike;

use rustc_hash::FxHashMap;

use super::net::Net;

/// The most weightings at a time.
const MAX_ROWS: usize = 2000;
/// The most numbers that are combined.
const MAX_WORK: u64 = 1 << 26;
/// The rounds in which bounds on the firings of transitions are carried on.
const ROUNDS: usize = 64;
/// The most weightings that are checked in debug builds.
const MOST_CHECKED: usize = 8;

/// A weighting, with the sums that transitions change; both without zeros, ascending by place and by transition.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Row {
    weights: Vec<(usize, i64)>,
    sums: Vec<(usize, i64)>,
}

/// `a·left + b·right`; nothing if a number does not fit.
fn combined(left: &[(usize, i64)], a: i64, right: &[(usize, i64)], b: i64) -> Option<Vec<(usize, i64)>> {
    let mut sum = Vec::with_capacity(left.len() + right.len());
    let (mut x, mut y) = (left.iter().peekable(), right.iter().peekable());
    loop {
        let (key, value) = match (x.peek(), y.peek()) {
            (None, None) => return Some(sum),
            (Some(&&(i, v)), Some(&&(j, w))) if i == j => {
                x.next();
                y.next();
                (i, v.checked_mul(a)?.checked_add(w.checked_mul(b)?)?)
            }
            (Some(&&(i, v)), other) if other.is_none_or(|&&(j, _)| i < j) => {
                x.next();
                (i, v.checked_mul(a)?)
            }
            (_, Some(&&(j, w))) => {
                y.next();
                (j, w.checked_mul(b)?)
            }
            (Some(_), None) => unreachable!("the case before takes it"),
        };
        if value != 0 {
            sum.push((key, value));
        }
    }
}

fn divisor(mut a: i64, mut b: i64) -> i64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a.abs()
}

impl Row {
    fn sum(&self, transition: usize) -> i64 {
        self.sums.binary_search_by_key(&transition, |&(key, _)| key).map_or(0, |at| self.sums[at].1)
    }

    /// Whether its weights are positive and no transition raises their sum.
    fn never_rises(&self, net: &Net) -> bool {
        let weight =
            |place| self.weights.binary_search_by_key(&place, |&(key, _)| key).map_or(0, |at| self.weights[at].1);
        let change = |&(place, change): &(usize, i32)| i128::from(weight(place)) * i128::from(change);
        self.weights.iter().all(|&(_, weight)| weight > 0)
            && net.transitions.iter().all(|one| one.changes.iter().map(change).sum::<i128>() <= 0)
    }

    /// The sum of two rows that a transition does not change.
    fn without(&self, other: &Row, transition: usize) -> Option<Row> {
        let (up, down) = (self.sum(transition), -other.sum(transition));
        debug_assert!(up > 0 && down > 0, "one row is raised, and the other is lowered");
        let common = divisor(up, down);
        let (a, b) = (down / common, up / common);
        let mut row = Row {
            weights: combined(&self.weights, a, &other.weights, b)?,
            sums: combined(&self.sums, a, &other.sums, b)?,
        };
        let all = row.weights.iter().chain(&row.sums).map(|&(_, value)| value);
        let common = all.fold(0, divisor).max(1);
        row.weights.iter_mut().chain(&mut row.sums).for_each(|(_, value)| *value /= common);
        debug_assert!(row.sum(transition) == 0, "the effects of the transition cancel");
        debug_assert!(
            row.weights.is_sorted_by(|one, next| one.0 < next.0),
            "keys are ascending, for the search in them"
        );
        debug_assert!(
            row.sums.is_sorted_by(|one, next| one.0 < next.0),
            "transitions are ascending, for the search too"
        );
        Some(row)
    }
}

/// An upper bound for each place; nothing for those for which none is known.
pub(super) fn bounds(net: &Net) -> Vec<Option<i32>> {
    let mut bounds = alike::bounds(net).unwrap_or_else(|| {
        let (mut bounds, is_whole) = by_weightings(net);
        if !is_whole {
            alike::complete(net, &mut bounds, alike::Wrong::default());
        }
        bounds
    });
    assert_eq!(bounds.len(), net.places.len(), "every place has a bound or none");
    by_firings(net, &mut bounds);
    bounds.into_iter().map(|bound| bound.and_then(|bound| i32::try_from(bound).ok())).collect()
}

/// The bounds that weightings show, and whether no weighting was left out.
pub(super) fn by_weightings(net: &Net) -> (Vec<Option<i64>>, bool) {
    let initial = net.initial();
    let mut bounds: Vec<Option<i64>> = vec![None; net.places.len()];
    let (rows, is_whole) = weightings(net);
    for row in rows {
        let value = |&(place, weight): &(usize, i64)| weight.checked_mul(i64::from(initial[place]));
        let Some(total) = row.weights.iter().map(value).try_fold(0i64, |sum, value| sum.checked_add(value?)) else {
            continue;
        };
        debug_assert!(total >= 0, "weights and tokens are not negative");
        for &(place, weight) in &row.weights {
            let own = total / weight;
            bounds[place] = Some(bounds[place].map_or(own, |known| known.min(own)));
        }
    }
    (bounds, is_whole)
}

/// Weightings of places that no transition increases, and whether these are all that others are combined of.
fn weightings(net: &Net) -> (Vec<Row>, bool) {
    // Transitions with the same effect count once.
    let mut columns: FxHashMap<&[(usize, i32)], usize> = FxHashMap::default();
    for transition in net.transitions.iter().filter(|transition| !transition.changes.is_empty()) {
        let next = columns.len();
        columns.entry(&transition.changes).or_insert(next);
    }
    let mut rows: Vec<Row> =
        (0..net.places.len()).map(|place| Row { weights: vec![(place, 1)], sums: Vec::new() }).collect();
    let mut order: Vec<(&[(usize, i32)], usize)> = columns.into_iter().collect();
    order.sort_unstable_by_key(|&(_, column)| column);
    for &(changes, column) in &order {
        for &(place, change) in changes {
            rows[place].sums.push((column, i64::from(change)));
        }
    }
    let mut open: Vec<usize> = (0..order.len()).collect();
    let mut work = 0u64;
    let mut is_whole = true;
    while !open.is_empty() && work < MAX_WORK {
        // The transition for which the fewest combinations are made is next.
        let mut ups = vec![0u64; order.len()];
        let mut downs = vec![0u64; order.len()];
        for row in &rows {
            work += row.sums.len() as u64;
            row.sums.iter().for_each(|&(column, sum)| if sum > 0 { ups[column] += 1 } else { downs[column] += 1 });
        }
        limits::work(rows.len() as u64 + open.len() as u64);
        work += open.len() as u64;
        open.retain(|&column| ups[column] > 0);
        open.sort_by_key(|&column| (std::cmp::Reverse(ups[column] * downs[column]), column));
        // Counts grow old while rows change: a few transitions are taken before they are counted again.
        let batch = (open.len() / 16).max(1);
        for column in open.split_off(open.len().saturating_sub(batch)).into_iter().rev() {
            let (raised, mut kept): (Vec<Row>, Vec<Row>) = rows.into_iter().partition(|row| row.sum(column) > 0);
            let (mut made, all) = combinations(&raised, &kept, column, &mut work);
            is_whole &= all;
            if !made.is_empty() {
                kept.append(&mut made);
                kept.sort_by(|a, b| (a.weights.len(), &a.weights).cmp(&(b.weights.len(), &b.weights)));
                kept.dedup();
                is_whole &= kept.len() <= MAX_ROWS.max(net.places.len());
                kept.truncate(MAX_ROWS.max(net.places.len()));
            }
            work += 8 * kept.len() as u64;
            limits::work(kept.len() as u64);
            rows = kept;
        }
    }
    rows.retain(|row| row.sums.iter().all(|&(_, sum)| sum <= 0));
    debug_assert!(rows.iter().take(MOST_CHECKED).all(|row| row.never_rises(net)), "no transition raises a weighting");
    (rows, is_whole && open.is_empty())
}

/// The sums of each row that a transition increases and each one that it decreases, and whether none is left out.
fn combinations(raised: &[Row], kept: &[Row], column: usize, work: &mut u64) -> (Vec<Row>, bool) {
    let lowered: Vec<&Row> = kept.iter().filter(|row| row.sum(column) < 0).collect();
    let mut made = Vec::new();
    let mut is_whole = true;
    for up in raised {
        for down in &lowered {
            let row = up.without(down, column);
            let size = 1 + row.as_ref().map_or(0, |row| row.weights.len() + row.sums.len()) as u64;
            limits::work(size);
            *work += size;
            is_whole &= row.is_some();
            made.extend(row);
            if *work >= MAX_WORK || made.len() > 8 * MAX_ROWS {
                return (made, false);
            }
        }
    }
    (made, is_whole)
}

/// Bounds by the firings of transitions: a place never holds more than its initial tokens and all that are ever put there.
fn by_firings(net: &Net, bounds: &mut [Option<i64>]) {
    let transitions = &net.transitions;
    let mut firings: Vec<Option<i64>> = vec![None; transitions.len()];
    for _ in 0..ROUNDS {
        limits::work(transitions.len() as u64);
        let mut supply: Vec<Option<i64>> = net.places.iter().map(|place| Some(i64::from(place.initial))).collect();
        for (transition, firings) in transitions.iter().zip(&firings) {
            for &(place, change) in transition.changes.iter().filter(|(_, change)| *change > 0) {
                let more = firings.and_then(|firings| firings.checked_mul(i64::from(change)));
                supply[place] = supply[place].zip(more).and_then(|(supply, more)| supply.checked_add(more));
            }
        }
        for (bound, supply) in bounds.iter_mut().zip(&supply) {
            *bound = match (*bound, *supply) {
                (Some(bound), Some(supply)) => Some(bound.min(supply)),
                (bound, supply) => bound.or(supply),
            };
        }
        let mut is_changed = false;
        for (transition, firings) in transitions.iter().zip(&mut firings) {
            let taken = transition.changes.iter().filter(|(_, change)| *change < 0);
            let most = taken.filter_map(|&(place, change)| Some(supply[place]? / -i64::from(change))).min();
            if most.is_some() && *firings != most {
                *firings = most;
                is_changed = true;
            }
        }
        if !is_changed {
            break;
        }
    }
}
