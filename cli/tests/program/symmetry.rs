//! The quotient against the whole state space: random symmetric models with symmetric and asymmetric properties, and fixtures.
//!
//! `SEED` is the first seed, `COUNT` how many models. Verdicts have to be equal, and the sizes of the orbits have to sum up to the
//! number of states without symmetry. Counterexamples are replayed by the checker itself.

use battery::directives::Expectations;
use battery::harness::{files, read_model, read_properties, root};
use battery::parallel;
use checker::{Limits, QueryKind, Question, Quotient, Reductions, Report, Representative, SearchOrder, Verdict};
use frontend::lower::LowerOptions;
use frontend::model::{Model, PropertySet};
use serde_json::Value as Json;
use symmetry::{
    Strategy::{self, KnownRebec, ScalarSet},
    ValidatedGroup,
};

use crate::binary::quotient;

const COUNT: u64 = 1_000;
const MOST_STATES: u64 = 3_000;

/// A source of random choices.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).expect("31 bits") % bound
    }

    fn one<'a>(&mut self, options: &[&'a str]) -> &'a str {
        options[self.roll(options.len())]
    }
}

/// A statement of a node, which may send to its neighbours.
fn statement(dice: &mut Dice, depth: usize) -> String {
    let condition = |dice: &mut Dice| {
        let options =
            ["flag", "!flag", "n == 1", "n > 0", "sender == left", "sender == self", "seen == right", "seen != null"];
        dice.one(&options).to_owned()
    };
    match dice.roll(if depth == 0 { 8 } else { 10 }) {
        0 => "flag = !flag;".to_owned(),
        1 => "n = (n + 1) % 3;".to_owned(),
        2 => "left.poke(flag);".to_owned(),
        3 => "right.tick();".to_owned(),
        4 => "seen = (Node)sender;".to_owned(),
        5 => "self.tick();".to_owned(),
        6 => "flag = ?(true, false);".to_owned(),
        7 => "if (seen != null) { seen.tick(); }".to_owned(),
        8 => format!("if ({}) {{ {} }}", condition(dice), statement(dice, depth - 1)),
        _ => format!(
            "if ({}) {{ {} }} else {{ {} }}",
            condition(dice),
            statement(dice, depth - 1),
            statement(dice, depth - 1)
        ),
    }
}

/// A ring of nodes, or nodes that all know one other node, or pairs.
fn random_model(seed: u64) -> (String, String) {
    let mut dice = Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 77);
    dice.roll(2);
    let count = 2 + dice.roll(3);
    let server = |dice: &mut Dice, head: &str| {
        let body: Vec<String> = (0..1 + dice.roll(2)).map(|_| statement(dice, 1)).collect();
        format!("  msgsrv {head} {{ {} }}\n", body.join(" "))
    };
    let queue = 2 + dice.roll(3);
    let mut text = format!(
        "reactiveclass Node({queue}) {{\n  knownrebecs {{ Node left, right; }}\n  statevars {{ boolean flag; byte n; Node seen; }}\n"
    );
    text.push_str(&server(&mut dice, "initial()"));
    text.push_str(&server(&mut dice, "tick()"));
    text.push_str(&server(&mut dice, "poke(boolean b)"));
    text.push_str("}\nmain {\n");
    let shape = dice.roll(3);
    for at in 0..count {
        let (left, right) = match shape {
            0 => ((at + count - 1) % count, (at + 1) % count),
            1 => (at, at),
            _ => (at ^ 1, at),
        };
        let [left, right] = [left, right].map(|other| other.min(count - 1));
        text.push_str(&format!("  Node a{at}(a{left}, a{right}):();\n"));
    }
    text.push_str("}\n");
    let (a, b) = (dice.roll(count), dice.roll(count));
    let all: Vec<String> = (0..count).map(|at| format!("!(a{at}.flag && a{at}.n == 2)")).collect();
    let properties = format!(
        "property {{ define {{ one = a{a}.flag; }} Assertion {{ All: {}; One: !(one && a{b}.n == 2); Two: a{a}.n != 1 || !a{b}.flag; }} }}\n",
        all.join(" && ")
    );
    (text, properties)
}

fn question(properties: &PropertySet, order: SearchOrder) -> Question {
    let limits = Limits { max_states: Some(MOST_STATES), ..Limits::default() };
    Question { properties: properties.clone(), keep_going: true, order, limits, ..Question::default() }
}

