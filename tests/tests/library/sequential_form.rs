//! Rebeca models and their sequential forms have the same state space: every fixture, and random models. The forms of Murphi models show
//! the symmetries of the models.
//!
//! `SEED` is the first seed, `COUNT` how many, `FOLDER` another folder of models, whose figures are printed.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use battery::generate::{model, render};
use battery::harness::{files, messages, options, read_model, read_properties, root};
use battery::parallel;
use battery::sequential_form::{Compared, Formulas, compare, compare_formulas, converted};
use battery::{differential, directives::Expectations};
use checker::{Limits, Question, Reductions, check_reduced};
use frontend::diagnostics::Diagnostics;
use frontend::interpret::Bounds;
use frontend::lower::LowerOptions;
use frontend::model::{Formula, Model, Property, PropertyKind, PropertySet};
use frontend::murphi;
use frontend::sequential::from_murphi;
use symmetry::{Strategy::Constraint, ValidatedGroup, sequential};

/// The largest fixture that is compared.
const MAX_STATES: usize = 6_000;
const COUNT: u64 = 500;

/// The most terms of a form of which a graph is drawn here.
const MAX_WEIGHT: u64 = 1 << 14;

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok().and_then(|text| text.parse().ok())
}

/// A model with its properties, and the bounds on its runs here.
fn read_file(path: &Path) -> Result<(Model, PropertySet, Bounds), String> {
    let bytes = std::fs::read(path).map_err(|error| error.to_string())?;
    let head = Expectations::read(&String::from_utf8_lossy(&bytes)).ok();
    let (lowering, question) = match head {
        Some(head) => options(&head.run)?,
        None => (LowerOptions::default(), Default::default()),
    };
    let (model, found) = read_model(&bytes, &lowering);
    let model = model.ok_or_else(|| format!("not read: {}", messages(&found)))?;
    let properties = path.with_extension("property");
    let mut set = PropertySet::default();
    if properties.is_file() {
        let bytes = std::fs::read(&properties).map_err(|error| error.to_string())?;
        let (read, found) = read_properties(&bytes, &model);
        set = read.ok_or_else(|| format!("not read: {}", messages(&found)))?;
    }
    let bounds = Bounds { max_statements: 2_000, max_calls: 200, max_work: 50_000, ..question.bounds };
    Ok((model, set, bounds))
}

fn file(path: &Path) -> Result<Compared, String> {
    let (model, set, bounds) = read_file(path)?;
    compare(&model, &set, &bounds, MAX_STATES)
}

/// Fixtures whose sequential form shows fewer symmetries, and why.
const FEWER: &[(&str, &str)] = &[
    ("increments", "values of a machine integer are permuted, which are wide in the form"),
    ("main_arguments", "values of a machine integer are permuted, which are wide in the form"),
    ("scalar_sets", "known rebecs that nothing reads are a constant table, and the order of their list stays"),
    ("phil4_lib", "variables of different names and the order of known rebecs are exchanged"),
    ("scalar_set_at_the_bound", "values of an argument are exchanged, which the events of the form show"),
    ("token_circulation", "values of arguments are exchanged, which the events of the form show"),
    ("two_hop_colouring", "values of arguments are exchanged, which the events of the form show"),
];

/// Fixtures that are left out here because their forms take seconds.
const SLOW: &[&str] = &["2pc3", "2pc2", "lb6_3", "lb4_2", "arrays", "casts", "phil4_fig2", "train4", "seats"];

