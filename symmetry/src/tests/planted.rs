//! Faults planted in the constraints that detection and proof share: the trial by the reference interpreter contradicts what both let pass.

use std::panic::{AssertUnwindSafe, catch_unwind};

use super::support::model;
use crate::Validator;
use crate::detect::{Constraints, candidates};
use csp::actors::{Actors, Case, Effect, Summary};
use csp::automorphisms;
use frontend::model::{Model, PropertySet};

/// `up` decides the value that is written.
const WRITES: &str = "
    reactiveclass Counter(3) {
        statevars { boolean up; byte n; }
        Counter() { up = ?(true, false); n = 0; self.run(); }
        msgsrv run() {
            if (up) { n = 1; } else { n = 2; }
            if (n == 2) { up = true; }
            self.run();
        }
    }
    main { Counter counter():(); }
";

/// `up` decides the message that is sent.
const SENDS: &str = "
    reactiveclass Counter(3) {
        statevars { boolean up; }
        Counter() { up = ?(true, false); self.run(); }
        msgsrv run() { if (up) { self.low(); } else { self.run(); } }
        msgsrv low() { up = ?(true, false); self.run(); }
    }
    main { Counter counter():(); }
";

/// `up` decides which value is written, and that decides the next steps.
const CONDITIONS: &str = "
    reactiveclass Counter(3) {
        statevars { boolean up; byte n; byte m; }
        Counter() { up = ?(true, false); n = 0; m = 0; self.run(); }
        msgsrv run() { if (up) { n = 1; } else { n = 2; } self.test(); }
        msgsrv test() { if (n == 2) { m = 1; } else { m = 0; } up = ?(true, false); self.run(); }
    }
    main { Counter counter():(); }
";

/// A fault in the effect of an instance, or in its condition.
type Change<'c> = &'c dyn Fn(&mut Case);

/// Changes the effects of all instances.
fn planted(model: &Model, change: impl Fn(&mut Case)) -> Actors<'_> {
    let mut actors = Actors::new(model, &PropertySet::default()).expect("a small model");
    for summary in &mut actors.summaries {
        if let Summary::Cases(cases) = summary {
            cases.iter_mut().for_each(&change);
            // As a summary has them: each effect once.
            let mut kept: Vec<Case> = Vec::new();
            for case in cases.drain(..) {
                match kept.iter_mut().find(|other| other.effect == case.effect) {
                    Some(other) => other.cubes = vec![Vec::new()],
                    None => kept.push(case),
                }
            }
            *cases = kept;
        }
    }
    actors
}

/// The number of proved permutations that the trial contradicts, and of those that it confirms.
fn tried(model: &Model, actors: &Actors<'_>) -> (usize, usize) {
    let constraints = Constraints::Behaviour(Box::new(actors.clone()));
    let graph = crate::detect::ColouredGraph::new(model, &constraints);
    let found = automorphisms(graph.as_ref());
    let proposed = candidates(model, &PropertySet::default(), &constraints, &graph, &found).candidates;
    let (mut contradicted, mut confirmed) = (0, 0);
    for permutation in &proposed {
        let mut validator = Validator::with_actors(model, actors.clone());
        match catch_unwind(AssertUnwindSafe(|| validator.check(permutation))) {
            Err(_) => contradicted += 1,
            Ok(Ok(_)) => confirmed += 1,
            Ok(Err(_)) => {}
        }
    }
    (contradicted, confirmed)
}

#[test]
fn a_fault_that_detection_and_proof_share_is_contradicted() {
    let without_writes = |case: &mut Case| {
        if let Effect::Runs { writes, .. } = &mut case.effect {
            writes.clear();
        }
    };
    let without_sends = |case: &mut Case| {
        if let Effect::Runs { sends, .. } = &mut case.effect {
            sends.clear();
        }
    };
    let without_conditions = |case: &mut Case| case.cubes = vec![Vec::new()];
    let changes: [(&str, &str, Change<'_>); 3] = [
        ("writes", WRITES, &without_writes),
        ("sends", SENDS, &without_sends),
        ("conditions", CONDITIONS, &without_conditions),
    ];
    for (lost, text, change) in changes {
        let model = model(text);
        assert_eq!(tried(&model, &planted(&model, |_| {})).0, 0, "constraints without a fault");
        assert!(tried(&model, &planted(&model, change)).0 > 0, "{lost} are lost, and nobody objects");
    }
}
