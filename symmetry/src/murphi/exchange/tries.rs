//! The trial of a proved exchange by the reference interpreter, on states that a walk meets.

use engine::RandomSource;
use frontend::murphi::interpret::{FaultKind, State, Step, evaluate, starts, successors};
use frontend::murphi::program::{Claim, Program};

use super::Exchange;

/// The states of a walk.
const STATES: usize = 64;
/// The most steps that are looked at.
const MOST_STEPS: usize = 2_000;

/// A state that contradicts an exchange, if the walk meets one.
pub(in crate::murphi) fn contradiction(program: &Program, claims: &[Claim], exchange: &Exchange) -> Option<String> {
    let moved = exchange.cells(program).expect("a proved exchange fits");
    let image = |state: &State| exchange.image(&moved, state);
    let outcomes = |steps: &[Step], map: &dyn Fn(&State) -> State| {
        let outcome =
            |step: &Step| step.result.as_ref().map(map).map_err(|fault| matches!(fault.kind, FaultKind::Assertion(_)));
        let mut list: Vec<Result<State, bool>> = steps.iter().map(outcome).collect();
        list.sort_unstable();
        list
    };
    let truths = |state: &State| -> Vec<Vec<Option<bool>>> {
        let is_claimed = |number: &usize| claims.iter().any(|claim| claim.kind.is_about(*number));
        let truths = (0..program.properties.len()).filter(is_claimed).map(|number| {
            let truths = evaluate(program, &program.properties[number], state);
            let mut truths: Vec<Option<bool>> = truths.into_iter().map(|truth| truth.holds.ok()).collect();
            truths.sort_unstable();
            truths
        });
        truths.collect()
    };
    let mut random = RandomSource::new(2);
    let starts: Vec<State> = starts(program).into_iter().filter_map(|start| start.result.ok()).collect();
    let (mut current, mut seen) = (starts.first()?.clone(), 0);
    for _ in 0..STATES {
        let (own, others) = (successors(program, &current), successors(program, &image(&current)));
        if outcomes(&own, &image) != outcomes(&others, &State::clone) || truths(&current) != truths(&image(&current)) {
            return Some(format!("{current:?} under {exchange:?}"));
        }
        seen += own.len();
        if seen > MOST_STEPS {
            break;
        }
        let mut next: Vec<State> = own.into_iter().filter_map(|step| step.result.ok()).collect();
        current = match next.len() {
            0 => starts[random.below(starts.len())].clone(),
            count => next.swap_remove(random.below(count)),
        };
    }
    None
}
