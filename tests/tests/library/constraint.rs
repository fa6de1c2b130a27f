//! The constraint detector and the validator: random models, every fixture against its explicit state space, known-wrong graphs,
//! and the size of every graph.

use std::fmt::Write as _;
use std::path::Path;

use battery::generate::{model, render};
use battery::harness::{files, messages, read_model, read_properties, root};
use battery::parallel;
use battery::random::Rng;
use battery::summaries::agree;
use battery::symmetric::{Explored, reachable};
use csp::actors::{ActorGraph, Actors};
use frontend::lower::LowerOptions;
use frontend::model::{Model, PropertySet, RebecId, Value};
use symmetry::detect::{ColouredGraph, Constraints, Proposal, Switches, candidates, detect, detect_with};
use symmetry::permutation::LocalMap;
use symmetry::{
    ModelPermutation,
    Strategy::{Constraint, ScalarSet},
    ValidatedGroup, Validator,
};

const COUNT: u64 = 1_000;

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok().map(|text| text.parse().unwrap_or_else(|_| panic!("{name} is not a number: {text}")))
}

fn read(text: &str, properties: Option<&str>) -> (Model, PropertySet) {
    let (model, found) = read_model(text.as_bytes(), &LowerOptions::default());
    let model = model.unwrap_or_else(|| panic!("{}\n{text}", messages(&found)));
    let set = properties.map(|properties| {
        let (set, found) = read_properties(properties.as_bytes(), &model);
        set.unwrap_or_else(|| panic!("{}\n{properties}", messages(&found)))
    });
    (model, set.unwrap_or_default())
}

/// A model of the fixtures with its property file.
fn fixture(path: &Path) -> (Model, PropertySet) {
    let text = std::fs::read_to_string(path).unwrap();
    let properties = std::fs::read_to_string(path.with_extension("property")).ok();
    read(&text, properties.as_deref())
}

fn fixtures() -> Vec<std::path::PathBuf> {
    files(&root().join("fixtures/rebeca"), &["rebeca"], true)
}

fn name(path: &Path) -> String {
    path.strip_prefix(root().join("fixtures/rebeca")).unwrap().display().to_string()
}

/// The properties of the group of a model.
struct Found {
    /// Whether the group is not trivial.
    is_nontrivial: bool,
    /// Whether something moves within rebecs that the rules of the papers do not move.
    is_beyond: bool,
    /// The number of candidates that the validator refused, properties aside.
    refused: usize,
}

/// The stages of the constraint detector.
struct Stages<'m> {
    csp: Constraints<'m>,
    graph: ColouredGraph,
    proposal: Proposal,
}

