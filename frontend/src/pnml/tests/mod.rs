//! Random nets against a direct interpreter of them, which shares nothing with the reading, and what the lowering must not do.
//!
//! `PNML_MODELS` sets the number of nets, `PNML_SEED` the first seed.

pub(in crate::pnml) mod generate;
mod large;

use std::collections::{BTreeSet, HashSet};

use super::bounds::{alike, bounds, by_weightings};
use super::formulas::{self, Asked, Time};
use super::lower::{Wrong, lower};
use super::markable::Most;
use super::{Net, Transition, document, growth, markable, read, structure, unfold, unfolded, xml};
use crate::diagnostics::Diagnostics;
use crate::sequential::interpret::{evaluate, initial_states, successors};
use crate::sequential::verify::verify;
use crate::sequential::{Expr, ExprKind, Formula, Initial, Origin, PropertyKind, Sequential, Stmt, StmtKind};
use crate::source::Span;
use generate::{Counts, Model};

const MOST_STATES: usize = 3000;

/// The begin of a net without colours.
const HEAD: &str = r#"<pnml><net id="n" type="http://www.pnml.org/version-2009/grammar/ptnet"><page id="g">"#;

/// The net of a text without faults.
pub(in crate::pnml) fn net(text: &str) -> Net {
    let mut sink = Diagnostics::new();
    let net = unfolded(text, &mut sink);
    let messages: Vec<&str> = sink.list.iter().map(|found| found.message.as_str()).collect();
    net.unwrap_or_else(|| panic!("{}\n{text}", messages.join("\n")))
}

/// The counts of a process by the reference semantics; nothing if there are too many states, or a step faults.
fn counted(model: &Sequential) -> Option<Counts> {
    let mut queue: Vec<_> = initial_states(model).collect();
    let mut seen: HashSet<_> = queue.iter().cloned().collect();
    let mut counts = Counts::default();
    while let Some(state) = queue.pop() {
        let steps = successors(model, &state);
        counts.add(state.iter().copied(), steps.len());
        for step in steps {
            let next = step.result.ok()?;
            if seen.insert(next.clone()) {
                queue.push(next);
            }
        }
        if seen.len() > MOST_STATES {
            return None;
        }
    }
    Some(counts)
}

fn number(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).ok().and_then(|value| value.parse().ok()).unwrap_or(otherwise)
}

#[test]
fn random_nets_have_the_markings_of_the_direct_interpreter() {
    let (count, first) = (number("PNML_MODELS", 400), number("PNML_SEED", 1));
    let mut compared = 0;
    for seed in first..first + count {
        let model = Model::random(seed);
        let text = model.text();
        let net = net(&text);
        let bounds = bounds(&net);
        let process = lower(&net, &bounds, Wrong::default());
        assert_eq!(verify(&process), [], "seed {seed}\n{text}");
        let found = growth::growth(&net, &bounds);
        match model.counts(MOST_STATES) {
            Some(expected) => {
                assert!(found.is_none(), "seed {seed}: a bounded net grows\n{text}");
                assert_eq!(counted(&process), Some(expected), "seed {seed}\n{text}");
                compared += 1;
            }
            None => assert!(bounds.iter().any(Option::is_none) || counted(&process).is_none(), "seed {seed}\n{text}"),
        }
    }
    assert!(compared * 4 > count, "only {compared} of {count} nets were compared");
}

