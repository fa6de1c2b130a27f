//! Bounds of places that look alike: what bounds one of them bounds the others.
//!
//! Combining weightings drops some where they become too many. Then some places of an orbit have a bound and others have none, and the
//! symmetry of the net is lost. Places are sorted into classes by refinement: two are apart if their initial tokens, or the effects of
//! transitions on them and on the classes of other places, differ. For a class whose places lack a bound or have different ones, a linear
//! program finds the weighting that bounds one of its places best. It has one weight for each class of places *as seen from this one*, by
//! refinement with this place apart. Its value is the same for all places of an orbit. A place of the class with a larger bound or none gets
//! the same weights by its own view. Classes may be larger than orbits, and views of places of two orbits number colours differently: where
//! the weights carried over do not bound the place, it has a program of its own.
//!
//! # Soundness
//!
//! A weighting is used after it was compared with the effect of every transition, in whole numbers; neither the solver nor the classes
//! are believed. Errs towards no bound.
//!
//! # Complexity
//!
//! A refinement reads the effects in each of at most [`ROUNDS`] rounds; there is one for each place that lacks a bound, until they have read
//! [`MOST_READ`] numbers. There are at most [`MOST_PROGRAMS`] programs.
//!
//! # Source
//!
//! Reducing linear programs by colour refinement: Grohe, Kersting, Mladenov, Selman (2014).

use std::collections::BTreeMap;
use std::time::Duration;

use good_lp::{
    Expression, ProblemVariables, ResolutionError, Solution, SolutionStatus, SolverModel, WithTimeLimit, constraint,
    microlp, variable,
};
use rustc_hash::FxHashSet;

use crate::pnml::net::Net;

/// The rounds of a refinement.
const ROUNDS: usize = 12;
/// The most programs for a net.
const MOST_PROGRAMS: usize = 64;
/// The most numbers in the effects of transitions on classes, in a program.
const MOST_NUMBERS: usize = 4000;
/// The most numbers that refinements read together.
const MOST_READ: u64 = 1 << 26;
/// Places per class, at least, of a net whose bounds are found by programs alone.
const LEAST_ALIKE: usize = 4;
/// The denominators of weights.
const DENOMINATORS: [i64; 6] = [1, 2, 3, 6, 12, 60];
/// The longest time of one program at once.
const LONGEST: Duration = Duration::from_secs(4);
/// The time that the solver may take for each number until it looks at the clock.
const UNWATCHED: Duration = Duration::from_micros(300);

mutants::mutants! {
    /// Bounds that are known to be too small.
    pub(in crate::pnml) struct Wrong {
        /// A weighting is not compared with the last effect of a transition.
        forgets_an_effect,
    }
}

/// The effects of transitions, each once, and the initial marking.
struct Structure<'a> {
    initial: Vec<i64>,
    effects: Vec<&'a [(usize, i32)]>,
    /// For each place the effects that change it, with the difference.
    rows: Vec<Vec<(usize, i32)>>,
    /// The numbers that refinements read so far.
    read: u64,
}

/// A weight for each colour that no transition increases, and what they give the initial marking.
struct Weighting {
    weights: Vec<i64>,
    total: i64,
}

/// A colour for each place, numbered in an order that does not depend on the numbers of places.
type Colours = Vec<usize>;

/// Replaces keys by their places in the order of keys; also returns the number of different keys.
fn ranked<K: Ord + Copy>(keys: &[K]) -> (Vec<usize>, usize) {
    let mut order = keys.to_vec();
    order.sort_unstable();
    order.dedup();
    (keys.iter().map(|key| order.partition_point(|other| other < key)).collect(), order.len())
}

