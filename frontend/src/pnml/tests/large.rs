//! Nets with thousands of places: reading and bounding them takes a number of steps that grows with their size.

use super::super::bounds::bounds;
use super::{HEAD, net};

/// A net of so many places, the first ones marked, each put into the last place by a transition, and one transition that takes them all.
fn taken_together(count: usize, marked: usize) -> String {
    let mut text = HEAD.to_owned();
    for place in 0..count {
        let marking = if place < marked { "<initialMarking><text>1</text></initialMarking>" } else { "" };
        text +=
            &format!(r#"<place id="p{place}">{marking}</place><arc id="a{place}" source="p{place}" target="all"/>"#);
    }
    text += r#"<transition id="all"/><transition id="last"/><arc id="f" source="p0" target="last"/>"#;
    text += &format!(r#"<arc id="t" source="last" target="p{}"/>"#, count - 1);
    text + "</page></net></pnml>"
}

/// Reading a transition with many inputs takes a time that grows with their number, and it waits for the last of them.
#[test]
fn transitions_with_many_inputs_are_read_in_little_time() {
    for (count, marked, transitions) in [(3, 2, 2), (3, 1, 1), (5_000, 4_999, 2), (5_000, 5_000, 2), (5_000, 4_998, 1)]
    {
        let text = taken_together(count, marked);
        let net = limits::Watch::unlimited().at_most(1 << 22).run(|| net(&text)).expect("little work");
        assert_eq!(net.transitions.len(), transitions, "{marked} of {count} places are marked");
        assert!(transitions == 1 || net.transitions[0].inputs.len() == count);
    }
}

/// A token that goes around in a long ring is followed in a time that grows with the length of the ring.
#[test]
fn long_ways_of_a_token_are_followed_in_little_time() {
    let count = 3_000;
    let mut text = HEAD.to_owned();
    for at in 0..count {
        let (marking, next) = (u32::from(at == 0), (at + 1) % count);
        text += &format!(
            r#"<place id="p{at}"><initialMarking><text>{marking}</text></initialMarking></place><transition id="t{at}"/>
            <arc id="i{at}" source="p{at}" target="t{at}"/><arc id="o{at}" source="t{at}" target="p{next}"/>"#
        );
    }
    text += "</page></net></pnml>";
    let net = limits::Watch::unlimited().at_most(1 << 23).run(|| net(&text)).expect("little work");
    assert_eq!((net.places.len(), net.transitions.len()), (count, count));
}

/// The search for bounds of places that nothing changes counts its work, which is bounded.
#[test]
fn bounds_of_places_without_transitions_consult_the_limits() {
    let places: String = (0..5_000).map(|place| format!(r#"<place id="p{place}"/>"#)).collect();
    let net = net(&format!("{HEAD}{places}</page></net></pnml>"));
    let within = |work| limits::Watch::unlimited().at_most(work).run(|| bounds(&net).len());
    assert!(within(1 << 20).is_err());
    assert_eq!(within(1 << 28).expect("bounded work"), 5_000);
}
