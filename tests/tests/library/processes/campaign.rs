//! Small random processes of interchangeable parts: the orbits of the detected group against those of all permutations of literals that
//! the reachable states allow, and the search in its quotient against the plain search.
//!
//! Where fewer orbits are possible the miss has a [`Class`]. Every generator of a detected group has to keep the reachable states with their
//! steps, whatever was missed: one that does not fails the test.

use std::collections::{BTreeMap, HashMap};

use battery::parallel;
use battery::random::Rng;
use checker::{Question, Quotient, Reductions, Representative};
use csp::{Literals, detect_graph, detect_relation};
use engine::SparsePermutation;
use frontend::diagnostics::Diagnostics;
use frontend::sequential::interpret::{State, initial_states, is_initial, successors};
use frontend::sequential::{Options, Sequential, parse};
use symmetry::sequential::{Kept, ValidatedGroup};

/// The number of processes of a run.
const PROCESSES: u64 = 600;
/// The most permutations of literals that are tried.
const MOST: usize = 8_000;
/// The most states.
const SMALL: usize = 100;
/// The most states of a product of live values.
const SMALL_PRODUCT: usize = 4_000;

/// A process whose summands range over one sort.
fn process(seed: u64) -> String {
    let mut rng = Rng::new(seed);
    let last = rng.between(1, 2);
    let kinds: [(&str, &[&str], &[&str]); 7] = [
        ("P", &["$ = x", "$ != y", "$ < x", "x <= $"], &["$ := x;", "$ := y;"]),
        (
            "BIT[P]",
            &["$[x]", "!$[y]", "$[x] != $[y]", "$[0]", "(forall j:P . $[j])"],
            &["$[x] := 1;", "$[x] := !$[y];", "$[1] := $[x];", "for j:P { $[j] := 0; }"],
        ),
        ("P[P]", &["$[x] = y", "$[x] < y", "$[x] != 1"], &["$[x] := y;", "$[x] := x;", "$[y] := $[x];", "$[1] := x;"]),
        ("BIT", &["$", "!$"], &["$ := !$;", "$ := 1;"]),
        ("E", &["$ = ea", "$ != eb", "($ = ec || x = y)"], &["$ := ea;", "$ := ite($ = ea, eb, ec);"]),
        ("K", &["$ < x", "$ = 0", "$ != 1"], &["$ := -$;", "$ := 0;", "$ := ite(x = y, 1, -1);"]),
        ("BIT[P][P]", &["$[x][y]", "!$[y][x]", "(exists j:P . $[x][j])"], &["$[x][y] := 1;", "$[y][x] := !$[x][y];"]),
    ];
    let variables: Vec<usize> = (0..rng.between(1, 2)).map(|_| rng.below(kinds.len() - last + 1)).collect();
    let formals: Vec<String> = (0..).zip(&variables).map(|(at, &kind)| format!("v{at} : {}", kinds[kind].0)).collect();
    let count = rng.between(1, 3);
    let named = |text: &str, at: usize| text.replace('$', &format!("v{at}"));
    let mut summand = || {
        let mut guards = Vec::new();
        let mut body = String::new();
        for (at, &kind) in variables.iter().enumerate() {
            if rng.chance(45) {
                guards.push(named(rng.pick::<&str>(kinds[kind].1), at));
            }
            if rng.chance(60) {
                body.push_str(&named(rng.pick::<&str>(kinds[kind].2), at));
            }
        }
        guards.extend(rng.chance(25).then(|| (*rng.pick(&["x < y", "x != y", "x <= 1"])).to_owned()));
        if guards.is_empty() {
            guards.push("1".to_owned());
        }
        body.push_str(if rng.chance(8) { "if (x < y) { fail \"no\"; }" } else { "" });
        let event = *rng.pick(&["a", "a", "b"]);
        let shown = *rng.pick(&["", "", "(x)", "(y)", "(x, x)", "(x, y)"]);
        let name = format!("{event}{}", shown.len());
        format!("sum x:P . sum y:P . [{}] {name}{shown} {{ {body} }} -> X", guards.join(" && "))
    };
    let summands: Vec<String> = (0..count).map(|_| summand()).collect();
    let list = if last == 1 { "[0, 1]" } else { "[0, 1, 2]" };
    let mut start = |kind: usize| match rng.below(4) {
        0 if kinds[kind].0 == "E" => "ea",
        0 => "0",
        1 if kind == 2 => list,
        _ => "*",
    };
    let starts: Vec<String> = (0..).zip(&variables).map(|(at, &kind)| format!("v{at} = {}", start(kind))).collect();
    format!(
        "type P : 0..{last};\ntype E : {{ ea, eb, ec }};\ntype K : -1..1;\nproc X({}) = {};\ninit X({});\n",
        formals.join(", "),
        summands.join("\n  + "),
        starts.join(", ")
    )
}

