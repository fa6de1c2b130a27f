//! Small random Rebeca models of interchangeable rebecs: the orbits of the detected group against those of all permutations of rebecs, variables,
//! truth values and servers that the reachable states allow.
//!
//! Where fewer orbits are possible the miss has a [`Class`]. Every generator of a detected group has to keep the reachable states with their
//! steps, whatever was missed: one that does not fails the test.

use std::collections::{BTreeMap, HashMap};

use battery::harness::{messages, read_model};
use battery::parallel;
use battery::random::Rng;
use battery::symmetric::{BOUNDS, initial, reachable};
use frontend::interpret::{State, successors};
use frontend::lower::LowerOptions;
use frontend::model::{Model, PropertySet, RebecId, ServerId, Sort, Value, Variable};
use symmetry::permutation::{LocalMap, Move, ServerMove};
use symmetry::{ModelPermutation, Strategy, ValidatedGroup, Validator};

/// The number of models of a run.
const MODELS: u64 = 150;
/// The most permutations that are tried.
const MOST: usize = 1 << 15;
/// The most states.
const SMALL: usize = 200;

/// A model whose rebecs know each other in a ring, all others, or a hub.
fn text(seed: u64) -> String {
    let mut rng = Rng::new(seed);
    let count = rng.between(2, 3);
    let shape = rng.below(3);
    let (known, others): (&[&str], usize) = match shape {
        0 => (&["n"], 1),
        1 => (&["n", "m"][..count - 1], count - 1),
        _ => (&["h"], 1),
    };
    let variables = rng.between(1, 2);
    let own: &[&str] = &["v0 = !v0;", "v0 = true;", "v0 = false;", "v0 = ?(true, false);"];
    let both: &[&str] = &[
        "v1 = !v0;",
        "v0 = v1;",
        "v1 = ?(true, false);",
        "if (v0 != v1) { v0 = false; v1 = true; }",
        "v1 = v1 || v0;",
    ];
    let sends: &[&str] = &["$.s0();", "$.s1();", "self.s0();", "self.s1();"];
    let mut body = |least: usize| {
        let mut body = String::new();
        for _ in 0..rng.between(least, 3) {
            let target = if shape == 2 { "self" } else { *rng.pick::<&str>(known) };
            let statement = match rng.below(6) {
                0 | 1 => (*rng.pick::<&str>(own)).to_owned(),
                2 if variables > 1 => (*rng.pick::<&str>(both)).to_owned(),
                3 => format!("if (v0) {{ {} }}", rng.pick::<&str>(sends)),
                4 if shape == 2 => "h.ask();".to_owned(),
                4 => "if (sender == self) { v0 = true; } else { v0 = false; }".to_owned(),
                _ => (*rng.pick::<&str>(sends)).to_owned(),
            };
            body.push_str(&statement.replace('$', target));
        }
        body
    };
    let [start, first, second] = [body(1), body(1), body(0)];
    let ask =
        if rng.chance(50) { "b = !b; sender.s0();" } else { "if (!b) { b = true; sender.s1(); } else { b = false; }" };
    let hub = format!(
        "reactiveclass H(3) {{ statevars {{ boolean b; }} msgsrv initial() {{ b = false; }} msgsrv ask() {{ {ask} }} }} "
    );
    let declared: String = (0..variables).map(|at| format!("boolean v{at}; ")).collect();
    let kind = if shape == 2 { "H" } else { "A" };
    let mut main = String::new();
    for at in 0..count {
        let targets: Vec<String> = match shape {
            2 => vec!["h".to_owned()],
            _ => (1..=others).map(|step| format!("a{}", (at + step) % count)).collect(),
        };
        main.push_str(&format!("A a{at}({}):(); ", targets.join(", ")));
    }
    format!(
        "{}reactiveclass A(2) {{ knownrebecs {{ {kind} {}; }} statevars {{ {declared} }}
        msgsrv initial() {{ {start} }} msgsrv s0() {{ {first} }} msgsrv s1() {{ {second} }} }}
        main {{ {main}{} }}",
        if shape == 2 { hub.as_str() } else { "" },
        known.join(", "),
        if shape == 2 { "H h():();" } else { "" }
    )
}

/// The reachable states with their steps.
struct Space {
    states: Vec<State>,
    numbers: HashMap<State, usize>,
    initial: Vec<bool>,
    /// The states after each, ascending, and whether a step faults.
    steps: Vec<(Vec<usize>, bool)>,
}

impl Space {
    /// The space of a model, unless it has too many states.
    fn new(model: &Model) -> Option<Space> {
        let states = reachable(model, SMALL);
        if states.len() >= SMALL {
            return None;
        }
        let numbers: HashMap<State, usize> = states.iter().cloned().zip(0..).collect();
        let first = initial(model);
        let steps = states.iter().map(|state| {
            let (mut after, mut faults) = (Vec::new(), false);
            for step in successors(model, &BOUNDS, state) {
                match step.result {
                    Ok(next) => after.push(numbers[&next]),
                    Err(_) => faults = true,
                }
            }
            after.sort_unstable();
            after.dedup();
            (after, faults)
        });
        let steps = steps.collect();
        Some(Space { initial: states.iter().map(|state| first.contains(state)).collect(), steps, numbers, states })
    }