impl<'m> Stages<'m> {
    fn of(model: &'m Model, properties: &PropertySet) -> Stages<'m> {
        let csp = Constraints::new(model, properties, Constraint);
        let graph = ColouredGraph::new(model, &csp);
        let proposal = candidates(model, properties, &csp, &graph, &csp::automorphisms(graph.as_ref()));
        Stages { csp, graph, proposal }
    }
}

/// Detects, validates and checks every generator on the states that were explored.
fn check(model: &Model, properties: &PropertySet, explored: &mut Explored<'_>) -> Result<Found, String> {
    let Stages { csp, proposal: detected, .. } = Stages::of(model, properties);
    let group = ValidatedGroup::new(model, properties, detected.candidates.clone());
    let rules = ValidatedGroup::new(model, properties, ScalarSet.candidates(model));
    if group.order() < rules.order() {
        // The rules also rotate what never changes.
        let [own, other] = [&group, &rules].map(|group| explored.orbits(group.generators()));
        if own.is_none() || own > other {
            return Err(format!("order {} is below {} of the rules", group.order(), rules.order()));
        }
    }
    for generator in group.generators() {
        let classes = group.certificate().keeps_fault_classes;
        explored
            .keeps(properties, generator, classes)
            .map_err(|reason| format!("{}: {reason}", generator.text(model)))?;
    }
    Ok(Found {
        is_nontrivial: !group.generators().is_empty(),
        is_beyond: group.order() > rules.order(),
        refused: if csp.opaque().is_empty() { group.rejected().len() } else { 0 },
    })
}

#[test]
fn generators_of_random_models_keep_every_transition() {
    let (first, count) = (number("SEED").unwrap_or(1), number("COUNT").unwrap_or(COUNT));
    let seeds: Vec<u64> = (first..first + count).collect();
    let results = parallel::map(&seeds, |&seed| {
        let spec = model(seed);
        let (model, properties) = read(&render::model(&spec), render::properties(&spec).as_deref());
        let mut explored = Explored::new(&model, 1_000);
        let none = PropertySet::default();
        let one = check(&model, &none, &mut explored).map_err(|reason| format!("seed {seed}: {reason}"))?;
        check(&model, &properties, &mut explored).map_err(|reason| format!("seed {seed} with properties: {reason}"))?;
        Ok::<Found, String>(one)
    });
    let mut failures = Vec::new();
    let (mut nontrivial, mut beyond, mut refused) = (0, 0, 0);
    for result in results {
        match result {
            Ok(found) => {
                nontrivial += usize::from(found.is_nontrivial);
                beyond += usize::from(found.is_beyond);
                refused += found.refused;
            }
            Err(reason) => failures.push(reason),
        }
    }
    println!("{count} models: {nontrivial} with symmetries, {beyond} beyond the rules, {refused} candidates refused");
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(count != COUNT || first != 1 || (nontrivial > 100 && beyond > 50), "{nontrivial}, {beyond}");
}

#[test]
fn summaries_agree_with_the_interpreter() {
    let (first, count) = (number("SEED").unwrap_or(1), number("COUNT").unwrap_or(COUNT));
    let seeds: Vec<u64> = (first..first + count).collect();
    let random = parallel::map(&seeds, |&seed| {
        let (model, _) = read(&render::model(&model(seed)), None);
        let Ok(actors) = Actors::new(&model, &PropertySet::default()) else { return Ok(0) };
        agree(&actors, &reachable(&model, 300)).map_err(|reason| format!("seed {seed}: {reason}"))
    });
    let fixtures = parallel::map(&fixtures(), |path| {
        let (model, _) = fixture(path);
        let Ok(actors) = Actors::new(&model, &PropertySet::default()) else { return Ok(0) };
        agree(&actors, &reachable(&model, 500)).map_err(|reason| format!("{}: {reason}", name(path)))
    });
    let failures: Vec<&String> = random.iter().chain(&fixtures).filter_map(|result| result.as_ref().err()).collect();
    assert!(failures.is_empty(), "{} models, {}", failures.len(), failures[0]);
    let compared: usize = random.iter().flatten().sum();
    println!("{compared} steps compared");
    assert!(compared > 20_000 || count != COUNT, "{compared}");
}

/// A candidate that nobody proposed: a few random changes of the identity, or of a permutation that was found.
fn random_candidate(model: &Model, rng: &mut Rng, from: &ModelPermutation) -> Option<ModelPermutation> {
    let mut images: Vec<RebecId> =
        (0..model.instances.len()).map(|rebec| from.image(RebecId::from_index(rebec))).collect();
    let mut locals: Vec<LocalMap> =
        (0..model.instances.len()).map(|rebec| from.expanded(RebecId::from_index(rebec))).collect();
    for _ in 0..1 + rng.below(2) {
        let rebec = rng.below(locals.len());
        let local = &mut locals[rebec];
        match rng.below(4) {
            0 => {
                let other = rng.below(images.len());
                images.swap(rebec, other);
            }
            1 => {
                let (one, other) = (rng.below(local.elements.len().max(1)), rng.below(local.elements.len().max(1)));
                if let (Some(Some(first)), Some(Some(second))) =
                    (local.elements.get(one).cloned(), local.elements.get(other).cloned())
                {
                    local.elements[one] = Some(second);
                    local.elements[other] = Some(first);
                }
            }
            2 => {
                let place = rng.below(local.elements.len().max(1));
                let flips = [(Value::Bool(false), Value::Bool(true)), (Value::Bool(true), Value::Bool(false))];
                let turns = [(Value::Int(0), Value::Int(1)), (Value::Int(1), Value::Int(0))];
                if let Some(Some(moved)) = local.elements.get_mut(place) {
                    moved.values = if rng.below(3) == 0 { turns.to_vec() } else { flips.to_vec() };
                }
            }
            _ => {
                let (one, other) = (rng.below(local.servers.len().max(1)), rng.below(local.servers.len().max(1)));
                if one.max(other) < local.servers.len() {
                    local.servers.swap(one, other);
                }
            }
        }
    }
    ModelPermutation::with_locals(model, images, locals).ok()
}

#[test]
fn accepted_candidates_keep_every_transition() {
    let seeds: Vec<u64> = (1..=500).collect();
    let results = parallel::map(&seeds, |&seed| {
        let (model, _) = read(&render::model(&model(seed)), None);
        let mut rng = Rng::new(seed);
        let none = PropertySet::default();
        let mut from = detect(&model, &none, Constraint).candidates;
        from.push(ModelPermutation::identity(&model));
        let mut validator = Validator::new(&model);
        let (mut accepted, mut refused, mut explored) = (0, 0, None);
        for _ in 0..40 {
            let start = &from[rng.below(from.len())];
            let Some(candidate) = random_candidate(&model, &mut rng, start) else { continue };
            let Ok(certificate) = validator.check(&candidate) else {
                refused += 1;
                continue;
            };
            accepted += usize::from(!from.contains(&candidate));
            explored
                .get_or_insert_with(|| Explored::new(&model, 300))
                .keeps(&none, &candidate, certificate.keeps_fault_classes)
                .map_err(|reason| format!("seed {seed}: {}: {reason}", candidate.text(&model)))?;
        }
        Ok::<(usize, usize), String>((accepted, refused))
    });
    let failures: Vec<&String> = results.iter().filter_map(|result| result.as_ref().err()).collect();
    assert!(failures.is_empty(), "{failures:?}");
    let (accepted, refused) =
        results.iter().flatten().fold((0, 0), |(all, none), (some, others)| (all + some, none + others));
    println!("{accepted} random candidates accepted, {refused} refused");
    assert!(accepted > 200 && refused > 2_000, "{accepted}, {refused}");
}

#[test]
fn generators_of_fixtures_keep_every_transition() {
    let failures: Vec<String> = parallel::map(&fixtures(), |path| {
        let (model, properties) = fixture(path);
        let unbounded = name(path) == "creation/unbounded.rebeca";
        let max = if unbounded { 100 } else { 10_000 };
        let large = ["phil4_fig2", "2pc3", "lb6_3", "phil4_lib", "lb4_2"];
        let max = if large.iter().any(|part| name(path).contains(part)) { 1_500 } else { max };
        let mut explored = Explored::new(&model, max);
        let whole = check(&model, &PropertySet::default(), &mut explored).and_then(|found| match found.refused {
            0 => check(&model, &properties, &mut explored),
            some => Err(format!("{some} candidates refused")),
        });
        whole.err().map(|reason| format!("{}: {reason}", name(path)))
    })
    .into_iter()
    .flatten()
    .collect();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn graphs_of_fixtures() {
    let mut table = String::new();
    for path in fixtures() {
        let (model, _) = fixture(&path);
        let none = PropertySet::default();
        let Stages { csp, graph, proposal } = Stages::of(&model, &none);
        let (vertices, edges) = (graph.as_ref().len(), graph.as_ref().edge_count());
        let _ = write!(table, "{}: {vertices} vertices, {edges} edges, order {}", name(&path), proposal.order);
        let _ = writeln!(table, "{}", csp.opaque().iter().map(|part| format!("; {part}")).collect::<String>());
    }
    insta::assert_snapshot!(table);
}

#[test]
fn stages_are_well_formed() {
    for path in fixtures() {
        let (model, properties) = fixture(&path);
        let Ok(actors) = Actors::new(&model, &properties) else { continue };
        let graph = ActorGraph::new(&actors);
        let problems = [actors.verify(), graph.verify(&actors)].concat();
        assert!(problems.is_empty(), "{}: {problems:?}", name(&path));
        assert_eq!(actors.map(&graph).lines().count(), graph.graph.len());
    }
}

#[test]
fn stages_of_a_fixture() {
    let (model, properties) = fixture(&root().join("fixtures/rebeca/philosophers/table_for_two.rebeca"));
    let actors = Actors::new(&model, &properties).unwrap();
    insta::assert_snapshot!(format!("{}\n{}", actors.print_paths(), actors.print()));
}

/// The candidates of a known-wrong graph are refused by the validator, and are no automorphisms; the right graph has none of them.
fn caught(text: &str, switches: Switches) {
    let (model, _) = read(text, None);
    let none = PropertySet::default();
    let right = detect(&model, &none, Constraint).candidates;
    assert!(right.is_empty(), "{}", right[0].text(&model));
    let wrong = detect_with(&model, &none, Constraint, switches).candidates;
    assert!(!wrong.is_empty(), "the planted fault changes nothing");
    let mut explored = Explored::new(&model, 10_000);
    for candidate in &wrong {
        assert!(explored.keeps(&none, candidate, true).is_err(), "{}", candidate.text(&model));
    }
    let group = ValidatedGroup::new(&model, &none, wrong.clone());
    assert_eq!(group.rejected().len(), wrong.len());
    assert!(group.generators().is_empty());
}

#[test]
fn a_graph_without_senders_is_caught() {
    let text = "reactiveclass C(4) { knownrebecs { T a, b; } statevars { boolean x; } msgsrv initial() { x = false; }
            msgsrv hit() { if (sender == a) { x = true; } else { x = false; } } }
        reactiveclass T(2) { knownrebecs { C c; } msgsrv initial() { self.go(); } msgsrv go() { c.hit(); self.go(); } }
        main { C c(t, u):(); T t(c):(); T u(c):(); }";
    caught(text, Switches { ignores_senders: true, ..Switches::default() });
}

#[test]
fn a_graph_without_faults_is_caught() {
    let text = "reactiveclass N(2) { statevars { boolean x; } N() { x = ?(true, false); self.go(); }
            msgsrv go() { boolean c = ?(true, false); if (c) { assertion(x); } x = ?(true, false); self.go(); } }
        main { N n():(); }";
    caught(text, Switches { ignores_faults: true, ..Switches::default() });
}

#[test]
fn a_graph_without_the_order_of_messages_is_caught() {
    let text = "reactiveclass C(4) { knownrebecs { T a, b; } msgsrv initial() { self.go(); }
            msgsrv go() { a.on(); a.off(); b.off(); b.on(); } }
        reactiveclass T(3) { statevars { boolean x; } msgsrv initial() { x = false; } msgsrv on() { x = true; } msgsrv off() { x = false; } }
        main { C c(t, u):(); T t():(); T u():(); }";
    caught(text, Switches { ignores_order: true, ..Switches::default() });
}

#[test]
fn a_graph_with_shared_conditions_is_caught() {
    let text = "reactiveclass C(3) { knownrebecs { T a, b; } statevars { boolean x; } msgsrv initial() { x = false; self.go(); }
            msgsrv go() { if (x) { a.on(); } else { b.on(); } self.next(); }
            msgsrv next() { x = true; self.go(); } }
        reactiveclass T(3) { statevars { boolean x; } msgsrv initial() { x = false; } msgsrv on() { x = true; } }
        main { C c(t, u):(); T t():(); T u():(); }";
    caught(text, Switches { shares_conditions: true, ..Switches::default() });
}