/// Pairs of states, or of literals.
type Pairs = Vec<(u32, u32)>;

/// The reachable states and what a permutation has to keep: for each event the steps of each label, and the states that fault.
struct Space {
    states: Vec<State>,
    numbers: HashMap<State, u32>,
    initial: Vec<bool>,
    labels: BTreeMap<(String, Vec<i32>), Pairs>,
    faults: BTreeMap<String, Vec<u32>>,
}

/// The states that are reached from some, unless they are more than `most`.
fn explore(model: &Sequential, from: impl Iterator<Item = State>, most: usize) -> Option<Space> {
    let mut states: Vec<State> = Vec::new();
    let mut numbers: HashMap<State, u32> = HashMap::new();
    let mut number = |state: State, states: &mut Vec<State>| {
        *numbers.entry(state.clone()).or_insert_with(|| {
            states.push(state);
            u32::try_from(states.len() - 1).expect("few states")
        })
    };
    for state in from.take(most + 1) {
        number(state, &mut states);
    }
    let mut labels: BTreeMap<(String, Vec<i32>), Pairs> = BTreeMap::new();
    let mut faults: BTreeMap<String, Vec<u32>> = BTreeMap::new();
    let mut at = 0;
    while at < states.len() && states.len() <= most {
        let from = u32::try_from(at).expect("few states");
        for step in successors(model, &states[at].clone()) {
            let event = model.summand(step.summand).event.clone();
            match step.result {
                Ok(after) => {
                    let to = number(after, &mut states);
                    labels.entry((event, step.arguments)).or_default().push((from, to));
                }
                Err(_) => faults.entry(event).or_default().push(from),
            }
        }
        at += 1;
    }
    if states.len() > most {
        return None;
    }
    labels.values_mut().for_each(sorted);
    faults.values_mut().for_each(sorted);
    let initial = states.iter().map(|state| is_initial(model, state)).collect();
    Some(Space { states, numbers, initial, labels, faults })
}

fn sorted<T: Ord>(list: &mut Vec<T>) {
    list.sort_unstable();
    list.dedup();
}

impl Space {
    /// The images of the states, if a permutation keeps everything.
    fn images(&self, literals: &Literals, permutation: &SparsePermutation) -> Option<Vec<u32>> {
        let image = |state: &State| self.numbers.get(&literals.apply(permutation, state)).copied();
        let images: Vec<u32> = self.states.iter().map(image).collect::<Option<Vec<u32>>>()?;
        let is_kept = |(from, &to): (usize, &u32)| self.initial[from] == self.initial[to as usize];
        if !images.iter().enumerate().all(is_kept) {
            return None;
        }
        let moved = |list: &Vec<u32>| {
            let mut list: Vec<u32> = list.iter().map(|&state| images[state as usize]).collect();
            sorted(&mut list);
            list
        };
        if !self.faults.values().all(|list| moved(list) == *list) {
            return None;
        }
        let mut counts: HashMap<(&str, Pairs), i32> = HashMap::new();
        for ((event, _), steps) in &self.labels {
            let pairs = steps.iter().map(|&(from, to)| (images[from as usize], images[to as usize]));
            let mut pairs: Pairs = pairs.collect();
            sorted(&mut pairs);
            *counts.entry((event, steps.clone())).or_default() += 1;
            *counts.entry((event, pairs)).or_default() -= 1;
        }
        counts.values().all(|&count| count == 0).then_some(images)
    }
}

/// The classes of states under maps.
struct Classes(Vec<u32>);

impl Classes {
    fn find(&self, mut state: u32) -> u32 {
        while self.0[state as usize] != state {
            state = self.0[state as usize];
        }
        state
    }

    fn join(&mut self, images: &[u32]) {
        for (from, &to) in (0..).zip(images) {
            let (from, to) = (self.find(from), self.find(to));
            self.0[from.max(to) as usize] = from.min(to);
        }
    }

    fn count(&self) -> usize {
        (0..).zip(&self.0).filter(|&(at, &root): &(u32, &u32)| at == root).count()
    }
}