/// A net is read off its process again, and off no process that says anything else.
#[test]
fn nets_are_read_off_their_processes() {
    for seed in 1..200 {
        let net = net(&Model::random(seed).text());
        let bounds = bounds(&net);
        let model = lower(&net, &bounds, Wrong::default());
        let found = structure(&model).unwrap_or_else(|| panic!("seed {seed}"));
        assert_eq!(found.net.places, net.places, "seed {seed}");
        let fits = |transition: &&Transition| {
            transition.inputs.iter().all(|&(place, number)| bounds[place].is_none_or(|bound| number <= bound))
        };
        assert!(found.net.transitions.iter().eq(net.transitions.iter().filter(fits)), "seed {seed}");
        let others: [&dyn Fn(&mut Sequential); 7] = [
            &|model| model.ends = Some(Expr::new(ExprKind::Int(1), Span::NONE)),
            &|model| model.starts.push(vec![0; model.variables.len()]),
            &|model| model.origin = Origin::Lpe,
            &|model| model.variables[0].initial = Initial::Any,
            &|model| {
                let guard = model.summands[0].guard.clone();
                model.summands[0].guard = Expr::new(ExprKind::Not(guard.into()), Span::NONE);
            },
            &|model| model.summands[0].event = "other".to_owned(),
            &|model| model.summands[0].body.push(Stmt { kind: StmtKind::Fail(String::new()), span: Span::NONE }),
        ];
        for (at, change) in others.iter().enumerate() {
            let mut other = model.clone();
            change(&mut other);
            assert!(structure(&other).is_none(), "seed {seed}, change {at}");
        }
    }
    for wrong in
        [Wrong { reads_nothing: true, ..Wrong::default() }, Wrong { weights_nothing: true, ..Wrong::default() }]
    {
        let differs = |seed| {
            let net = net(&Model::random(seed).text());
            let found = structure(&lower(&net, &bounds(&net), wrong));
            found.is_none_or(|found| found.net.transitions != net.transitions)
        };
        assert!((1..200).any(differs), "{wrong:?}");
    }
}

#[test]
fn wrong_lowerings_are_noticed() {
    let wrongs =
        [Wrong { reads_nothing: true, ..Wrong::default() }, Wrong { weights_nothing: true, ..Wrong::default() }];
    for wrong in wrongs {
        let is_noticed = |seed: u64| {
            let model = Model::random(seed);
            let net = net(&model.text());
            let expected = model.counts(MOST_STATES);
            expected.is_some() && counted(&lower(&net, &bounds(&net), wrong)) != expected
        };
        assert!((1..200).any(is_noticed), "{wrong:?}");
    }
}

#[test]
fn bindings_that_are_forgotten_are_noticed() {
    let one_round = markable::Wrong { matches_one_round: true, ..markable::Wrong::default() };
    let no_waiting = markable::Wrong { forgets_waiting: true, ..markable::Wrong::default() };
    for wrong in [one_round, no_waiting] {
        let is_noticed = |seed: u64| {
            let model = Model::random(seed);
            let mut sink = Diagnostics::new();
            let root = xml::read(&model.text(), &mut sink).expect("well formed");
            let document = document::read(&root, &mut sink);
            let Some(net) = unfold::unfold_with(&document, Most::default(), wrong, &mut sink) else { return true };
            let expected = model.counts(MOST_STATES);
            expected.is_some() && counted(&lower(&net, &bounds(&net), Wrong::default())) != expected
        };
        assert!((1..5_000).any(is_noticed), "{wrong:?}");
    }
}

/// Tuples without variables that are not matched, for whose tokens whole bindings wait, give the same net.
#[test]
fn bindings_are_the_same_where_constants_are_not_matched() {
    let mut transitions = 0;
    for seed in 1..1_000 {
        let mut sink = Diagnostics::new();
        let root = xml::read(&Model::random(seed).text(), &mut sink).expect("well formed");
        let document = document::read(&root, &mut sink);
        let mut of = |most| {
            let net = unfold::unfold_with(&document, most, markable::Wrong::default(), &mut sink);
            net.map(|net| (net.transitions.len(), format!("{net:?}")))
        };
        let matched = of(Most::default());
        transitions += matched.as_ref().map_or(0, |(count, _)| *count);
        assert_eq!(of(Most { matched: 0, ..Most::default() }), matched, "seed {seed}");
    }
    assert!(transitions > 1_000, "{transitions}");
}

/// The net of a text in which one transition stands for all bindings with its step, and whether these were any.
fn folded(text: &str, wrong: markable::Wrong) -> Option<Net> {
    let mut sink = Diagnostics::new();
    let root = xml::read(text, &mut sink).expect("well formed");
    let document = document::read(&root, &mut sink);
    unfold::unfold_with(&document, Most { each: 0, ..Most::default() }, wrong, &mut sink)
}

/// The steps between reachable markings, at most so many.
fn steps(net: &Net) -> BTreeSet<(Vec<i32>, Vec<i32>)> {
    let next = |marking: Vec<i32>| {
        let fired = net.transitions.iter().filter_map(|transition| net.fired(transition, &marking)).collect::<Vec<_>>();
        fired.into_iter().map(move |next| (marking.clone(), next)).collect::<Vec<_>>()
    };
    markings(net).into_iter().flat_map(next).collect()
}

