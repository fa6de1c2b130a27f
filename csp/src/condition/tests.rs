//! Large conditions: their forms compared with direct enumeration, with other texts of the same function, and with images.

use std::rc::Rc;

use engine::RandomSource;

use super::cover::Cube;
use super::implicants::{self, Oracle, TooHard};
use super::products;
use super::solved::Encoded;
use super::tabulated::Tabulated;
use super::*;

/// Domains of a few elements, more than 64 rows together.
const SIZES: [usize; 6] = [2, 3, 2, 4, 2, 3];

fn normaliser(live: &[Rc<[i32]>]) -> Normaliser<'_> {
    Normaliser::new(Conditions::new(live.into()), live, Primes::default())
}

fn lists(sizes: &[usize]) -> Vec<Rc<[i32]>> {
    sizes.iter().map(|&size| (0..i32::try_from(size).unwrap()).collect()).collect()
}

/// A random tree: pairs of tests, joined.
fn tree(random: &mut RandomSource, store: &mut Conditions, depth: usize) -> Cond {
    if depth == 0 {
        let element = random.below(store.elements());
        let domain = store.domain(element);
        let bits = 1 + random.below((1 << domain.len()) - 2);
        let values = domain.iter().copied().zip(0..).filter(|(_, at)| bits >> at & 1 == 1).map(|(value, _)| value);
        return store.test(element, &values.collect::<Vec<i32>>());
    }
    let operands: Vec<Cond> = (0..2 + random.below(2)).map(|_| tree(random, store, depth - 1)).collect();
    if random.below(2) == 0 { store.and(operands) } else { store.or(operands) }
}

/// Whether a tree holds in a state.
fn holds(store: &Conditions, cond: Cond, state: &[i32]) -> bool {
    match store.node(cond) {
        Node::False => false,
        Node::True => true,
        Node::Test(element, values) => values.contains(&state[*element]),
        Node::And(list) => list.iter().all(|&operand| holds(store, operand, state)),
        Node::Or(list) => list.iter().any(|&operand| holds(store, operand, state)),
    }
}

/// Whether a form holds in a state.
fn says(list: &[Condition], id: ConditionId, state: &[i32]) -> bool {
    let mut operands = list[id.index()].operands().iter().map(|&operand| says(list, operand, state));
    match &list[id.index()] {
        Condition::False => false,
        Condition::True => true,
        Condition::Cube(tests) => tests.iter().all(|(element, values)| values.contains(&state[*element])),
        Condition::All(_) => operands.all(|one| one),
        Condition::Any(_) => operands.any(|one| one),
        Condition::NoneOf(_) => !operands.any(|one| one),
    }
}

fn states(lists: &[Rc<[i32]>]) -> Vec<Vec<i32>> {
    lists.iter().fold(vec![Vec::new()], |states, values| {
        let longer = |state: Vec<i32>| values.iter().map(move |&value| state.iter().copied().chain([value]).collect());
        states.into_iter().flat_map(longer).collect()
    })
}

/// The same function, written as the decision of one element after the other, in this order.
fn decided(store: &mut Conditions, table: &dyn Fn(&[i32]) -> bool, order: &[usize], state: &mut Vec<i32>) -> Cond {
    let [element, rest @ ..] = order else { return if table(state) { Cond::TRUE } else { Cond::FALSE } };
    let mut sides = Vec::new();
    for value in store.domain(*element).to_vec() {
        state[*element] = value;
        let here = store.test(*element, &[value]);
        let there = decided(store, table, rest, state);
        sides.push(store.both(here, there));
    }
    store.or(sides)
}