/// All permutations of literals that map elements to elements, as pairs; `None` if there are too many.
fn permutations(model: &Sequential, literals: &Literals) -> Option<Vec<SparsePermutation>> {
    let sorts = model.element_sorts();
    let values: Vec<Vec<i32>> = sorts.iter().map(|&sort| model.domain(sort).values().collect()).collect();
    let mut list: Vec<(Vec<usize>, Pairs)> = vec![(Vec::new(), Vec::new())];
    for element in 0..sorts.len() {
        let mut longer = Vec::new();
        for (used, pairs) in &list {
            for target in (0..sorts.len()).filter(|target| !used.contains(target)) {
                if values[target].len() != values[element].len() {
                    continue;
                }
                for order in orders(values[target].len()) {
                    let images = order.iter().map(|&place| literals.point(target, values[target][place]));
                    let own = values[element].iter().map(|&value| literals.point(element, value)).zip(images);
                    let used = used.iter().copied().chain([target]).collect();
                    longer.push((used, pairs.iter().copied().chain(own).collect()));
                }
            }
            if longer.len() > MOST {
                return None;
            }
        }
        list = longer;
    }
    Some(list.into_iter().map(|(_, pairs)| SparsePermutation::from_pairs(pairs).expect("a permutation")).collect())
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

/// The reason that fewer orbits are possible than are found.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Class {
    /// The symmetries exist on reachable states only, not on all states of live values.
    ReachableOnly,
    /// They move elements of an array of several dimensions, but not index by index.
    Matrices,
    /// They move elements and values at once, and an argument of an event apart from the element that the summand indexes by it.
    ArgumentsApart,
    /// They are missed whatever arguments do.
    Other,
    /// There are too many states of live values.
    Unknown,
}

/// The results of one process.
#[derive(Clone, Copy, Default, Debug)]
struct Seen {
    /// Whether it has fewer orbits than states.
    is_symmetric: bool,
    /// Whether its names give more orbits than possible.
    is_missed_by_names: bool,
    /// Whether the same is so with what only steps show.
    missed: Option<Class>,
    /// Whether the group keeps steps only.
    is_of_steps: bool,
}

/// A process with its reachable states and the permutations of its literals.
struct Tried<'a> {
    model: &'a Sequential,
    literals: Literals,
    space: Space,
    all: Vec<SparsePermutation>,
}

impl Tried<'_> {
    /// The orbits of reachable states under the permutations that keep them and are wanted.
    fn possible(&self, wanted: &dyn Fn(&SparsePermutation) -> bool) -> usize {
        let mut classes = Classes((0..).take(self.space.states.len()).collect());
        let wanted = self.all.iter().filter(|permutation| wanted(permutation));
        wanted
            .filter_map(|permutation| self.space.images(&self.literals, permutation))
            .for_each(|images| classes.join(&images));
        classes.count()
    }

    /// The class of a miss, where so many orbits are found.
    fn class(&self, found: usize) -> Class {
        let csp = csp::ground::constraints(self.model, &csp::forms(self.model), &[]).expect("small");
        let mut product: Vec<State> = vec![State::new()];
        for element in &csp.elements {
            let longer =
                product.iter().flat_map(|state| element.values.iter().map(|&value| [&state[..], &[value]].concat()));
            product = longer.take(SMALL_PRODUCT + 1).collect();
        }
        let Some(whole) = explore(self.model, product.into_iter(), SMALL_PRODUCT) else { return Class::Unknown };
        let is_kept = |permutation: &SparsePermutation| whole.images(&self.literals, permutation).is_some();
        let live: Vec<&[i32]> = csp.elements.iter().map(|element| &element.values[..]).collect();
        let is_pure =
            |permutation: &SparsePermutation| self.moves(permutation, &live) != Moved { elements: true, values: true };
        if self.possible(&is_kept) == found {
            Class::ReachableOnly
        } else if self.possible(&|permutation| self.is_by_index(permutation) && is_kept(permutation)) >= found {
            Class::Matrices
        } else if self
            .possible(&|permutation| is_pure(permutation) && self.is_by_index(permutation) && is_kept(permutation))
            >= found
        {
            Class::ArgumentsApart
        } else {
            Class::Other
        }
    }

    /// Whether elements of an array with an index in common stay such elements.
    fn is_by_index(&self, permutation: &SparsePermutation) -> bool {
        let domain = |element: usize| self.model.domain(self.model.element_sorts()[element]).bounds().0;
        let image =
            |element: usize| self.literals.literal(permutation.image(self.literals.point(element, domain(element)))).0;
        let shares = |one: usize, other: usize| {
            let ((variable, one), (same, other)) = (self.model.element(one), self.model.element(other));
            variable == same && one.iter().zip(&other).any(|(one, other)| one == other)
        };
        let elements = self.literals.elements();
        (0..elements).all(|one| (0..one).all(|other| shares(one, other) == shares(image(one), image(other))))
    }

    /// The parts that a permutation moves.
    fn moves(&self, permutation: &SparsePermutation, live: &[&[i32]]) -> Moved {
        let mut moved = Moved::default();
        for &(from, to) in permutation.pairs() {
            let ((element, value), (other, image)) = (self.literals.literal(from), self.literals.literal(to));
            let counts = live[element].len() > 1 && live[element].contains(&value);
            moved.elements |= counts && element != other;
            moved.values |= counts && value != image;
        }
        moved
    }
}