    /// The images of the states, if a permutation keeps everything.
    fn images(&self, model: &Model, permutation: &ModelPermutation) -> Option<Vec<usize>> {
        let image = |state: &State| self.numbers.get(&permutation.apply(model, state)).copied();
        let images: Vec<usize> = self.states.iter().map(image).collect::<Option<_>>()?;
        let is_kept = |(from, &to): (usize, &usize)| {
            let mut after: Vec<usize> = self.steps[from].0.iter().map(|&next| images[next]).collect();
            after.sort_unstable();
            after.dedup();
            self.initial[from] == self.initial[to]
                && (&after, &self.steps[from].1) == (&self.steps[to].0, &self.steps[to].1)
        };
        images.iter().enumerate().all(is_kept).then_some(images)
    }

    /// The number of classes of states under maps.
    fn classes(&self, maps: &[Vec<usize>]) -> usize {
        let mut roots: Vec<usize> = (0..self.states.len()).collect();
        let find = |roots: &[usize], mut at: usize| {
            while roots[at] != at {
                at = roots[at];
            }
            at
        };
        for (from, &to) in maps.iter().flat_map(|images| images.iter().enumerate()) {
            let (one, other) = (find(&roots, from), find(&roots, to));
            roots[one.max(other)] = one.min(other);
        }
        roots.iter().enumerate().filter(|&(at, &root)| at == root).count()
    }
}

/// All orders of so many things.
fn orders(count: usize) -> Vec<Vec<usize>> {
    let mut list: Vec<Vec<usize>> = vec![Vec::new()];
    for _ in 0..count {
        let longer = list.iter().flat_map(|prefix| {
            (0..count).filter(|place| !prefix.contains(place)).map(|place| [&prefix[..], &[place]].concat())
        });
        list = longer.collect();
    }
    list
}

/// The known rebecs of a rebec: elements that never change, with their values.
fn known(model: &Model, rebec: RebecId) -> Vec<(u32, Value)> {
    let class = model.class(model.class_of(rebec));
    let places = class.known().flat_map(Variable::elements);
    let values = model.instances[rebec.index()].known.iter().map(|known| known.map_or(Value::Null, Value::Rebec));
    places.map(|place| u32::try_from(place).expect("few elements")).zip(values).collect()
}

/// All maps of the other variables and the servers of a rebec to those of another one that keep sorts.
fn locals(model: &Model, rebec: RebecId, image: RebecId) -> Vec<LocalMap> {
    let class = model.class(model.class_of(rebec));
    let (own, image) = (known(model, rebec), known(model, image));
    let count = class.elements();
    let booleans: Vec<usize> =
        (0..count).filter(|&place| own.iter().all(|&(other, _)| other as usize != place)).collect();
    let sorts = class.variables.iter().filter(|variable| variable.sort == Sort::Bool).map(Variable::len).sum::<usize>();
    assert_eq!(booleans.len(), sorts, "variables that are no known rebecs are boolean");
    let first = class.servers.iter().position(|server| server.name == "initial").expect("a server of each class");
    let flip = vec![(Value::Bool(false), Value::Bool(true)), (Value::Bool(true), Value::Bool(false))];
    let mut list = Vec::new();
    for places in orders(booleans.len()) {
        for flipped in 0..1usize << booleans.len() {
            let moved = |place: usize| {
                let bit = booleans.iter().position(|&boolean| boolean == place)?;
                let values = if flipped >> bit & 1 == 1 { flip.clone() } else { Vec::new() };
                Some(Move { values, ..Move::stay(booleans[places[bit]]) })
            };
            // Each rebec starts with the message `initial`, which nothing else sends.
            for servers in orders(class.servers.len()).into_iter().filter(|servers| servers[first] == first) {
                let server =
                    |&target: &usize| ServerMove { target: ServerId::from_index(target), parameters: Vec::new() };
                list.push(LocalMap {
                    elements: (0..count).map(moved).collect(),
                    own: own.clone(),
                    image: image.clone(),
                    servers: servers.iter().map(server).collect(),
                });
            }
        }
    }
    list
}