/// The name of a fixture.
fn stem(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

/// The order of the group of the sequential form compared with that of the model, whether it is above one, and both as text;
/// nothing if the model has no form.
fn orders(path: &Path) -> Option<(Ordering, bool, String)> {
    let (model, _) = read_model(&std::fs::read(path).ok()?, &LowerOptions::default());
    let model = model?;
    let form = converted(&model, &PropertySet::default()).ok()?.ok()?;
    let own = ValidatedGroup::new(&model, &PropertySet::default(), Constraint.candidates(&model)).order();
    let found = csp::detect_graph(&form, &[]).ok()?;
    let group = sequential::ValidatedGroup::new(&form, &[], found.generators);
    let order = group.order();
    Some((order.cmp(&own), !group.generators().is_empty(), format!("order {own}, of its form {order}")))
}

#[test]
fn forms_have_the_symmetries_of_their_models() {
    let list = files(&root().join("fixtures/rebeca"), &["rebeca"], true);
    let list: Vec<PathBuf> = list.into_iter().filter(|path| !SLOW.contains(&stem(path).as_str())).collect();
    let mut nontrivial = 0;
    for (path, orders) in list.iter().zip(parallel::map(&list, |path| orders(path))) {
        let Some((order, is_nontrivial, text)) = orders else { continue };
        let name = stem(path);
        let reason = FEWER.iter().find(|fewer| fewer.0 == name);
        assert_eq!(order == Ordering::Less, reason.is_some(), "{name}: {text}");
        nontrivial += usize::from(is_nontrivial);
    }
    assert!(nontrivial > 15, "{nontrivial}");
}

/// Fixtures of Murphi whose sequential form shows fewer symmetries, and why.
const FEWER_OF_MURPHI: &[(&str, &str)] = &[
    ("parameter", "a quantifier over values that move may fault, and searches watch it in the model only"),
    ("twins", "rules of different names are exchanged, which the events of the form show"),
];

/// As `orders`, for the group that the text of a Murphi model proves.
fn orders_of_murphi(path: &Path) -> Option<(Ordering, bool, String)> {
    let text = std::fs::read_to_string(path).ok()?;
    let program = murphi::parse(&text, &murphi::Options::default(), &mut Diagnostics::new()).program?;
    let form = from_murphi(&program, &mut Diagnostics::new())?;
    let mut candidates = sequential::proved_by_text(&form, &[]);
    if csp::weight::weight(&form) < MAX_WEIGHT {
        let by_graph = csp::detect_graph(&form, &[]).ok()?.generators;
        candidates.extend(by_graph.into_iter().map(sequential::Candidate::from));
    }
    let own = symmetry::murphi::ValidatedGroup::of(&program, &[], false);
    let group = sequential::ValidatedGroup::of_candidates(&form, &[], candidates);
    let (own, of_form) = (own.order(), group.order());
    Some((of_form.cmp(&own), !group.generators().is_empty(), format!("order {own}, of its form {of_form}")))
}

#[test]
fn forms_of_murphi_models_have_the_symmetries_that_their_texts_prove() {
    let list = files(&root().join("fixtures/murphi"), &["m"], true);
    let mut nontrivial = 0;
    for (path, orders) in list.iter().zip(parallel::map(&list, |path| orders_of_murphi(path))) {
        let Some((order, is_nontrivial, text)) = orders else { continue };
        let name = stem(path);
        let reason = FEWER_OF_MURPHI.iter().find(|fewer| fewer.0 == name);
        assert_eq!(order == Ordering::Less, reason.is_some(), "{name}: {text}");
        nontrivial += usize::from(is_nontrivial);
    }
    assert!(nontrivial > 15, "{nontrivial}");
}

/// Fixtures of whose sequential form partial order leaves more states than of the model, and why.
const MORE_LEFT: &[(&str, &str)] = &[
    ("m11b_scalar_chosen", "of equally good sets another one is taken"),
    ("queue_overflow", "a full queue ends a step of the model without a state, and the form has the step before it"),
    (
        "queue_overflow_is_dropped",
        "a full queue ends a step of the model without a state, and the form has the step before it",
    ),
    ("slice_count_to_the_bound", "the bound on statements ends a step of the model, and none of the form"),
];

/// The states that partial order leaves of a model and of its sequential form, where only deadlock is asked for; nothing if the model
/// has no form or many states.
fn left(path: &Path) -> Option<[u64; 2]> {
    let (model, _, bounds) = read_file(path).ok()?;
    let form = converted(&model, &PropertySet::default()).ok()?.ok()?;
    let limits = Limits { max_states: Some(MAX_STATES as u64), ..Limits::default() };
    let of_model = Question { bounds, limits, ..deadlock::<PropertySet>() };
    let own = check_reduced(&model, &of_model, reduced(), &mut ()).ok()?;
    let of_form = Question { limits, ..deadlock() };
    let of_form = checker::sequential::check_reduced(&form, &of_form, reduced(), &mut ()).ok()?;
    (own.states < MAX_STATES as u64).then_some([own.states, of_form.states])
}

/// Deadlock, everywhere.
fn deadlock<P: Default>() -> Question<P> {
    Question { overflow: false, faults: false, assertions: false, keep_going: true, ..Question::default() }
}

/// Partial order and nothing else.
fn reduced<'g, G>() -> Reductions<'g, G> {
    Reductions { partial_order: true, ..Reductions::default() }
}

#[test]
fn partial_order_leaves_no_more_of_forms_than_of_models() {
    let list = files(&root().join("fixtures/rebeca"), &["rebeca"], true);
    // The form of the last one makes billions of rounds of a loop.
    let is_slow = |path: &PathBuf| SLOW.iter().chain(&["slice_fault_in_a_loop"]).any(|slow| *slow == stem(path));
    let list: Vec<PathBuf> = list.into_iter().filter(|path| !is_slow(path)).collect();
    let mut compared = 0;
    for (path, left) in list.iter().zip(parallel::map(&list, |path| left(path))) {
        let Some([own, of_form]) = left else { continue };
        let name = stem(path);
        let reason = MORE_LEFT.iter().find(|more| more.0 == name);
        println!("{name}: {own} states, {of_form} of its form");
        assert!(own >= of_form || reason.is_some(), "{name}: {own} states, {of_form} of its form");
        compared += 1;
    }
    assert!(compared > 90, "{compared}");
}

#[test]
fn fixtures_and_their_forms_agree() {
    let folder = std::env::var_os("FOLDER").map(PathBuf::from);
    let list = files(&folder.clone().unwrap_or_else(|| root().join("fixtures/rebeca")), &["rebeca"], true);
    let results = parallel::map(&list, |path| file(path));
    let mut failures = Vec::new();
    let (mut same, mut exact) = (0, 0);
    for (path, result) in list.iter().zip(results) {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        match &result {
            Ok(Compared::Same { states, transitions, instances, deadlocks, faults }) => {
                same += 1;
                exact += usize::from(transitions == instances);
                println!(
                    "{name}: {states} states, {transitions} transitions ({instances} instances), {deadlocks} deadlocks, {faults} faults"
                );
            }
            Ok(other) => println!("{name}: {other:?}"),
            Err(problem) => failures.push(format!("{name}: {problem}")),
        }
    }
    println!("{same} of {} have the same state space, {exact} of them the same number of transitions", list.len());
    assert!(failures.is_empty(), "{} fail\n{}", failures.len(), failures.join("\n"));
    assert!(folder.is_some() || same >= 60, "only {same} fixtures are compared");
}

/// A random model with its properties, and its text.
fn random(seed: u64) -> Result<(Model, PropertySet, String), String> {
    let spec = model(seed);
    let text = render::model(&spec);
    let (model, found) = read_model(text.as_bytes(), &LowerOptions::default());
    let model = model.ok_or_else(|| messages(&found))?;
    let mut set = PropertySet::default();
    if let Some(properties) = render::properties(&spec) {
        set = read_properties(properties.as_bytes(), &model).0.unwrap_or_default();
    }
    Ok((model, set, text))
}

/// Formulas that weak fairness may decide, about the conditions of the invariants.
fn recurrences(set: &PropertySet) -> PropertySet {
    let mut properties = Vec::new();
    for property in &set.properties {
        let PropertyKind::Invariant(condition) = &property.kind else { continue };
        let atom = Formula::Atom(condition.clone());
        let finally = |inner: Formula| Formula::Finally(Box::new(inner));
        let globally = |inner: Formula| Formula::Globally(Box::new(inner));
        let not = |inner: Formula| Formula::Not(Box::new(inner));
        let again = [atom.clone(), not(atom.clone())].map(|inner| globally(finally(inner)));
        for formula in again.into_iter().chain([finally(globally(not(atom)))]) {
            let name = format!("{}_{}", property.name, properties.len());
            properties.push(Property { name, kind: PropertyKind::Ltl(formula), span: property.span });
        }
    }
    PropertySet { definitions: Vec::new(), properties }
}

/// A process that declares the processes of fairness gives the verdicts of the model on fair runs, any process those on all runs.
#[test]
fn formulas_keep_their_verdicts() {
    let list = files(&root().join("fixtures/rebeca"), &["rebeca"], true);
    let of_files = parallel::map(&list, |path| {
        let (model, set, bounds) = read_file(path)?;
        compare_formulas(&model, &set, &bounds, MAX_STATES as u64)
            .map_err(|problem| format!("{}: {problem}", path.display()))
    });
    let (first, count) = (number("SEED").unwrap_or(1), number("COUNT").unwrap_or(COUNT));
    let seeds: Vec<u64> = (first..first + count).collect();
    let of_seeds = parallel::map(&seeds, |&seed| {
        let (model, set, text) = random(seed)?;
        compare_formulas(&model, &recurrences(&set), &differential::BOUNDS, 1_000)
            .map_err(|problem| format!("seed {seed}: {problem}\n{text}"))
    });
    let counted = |list: Vec<Result<Formulas, String>>| {
        let all = list.into_iter().map(|result| result.unwrap_or_else(|problem| panic!("{problem}")));
        all.fold((0, 0), |sum, one| (sum.0 + one.compared, sum.1 + one.fair))
    };
    let (of_files, of_seeds) = (counted(of_files), counted(of_seeds));
    println!("(compared, decided by fairness): of fixtures {of_files:?}, of random models {of_seeds:?}");
    assert!(of_files.0 >= 30 && of_files.1 >= 3, "{of_files:?}");
    assert!(count != COUNT || of_seeds.0 >= 1000 && of_seeds.1 >= 2, "{of_seeds:?}");
}

#[test]
fn random_models_and_their_forms_agree() {
    let (first, count) = (number("SEED").unwrap_or(1), number("COUNT").unwrap_or(COUNT));
    let seeds: Vec<u64> = (first..first + count).collect();
    let results = parallel::map(&seeds, |&seed| {
        let (model, set, text) = random(seed)?;
        compare(&model, &set, &differential::BOUNDS, 1_000).map_err(|problem| format!("seed {seed}: {problem}\n{text}"))
    });
    let mut met: BTreeMap<String, usize> = BTreeMap::new();
    let mut failures = Vec::new();
    for result in results {
        let what = match result {
            Ok(Compared::Same { faults, transitions, instances, .. }) => {
                *met.entry(format!("same, {}", if faults > 0 { "with faults" } else { "without faults" }))
                    .or_default() += 1;
                if transitions == instances { "same, equal counts".into() } else { "same, more instances".into() }
            }
            Ok(Compared::Large) => "larger, or without end".into(),
            Ok(Compared::Refused(reason)) => {
                let reason = reason.split(';').next().unwrap_or_default().to_owned();
                format!("refused: {}", reason.split(" (").next().unwrap_or_default())
            }
            Err(problem) => {
                failures.push(problem);
                continue;
            }
        };
        *met.entry(what).or_default() += 1;
    }
    for (what, times) in &met {
        println!("{times:>6}  {what}");
    }
    assert!(failures.is_empty(), "{} fail\n{}", failures.len(), failures.first().map_or("", String::as_str));
    let same = ["same, with faults", "same, without faults"].map(|what| met.get(what).copied().unwrap_or(0));
    assert!(count != COUNT || same.iter().all(|&times| times >= 20), "too few to prove anything: {met:?}");
}

/// Compares a model without properties with its form.
fn compared(text: &str) -> Result<Compared, String> {
    let (model, found) = read_model(text.as_bytes(), &LowerOptions::default());
    let model = model.unwrap_or_else(|| panic!("{}", messages(&found)));
    compare(&model, &PropertySet::default(), &Bounds::default(), MAX_STATES)
}

/// A local that nothing reads is left out only where its value cannot fault.
#[test]
fn locals_that_nothing_reads_fault_as_in_the_model() {
    let text = "reactiveclass A(3) { statevars { int[3] a; boolean b; } msgsrv initial() { self.go(); }
        msgsrv go() { int k = ?(0, 2, 3); int y = a[k]; b = !b; self.go(); } } main { A x():(); }";
    let compared = compared(text);
    assert!(matches!(compared, Ok(Compared::Same { .. })), "{compared:?}");
}

