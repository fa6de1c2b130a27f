//! The fixed point of the live values: states with new values suffice.

use csp::growth::Wrong;
use frontend::sequential::Sequential;

use super::super::instances::Instances;
use super::model;
use super::writer::Writer;

const STEPS: u64 = 1 << 22;

const COUNTER: &str = "type byte : 0..255; proc X(x : byte, y : byte, z : byte) = [x < 40] up { x := x + 1; } -> X
    + [y < x] add { y := y + 1; } -> X + [x * y = 35] both { z := x - y; } -> X; init X(x = 0, y = 0, z = 0);";

/// Only the states with a new value of `y` and an old one of `x` write 9.
const MEET: &str = "type byte : 0..255; proc X(x : byte, y : byte, z : byte) = [x < 30] x { x := x + 1; } -> X
    + [y < 30] y { y := y + 1; } -> X + [x = 3 && y = 20] z { z := 9; } -> X; init X(x = 0, y = 0, z = 0);";

/// The twin examines each instance that reads a new value in all states.
#[test]
fn states_with_new_values_suffice() {
    let (mut plain, mut rich) = (Writer::new(5), Writer::rich(6));
    let texts = (0..80).map(|number| if number % 2 == 0 { plain.text() } else { rich.text() });
    for text in texts.chain([COUNTER, MEET].map(str::to_owned)) {
        let model = model(&text, &[]);
        let all = Wrong { examines_all: true, ..Wrong::default() };
        let (pieces, whole) =
            (Instances::within(&model, STEPS, Wrong::default()), Instances::within(&model, STEPS, all));
        for element in 0..model.state_len() {
            assert_eq!(pieces.diagrams.live(element), whole.diagrams.live(element), "{text}");
        }
        for (one, other) in pieces.list.iter().zip(&whole.list) {
            assert_eq!(one.behaviour.is_some(), other.behaviour.is_some(), "{text}");
        }
    }
}

#[test]
#[should_panic(expected = "steps write live values")]
fn live_values_that_are_not_closed_under_steps_are_noticed() {
    let wrong = Wrong { covers_one_element: true, ..Wrong::default() };
    drop(Instances::within(&model(MEET, &[]), STEPS, wrong));
}

/// Whatever the budget, all that a summand with an opaque instance may write is live.
#[test]
fn all_that_an_opaque_instance_may_write_is_live() {
    let model = model(COUNTER, &[]);
    let mut opaque = 0;
    for steps in (0..16).map(|power| 1 << power) {
        let instances = Instances::within(&model, steps, Wrong::default());
        for instance in instances.list.iter().filter(|instance| instance.behaviour.is_none()) {
            let written = model.elements_of(&model.summand(instance.summand).assigned());
            assert!(written.into_iter().all(|element| instances.diagrams.live(element).len() == 256), "{steps} steps");
            opaque += 1;
        }
    }
    assert!(opaque > 10, "{opaque} opaque instances");
}

/// The pieces of `meet` take some thousand steps each, and the whole takes more than one instance may.
fn large_as_a_whole() -> Sequential {
    let guard = "(x * y) mod 7 = 3 && (x * y + 1) mod 11 = 4 && (x * y + 2) mod 13 = 5";
    let counters = "[x < 999] x { x := x + 1; } -> X + [y < 999] y { y := y + 1; } -> X";
    let text = format!(
        "type W : 0..999; type Z : 0..9; proc X(x : W, y : W, z : Z) = {counters} + [{guard}] meet {{ z := 5; }} -> X;
         init X(x = 0, y = 0, z = 0);"
    );
    model(&text, &[])
}

#[test]
fn an_instance_that_is_too_large_as_a_whole_is_opaque() {
    let instances = Instances::new(&large_as_a_whole());
    let lengths: Vec<usize> = (0..3).map(|element| instances.diagrams.live(element).len()).collect();
    assert_eq!(lengths, [1000, 1000, 10], "all values of `z` are live: `meet` is opaque");
    let is_opaque: Vec<bool> = instances.list.iter().map(|instance| instance.behaviour.is_none()).collect();
    assert_eq!(is_opaque, [false, false, true]);
}

#[test]
#[should_panic(expected = "steps write live values")]
fn an_opaque_instance_whose_writes_are_forgotten_is_noticed() {
    drop(Instances::within(&large_as_a_whole(), u64::MAX, Wrong { forgets_wholes: true, ..Wrong::default() }));
}