fn checked(model: &Model, question: &Question, group: &ValidatedGroup, representative: Representative) -> Report {
    let quotient = Some(Quotient { group, representative, counts_orbits: true });
    let reductions = Reductions { quotient, ..Reductions::default() };
    checker::check_reduced(model, question, reductions, &mut ()).expect("counterexamples are confirmed")
}

fn verdicts(report: &Report) -> Vec<(String, Verdict)> {
    report.answers.iter().map(|answer| (answer.name.clone(), answer.verdict)).collect()
}

/// Compares all ways of checking; the order of the group and whether a property cut it; `None` for a model without symmetry or of too many states.
fn compare(model: &Model, properties: &PropertySet) -> Option<(bool, bool)> {
    let group = ValidatedGroup::new(model, properties, ScalarSet.candidates(model));
    if group.order() <= 1u32.into() {
        return None;
    }
    let question = question(properties, SearchOrder::BreadthFirst);
    let plain = checker::check(model, &question, &mut ()).expect("counterexamples are confirmed");
    if !plain.complete {
        return None;
    }
    for representative in Representative::ALL {
        let report = checked(model, &question, &group, representative);
        assert!(report.complete, "{representative:?}");
        assert_eq!(verdicts(&report), verdicts(&plain), "{representative:?}");
        let used = report.group.as_ref().expect("a group that is not trivial");
        assert!(report.states <= plain.states, "{representative:?}");
        if used.exact {
            let orbits = used.orbits.as_ref().expect("counted");
            assert_eq!(orbits.sum, plain.states.to_string(), "{representative:?}");
            assert_eq!(orbits.transitions, Some(plain.transitions.to_string()), "{representative:?}");
        }
    }
    let depth_first =
        checked(model, &Question { order: SearchOrder::DepthFirst, ..question }, &group, Representative::Auto);
    assert_eq!(verdicts(&depth_first), verdicts(&plain));
    let is_cut = *group.model_order() != group.order();
    Some((is_cut, plain.verdict == Verdict::Violated))
}

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok().map(|text| text.parse().unwrap_or_else(|_| panic!("{name} is not a number: {text}")))
}

#[test]
fn verdicts_are_those_without_symmetry() {
    let (first, count) = (number("SEED").unwrap_or(1), number("COUNT").unwrap_or(COUNT));
    let seeds: Vec<u64> = (first..first + count).collect();
    let results = parallel::map(&seeds, |&seed| {
        let (text, properties) = random_model(seed);
        let (model, diagnostics) = read_model(text.as_bytes(), &LowerOptions::default());
        let model = model.unwrap_or_else(|| panic!("seed {seed}: {:?}\n{text}", diagnostics.list));
        let (set, diagnostics) = read_properties(properties.as_bytes(), &model);
        let set = set.unwrap_or_else(|| panic!("seed {seed}: {:?}\n{properties}", diagnostics.list));
        println!("seed {seed}");
        (compare(&model, &PropertySet::default()), compare(&model, &set))
    });
    let met = |wanted: &dyn Fn(&(bool, bool)) -> bool| {
        results.iter().flat_map(|(without, with)| [without, with]).flatten().filter(|found| wanted(found)).count()
    };
    println!("{} reduced, {} cut, {} violated", met(&|_| true), met(&|found| found.0), met(&|found| found.1));
    if (first, count) == (1, COUNT) {
        assert!(met(&|_| true) > 400 && met(&|found| found.0) > 20 && met(&|found| found.1) > 100);
    }
}

/// A group that was not cut to the property finds less: what the type of a validated group prevents.
#[test]
fn the_full_group_on_an_asymmetric_property_is_wrong() {
    let text = "reactiveclass Node(2) { knownrebecs { Node left, right; } statevars { boolean flag; }
                  msgsrv initial() { if (?(true, false)) { flag = true; } } }
                main { Node a0(a1, a1):(); Node a1(a0, a0):(); }";
    let (model, _) = read_model(text.as_bytes(), &LowerOptions::default());
    let model = model.expect("a model");
    let property =
        "property { define { p = a0.flag && !a1.flag; q = a1.flag && !a0.flag; } Assertion { P: !p; Q: !q; } }";
    let (set, _) = read_properties(property.as_bytes(), &model);
    let set = set.expect("properties");
    let cut = ValidatedGroup::new(&model, &set, KnownRebec.candidates(&model));
    let full = ValidatedGroup::new(&model, &PropertySet::default(), KnownRebec.candidates(&model));
    assert_eq!((cut.order(), full.order()), (1u32.into(), 2u32.into()));
    let question = question(&set, SearchOrder::BreadthFirst);
    let refused = std::panic::catch_unwind(|| checked(&model, &question, &full, Representative::Auto));
    assert!(refused.is_err(), "a group is used for what it was validated for only");
    let plain = checker::check(&model, &question, &mut ()).expect("confirmed");
    let violated = plain.answers.iter().filter(|answer| answer.verdict == Verdict::Violated);
    assert_eq!(violated.filter(|answer| answer.kind == QueryKind::Invariant).count(), 2);
}