/// All permutations of a model; `None` if there are too many.
fn permutations(model: &Model) -> Option<Vec<ModelPermutation>> {
    let count = model.instances.len();
    let mut all = Vec::new();
    for images in orders(count) {
        let images: Vec<RebecId> = images.into_iter().map(RebecId::from_index).collect();
        let keeps = |(at, &image): (usize, &RebecId)| model.instances[at].class == model.class_of(image);
        if !images.iter().enumerate().all(keeps) {
            continue;
        }
        let mut products: Vec<Vec<LocalMap>> = vec![Vec::new()];
        for (at, &image) in images.iter().enumerate() {
            let own = locals(model, RebecId::from_index(at), image);
            if products.len() * own.len() > MOST {
                return None;
            }
            let longer =
                products.iter().flat_map(|maps| own.iter().map(|map| [&maps[..], std::slice::from_ref(map)].concat()));
            products = longer.collect();
        }
        let permutation = |maps| ModelPermutation::with_locals(model, images.clone(), maps);
        all.extend(products.into_iter().map(|maps| permutation(maps).expect("a permutation of the model")));
        if all.len() > MOST {
            return None;
        }
    }
    Some(all)
}

/// The reason that fewer orbits are possible than are found.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Class {
    /// The validator refuses every symmetry that gives fewer: they exist on reachable states only.
    ReachableOnly,
    /// It does not decide on one.
    NotDecided,
    /// It accepts one that the detector does not propose.
    NotProposed,
}

/// The results of one model.
#[derive(Default)]
struct Seen {
    is_tried: bool,
    /// Whether it has fewer orbits than states.
    is_symmetric: bool,
    missed: Option<Class>,
}

fn look(seed: u64) -> Result<Seen, String> {
    let text = text(seed);
    let (model, found) = read_model(text.as_bytes(), &LowerOptions::default());
    let model = model.ok_or_else(|| format!("seed {seed}: {}\n{text}", messages(&found)))?;
    let Some(space) = Space::new(&model) else { return Ok(Seen::default()) };
    let Some(all) = permutations(&model) else { return Ok(Seen::default()) };
    let none = PropertySet::default();
    let group = ValidatedGroup::new(&model, &none, Strategy::Constraint.candidates(&model));
    let mut own = Vec::new();
    for generator in group.generators() {
        let images = space.images(&model, generator);
        own.push(images.ok_or_else(|| format!("unsound: seed {seed}: {}\n{text}", generator.text(&model)))?);
    }
    let kept: Vec<(&ModelPermutation, Vec<usize>)> =
        all.iter().filter_map(|one| Some((one, space.images(&model, one)?))).collect();
    let every: Vec<Vec<usize>> = kept.iter().map(|(_, images)| images.clone()).collect();
    // The detector also maps variables that never change to others.
    let every: Vec<Vec<usize>> = every.into_iter().chain(own.iter().cloned()).collect();
    let (found, possible) = (space.classes(&own), space.classes(&every));
    let mut missed = None;
    if possible < found {
        let mut validator = Validator::new(&model);
        let mut class = |permutation: &ModelPermutation| match validator.check(permutation) {
            Ok(_) => Class::NotProposed,
            Err(rejection) if rejection.is_undecided() => Class::NotDecided,
            Err(_) => Class::ReachableOnly,
        };
        let gives_fewer = |images: &Vec<usize>| {
            let with: Vec<Vec<usize>> = own.iter().chain([images]).cloned().collect();
            space.classes(&with) < found
        };
        missed = kept.iter().filter(|(_, images)| gives_fewer(images)).map(|(one, _)| class(one)).max();
        if std::env::var("SEED").is_ok() {
            println!("seed {seed}: {found} orbits, {possible} possible: {missed:?}\n{text}");
        }
    }
    Ok(Seen { is_tried: true, is_symmetric: possible < space.states.len(), missed })
}

#[test]
fn detected_orbits_of_rebecs_are_those_that_the_states_allow() {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let first = number("SEED").unwrap_or(0);
    let seeds: Vec<u64> = (first..first + number("COUNT").unwrap_or(MODELS)).collect();
    let seen = parallel::map(&seeds, |&seed| look(seed));
    let failures: Vec<&String> = seen.iter().filter_map(|seen| seen.as_ref().err()).collect();
    assert!(failures.is_empty(), "{} failures, {}", failures.len(), failures[0]);
    let count = |of: &dyn Fn(&Seen) -> bool| seen.iter().flatten().filter(|seen| of(seen)).count();
    let (tried, symmetric) = (count(&|seen| seen.is_tried), count(&|seen| seen.is_symmetric));
    let mut classes: BTreeMap<Class, usize> = BTreeMap::new();
    seen.iter().flatten().filter_map(|seen| seen.missed).for_each(|class| *classes.entry(class).or_default() += 1);
    println!("{} models, {tried} tried, {symmetric} symmetric; missed: {classes:?}", seeds.len());
    if seeds.len() > 100 {
        let missed: usize = classes.values().sum();
        assert!(symmetric * 3 > seeds.len() && missed * 50 < symmetric, "{missed} of {symmetric}");
        assert_eq!(classes.get(&Class::NotProposed), None, "the validator accepts what nobody proposes");
    }
}
