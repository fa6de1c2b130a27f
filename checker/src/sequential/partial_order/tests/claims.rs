//! What is claimed of instances, executed by the reference interpreter in the states that a process reaches; the values of these states.

use frontend::diagnostics::Diagnostics;
use frontend::sequential::interpret::{State, step};
use frontend::sequential::{Sequential, from_actors};

use super::super::super::body::{Instance, Parameters};
use super::super::super::code::Code;
use super::super::super::explore_graph;
use super::super::super::program::compiled;
use super::super::commuting::{Context, Prover};
use super::super::effects::{Scratch, Touched};
use super::super::facts::{Found, facts, touched};
use super::super::possible::Possible;
use super::super::split::split;
use super::super::{Query, Wrong};
use super::random::{random_queues, random_text};
use super::{any_text, model, possible, rotations};
use crate::Limits;
use crate::stubborn::{Independence, Pair};
use crate::tests::{Rng, random_model};

/// The result of an instance by the reference semantics: nothing where it is not enabled, a fault as `Err`.
fn result(model: &Sequential, state: &State, instance: &Instance<'_>) -> Option<Result<State, ()>> {
    let Parameters::Values(values) = &instance.parameters else { return None };
    let mut scratch = state.clone();
    scratch.resize(model.working_len(), 0);
    // A part of an instance has conjuncts of its own.
    if instance.shared.iter().any(|conjunct| conjunct.value(&scratch, &mut []) == Some(0)) {
        return None;
    }
    step(model, state, instance.summand, values).map(|step| step.result.map_err(|_| ()))
}

fn number(instance: usize) -> u32 {
    u32::try_from(instance).expect("few instances")
}

/// What is claimed of the instances of a process.
struct Claimed<'m> {
    independence: Independence,
    conditions: Vec<Code<'m>>,
    possible: Possible,
}

/// Executes the claims about the instances in a state: both orders of independent ones, the enabling instances, the
/// reads and writes. Returns the number of claims.
fn claims(model: &Sequential, all: &Claimed<'_>, instances: &[Instance<'_>], state: &State, rng: &mut Rng) -> u32 {
    let Claimed { independence: all, conditions, possible } = all;
    let results: Vec<_> = instances.iter().map(|instance| result(model, state, instance)).collect();
    let mut claims = 0;
    for (one, first) in results.iter().enumerate() {
        declared(model, possible, &instances[one], state, first.as_ref(), rng);
        let Some(Ok(after)) = first else { continue };
        for (other, second) in results.iter().enumerate().filter(|(other, _)| *other != one) {
            let then = result(model, after, &instances[other]);
            match second {
                Some(second) if !all.dependent.has(number(one), other) => {
                    claims += 1;
                    match (second, then) {
                        (Err(()), then) => assert_eq!(then, Some(Err(())), "a fault vanishes"),
                        (Ok(before), then) => {
                            assert_eq!(then, result(model, before, &instances[one]), "the orders differ");
                            assert!(matches!(then, Some(Ok(_))), "a step disables another one");
                        }
                    }
                }
                None if then.is_some() => {
                    let part = &all.parts[other];
                    let mut scratch = state.clone();
                    scratch.resize(model.working_len(), 0);
                    let is_false = |at: &&u32| conditions[**at as usize].value(&scratch, &mut [0; 8]) == Some(0);
                    let closed: Vec<u32> = part.conjuncts.iter().filter(is_false).copied().collect();
                    let value = |element: usize| state[element].abs_diff(possible.bounds(element).0) as usize;
                    let rows = closed.iter().flat_map(|&condition| all.rows(condition, value));
                    for row in rows.chain(closed.is_empty().then_some(part.rest)) {
                        assert!(all.enabling.has(row, one), "{one} enables {other}, and is not known to");
                    }
                    claims += 1;
                }
                _ => {}
            }
        }
    }
    claims
}

/// Checks that the effect of an instance depends only on the elements that it reads, and changes only the elements
/// that it writes.
fn declared(
    model: &Sequential,
    possible: &Possible,
    instance: &Instance<'_>,
    state: &State,
    result_here: Option<&Result<State, ()>>,
    rng: &mut Rng,
) {
    let Touched { reads: read, writes: written } = touched(instance, possible, &mut Scratch::new(model.working_len()));
    let mut other = state.clone();
    for (element, sort) in model.element_sorts().into_iter().enumerate().filter(|(at, _)| !read.contains(at)) {
        let domain = model.domain(sort);
        let step = rng.below(u32::try_from(domain.size()).expect("small"));
        other[element] = domain.bounds().0 + i32::try_from(step).expect("small");
    }
    if !possible.has(&other) {
        return;
    }
    match (result_here, result(model, &other, instance)) {
        (None, None) | (Some(Err(())), Some(Err(()))) => {}
        (Some(Ok(here)), Some(Ok(there))) => {
            for element in 0..state.len() {
                let is_kept = here[element] == state[element] && there[element] == other[element];
                let is_written = written.contains(&element) && here[element] == there[element];
                assert!(is_kept || is_written, "{instance:?}: element {element}");
            }
        }
        (here, there) => panic!("{instance:?} depends on more than it reads: {here:?} {there:?}"),
    }
}

