//! What the structure of a net proves: weightings of places that no transition increases.
//!
//! Let `y` be weights with `y·C <= 0` for the effect `C` of every transition, so that `y·M <= y·M0` for every reachable marking `M`. A
//! conjunction of comparisons `L_i·M <= b_i` is contradicted if there are numbers `a_i >= 0` with `y >= -Σ a_i L_i` and
//! `y·M0 < -Σ a_i b_i`: then `y·M >= -Σ a_i L_i·M >= -Σ a_i b_i > y·M0`, as `M >= 0`. A sum `L` is at most `y·M0` if `y >= L`.
//!
//! A linear program proposes `y` and the `a_i`; they are rounded to fractions of one denominator, and used only if they pass the comparison in
//! whole numbers.
//!
//! # Soundness
//!
//! The comparison alone decides; the solver may be wrong. Errs towards no answer.
//!
//! # Source
//!
//! The state equation of Murata (1989), dualised by the lemma of Farkas.

use std::time::Duration;

use frontend::pnml::Net;
use good_lp::{
    Expression, ProblemVariables, Solution, SolutionStatus, SolverModel, Variable, WithTimeLimit, constraint, microlp,
    variable,
};
use rustc_hash::FxHashSet;

use super::Wrong;
use super::conditions::{Condition, Linear, value};

/// The denominators of weights.
const DENOMINATORS: [i64; 8] = [1, 2, 3, 4, 6, 12, 60, 2520];
/// The most conjunctions of a condition.
const MOST_CUBES: usize = 64;
/// The most comparisons of a conjunction.
const MOST_PARTS: usize = 256;
/// The most numbers in the effects of transitions.
const MOST_EFFECTS: usize = 12_000;
/// The longest time of one program.
const LONGEST: Duration = Duration::from_secs(4);
/// The time that the solver may take for each number in the effects until it looks at the clock, after 1000 steps.
const UNWATCHED: Duration = Duration::from_micros(300);

/// The structure of a net.
#[derive(Clone, Debug)]
pub struct Weights {
    initial: Vec<i64>,
    /// The different effects of transitions.
    effects: Vec<Vec<(usize, i64)>>,
}

impl Weights {
    /// The structure of a net; nothing if it is too large.
    pub fn new(net: &Net) -> Option<Weights> {
        Weights::with(net, Wrong::default())
    }

    /// As [`Weights::new`], with known faults.
    pub(super) fn with(net: &Net, wrong: Wrong) -> Option<Weights> {
        let live = net.transitions.iter().filter(|transition| !transition.changes.is_empty());
        let known: FxHashSet<&[(usize, i32)]> = live.map(|transition| transition.changes.as_slice()).collect();
        let wide =
            |changes: &[(usize, i32)]| changes.iter().map(|&(place, change)| (place, i64::from(change))).collect();
        let mut effects: Vec<Vec<(usize, i64)>> = known.into_iter().map(wide).collect();
        effects.sort_unstable();
        if wrong.effect_forgotten() {
            effects.pop();
        }
        let size = effects.iter().map(Vec::len).sum::<usize>();
        let initial = net.places.iter().map(|place| i64::from(place.initial)).collect();
        (size <= MOST_EFFECTS).then_some(Weights { initial, effects })
    }

    /// A number that a sum does not exceed in any reachable marking.
    pub fn most(&self, sum: &Linear) -> Option<i64> {
        // The least `y·M0` with `y >= L`.
        let opposite: Linear = sum.iter().map(|&(place, weight)| (place, -weight)).collect();
        let proposal = self.proposal(&[(opposite.clone(), 0)], true)?;
        DENOMINATORS.into_iter().find_map(|denominator| {
            let (weights, _) = self.rounded(&proposal, denominator);
            let bound = self.checked(&weights, &[(opposite.clone(), denominator)])?.div_euclid(denominator);
            assert!(value(sum, &|place| self.initial[place]) <= bound, "the initial marking is within a bound");
            Some(bound)
        })
    }

    /// Whether a condition holds in no reachable marking. `false` says nothing.
    pub fn excludes(&self, condition: &Condition) -> bool {
        let Some(cubes) = condition.cubes(MOST_CUBES) else { return false };
        let is_excluded = cubes.iter().all(|cube| self.excludes_cube(cube));
        assert!(!is_excluded || !condition.holds(&|place| self.initial[place]), "the initial marking is reachable");
        is_excluded
    }

