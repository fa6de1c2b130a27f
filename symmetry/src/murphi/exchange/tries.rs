//! The trial of a proved exchange by the reference interpreter, on states that a walk meets.

use engine::RandomSource;
use frontend::murphi::interpret::{State, Watched, starts, successors};
use frontend::murphi::program::{Claim, Program};

use super::super::agreement::agrees;
use super::Exchange;

/// The states of a walk.
const STATES: usize = 64;
/// The most steps that are looked at.
const MOST_STEPS: usize = 2_000;

/// A state that contradicts an exchange, if the walk meets one.
pub(in crate::murphi) fn contradiction(program: &Program, claims: &[Claim], exchange: &Exchange) -> Option<String> {
    let moved = exchange.cells(program).expect("a proved exchange fits");
    let image = |state: &State| exchange.image(&moved, state);
    let is_claimed = |number: &usize| claims.iter().any(|claim| claim.kind.is_about(*number));
    let claimed: Vec<usize> = (0..program.properties.len()).filter(is_claimed).collect();
    let mut random = RandomSource::new(2);
    let starts: Vec<State> = starts(program).into_iter().filter_map(|start| start.result.ok()).collect();
    let (mut current, mut seen) = (starts.first()?.clone(), 0);
    for _ in 0..STATES {
        let own = successors(program, &current);
        if agrees(program, &claimed, &Watched::default(), (&current, &own), &image) == Some(false) {
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