#[test]
fn claims_about_instances_are_executed() {
    let (mut all_claims, mut proved) = (0, 0);
    let texts = (0..160)
        .map(|seed| random_text(seed, seed % 2 == 0))
        .chain((0..160).map(|seed| random_queues(seed, false)))
        .chain([include_str!("../../../../../fixtures/lpe/language/locals_and_loops.lpe").to_owned()]);
    for (seed, text) in texts.enumerate() {
        let model = model(&text);
        let (instances, _) = compiled(&model, None);
        let wrong = Wrong::default();
        let possible = possible(&model, &instances, wrong);
        let query = Query { properties: &[], at_images: None, faults: true, more_than_deadlock: true, wrong };
        let mut scratch = Scratch::new(model.working_len());
        let parts = split(instances, &possible, query, false, &mut scratch);
        let instances = &parts.parts;
        let Found { facts, conditions, kinds, sources } =
            facts(instances, &possible, &mut scratch).expect("a small process");
        let none = vec![Vec::new(); instances.len()];
        let context = Context { followers: &none, turn: None, faults: true, possible: &possible, wrong };
        let mut prover = Prover::new(&parts, context, &mut scratch);
        let mut commute = |pair: Pair<'_>| {
            let is_proved = prover.commute(pair.numbers);
            proved += u32::from(is_proved);
            is_proved
        };
        let independence = Independence::new(facts, &kinds, sources, possible.elements(), wrong, &mut commute)
            .expect("a small process");
        let claimed = Claimed { independence, conditions, possible };
        for one in 0..instances.len() {
            for other in 0..instances.len() {
                let dependent = |one, other| claimed.independence.dependent.has(number(one), other);
                assert_eq!(dependent(one, other), dependent(other, one));
            }
        }
        let limits = Limits { max_states: Some(100), ..Limits::default() };
        let explored = explore_graph(&model, &limits);
        let mut rng = Rng::new(seed as u64);
        for state in &explored.states {
            all_claims += claims(&model, &claimed, instances, state, &mut rng);
        }
    }
    println!("{all_claims} claims; {proved} pairs commute although they touch the same elements");
    assert!(all_claims > 20_000 && proved > 500, "{all_claims} {proved}");
}

/// Every state that is reached, and every image of one, has possible values; one round of steps does not give them all.
#[test]
fn states_that_are_reached_have_possible_values() {
    let converted = (40_000..40_120).filter_map(|seed| {
        let actors = random_model(seed);
        from_actors(&actors, &frontend::model::PropertySet::default(), &mut Diagnostics::new())
    });
    let models = (0..200).map(|seed| model(&any_text(seed))).chain(converted);
    let (mut states, mut outside, mut missed, mut lists) = (0, 0, 0, 0);
    for (seed, model) in models.enumerate() {
        let (instances, _) = compiled(&model, None);
        let of = |wrong| possible(&model, &instances, wrong);
        let (all, one) = (of(Wrong::default()), of(Wrong { values_of_one_round: true, ..Wrong::default() }));
        let mut rng = Rng::new(seed as u64);
        let limits = Limits { max_states: Some(300), ..Limits::default() };
        let explored = explore_graph(&model, &limits);
        lists += usize::from((0..all.elements()).any(|element| all.is_key(element)));
        for mut state in explored.states {
            assert!(all.has(&state), "{seed}: {state:?}");
            (states, missed) = (states + 1, missed + u32::from(!one.has(&state)));
            let element = rng.below(u32::try_from(state.len()).expect("few elements")) as usize;
            let (low, count) = all.bounds(element);
            state[element] =
                low + i32::try_from(rng.below(u32::try_from(count.min(8)).expect("few values"))).expect("small");
            outside += u32::from(!all.has(&state));
        }
    }
    println!(
        "{states} states, {missed} missed by one round, {outside} of as many others outside, {lists} models with lists"
    );
    assert!(missed > 1_000 && outside > 1_000 && lists > 100, "{missed} {outside} {lists}");
}

#[test]
fn images_of_states_have_possible_values() {
    let (mut groups, mut images) = (0, 0);
    for seed in 10_000..10_200 {
        let model = model(&random_text(seed, true));
        let Some(group) = rotations(&model, &[]) else { continue };
        let (instances, _) = compiled(&model, None);
        let all = possible(&model, &instances, Wrong::default());
        let limits = Limits { max_states: Some(100), ..Limits::default() };
        let explored = explore_graph(&model, &limits);
        for state in explored.states {
            for generator in group.generators() {
                let mut image = state.clone();
                for (element, &value) in state.iter().enumerate() {
                    let (to, value) = group.literals().literal(generator.image(group.literals().point(element, value)));
                    image[to] = value;
                }
                assert!(all.has(&image), "{seed}: {image:?}");
                images += u32::from(image != state);
            }
        }
        groups += 1;
    }
    println!("{groups} groups, {images} images");
    assert!(groups > 50 && images > 1_000, "{groups} {images}");
}