/// Whether a permutation moves elements, and values of them.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
struct Moved {
    elements: bool,
    values: bool,
}

fn look(seed: u64) -> Seen {
    let text = process(seed);
    let mut sink = Diagnostics::new();
    let model = parse(&text, &Options::default(), &mut sink).model;
    let model = model.unwrap_or_else(|| panic!("seed {seed}: {:?}\n{text}", sink.list));
    let literals = Literals::new(&model);
    let Some(space) = explore(&model, initial_states(&model), SMALL) else { return Seen::default() };
    let Some(all) = permutations(&model, &literals) else { return Seen::default() };
    let tried = Tried { model: &model, literals, space, all };
    let orbits = |group: &ValidatedGroup| {
        let mut classes = Classes((0..).take(tried.space.states.len()).collect());
        for generator in group.generators() {
            let images = tried.space.images(&tried.literals, generator);
            classes.join(&images.unwrap_or_else(|| panic!("unsound: seed {seed}: {generator:?}\n{text}")));
        }
        classes.count()
    };
    let found = detect_graph(&model, &[]).expect("small");
    let named = ValidatedGroup::new(&model, &[], found.generators);
    let by_names = orbits(&named);
    let group = match detect_relation(&model, &[]) {
        Some((more, _)) => named.extended(&model, &[], more),
        None => named,
    };
    let (possible, found) = (tried.possible(&|_| true), orbits(&group));
    assert!(possible <= found && found <= by_names, "seed {seed}: {possible} {found} {by_names}\n{text}");
    let missed = (possible < found).then(|| tried.class(found));
    if let Some(class) = missed.filter(|_| std::env::var("SEED").is_ok()) {
        println!("seed {seed}: {found} orbits, {possible} possible: {class:?}\n{text}");
    }
    searched(&model, &group, (seed, &text, found));
    Seen {
        is_symmetric: possible < tried.space.states.len(),
        is_missed_by_names: possible < by_names,
        missed,
        is_of_steps: group.kept() == Kept::Steps,
    }
}

/// Compares the search in the quotient with the plain one.
fn searched(model: &Sequential, group: &ValidatedGroup, (seed, text, orbits): (u64, &str, usize)) {
    let question = Question { keep_going: true, properties: Vec::new(), ..Question::default() };
    let quotient = Quotient { group, representative: Representative::Auto, counts_orbits: false };
    let plain = checker::sequential::check(model, &question, &mut ()).expect("the plain search ends");
    let reductions = Reductions { quotient: Some(quotient), ..Reductions::default() };
    let reduced = checker::sequential::check_reduced(model, &question, reductions, &mut ());
    let reduced = reduced.unwrap_or_else(|error| panic!("seed {seed}: {}\n{text}", error.0));
    assert_eq!(reduced.states, orbits as u64, "seed {seed}\n{text}");
    for (plain, reduced) in plain.answers.iter().zip(&reduced.answers) {
        assert_eq!((&plain.name, plain.verdict), (&reduced.name, reduced.verdict), "seed {seed}\n{text}");
    }
}

#[test]
fn detected_orbits_are_those_that_the_states_allow() {
    let seeds: Vec<u64> = match std::env::var("SEED").ok().and_then(|seed| seed.parse().ok()) {
        Some(seed) => {
            (seed..seed + std::env::var("COUNT").ok().and_then(|count| count.parse().ok()).unwrap_or(1)).collect()
        }
        None => (0..PROCESSES).collect(),
    };
    let seen = parallel::map(&seeds, |&seed| look(seed));
    let count = |of: &dyn Fn(&Seen) -> bool| seen.iter().filter(|seen| of(seen)).count();
    let (symmetric, by_names) = (count(&|seen| seen.is_symmetric), count(&|seen| seen.is_missed_by_names));
    let (missed, of_steps) = (count(&|seen| seen.missed.is_some()), count(&|seen| seen.is_of_steps));
    println!(
        "{} processes, {symmetric} symmetric: {by_names} have fewer orbits than names show, {missed} than are found; {of_steps} of steps",
        seeds.len()
    );
    for class in [Class::Matrices, Class::ReachableOnly, Class::ArgumentsApart, Class::Other, Class::Unknown] {
        println!("{class:?}: {}", count(&|seen| seen.missed == Some(class)));
    }
    if seeds.len() > 1 {
        assert!(symmetric * 3 >= seeds.len() && by_names * 20 >= symmetric && of_steps * 20 >= symmetric);
        let matrices = count(&|seen| seen.missed == Some(Class::Matrices));
        assert!((missed - matrices) * 100 < symmetric && matrices * 20 < symmetric, "{missed} of {symmetric}");
        assert_eq!(count(&|seen| seen.missed == Some(Class::Other)), 0);
    }
}