/// A round that ends a loop makes no update, and the value below the least one of a set stands for none.
#[test]
fn loops_that_are_left_and_sets_without_room_are_refused() {
    let left = "reactiveclass A(3) { statevars { int n; boolean b; } msgsrv initial() { self.go(); }
        msgsrv go() { b = false; for (n = 0; n < 1; n = n + 1) { if (?(true, false)) { b = true; break; } } self.go(); } }
        main { A a():(); }";
    let is_refused =
        |text: &str, what: &str| matches!(compared(text), Ok(Compared::Refused(reason)) if reason.contains(what));
    assert!(is_refused(left, "a choice inside a loop"));
    let set = |values: &str| {
        format!(
            "reactiveclass A(4) {{ knownrebecs {{ B b[i:{values}]; }} statevars {{ i x; boolean f; }} msgsrv initial() {{ self.go(); }}
             msgsrv go() {{ f = x == x; forEachValueOf(i) {{ b[i].m(); }} }} }}
             reactiveclass B(4) {{ knownrebecs {{ }} statevars {{ }} msgsrv initial() {{ }} msgsrv m() {{ }} }}
             main {{ A a(p, q, r):(); B p():(); B q():(); B r():(); }}"
        )
    };
    assert!(is_refused(&set("-2147483648..-2147483646"), "the least integer"));
    for values in ["0..2", "2147483645..2147483647"] {
        let compared = compared(&set(values));
        assert!(matches!(compared, Ok(Compared::Same { .. })), "{values}: {compared:?}");
    }
}