/// A form as text that does not depend on the numbers of conditions, its elements renamed.
fn text(list: &[Condition], id: ConditionId, names: &[usize]) -> String {
    let sorted = |mut parts: Vec<String>| {
        parts.sort_unstable();
        parts.join(" ")
    };
    let operands = || sorted(list[id.index()].operands().iter().map(|&operand| text(list, operand, names)).collect());
    match &list[id.index()] {
        Condition::False => "false".into(),
        Condition::True => "true".into(),
        Condition::Cube(tests) => {
            sorted(tests.iter().map(|(element, values)| format!("{}:{values:?}", names[*element])).collect())
        }
        Condition::All(_) => format!("all({})", operands()),
        Condition::Any(_) => format!("any({})", operands()),
        Condition::NoneOf(_) => format!("none({})", operands()),
    }
}

#[test]
fn forms_of_large_conditions_do_not_depend_on_the_text() {
    let mut random = RandomSource::new(11);
    let live = lists(&SIZES);
    let states = states(&live);
    let mut large = 0;
    for _ in 0..150 {
        let mut forms = normaliser(&live);
        let depth = 3 + random.below(2);
        let cond = tree(&mut random, forms.store(), depth);
        let form = forms.normal(cond);
        let store = &forms.store;
        let rows: Vec<bool> = states.iter().map(|state| holds(store, cond, state)).collect();
        let place = |state: &[i32]| states.binary_search_by(|other| other.as_slice().cmp(state)).unwrap();
        let table = |state: &[i32]| rows[place(state)];
        let mut order: Vec<usize> = (0..SIZES.len()).collect();
        for at in (1..order.len()).rev() {
            order.swap(at, random.below(at + 1));
        }
        let other = decided(forms.store(), &table, &order, &mut vec![0; SIZES.len()]);
        let other = forms.normal(other);
        let own: Vec<usize> = (0..SIZES.len()).collect();
        assert_eq!(text(&forms.list, other, &own), text(&forms.list, form, &own), "two texts of one function");
        assert_eq!(other, form);
        assert!(!forms.as_written()[form.index()]);
        large += usize::from(!forms.is_small(cond));
        let (list, _) = forms.into_parts();
        for (state, &row) in states.iter().zip(&rows) {
            assert_eq!(says(&list, form, state), row, "{state:?}");
        }
    }
    assert!(large > 50, "{large} of the functions are large");
}

#[test]
fn images_of_large_conditions_have_the_images_of_their_forms() {
    let mut random = RandomSource::new(12);
    let live = lists(&[3; 5]);
    for _ in 0..100 {
        let mut names: Vec<usize> = (0..live.len()).collect();
        for at in (1..names.len()).rev() {
            names.swap(at, random.below(at + 1));
        }
        let mut forms = normaliser(&live);
        let cond = tree(&mut random, forms.store(), 3);
        let form = forms.normal(cond);
        let mut moved = vec![Cond::FALSE; forms.store.nodes.len()];
        for place in 0..moved.len() {
            moved[place] = match forms.store.nodes[place].clone() {
                Node::False => Cond::FALSE,
                Node::True => Cond::TRUE,
                Node::Test(element, values) => forms.store.test(names[element], &values),
                Node::And(list) => forms.store.and(list.iter().map(|operand| moved[operand.0 as usize])),
                Node::Or(list) => forms.store.or(list.iter().map(|operand| moved[operand.0 as usize])),
            };
        }
        let image = forms.normal(moved[cond.0 as usize]);
        let (list, _) = forms.into_parts();
        let own: Vec<usize> = (0..live.len()).collect();
        assert_eq!(text(&list, form, &names), text(&list, image, &own));
    }
}

#[test]
fn elements_that_are_named_without_need_are_not_read() {
    let live = lists(&[2; 8]);
    let mut forms = normaliser(&live);
    let store = forms.store();
    // The first decides the second, or the second decides the first, whatever the others are.
    let bits: Vec<Cond> = (0..8).map(|element| store.test(element, &[1])).collect();
    let [both, either] = [store.and(bits[..2].to_vec()), store.or(bits[..2].to_vec())];
    let many = store.or(bits[2..].to_vec());
    let none = store.not(many);
    let [here, there] = [store.both(both, many), store.both(both, none)];
    let whole = store.or([here, there]);
    assert_eq!(forms.normal(whole), forms.normal(both));
    let never = forms.store().and([whole, none]);
    let always = forms.store().not(never);
    let [here, there] = [forms.store().both(always, either), forms.store().both(never, either)];
    let whole = forms.store().or([here, there]);
    assert_eq!(forms.normal(whole), forms.normal(either));
}

