//! Permutations that keep the steps of each label as sets, against the explicit state space.

use std::collections::{BTreeMap, BTreeSet};

use csp::Literals;
use engine::SparsePermutation;
use frontend::sequential::Sequential;
use frontend::sequential::interpret::{State, is_initial, successors};

use super::super::check::Validator;
use super::super::relation::Wrong;
use super::super::{Kept, Rejection, ValidatedGroup};
use super::soundness::{live, random};
use super::twin::all;
use super::writer::Writer;
use super::{model, validated};

/// The pairs of states of some steps.
type Steps = BTreeSet<(State, State)>;

/// For each event the relations of its labels, each with the number of labels that have it, and the states in which it faults.
type Labelled = BTreeMap<String, (BTreeMap<BTreeSet<(State, State)>, usize>, BTreeSet<State>)>;

/// The labelled steps of these states, states replaced by their images.
fn labelled(model: &Sequential, states: &[State], image: &dyn Fn(&State) -> State) -> Labelled {
    let mut relations: BTreeMap<(String, Vec<i32>), Steps> = BTreeMap::new();
    let mut found = Labelled::new();
    for state in states {
        for step in successors(model, state) {
            let event = model.summand(step.summand).event.clone();
            match step.result {
                Ok(after) => {
                    let label = relations.entry((event, step.arguments)).or_default();
                    label.insert((image(state), image(&after)));
                }
                Err(_) => drop(found.entry(event).or_default().1.insert(image(state))),
            }
        }
    }
    for ((event, _), relation) in relations {
        *found.entry(event).or_default().0.entry(relation).or_default() += 1;
    }
    found
}

/// Whether a permutation keeps initial states, steps and faults of these states.
fn keeps(model: &Sequential, states: &[State], permutation: &SparsePermutation) -> bool {
    let literals = Literals::new(model);
    let image = |state: &State| literals.apply(permutation, state);
    let same = |state: &State| is_initial(model, state) == is_initial(model, &image(state));
    states.iter().all(same) && labelled(model, states, &image) == labelled(model, states, &State::clone)
}

/// A step that distinguishes two values by its target only.
const TARGET: &str = "type V : 0..2; proc X(v : V) = [v = 2] a { v := 0; } -> X; init X(v = *);";

/// The number of sound candidates that are accepted, of others that are accepted, and of candidates that are rightly rejected.
fn battery(wrong: Wrong, texts: usize) -> (usize, usize, usize) {
    let (mut writer, mut rich) = (Writer::new(11), Writer::rich(12));
    let (mut accepted, mut unsound, mut refused) = (0, 0, 0);
    for number in 0..texts {
        // One is enough to catch what is wrong on purpose.
        if wrong != Wrong::default() && unsound > 0 {
            break;
        }
        let text = match number {
            0 => TARGET.to_owned(),
            _ if number % 3 == 0 => rich.text(),
            _ => writer.text(),
        };
        let model = model(&text, &[]);
        let Some(states) = all(&model, &live(&model), 600) else { continue };
        let states: Vec<State> = states.into_keys().collect();
        let (mut candidates, _) = csp::detect_relation(&model, &[]).unwrap_or_default();
        candidates.extend((0..12).map(|_| random(&model, &mut writer)));
        let neighbours = (1..Literals::new(&model).len()).filter_map(|point| u32::try_from(point).ok());
        candidates.extend(
            neighbours
                .filter_map(|point| SparsePermutation::from_pairs(vec![(point - 1, point), (point, point - 1)]).ok()),
        );
        candidates.retain(|candidate| !candidate.is_identity());
        let mut validator = Validator::new(&model, &[]).mistaken(wrong);
        for candidate in &candidates {
            let is_sound = keeps(&model, &states, candidate);
            match (validator.check_steps(candidate), is_sound) {
                (Ok(_), true) => accepted += 1,
                (Ok(_), false) => unsound += 1,
                (Err(Rejection::NotDecided(_)), _) | (Err(_), false) => refused += 1,
                (Err(reason), true) => {
                    // Values that are not live are not among the states.
                    assert!(
                        matches!(reason, Rejection::Torn { .. }) || wrong != Wrong::default(),
                        "{reason}: {candidate:?}\n{text}"
                    );
                }
            }
        }
    }
    (accepted, unsound, refused)
}

#[test]
fn steps_that_are_kept_are_those_that_the_states_say() {
    let (accepted, unsound, refused) = battery(Wrong::default(), 240);
    println!("{accepted} accepted, {refused} refused");
    assert_eq!(unsound, 0);
    assert!(accepted >= 200 && refused >= 500, "{accepted} {refused}");
}

#[test]
fn known_wrong_comparisons_of_steps_are_caught() {
    let wrong = |change: fn(&mut Wrong)| {
        let mut wrong = Wrong::default();
        change(&mut wrong);
        battery(wrong, 90).1
    };
    assert!(wrong(|wrong| wrong.faults_are_free = true) > 0, "faults");
    assert!(wrong(|wrong| wrong.values_stay = true) > 0, "values");
    assert!(wrong(|wrong| wrong.conditions_stay = true) > 0, "conditions");
    assert!(wrong(|wrong| wrong.events_are_one = true) > 0, "events");
}

/// The group of a text with the candidates that only steps show.
fn extended(text: &str) -> ValidatedGroup {
    let model = model(text, &[]);
    let (more, _) = csp::detect_relation(&model, &[]).expect("small");
    validated(&model, &[]).extended(&model, &[], more)
}

#[test]
fn groups_of_steps_are_marked() {
    let row = |text: &str| {
        let group = extended(text);
        (group.order().to_string(), group.kept(), group.of_instances().order().to_string())
    };
    let described = |order: &str, kept: Kept, instances: &str| (order.to_owned(), kept, instances.to_owned());
    // Two instances make the step to 0, one that to 1.
    let twice = "type V : 0..2; proc X(v : V) = sum a:V . sum b:V . [a < b] go { v := a; } -> X; init X(v = 2);";
    assert_eq!(row(twice), described("2", Kept::Steps, "1"));
    // Together two summands allow the same step in every state.
    let shared = "type P : 0..2; proc X(on : BOOL[P]) = [1] b { } -> X + sum i:P . [on[i]] b { } -> X; init X(on = *);";
    assert_eq!(row(shared), described("48", Kept::Steps, "6"));
    // An argument that indexes nothing is data, and one that does is a name.
    let data = "type P : 0..2; proc X(lev : P[P]) = sum i:P . sum k:P . [lev[i] < k] set(k) { lev[i] := k; } -> X; \
                init X(lev = 0);";
    assert_eq!(row(data), described("6", Kept::Instances, "6"));
    // A fair sort: the group of steps does not say how processes move.
    let fair =
        "type P : 0..2; proc X(v : P) fair P = sum i:P . sum j:P . [i < j] go(0) { v := i; } -> X; init X(v = 2);";
    let group = extended(fair);
    assert!(group.kept() == Kept::Steps && group.with_processes().is_none());
    assert!(group.of_instances().with_processes().is_some());
}