/// Spreads a hash over all bits.
fn mixed(hash: u64) -> u64 {
    let hash = (hash ^ hash >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let hash = (hash ^ hash >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    hash ^ hash >> 31
}

/// A colour of what had one, next to others with these colours and differences, whatever their order.
fn look(own: u64, list: &[(usize, i32)], colours: &[u64]) -> u64 {
    let of = |&(at, change): &(usize, i32)| mixed(colours[at] ^ mixed(u64::from(change.cast_unsigned()) + 1));
    mixed(list.iter().fold(mixed(own), |sum, part| sum.wrapping_add(of(part))))
}

impl<'a> Structure<'a> {
    fn new(net: &'a Net, wrong: Wrong) -> Structure<'a> {
        let live = net.transitions.iter().filter(|transition| !transition.changes.is_empty());
        let known: FxHashSet<&[(usize, i32)]> = live.map(|transition| transition.changes.as_slice()).collect();
        let mut effects: Vec<&[(usize, i32)]> = known.into_iter().collect();
        effects.sort_unstable();
        if wrong.forgets_an_effect() {
            effects.pop();
        }
        let mut rows = vec![Vec::new(); net.places.len()];
        for (number, effect) in effects.iter().enumerate() {
            effect.iter().for_each(|&(place, change)| rows[place].push((number, change)));
        }
        let initial = net.places.iter().map(|place| i64::from(place.initial)).collect();
        Structure { initial, effects, rows, read: 0 }
    }

    /// Classes of places that look alike, with or without one that is apart from all others.
    ///
    /// A colour is a hash of what a place is and of the colours of what changes it. Places of one colour that are of two orbits, or have
    /// different looks, make a class too large: its weightings are compared with all effects all the same.
    fn refined(&mut self, apart: Option<usize>) -> Colours {
        let first = |(at, &tokens): (usize, &i64)| mixed(tokens.cast_unsigned() ^ u64::from(Some(at) == apart) << 63);
        let mut colours: Vec<u64> = self.initial.iter().enumerate().map(first).collect();
        let mut count = ranked(&colours).1;
        let size: usize = self.effects.iter().map(|effect| effect.len()).sum();
        for _ in 0..ROUNDS {
            // Places are sorted by their colours.
            let read = 2 * size as u64 + 4 * colours.len() as u64;
            self.read += read;
            limits::work(read);
            let of_effects: Vec<u64> = self.effects.iter().map(|effect| look(0, effect, &colours)).collect();
            let rows = self.rows.iter().zip(&colours);
            let finer: Vec<u64> = rows.map(|(row, &own)| look(own, row, &of_effects)).collect();
            let number = ranked(&finer).1;
            if number == count {
                break;
            }
            (colours, count) = (finer, number);
        }
        ranked(&colours).0
    }

    /// The weighting that bounds the place that is apart best, if there is one; nothing where this was not found out.
    fn program(&self, apart: usize, colours: &Colours) -> Option<Option<Weighting>> {
        let count = colours.iter().max().map_or(0, |last| last + 1);
        let mut totals = vec![0i64; count];
        for (&colour, &tokens) in colours.iter().zip(&self.initial) {
            totals[colour] = totals[colour].checked_add(tokens)?;
        }
        let mut sums: FxHashSet<Vec<(usize, i64)>> = FxHashSet::default();
        for effect in &self.effects {
            let mut sum: BTreeMap<usize, i64> = BTreeMap::new();
            effect.iter().for_each(|&(place, change)| *sum.entry(colours[place]).or_default() += i64::from(change));
            sums.insert(sum.into_iter().filter(|&(_, change)| change != 0).collect());
        }
        let mut sums: Vec<Vec<(usize, i64)>> = sums.into_iter().collect();
        sums.sort_unstable();
        let size = sums.iter().map(Vec::len).sum::<usize>();
        let left = limits::watch().left();
        let least = UNWATCHED.saturating_mul(u32::try_from(size).unwrap_or(u32::MAX));
        if size > MOST_NUMBERS || left.is_some_and(|left| left < least) {
            return None;
        }
        let most = left.map_or(LONGEST, |left| (left / 4).min(LONGEST));
        let proposed = match limits::in_growing_parts(most, |time| solve(&totals, &sums, colours[apart], time))? {
            Solved::Weights(weights) => weights,
            Solved::Infeasible => return Some(None),
            Solved::Failed => return None,
        };
        let found = DENOMINATORS.into_iter().find_map(|denominator| {
            #[allow(clippy::cast_possible_truncation, clippy::cast_precision_loss)]
            let weights: Vec<i64> =
                proposed.iter().map(|weight| (weight * denominator as f64).round() as i64).collect();
            self.weighting(weights, apart, colours)
        });
        found.map(Some)
    }

    /// These weights, if they bound a place.
    fn weighting(&self, weights: Vec<i64>, place: usize, colours: &Colours) -> Option<Weighting> {
        let total = self.checked(&weights, colours)?;
        (weights[colours[place]] > 0).then_some(Weighting { weights, total })
    }

    /// What a weighting gives the initial marking, if no transition increases it.
    fn checked(&self, weights: &[i64], colours: &Colours) -> Option<i64> {
        let of =
            |sum: i64, place: usize, number: i64| sum.checked_add(weights.get(colours[place])?.checked_mul(number)?);
        if weights.iter().any(|&weight| weight < 0) {
            return None;
        }
        limits::work(self.initial.len() as u64);
        for effect in &self.effects {
            limits::work(effect.len() as u64);
            if effect.iter().try_fold(0, |sum, &(place, change)| of(sum, place, i64::from(change)))? > 0 {
                return None;
            }
        }
        self.initial.iter().enumerate().try_fold(0, |sum, (place, &tokens)| of(sum, place, tokens))
    }
}

/// The end of a linear program.
enum Solved {
    Weights(Vec<f64>),
    Infeasible,
    Failed,
}

/// Weights that no sum increases, at least 1 for one class, with the least total; nothing where the time is over.
#[allow(clippy::cast_precision_loss)]
fn solve(totals: &[i64], sums: &[Vec<(usize, i64)>], own: usize, time: Duration) -> Option<Solved> {
    let mut variables = ProblemVariables::new();
    let weights: Vec<_> =
        (0..totals.len()).map(|class| variables.add(variable().min(if class == own { 1.0 } else { 0.0 }))).collect();
    let mut total = Expression::from(0.0);
    for (&weight, &tokens) in weights.iter().zip(totals).filter(|(_, tokens)| **tokens != 0) {
        total += weight * tokens as f64;
    }
    let mut problem = variables.minimise(total).using(microlp).with_time_limit(time.as_secs_f64());
    for sum in sums {
        let mut change = Expression::from(0.0);
        sum.iter().for_each(|&(class, number)| change += weights[class] * number as f64);
        problem = problem.with(constraint!(change <= 0.0));
    }
    match problem.solve() {
        Ok(solution) if matches!(solution.status(), SolutionStatus::TimeLimit) => None,
        Ok(solution) => Some(Solved::Weights(weights.iter().map(|&weight| solution.value(weight)).collect())),
        Err(ResolutionError::Infeasible) => Some(Solved::Infeasible),
        Err(ResolutionError::Other(_)) => None,
        Err(_) => Some(Solved::Failed),
    }
}

/// The bounds of a net most of whose places look like others: by programs alone. Nothing where the programs would be too many or too large.
pub(super) fn bounds(net: &Net) -> Option<Vec<Option<i64>>> {
    let mut structure = Structure::new(net, Wrong::default());
    let classes = structure.classes();
    if classes.len() > MOST_PROGRAMS || classes.len() * LEAST_ALIKE > net.places.len() {
        return None;
    }
    let mut bounds = vec![None; net.places.len()];
    structure.complete(classes, &mut bounds, false).then_some(bounds)
}

/// Fills in bounds for classes of places that have different ones or none.
pub(in crate::pnml) fn complete(net: &Net, bounds: &mut [Option<i64>], wrong: Wrong) {
    let mut structure = Structure::new(net, wrong);
    let classes = structure.classes();
    structure.complete(classes, bounds, true);
}

impl Structure<'_> {
    /// The classes of places that look alike, small ones first: what bounds one place often bounds places of larger classes, too.
    fn classes(&mut self) -> Vec<Vec<usize>> {
        let colours = self.refined(None);
        let mut classes: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        colours.iter().enumerate().for_each(|(place, &colour)| classes.entry(colour).or_default().push(place));
        let mut classes: Vec<Vec<usize>> = classes.into_values().collect();
        classes.sort_by_key(|class| (class.len(), class[0]));
        classes
    }

    /// Fills in bounds class by class, with or without a look at classes whose places all have one bound; whether no limit was met.
    fn complete(&mut self, classes: Vec<Vec<usize>>, bounds: &mut [Option<i64>], skips_even: bool) -> bool {
        let (mut programs, mut is_whole) = (0, true);
        for class in classes {
            let is_even = class.iter().all(|&place| bounds[place].is_some() && bounds[place] == bounds[class[0]]);
            if is_even && skips_even {
                continue;
            }
            let mut known: Option<(Vec<i64>, i64)> = None;
            for &place in &class {
                if known.as_ref().is_some_and(|&(_, bound)| bounds[place].is_some_and(|own| own <= bound)) {
                    continue;
                }
                if self.read > MOST_READ {
                    return false;
                }
                let view = self.refined(Some(place));
                let carried = known.as_ref().and_then(|(weights, _)| self.weighting(weights.clone(), place, &view));
                let found = match carried {
                    Some(weighting) => Some(weighting),
                    None if programs == MOST_PROGRAMS => return false,
                    None => {
                        programs += 1;
                        let program = self.program(place, &view);
                        is_whole &= program.is_some();
                        program.flatten()
                    }
                };
                // Without a weighting for this place there is none for the others, which look the same.
                let Some(Weighting { weights, total }) = found else { break };
                for (other, &colour) in view.iter().enumerate().filter(|(_, colour)| weights[**colour] > 0) {
                    let own = total / weights[colour];
                    bounds[other] = Some(bounds[other].map_or(own, |known| known.min(own)));
                }
                let bound = total / weights[view[place]];
                known = Some((weights, bound));
            }
        }
        is_whole
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::{Structure, Wrong, ranked};
    use crate::pnml::tests::generate::Model;
    use crate::pnml::tests::net;

    /// Classes by sorted lists of what there is, not by hashes of them.
    fn by_lists(structure: &Structure<'_>, apart: Option<usize>) -> Vec<usize> {
        let numbered = |keys: Vec<(usize, Vec<(usize, i32)>)>| {
            let mut order: BTreeMap<_, usize> = keys.iter().map(|key| (key, 0)).collect();
            order.values_mut().zip(0..).for_each(|(place, rank)| *place = rank);
            keys.iter().map(|key| order[key]).collect::<Vec<usize>>()
        };
        let look = |list: &[(usize, i32)], colours: &[usize]| {
            let mut look: Vec<(usize, i32)> = list.iter().map(|&(at, change)| (colours[at], change)).collect();
            look.sort_unstable();
            look
        };
        let first: Vec<(bool, i64)> =
            structure.initial.iter().enumerate().map(|(at, &tokens)| (Some(at) == apart, tokens)).collect();
        let mut colours = ranked(&first).0;
        for _ in 0..super::ROUNDS {
            let of_effects = numbered(structure.effects.iter().map(|effect| (0, look(effect, &colours))).collect());
            let rows = structure.rows.iter().zip(&colours);
            colours = numbered(rows.map(|(row, &own)| (own, look(row, &of_effects))).collect());
        }
        colours
    }

    #[test]
    fn classes_by_hashes_are_those_by_lists() {
        for seed in 1..200 {
            let net = net(&Model::random(seed).text());
            let mut structure = Structure::new(&net, Wrong::default());
            for apart in (0..net.places.len()).map(Some).chain([None]) {
                let (found, wanted) = (structure.refined(apart), by_lists(&structure, apart));
                for (one, other) in (0..found.len()).flat_map(|one| (0..one).map(move |other| (one, other))) {
                    assert_eq!(found[one] == found[other], wanted[one] == wanted[other], "seed {seed}, {apart:?}");
                }
            }
        }
    }
}