#[test]
fn one_transition_for_exchanged_bindings_keeps_all_steps() {
    let mut fewer = 0;
    for seed in number("SEED", 1)..number("SEED", 1) + number("COUNT", 400) {
        let text = Model::random(seed).text();
        let (net, folded) = (net(&text), folded(&text, markable::Wrong::default()).expect("a net"));
        assert_eq!(folded.places, net.places, "seed {seed}");
        assert!(folded.transitions.iter().all(|transition| net.transitions.contains(transition)), "seed {seed}");
        if markings(&net).len() < MOST_STATES {
            assert_eq!(steps(&folded), steps(&net), "seed {seed}");
        }
        fewer += usize::from(folded.transitions.len() < net.transitions.len());
    }
    assert!(fewer > 3, "only {fewer} nets have bindings with one step");
}

#[test]
fn bindings_that_are_exchanged_wrongly_are_noticed() {
    let wrong = markable::Wrong { exchanges_any: true, ..markable::Wrong::default() };
    let is_noticed = |seed: u64| {
        let text = Model::random(seed).text();
        let net = net(&text);
        folded(&text, wrong).is_none_or(|folded| markings(&net).len() < MOST_STATES && steps(&folded) != steps(&net))
    };
    assert!((1..200).any(is_noticed));
}

/// The reachable markings of a net, at most so many.
fn markings(net: &Net) -> BTreeSet<Vec<i32>> {
    let mut seen = BTreeSet::from([net.initial()]);
    let mut queue = vec![net.initial()];
    while let Some(marking) = queue.pop() {
        for next in net.transitions.iter().filter_map(|transition| net.fired(transition, &marking)) {
            if seen.len() < MOST_STATES && seen.insert(next.clone()) {
                queue.push(next);
            }
        }
    }
    seen
}

#[test]
fn no_marking_exceeds_a_bound() {
    let mut known = 0;
    for seed in 1..300 {
        let net = net(&Model::random(seed).text());
        let bounds = bounds(&net);
        known += bounds.iter().flatten().count();
        for marking in markings(&net) {
            let exceeds = |(number, bound): (&i32, &Option<i32>)| bound.is_some_and(|bound| *number > bound);
            assert!(!marking.iter().zip(&bounds).any(exceeds), "seed {seed}: {marking:?} {bounds:?}");
        }
    }
    assert!(known > 300, "only {known} bounds");
}

/// Whether a reachable marking exceeds one of these bounds.
fn exceeds(net: &Net, bounds: &[Option<i64>]) -> bool {
    markings(net).iter().any(|marking| {
        marking.iter().zip(bounds).any(|(&number, bound)| bound.is_some_and(|bound| i64::from(number) > bound))
    })
}

#[test]
fn bounds_of_places_that_look_alike_are_those_of_all_weightings() {
    let (mut equal, mut known) = (0, 0);
    for seed in 1..400 {
        let net = net(&Model::random(seed).text());
        let mut alike = vec![None; net.places.len()];
        alike::complete(&net, &mut alike, alike::Wrong::default());
        assert!(!exceeds(&net, &alike), "seed {seed}: {alike:?}");
        let (combined, is_whole) = by_weightings(&net);
        if !is_whole {
            continue;
        }
        for (bound, whole) in alike.iter().zip(combined) {
            assert_eq!(bound.is_some(), whole.is_some(), "seed {seed}: {alike:?}");
            assert!(*bound >= whole, "seed {seed}: {alike:?}");
            known += usize::from(whole.is_some());
            equal += usize::from(whole.is_some() && *bound == whole);
        }
    }
    // Where all places of a class have one bound already, no better one is looked for.
    assert!(known > 300 && equal * 100 >= known * 95, "{equal} of {known} bounds");
}

#[test]
fn a_bound_that_forgets_a_transition_is_exceeded() {
    let wrong = alike::Wrong { forgets_an_effect: true };
    let is_noticed = |seed: u64| {
        let net = net(&Model::random(seed).text());
        let mut bounds = vec![None; net.places.len()];
        alike::complete(&net, &mut bounds, wrong);
        exceeds(&net, &bounds)
    };
    assert!((1..200).any(is_noticed));
}