/// Groups of the constraint detector, which may move values and servers within rebecs, with and without partial order.
#[test]
fn symmetries_within_rebecs_agree_with_and_without_partial_order() {
    let seeds: Vec<u64> = (0..COUNT).collect();
    let found = parallel::map(&seeds, |&seed| {
        let (text, properties) = random_model(seed);
        let (model, _) = read_model(text.as_bytes(), &LowerOptions::default());
        let model = model.expect("a model");
        let properties = read_properties(properties.as_bytes(), &model).0.expect("properties");
        let candidates = symmetry::detect::detect(&model, &properties, Strategy::Constraint).candidates;
        let group = ValidatedGroup::new(&model, &properties, candidates);
        if group.order() <= 1u32.into() {
            return None;
        }
        let question = Question { overflow: false, ..question(&properties, SearchOrder::BreadthFirst) };
        let plain = checker::check(&model, &question, &mut ()).expect("counterexamples are confirmed");
        if !plain.complete {
            return None;
        }
        for partial_order in [false, true] {
            let quotient = Quotient { group: &group, representative: Representative::Auto, counts_orbits: false };
            let reductions = Reductions { quotient: Some(quotient), partial_order, ..Reductions::default() };
            let report = checker::check_reduced(&model, &question, reductions, &mut ()).expect("confirmed");
            assert_eq!(verdicts(&report), verdicts(&plain), "seed {seed}, partial order {partial_order}\n{text}");
        }
        Some(group.has_local_maps())
    });
    let compared = found.iter().flatten().count();
    let within = found.iter().flatten().filter(|&&within| within).count();
    println!("{compared} models compared, {within} with symmetries within rebecs");
    assert!(compared > 200 && within > 20, "{compared} {within}");
}

/// Whether the numbers without a group are those of the plain run.
fn is_full(stats: &Json, plain: &Json) -> bool {
    let wanted = ["states", "transitions"].map(|name| Json::from(plain[name].to_string()));
    stats["reductions"].as_array().is_some_and(|list| list.iter().any(|name| *name == "slicing"))
        || [&stats["full_states"], &stats["full_transitions"]] == [&wanted[0], &wanted[1]]
}