#[test]
fn expressions_past_the_bounds_keep_their_text_and_are_reported() {
    // The parity of 10 bits has 512 primes, and so has its opposite.
    let live = lists(&[2; 10]);
    let mut forms = normaliser(&live);
    let parity = (0..10).fold(Cond::FALSE, |odd, element| {
        let store = forms.store();
        let one = store.test(element, &[1]);
        let [even, zero] = [store.not(odd), store.not(one)];
        let [up, down] = [store.both(even, one), store.both(odd, zero)];
        store.or([up, down])
    });
    let form = forms.normal(parity);
    assert!(forms.as_written()[form.index()]);
    assert!(!forms.primes().begin_again(), "too many primes are a matter of the function");
    let mut off = Normaliser::new(Conditions::new(Rc::from([])), &[], Primes::off());
    assert!(!off.primes().begin_again());
}

#[test]
fn tables_answer_as_the_solver_does() {
    let live = lists(&SIZES);
    let support: Vec<usize> = (0..SIZES.len()).collect();
    let mut random = RandomSource::new(31);
    let (mut points, mut none, mut witnesses) = (0, 0, 0);
    for _ in 0..60 {
        let mut forms = normaliser(&live);
        let cond = tree(&mut random, &mut forms.store, 3);
        let mut solved = Encoded::new(&forms.store, cond, &support, usize::MAX).expect("a small tree");
        let mut table = Tabulated::new(&forms.store, cond, &support, usize::MAX).expect("few rows");
        let has_witness = forms.store.has_witness(cond);
        assert!(!has_witness || table.holds_somewhere(), "a witness is a row of the table");
        witnesses += usize::from(has_witness);
        for _ in 0..100 {
            let cube: Cube = SIZES.iter().map(|&size| 1 + random.below((1 << size) - 1) as u64).collect();
            for side in [false, true] {
                let found = table.point(&cube, side).unwrap();
                assert_eq!(found.is_some(), solved.point(&cube, side).unwrap().is_some(), "{cube:?} {side}");
                let Some(point) = found else {
                    none += 1;
                    continue;
                };
                points += 1;
                let state: Vec<i32> = point.iter().map(|value| value.trailing_zeros().cast_signed()).collect();
                assert!(point.iter().zip(&cube).all(|(value, set)| value.count_ones() == 1 && value & set != 0));
                assert_eq!(holds(&forms.store, cond, &state), side);
            }
        }
        let products = |mut work| products::both_sides(&forms.store, cond, &support, &mut work);
        assert_eq!(products(0), Err(TooHard), "without work no primes are claimed");
        let by_products = products(usize::MAX).expect("short lists");
        for side in [false, true] {
            let primes = implicants::primes(&mut table, side).unwrap();
            assert_eq!(primes, implicants::primes(&mut solved, side).unwrap());
            assert_eq!(by_products[usize::from(!side)], primes, "products and all-SAT find the same primes");
        }
    }
    assert!(
        points > 1_000 && none > 1_000 && witnesses > 30,
        "{points} points, {none} cubes without, {witnesses} witnesses"
    );
}

#[test]
fn answers_of_an_exhausted_store_do_not_outlive_the_return_to_a_mark() {
    let live = lists(&[3]);
    let mut store = Conditions::new(live.as_slice().into());
    let test = store.test(0, &[1]);
    let mark = store.mark();
    store.exhaust();
    store.not(test);
    store.rewind(mark);
    assert_eq!(store.not(Cond::FALSE), Cond::TRUE);
    assert_eq!(store.not(test), store.test(0, &[0, 2]));
}