const RING: &str = r#"<pnml><net id="n" type="http://www.pnml.org/version-2009/grammar/ptnet"><page id="g">
    <place id="a"><name><text>x &lt; y</text></name><initialMarking><text>1</text></initialMarking></place>
    <place id="b"/><referencePlace id="c" ref="b"/>
    <toolspecific tool="t" version="1"><place id="a"/></toolspecific>
    <transition id="go"/><transition id="stop"/>
    <arc id="1" source="a" target="go"/><arc id="2" source="go" target="c"/>
    <arc id="3" source="b" target="stop"/></page></net></pnml>"#;

#[test]
fn pages_references_and_parts_of_other_tools_are_read() {
    let net = net(RING);
    assert_eq!(net.places.iter().map(|place| place.name.as_str()).collect::<Vec<_>>(), ["a", "b"]);
    assert_eq!(bounds(&net), [Some(1), Some(1)]);
    assert_eq!(markings(&net).len(), 3);
}

#[test]
fn faults_of_xml_are_reported() {
    for text in ["", "<a>", "<a></b>", "<a/><b/>", "a", "<a>&unknown;</a>", "<a b=1/>", "<a b='&x;'/>"] {
        let mut sink = Diagnostics::new();
        assert!(xml::read(text, &mut sink).is_none() && sink.errors == 1, "{text}");
    }
    let deep = format!("{}{}", "<a>".repeat(5000), "</a>".repeat(5000));
    assert!(xml::read(&deep, &mut Diagnostics::new()).is_none());
}

/// The properties of a file with one formula.
fn asked(net: &Net, formula: &str, wrong: formulas::Wrong) -> Asked {
    let text = format!("<property-set><property><id>f</id><formula>{formula}</formula></property></property-set>");
    let mut sink = Diagnostics::new();
    let asked = formulas::read(&text, net, None, wrong, &mut sink);
    assert!(!sink.has_errors(), "{:?}", sink.list);
    asked.into_iter().next().expect("a formula")
}

#[test]
fn formulas_are_read() {
    let loaded = read(RING, &mut Diagnostics::new()).expect("a net");
    let wrong = formulas::Wrong::default();
    let fires = "<is-fireable><transition>go</transition><transition>stop</transition></is-fireable>";
    let Asked::Property(property) =
        asked(&loaded.net, &format!("<all-paths><globally>{fires}</globally></all-paths>"), wrong)
    else {
        panic!("a property")
    };
    let PropertyKind::Invariant(condition) = &property.kind else { panic!("{property:?}") };
    for (marking, value) in [([1, 0], 1), ([0, 1], 1), ([0, 0], 0)] {
        assert_eq!(evaluate(loaded.model(), condition, &marking, &[]), Ok(value));
    }
    let bound = "<place-bound><place>a</place><place>b</place></place-bound>";
    assert_eq!(asked(&loaded.net, bound, wrong), Asked::Bound { name: "f".into(), places: vec![0, 1] });
    let next = format!("<exists-path><next>{fires}</next></exists-path>");
    let repeats = formulas::Wrong { repeats_ends: true, ..wrong };
    assert_ne!(
        asked(&loaded.net, &next, wrong),
        asked(&loaded.net, &next, repeats),
        "a run that ends has no next marking"
    );
    let linear = format!("<all-paths><finally><globally>{fires}</globally></finally></all-paths>");
    let Asked::Property(property) = asked(&loaded.net, &linear, wrong) else { panic!("a property") };
    assert!(matches!(property.kind, PropertyKind::Ltl(formula) if !formula.is_branching()));
}

/// What could change the meaning of a net is refused where it is not understood.
#[test]
fn parts_that_are_not_understood_are_refused() {
    const MARKED: &str = "<initialMarking><text>1</text></initialMarking>";
    let twice = format!("{MARKED}{MARKED}");
    for (part, other) in [
        ("<place id=\"b\"/>", "<place id=\"b\" capacity=\"1\"/>"),
        ("<place id=\"b\"/>", "<place id=\"b\"><capacity><text>1</text></capacity></place>"),
        ("<place id=\"b\"/>", "<place id=\"b\"/><fusion place=\"b\"/>"),
        (MARKED, twice.as_str()),
        (MARKED, "<initialMarking><text>1</text><structure/></initialMarking>"),
        (MARKED, "<initialMarking unit=\"2\"><text>1</text></initialMarking>"),
        ("<transition id=\"stop\"/>", "<transition id=\"stop\" priority=\"1\"/>"),
        ("<transition id=\"stop\"/>", "<transition id=\"stop\"><condition><text>no</text></condition></transition>"),
        ("target=\"go\"/>", "target=\"go\" type=\"inhibitor\"/>"),
        ("target=\"go\"/>", "target=\"go\"><type value=\"reset\"/></arc>"),
        ("target=\"go\"/>", "target=\"go\"><hlinscription/></arc>"),
        ("<page id=\"g\">", "<page id=\"g\" scale=\"2\">"),
    ] {
        let text = RING.replacen(part, other, 1);
        assert_ne!(text, RING, "{part}");
        let mut sink = Diagnostics::new();
        assert!(read(&text, &mut sink).is_none() && sink.has_errors(), "{other}");
    }
}