/// Every fixture, through the binary: the states of the quotient are as the head says, the orbits sum up to all states, and the
/// verdicts are those without reductions.
#[test]
fn fixtures_have_the_same_verdicts_in_the_quotient() {
    let fixtures = files(&root().join("fixtures/rebeca"), &["rebeca"], true);
    let failures = parallel::map(&fixtures, |path| {
        let text = std::fs::read_to_string(path).expect("a fixture");
        let head = Expectations::read(&text).expect("directives");
        let count = |name| Expectations::count(&head.states, name);
        if head.is_slow || count("full").is_none_or(|states| states > 50_000) {
            return None;
        }
        let run = |options: &[&str]| {
            let path = path.to_string_lossy();
            let mut arguments = vec!["check", path.as_ref(), "--json", "--keep-going", "--por", "off"];
            arguments.extend(head.run.iter().map(String::as_str));
            arguments.extend(options);
            let text = quotient(&arguments).stdout;
            serde_json::from_str::<Json>(&text).unwrap_or_else(|error| panic!("{path}: {error}\n{text}"))
        };
        let verdicts = |report: &Json| -> Vec<(Json, Json)> {
            let properties = report["properties"].as_array().cloned().unwrap_or_default();
            properties.iter().map(|property| (property["name"].clone(), property["verdict"].clone())).collect()
        };
        let (plain, reduced) = (run(&["--plain"]), run(&[]));
        let bare = run(&["--no-property", "--stats"]);
        let sum = if bare["group"].is_null() { &bare["states"] } else { &bare["orbits"]["sum"] };
        // Renumbering created rebecs merges states that no orbit has.
        let renumbers =
            bare["reductions"].as_array().is_some_and(|list| list.iter().any(|name| *name == "heap-symmetry"));
        let is_whole = bare["complete"] == true && plain["complete"] == true && !renumbers;
        let fits = verdicts(&plain) == verdicts(&reduced)
            && (!is_whole || *sum == plain["states"] && is_full(&bare, &plain))
            && count("quotient").is_none_or(|states| bare["states"] == states);
        (!fits).then(|| format!("{}: {} states, orbits sum up to {sum}", path.display(), bare["states"]))
    });
    let failures: Vec<String> = failures.into_iter().flatten().collect();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// Twenty clients of one hub can be permuted at will: what counts is how many of them wait, and for what.
#[test]
fn a_star_of_twenty_has_few_orbits() {
    let clients: String = (0..20).map(|at| format!("Client c{at}(hub):(); ")).collect();
    let text = format!(
        "reactiveclass Hub(21) {{ knownrebecs {{ }} statevars {{ }} msgsrv initial() {{ }} msgsrv ask() {{ sender.answer(); }} }}
         reactiveclass Client(1) {{ knownrebecs {{ Hub hub; }} statevars {{ boolean done; }}
             msgsrv initial() {{ hub.ask(); }} msgsrv answer() {{ done = true; }} }}
         main {{ {clients} Hub hub():(); }}"
    );
    let (model, diagnostics) = read_model(text.as_bytes(), &LowerOptions::default());
    let model = model.unwrap_or_else(|| panic!("{:?}", diagnostics.list));
    let group = ValidatedGroup::new(&model, &PropertySet::default(), KnownRebec.candidates(&model));
    assert_eq!(group.order().to_string(), "2432902008176640000");
    let question = question(&PropertySet::default(), SearchOrder::BreadthFirst);
    let report = checked(&model, &question, &group, Representative::Auto);
    // Not yet requested, requested, answered, done; while the hub has not begun, only the first two.
    assert_eq!((report.complete, report.states), (true, 23 * 22 * 21 / 6 + 21));
}

/// The three trains with the published names of messages, which begin with a capital.
const CAPITALISED: &str = "trains/train3 with published names";

/// A fixture by its path, or one with other names.
fn text_of(path: &str) -> String {
    let file = path.split(' ').next().expect("a path");
    let text = std::fs::read_to_string(root().join(format!("fixtures/rebeca/{file}.rebeca"))).expect("a fixture");
    if path != CAPITALISED {
        return text;
    }
    let names = ["arrive(", "leave(", "pass(", "passed(", "reachBridge("];
    names.iter().fold(text, |text, name| text.replace(name, &(name[..1].to_uppercase() + &name[1..])))
}

/// A fixture, the rule, the order of the group, orbits, states that the heuristic stores.
type Stored = (&'static str, Strategy, &'static str, u64, u64);

const STORED: &[Stored] = &[
    ("two_phase_commit/2pc2", KnownRebec, "2", 166, 166),
    ("two_phase_commit/2pc2", ScalarSet, "2", 166, 166),
    // The heuristic compares messages by name; how a train starts does not depend on it.
    ("trains/train3", ScalarSet, "3", 128, 148),
    (CAPITALISED, ScalarSet, "3", 128, 148),
    ("load_balancer/lb4_2", KnownRebec, "8", 3_181, 4_892),
    ("load_balancer/lb4_2", ScalarSet, "16", 1_626, 2_982),
    ("trains/train3", KnownRebec, "1", 376, 376),
    ("two_phase_commit/2pc3", KnownRebec, "3", 205_942, 208_608),
    ("two_phase_commit/2pc3", ScalarSet, "6", 103_155, 105_255),
    ("philosophers/phil4_fig2", KnownRebec, "2", 187_284, 236_925),
];

/// Fixtures of the rules whose groups and orbits are known.
#[test]
fn known_orbits_are_stored() {
    for &(path, strategy, order, orbits, on_the_fly) in STORED {
        let (model, _) = read_model(text_of(path).as_bytes(), &LowerOptions::default());
        let model = model.expect("a model");
        let group = ValidatedGroup::new(&model, &PropertySet::default(), strategy.candidates(&model));
        assert_eq!(group.order().to_string(), order, "{path}");
        let question =
            Question { limits: Limits::default(), ..question(&PropertySet::default(), SearchOrder::BreadthFirst) };
        assert_eq!(checked(&model, &question, &group, Representative::Auto).states, orbits, "{path}");
        assert_eq!(checked(&model, &question, &group, Representative::OnTheFly).states, on_the_fly, "{path}");
    }
}