    fn excludes_cube(&self, cube: &[(Linear, i64)]) -> bool {
        if cube.is_empty() || cube.len() > MOST_PARTS {
            return false;
        }
        let Some(proposal) = self.proposal(cube, false) else { return false };
        DENOMINATORS.into_iter().any(|denominator| {
            let (weights, parts) = self.rounded(&proposal, denominator);
            let scaled: Vec<(Linear, i64)> =
                cube.iter().zip(&parts).map(|((sum, _), &part)| (sum.clone(), part)).collect();
            let most = cube
                .iter()
                .zip(&parts)
                .try_fold(0i64, |sum, ((_, most), &part)| sum.checked_add(part.checked_mul(*most)?));
            let Some(most) = most else { return false };
            self.checked(&weights, &scaled).and_then(|total| total.checked_add(most)).is_some_and(|apart| apart < 0)
        })
    }

    /// `y·M0`, if no transition increases `y` and it is at least `-Σ a_i L_i`; all in whole numbers.
    fn checked(&self, weights: &[i64], parts: &[(Linear, i64)]) -> Option<i64> {
        limits::work(weights.len() as u64 + self.effects.len() as u64);
        assert_eq!(weights.len(), self.initial.len(), "each place has its weight");
        let mut least = vec![0i64; weights.len()];
        for (sum, part) in parts {
            if *part < 0 {
                return None;
            }
            for &(place, weight) in sum {
                least[place] = least[place].checked_sub(weight.checked_mul(*part)?)?;
            }
        }
        if weights.iter().zip(&least).any(|(weight, least)| weight < least) {
            return None;
        }
        let add = |sum: i64, place: usize, number: i64| sum.checked_add(weights[place].checked_mul(number)?);
        for effect in &self.effects {
            if effect.iter().try_fold(0, |sum, &(place, change)| add(sum, place, change))? > 0 {
                return None;
            }
        }
        self.initial.iter().enumerate().try_fold(0, |sum, (place, &tokens)| add(sum, place, tokens))
    }

    fn rounded(&self, (weights, parts): &(Vec<f64>, Vec<f64>), denominator: i64) -> (Vec<i64>, Vec<i64>) {
        #[allow(clippy::cast_possible_truncation, clippy::cast_precision_loss)]
        let round = |value: &f64| (value * denominator as f64).round() as i64;
        (weights.iter().map(round).collect(), parts.iter().map(round).collect())
    }

    /// Weights `y` and numbers `a_i` for a conjunction, with the least `y·M0 + Σ a_i b_i`; nothing if that is not negative, unless `is_bound`, where
    /// each `a_i` is 1.
    #[allow(clippy::cast_precision_loss)]
    fn proposal(&self, cube: &[(Linear, i64)], is_bound: bool) -> Option<(Vec<f64>, Vec<f64>)> {
        limits::check();
        let left = limits::watch().left();
        let size = u32::try_from(self.effects.iter().map(Vec::len).sum::<usize>()).unwrap_or(u32::MAX);
        if left.is_some_and(|left| left < UNWATCHED.saturating_mul(size)) {
            return None;
        }
        let time = left.map_or(LONGEST, |left| (left / 4).min(LONGEST));
        let mut variables = ProblemVariables::new();
        let least = if is_bound { 1.0 } else { 0.0 };
        let parts: Vec<Variable> = cube.iter().map(|_| variables.add(variable().min(least).max(1.0))).collect();
        let mut own: Vec<Expression> = self.initial.iter().map(|_| Expression::from(0.0)).collect();
        let mut is_read = vec![false; self.initial.len()];
        for ((sum, _), &part) in cube.iter().zip(&parts) {
            for &(place, weight) in sum {
                own[place] += part * weight as f64;
                is_read[place] = true;
            }
        }
        // A place that the conjunction does not read has a weight of at least 0.
        let weights: Vec<Variable> = is_read
            .iter()
            .map(|&is_read| variables.add(if is_read { variable() } else { variable().min(0.0) }))
            .collect();
        let mut total = Expression::from(0.0);
        for (&weight, &initial) in weights.iter().zip(&self.initial).filter(|(_, initial)| **initial != 0) {
            total += weight * initial as f64;
        }
        for (&part, (_, most)) in parts.iter().zip(cube) {
            total += part * *most as f64;
        }
        let mut problem = variables.minimise(total.clone()).using(microlp).with_time_limit(time.as_secs_f64());
        for effect in &self.effects {
            let mut sum = Expression::from(0.0);
            for &(place, change) in effect {
                sum += weights[place] * change as f64;
            }
            problem = problem.with(constraint!(sum <= 0.0));
        }
        for ((place, own), _) in own.into_iter().enumerate().zip(&is_read).filter(|(_, is_read)| **is_read) {
            problem = problem.with(constraint!(own + weights[place] >= 0.0));
        }
        limits::work(self.effects.len() as u64);
        let solution = problem.solve().ok()?;
        if matches!(solution.status(), SolutionStatus::TimeLimit) {
            return None;
        }
        let is_negative = total.eval_with(&solution) < -1e-6;
        let of = |list: &[Variable]| list.iter().map(|&variable| solution.value(variable)).collect();
        (is_bound || is_negative).then(|| (of(&weights), of(&parts)))
    }
}