/// The constants of an enumeration that is refused are those of no other.
#[test]
fn an_enumeration_without_ids_is_refused() {
    let text = r#"<pnml><net id="n" type="http://www.pnml.org/version-2009/grammar/symmetricnet"><declaration><structure><declarations>
        <namedsort id="c" name="c"><cyclicenumeration><feconstant id="a" name="a"/><feconstant name="b"/></cyclicenumeration></namedsort>
        </declarations></structure></declaration><page id="g"><place id="p"><type><structure><dot/></structure></type></place><transition id="t"/>
        <arc id="x" source="p" target="t"><hlinscription><structure><successor><subterm><useroperator declaration="a"/></subterm></successor>
        </structure></hlinscription></arc></page></net></pnml>"#;
    let mut sink = Diagnostics::new();
    assert!(read(text, &mut sink).is_none() && sink.has_errors());
}

/// `A X` is of branching time where the file shows that its formulas are: the two differ where the start is a deadlock.
#[test]
fn next_markings_are_those_of_the_kind_of_a_file() {
    let loaded = read(RING, &mut Diagnostics::new()).expect("a net");
    let fires = "<is-fireable><transition>go</transition></is-fireable>";
    let next = format!("<property><id>f</id><formula><all-paths><next>{fires}</next></all-paths></formula></property>");
    let some = format!(
        "<property><id>g</id><formula><exists-path><finally>{fires}</finally></exists-path></formula></property>"
    );
    let is_branching = |properties: &str| {
        let mut sink = Diagnostics::new();
        let text = format!("<property-set>{properties}</property-set>");
        let asked = formulas::read(&text, &loaded.net, None, formulas::Wrong::default(), &mut sink);
        assert!(!sink.has_errors(), "{:?}", sink.list);
        match &asked[0] {
            Asked::Property(property) => {
                matches!(&property.kind, PropertyKind::Ltl(formula) if formula.is_branching())
            }
            Asked::Bound { .. } => false,
        }
    };
    assert!(!is_branching(&next) && is_branching(&format!("{next}{some}")));
    // Of linear time behind operators, too: no marking of a run is the last one.
    let not = format!(
        "<property-set><property><id>f</id><formula><negation><all-paths><next>{fires}</next></all-paths></negation>\
         </formula></property></property-set>"
    );
    let of = |time, wrong| formulas::read(&not, &loaded.net, time, wrong, &mut Diagnostics::new());
    let (own, wrong) =
        (formulas::Wrong::default(), formulas::Wrong { ends_in_linear_time: true, ..Default::default() });
    let Asked::Property(linear) = &of(Some(Time::Linear), own)[0] else { panic!("a property") };
    assert!(
        matches!(&linear.kind, PropertyKind::Ltl(Formula::Not(inner)) if matches!(**inner, Formula::Quantified(..)))
    );
    assert_eq!(of(None, own), of(Some(Time::Linear), own));
    assert_ne!(of(Some(Time::Linear), wrong), of(Some(Time::Linear), own));
    assert_eq!(of(Some(Time::Branching), own), of(Some(Time::Linear), wrong));
    let two = format!("<property><id>f</id><formula><conjunction>{fires}{fires}</conjunction></formula></property>");
    for wrong in [
        two.replace("<conjunction>", "").replace("</conjunction>", ""),
        two.replace("<transition>", "<place/><transition>"),
    ] {
        let mut sink = Diagnostics::new();
        formulas::read(
            &format!("<property-set>{wrong}</property-set>"),
            &loaded.net,
            None,
            formulas::Wrong::default(),
            &mut sink,
        );
        assert!(sink.has_errors(), "{wrong}");
    }
}
