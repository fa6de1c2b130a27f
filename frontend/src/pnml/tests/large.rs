//! Nets with many places: reading and bounding them takes a number of steps that grows with their size, and places that look alike have
//! the bounds of their orbits.

use super::super::bounds::{alike, bounds, by_weightings};
use super::super::formulas;
use super::{HEAD, asked, net};

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

/// Formulas about thousands of transitions count their work.
#[test]
fn formulas_of_many_transitions_consult_the_limits() {
    let net = net(&taken_together(5_000, 5_000));
    let part = "<is-fireable><transition>all</transition></is-fireable><deadlock/>".repeat(100);
    let formula = format!("<all-paths><globally><conjunction>{part}</conjunction></globally></all-paths>");
    let within = |work| {
        let read = || asked(&net, &formula, formulas::Wrong::default());
        limits::Watch::unlimited().at_most(work).run(read).is_ok()
    };
    assert!(!within(1 << 19));
    assert!(within(1 << 21));
}

/// A net of processors that access the memories of each other, one at a time, by one bus.
fn processors(count: usize) -> String {
    let mut text = HEAD.to_owned();
    let mut arcs = 0;
    let mut places: Vec<(String, bool)> = vec![("bus".into(), true)];
    let mut transitions: Vec<(String, Vec<String>, Vec<String>)> = Vec::new();
    for i in 0..count {
        let [active, memory, own, queue] = ["active", "memory", "own", "queue"].map(|name| format!("{name}{i}"));
        let both = vec![active.clone(), memory.clone()];
        transitions.push((format!("startown{i}"), both.clone(), vec![own.clone()]));
        transitions.push((format!("endown{i}"), vec![own.clone()], both));
        transitions.push((format!("ask{i}"), vec![active.clone()], vec![queue.clone()]));
        for j in (0..count).filter(|&j| j != i) {
            let (access, other) = (format!("access{i}_{j}"), format!("memory{j}"));
            let free = vec![active.clone(), other.clone(), "bus".into()];
            transitions.push((format!("start{i}_{j}"), vec![queue.clone(), other, "bus".into()], vec![access.clone()]));
            transitions.push((format!("end{i}_{j}"), vec![access.clone()], free));
            places.push((access, false));
        }
        places.extend([(active, true), (memory, true), (own, false), (queue, false)]);
    }
    for (place, is_marked) in &places {
        let marking = if *is_marked { "<initialMarking><text>1</text></initialMarking>" } else { "" };
        text += &format!(r#"<place id="{place}">{marking}</place>"#);
    }
    for (transition, inputs, outputs) in &transitions {
        text += &format!(r#"<transition id="{transition}"/>"#);
        let arc = |(source, target)| format!(r#" source="{source}" target="{target}"/>"#);
        let both =
            inputs.iter().map(|place| (place, transition)).chain(outputs.iter().map(|place| (transition, place)));
        for arc in both.map(arc) {
            arcs += 1;
            text += &format!(r#"<arc id="x{arcs}"{arc}"#);
        }
    }
    text + "</page></net></pnml>"
}

#[test]
fn places_of_one_orbit_have_one_bound_where_weightings_are_many() {
    let net = net(&processors(10));
    assert_eq!(bounds(&net), vec![Some(1); net.places.len()]);
    let (mut combined, is_whole) = by_weightings(&net);
    assert!(!is_whole && combined.iter().any(Option::is_none));
    alike::complete(&net, &mut combined, alike::Wrong::default());
    assert_eq!(combined, vec![Some(1); net.places.len()]);
}

/// A net of users that each take one of as many resources, once.
fn users(count: usize) -> String {
    let mut text =
        String::from(r#"<pnml><net id="n" type="http://www.pnml.org/version-2009/grammar/ptnet"><page id="g">"#);
    let marked = "<initialMarking><text>1</text></initialMarking>";
    for i in 0..count {
        text += &format!(r#"<place id="user{i}">{marked}</place><place id="done{i}"/><place id="copy{i}"/>"#);
    }
    for j in 0..count {
        text += &format!(r#"<place id="resource{j}">{marked}</place>"#);
    }
    for (i, j) in (0..count).flat_map(|i| (0..count).map(move |j| (i, j))) {
        let take = format!("take{i}_{j}");
        text += &format!(r#"<place id="has{i}_{j}"/><transition id="{take}"/>"#);
        for (source, target) in [
            (format!("user{i}"), take.clone()),
            (format!("resource{j}"), take.clone()),
            (take.clone(), format!("done{i}")),
            (take.clone(), format!("copy{i}")),
            (take.clone(), format!("has{i}_{j}")),
        ] {
            text += &format!(r#"<arc id="{source}-{target}" source="{source}" target="{target}"/>"#);
        }
    }
    text + "</page></net></pnml>"
}

/// Users and resources have one class, but are of two orbits: the weights that bound one leave the other without.
#[test]
fn places_of_one_class_in_two_orbits_have_bounds_of_their_own() {
    for count in 2..5 {
        let net = net(&users(count));
        assert_eq!(bounds(&net), vec![Some(1); net.places.len()], "{count}");
        let mut alike = vec![None; net.places.len()];
        alike::complete(&net, &mut alike, alike::Wrong::default());
        assert_eq!(alike, vec![Some(1); net.places.len()], "{count}");
    }
}
