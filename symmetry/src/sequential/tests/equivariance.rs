//! Proofs by text: against every state, against the functions of the instances, and with constraints left out one at a time.

use super::super::check::Validator;
use super::super::equivariance::{Equivariance, Wrong};
use super::super::group::{ValidatedGroup, proved_by_text};
use super::twin::{all, broken};
use super::{fixture, model, validated};
use crate::group::Composed;
use csp::Literals;
use engine::{RandomSource, SparsePermutation};
use frontend::sequential::{Property, Sequential, SortId};

/// The permutation of literals that exchanges two values, as indices and as values of these variables, wherever a sort has both.
fn exchange(model: &Sequential, one: i32, other: i32, variables: &dyn Fn(&str) -> bool) -> SparsePermutation {
    let literals = Literals::new(model);
    let mut pairs = Vec::new();
    for element in 0..model.state_len() {
        let (id, indices) = model.element(element);
        let variable = model.variable(id);
        let image = |sort: SortId, value: i32| {
            let has_both = sort.index() > 1 && model.domain(sort).contains(one) && model.domain(sort).contains(other);
            match value {
                value if value == one && has_both && variables(&variable.name) => other,
                value if value == other && has_both && variables(&variable.name) => one,
                value => value,
            }
        };
        let mut target = 0;
        for (&sort, index) in variable.indices.iter().zip(indices) {
            let domain = model.domain(sort);
            let step = usize::try_from(image(sort, index) - domain.bounds().0).expect("an index");
            target = target * domain.size() + step;
        }
        for value in model.domain(variable.sort).values() {
            let to = literals.point(variable.offset + target, image(variable.sort, value));
            pairs.push((literals.point(element, value), to));
        }
    }
    SparsePermutation::from_pairs(pairs).expect("values are exchanged")
}

/// Random texts in which sorts serve as names, numbers or both.
struct Texts {
    random: RandomSource,
}

impl Texts {
    fn pick<'a>(&mut self, list: &[&'a str]) -> &'a str {
        list[self.random.below(list.len())]
    }

    /// A value that is a name of `P`, most often.
    fn name(&mut self, scope: &[&str]) -> String {
        match self.random.below(14) {
            0 => self.pick(&["0", "1", "2"]).into(),
            1 => format!("({} + 1) mod 3", self.pick(scope)),
            2 => "r[q]".into(),
            3 => format!("t[{}]", self.pick(scope)),
            4..=7 => self.pick(&["p", "q"]).into(),
            8 => format!("r[{}]", self.pick(scope)),
            9 => format!("ite({}, p, {})", self.condition(0, scope), self.pick(scope)),
            _ => self.pick(scope).into(),
        }
    }

    fn condition(&mut self, depth: usize, scope: &[&str]) -> String {
        let more: Vec<&str> = scope.iter().copied().chain(["k"]).collect();
        match self.random.below(if depth == 0 { 8 } else { 12 }) {
            0..=2 => {
                let (left, right) = (self.name(scope), self.name(scope));
                format!("{left} {} {right}", self.pick(&["=", "!=", "=", "!=", "="]))
            }
            3 => format!("{} {} {}", self.pick(scope), self.pick(&["<", "<="]), self.pick(&["p", "1", "i"])),
            4..=6 => format!("b[{}]", self.name(scope)),
            7 => format!("w[{}]", self.pick(scope)),
            8 => format!("({} && {})", self.condition(0, scope), self.condition(0, scope)),
            9 => format!("(exists k:P . ({}))", self.condition(0, &more)),
            10 => format!(
                "(forall k:P . (6 / ({} + 1 - 1) > 0 || {}))",
                self.pick(&["k", "q", "3"]),
                self.condition(0, &more)
            ),
            _ => format!("(forall k:P . ({} || {}))", self.condition(0, &more), self.condition(0, &more)),
        }
    }

    fn statement(&mut self, depth: usize, scope: &[&str]) -> String {
        let at = self.pick(scope);
        match self.random.below(if depth == 0 { 8 } else { 11 }) {
            0 | 1 => format!("p := {};", self.name(scope)),
            2 => format!("q := {};", self.name(scope)),
            3 | 4 => format!("b[{at}] := {};", self.pick(&["0", "1", "!b[i]"])),
            5 => format!("r[{at}] := {};", self.name(scope)),
            6 => format!("b[{at}] := {};", self.condition(0, scope)),
            7 => "q := 3 - q;".into(),
            8 => format!(
                "if ({}) {{ {} }} else {{ {} }}",
                self.condition(1, scope),
                self.statement(0, scope),
                self.statement(0, scope)
            ),
            9 => format!("var l : Q := {}; {} if (l != 3) {{ p := l; }}", self.name(scope), self.statement(0, scope)),
            _ => format!("for k:P {{ {} }}", self.statement(0, &["k", "k", "i"])),
        }
    }

    fn text(&mut self) -> String {
        let mut summands = Vec::new();
        for _ in 0..1 + self.random.below(2) {
            let guard = self.condition(1, &["i"]);
            let body: String = (0..self.random.below(3)).map(|_| self.statement(1, &["i"])).collect();
            let event = self.pick(&["e", "e(i)", "f(p)"]);
            summands.push(format!("sum i:P . [{guard}] {event} {{ {body} }} -> X"));
        }
        let initial = [
            ("p", "*"),
            ("q", self.pick(&["3", "0", "*"])),
            ("r", self.pick(&["0", "*", "*"])),
            ("b", self.pick(&["0", "*"])),
        ];
        let initial: Vec<String> = initial.iter().map(|(name, value)| format!("{name} = {value}")).collect();
        let claim = self.condition(1, &["p"]);
        format!(
            "type P : 0..2; type Q : 0..3; const t[P] = [{}]; const w[P] = [{}]; \
             proc X(p : P, q : Q, r : P[P], b : BIT[P]) = {}; init X({}); assert A = {claim};",
            self.pick(&["0, 1, 2", "1, 2, 0", "0, 0, 0", "1, 0, 2"]),
            self.pick(&["0, 0, 0", "1, 0, 0", "1, 1, 1"]),
            summands.join(" + "),
            initial.join(", ")
        )
    }
}

#[test]
fn a_proof_by_text_holds_on_every_state_and_for_the_functions() {
    let mut texts = Texts { random: RandomSource::new(7) };
    let (mut accepted, mut refused, mut missed, mut kept) = (0, 0, 0, 0);
    for _ in 0..1500 {
        let text = texts.text();
        let mut sink = frontend::diagnostics::Diagnostics::new();
        let Some(model) = frontend::sequential::parse(&text, &Default::default(), &mut sink).model else { continue };
        if sink.has_errors() {
            continue;
        }
        let candidates = [(0, 1), (1, 2), (0, 2)].map(|(one, other)| exchange(&model, one, other, &|_| true));
        let proofs = Equivariance::new(&model, &model.properties);
        let turn = candidates[0].then(&candidates[1]);
        let mut states = None;
        let mut validator = None;
        for candidate in candidates.iter().chain([&turn]) {
            let by_text = proofs.prove(candidate);
            let Some(proof) = by_text else {
                let validator = validator.get_or_insert_with(|| Validator::new(&model, &[]));
                match validator.check(candidate) {
                    Ok(_) => missed += 1,
                    Err(_) => refused += 1,
                }
                continue;
            };
            accepted += 1;
            let states = states.get_or_insert_with(|| all(&model, &proofs.live(), 5_000).expect("small"));
            let properties = if proof.keeps_properties { &model.properties[..] } else { &[] };
            kept += usize::from(proof.keeps_properties);
            assert_eq!(broken(&model, properties, states, &proof.permutation), None, "{text}");
            let validator = validator.get_or_insert_with(|| Validator::new(&model, &[]));
            assert!(validator.check(candidate).is_ok(), "{text}");
        }
    }
    println!("{accepted} accepted, {kept} with properties, {missed} missed, {refused} refused");
    assert!(accepted >= 300 && kept >= 100 && refused >= 1000, "{accepted} {kept} {missed} {refused}");
}

/// A constraint that is left out, and a text with a candidate that is then accepted.
struct Fault {
    wrong: Wrong,
    /// The text after `type P : 0..2; `.
    text: &'static str,
    /// The values that change places, in variables of these names.
    exchanged: (i32, i32),
    variables: &'static str,
}

fn faults() -> Vec<Fault> {
    let none = Wrong::default();
    let fault = |wrong: Wrong, text: &'static str| Fault { wrong, text, exchanged: (0, 1), variables: "abpqx" };
    let order = Wrong { order_is_ignored: true, ..none };
    let arithmetic = Wrong { arithmetic_is_ignored: true, ..none };
    let stop = Wrong { quantifiers_never_stop: true, ..none };
    let rounds = Wrong { rounds_commute: true, ..none };
    vec![
        fault(order, "proc X(b : BIT[P]) = sum i:P . sum j:P . [i < j && !b[i]] e { b[j] := 1; } -> X; init X(b = 0);"),
        fault(order, "proc X(b : BIT[P]) = sum i:P . [i < 1 && !b[i]] e { b[i] := 1; } -> X; init X(b = 0);"),
        fault(arithmetic, "proc X(b : BIT[P]) = sum i:P . [!b[i]] e { b[(i + 1) mod 3] := 1; } -> X; init X(b = *);"),
        fault(
            arithmetic,
            "proc X(b : BIT[P]) = sum i:P . sum j:P . [!b[i] && !b[j]] e { b[(i + j) mod 3] := 1; } -> X; init X(b = *);",
        ),
        fault(
            Wrong { named_values_move: true, ..none },
            "proc X(p : P) = sum i:P . [p = i] e { p := 0; } -> X; init X(p = *);",
        ),
        fault(
            Wrong { named_values_move: true, ..none },
            "proc X(p : P, b : BIT[P]) = sum i:P . [p = 1 && b[i]] e { p := i; b[i] := 0; } -> X; init X(p = *, b = *);",
        ),
        Fault {
            exchanged: (1, 2),
            ..fault(
                Wrong { parts_are_torn: true, ..none },
                "type S : 0..1; proc X(b : BIT[P]) = sum i:S . [!b[i]] e { b[i] := 1; } -> X; init X(b = 0);",
            )
        },
        fault(stop, "proc X(x : BIT[P]) = [exists i:P . 1 / x[i] > 0] e { } -> X; init X(x = *);"),
        fault(
            stop,
            "proc X(x : BIT[P], b : BIT[P]) = [forall i:P . (b[i] && 1 / x[i] = 1)] e { } -> X; init X(x = *, b = *);",
        ),
        Fault {
            exchanged: (1, 2),
            ..fault(rounds, "proc X(p : P) = [true] e { for i:P { p := i; } } -> X; init X(p = *);")
        },
        fault(rounds, "proc X(b : BIT[P]) = [true] e { for i:P { b[i] := !exists j:P . b[j]; } } -> X; init X(b = *);"),
        fault(
            rounds,
            "proc X(p : P, b : BIT[P]) = [true] e { for i:P { if (b[p]) { p := i; } } } -> X; init X(p = *, b = *);",
        ),
        fault(
            rounds,
            "proc X(q : BIT, b : BIT[P]) = [true] e { for i:P { b[i] := q; q := 1; } } -> X; init X(q = 0, b = *);",
        ),
        fault(
            Wrong { tables_are_ignored: true, ..none },
            "const t[P] = [1, 0, 0]; proc X(b : BIT[P]) = sum i:P . [t[i] = 1 && !b[i]] e { b[i] := 1; } -> X; init X(b = 0);",
        ),
        Fault {
            variables: "a",
            ..fault(
                Wrong { labels_are_free: true, ..none },
                "proc X(a : BIT[P], b : BIT[P]) = sum i:P . [!a[i]] e(i) { a[i] := 1; } -> X \
                 + sum i:P . [!b[i]] e(i) { b[i] := 1; } -> X; init X(a = 0, b = 0);",
            )
        },
        Fault {
            variables: "p",
            ..fault(
                Wrong { comparisons_do_not_join: true, ..none },
                "proc X(p : P, q : P) = [p = q] e { } -> X; init X(p = *, q = *);",
            )
        },
    ]
}

#[test]
fn constraints_that_are_left_out_are_noticed() {
    for (number, Fault { wrong, text, exchanged: (one, other), variables }) in faults().into_iter().enumerate() {
        let model = model(&format!("type P : 0..2; {text}"), &[]);
        let candidate = exchange(&model, one, other, &|name| variables.contains(name));
        assert!(Equivariance::with(&model, &[], wrong).accepts(&candidate), "{number}: no fault shows on {text}");
        assert!(!Equivariance::new(&model, &[]).accepts(&candidate), "{text}");
        assert!(Validator::new(&model, &[]).check(&candidate).is_err(), "{text}");
    }
}

#[test]
fn the_trial_contradicts_constraints_that_are_left_out() {
    let noticed = faults().into_iter().filter(|fault| {
        let model = model(&format!("type P : 0..2; {}", fault.text), &[]);
        let (one, other) = fault.exchanged;
        let candidate = exchange(&model, one, other, &|name| fault.variables.contains(name));
        std::panic::catch_unwind(|| _ = Equivariance::with(&model, &[], fault.wrong).prove(&candidate)).is_err()
    });
    assert!(noticed.count() >= 8);
}

#[test]
fn properties_are_proved_by_text() {
    let text = |claim: &str| {
        format!(
            "type P : 0..2; proc X(p : P, b : BIT[P]) = sum i:P . [!b[i]] e(i) {{ b[i] := 1; p := i; }} -> X; \
             init X(p = *, b = 0); assert A = {claim};"
        )
    };
    for (claim, kept) in [
        ("forall i:P . (b[i] || p != i)", true),
        ("b[p]", true),
        ("b[0]", false),
        ("exists i:P . (b[i] && i < 1)", false),
        ("exists i:P . forall j:P . (i = j || b[i] != b[j])", true),
    ] {
        let model = model(&text(claim), &[]);
        let candidate = exchange(&model, 0, 1, &|_| true);
        let proofs = Equivariance::new(&model, &model.properties);
        assert!(proofs.accepts(&candidate), "{claim}");
        assert_eq!(proofs.accepts_properties(&candidate), kept, "{claim}");
    }
}

#[test]
fn rotations_tables_and_named_values_are_exact() {
    let accepts = |text: &str, one: i32, other: i32| {
        let model = model(&format!("type P : 0..2; {text}"), &[]);
        Equivariance::new(&model, &[]).accepts(&exchange(&model, one, other, &|_| true))
    };
    let named = "proc X(p : P) = sum i:P . [p != i] e { p := ite(p = 2, i, 2); } -> X; init X(p = *);";
    assert!(accepts(named, 0, 1) && !accepts(named, 1, 2));
    let table = "const t[P] = [0, 7, 7]; proc X(b : BIT[P]) = sum i:P . [t[i] < 9 && !b[i]] e { b[i] := 1; } -> X; init X(b = 0);";
    assert!(accepts(table, 1, 2) && !accepts(table, 0, 1));
    // No variable of the state shows the values of `i`: they move with those of `t[i]` where the table copies its index.
    let copied = |table: &str| {
        format!(
            "type Q : 0..2; const t[Q] = {table}; proc X(p : P) = sum i:Q . [true] e {{ p := t[i]; }} -> X; init X(p = *);"
        )
    };
    assert!(accepts(&copied("[0, 1, 2]"), 0, 1) && accepts(&copied("[0, 1, 2]"), 0, 2));
    assert!(!accepts(&copied("[0, 1, 1]"), 0, 1) && !accepts(&copied("[0, 1, 0]"), 1, 2));
    let mirror = "proc X(b : BIT[P]) = sum i:P . [!b[2 - i]] e { b[i] := 1; } -> X; init X(b = *);";
    assert!(accepts(mirror, 0, 2) && !accepts(mirror, 0, 1));
    let part = "type S : 0..1; proc X(b : BIT[P]) = sum i:S . [!b[i]] e { b[i] := 1; } -> X; init X(b = 0);";
    assert!(accepts(part, 0, 1) && !accepts(part, 0, 2));
    let start = "proc X(b : BIT[P]) = sum i:P . [!b[i]] e { b[i] := 1; } -> X; init X(b = [0, 0, 1]);";
    assert!(accepts(start, 0, 1) && !accepts(start, 0, 2));
    let starts =
        "proc X(b : BIT[P]) = sum i:P . [!b[i]] e { b[i] := 1; } -> X; init X(b = [0, 0, 1]); init X(b = [1, 0, 0]);";
    assert!(accepts(starts, 0, 2) && !accepts(starts, 0, 1));
}

/// The group of what the text suggests and proves.
fn by_text(model: &Sequential, properties: &[Property]) -> ValidatedGroup {
    ValidatedGroup::of_candidates(model, properties, proved_by_text(model, properties))
}

#[test]
fn the_text_suggests_the_groups_of_locks_and_rings() {
    for (name, size) in [
        ("locks/peterson.lpe", 4),
        ("locks/filter.lpe", 4),
        ("locks/philosophers.lpe", 5),
        ("protocols/leader_ring.lpe", 5),
        ("protocols/leader_complete.lpe", 5),
    ] {
        let model = model(&fixture(name), &[("N", size)]);
        let whole = validated(&model, &[]);
        assert!(by_text(&model, &[]).order() == whole.order() && whole.order() > 1u32.into(), "{name}");
    }
}

#[test]
fn no_number_of_processes_is_too_large_for_a_proof_by_text() {
    let factorial = |size: u32| (1..=size).product::<num_bigint::BigUint>();
    for name in ["locks/peterson.lpe", "locks/filter.lpe"] {
        for size in [22, 23, 24] {
            let model = model(&fixture(name), &[("N", i64::from(size))]);
            for properties in [&[][..], &model.properties] {
                let group = by_text(&model, properties);
                assert!(group.rejected().is_empty() && group.is_exact(), "{name} {size}");
                assert_eq!(group.order(), factorial(size), "{name} {size}");
            }
        }
    }
    for size in [500, 2_000] {
        let ring = model(&fixture("locks/philosophers.lpe"), &[("N", size)]);
        assert_eq!(by_text(&ring, &[]).order(), size.unsigned_abs().into());
    }
}

/// A proof is one of a process and its properties: of another one with the same literals it proves nothing.
#[test]
fn a_proof_of_another_process_is_not_believed() {
    let of = |start: &str| {
        let text = format!(
            "type A : 0..2; proc P(x : BIT[A]) = sum a:A . [x[a] = 0] go(a) {{ x[a] := 1; }} -> P; init P(x = {start});"
        );
        model(&text, &[])
    };
    let (symmetric, other) = (of("0"), of("[0, 0, 1]"));
    let candidates = proved_by_text(&symmetric, &[]);
    let orders =
        [&symmetric, &other].map(|model| ValidatedGroup::of_candidates(model, &[], candidates.clone()).order());
    assert_eq!(orders, [6_u32.into(), 2_u32.into()]);
    let passed_off = candidates.into_iter().map(|candidate| candidate.passed_off(&other)).collect();
    assert_eq!(ValidatedGroup::of_candidates(&other, &[], passed_off).order(), 6_u32.into());
}

#[test]
fn a_summand_with_too_many_instances_for_a_graph_is_proved_by_text() {
    let text = "type P : 0..119; type ROLE : { free, chair, scribe, guest }; proc X(role : ROLE[P], open : BOOL) = \
        sum u:P . sum v:P . sum w:P . \
          [u != v && v != w && u != w && role[u] = free && role[v] = free && role[w] = free && !open] \
          meet(u, v, w) { role[u] := chair; role[v] := scribe; role[w] := guest; open := 1; } -> X \
        + [open] part { for p:P { role[p] := free; } open := 0; } -> X; init X(role = free, open = 0);";
    let model = model(text, &[]);
    assert_eq!(by_text(&model, &[]).order(), (1..=120u32).product::<num_bigint::BigUint>());
    // The graph maps it to itself.
    let found = csp::detect_graph(&model, &[]).expect("few variables");
    assert_eq!((found.csp.opaque.len(), found.order().to_string()), (1, "1".to_owned()));
}

/// The counter ranges beyond the indices of the array: a turn of its values is none of the elements.
#[test]
fn turns_stay_within_the_elements() {
    let text = "type B : 0..255; type I : 0..8; proc X(a : B[I], n : B) = [a[n - 1] < 9] e { a[n - 1] := 0; n := n - 1; } -> X \
                + [a[n - 1] > 0] f { a[n] := a[n - 1]; n := n + 1; } -> X; init X(a = 0, n = 9);";
    let model = model(text, &[]);
    assert!(Equivariance::new(&model, &[]).proposals().iter().all(|candidate| !candidate.is_identity()));
}

/// Where each place of a net is a variable, its values suggest candidates that the initial values refute, and exchanges of variables are no
/// candidates for the text: neither takes the work of a look at all variables.
#[test]
fn many_variables_take_little_work() {
    let count = 2_000;
    let names = |of: &dyn Fn(usize) -> String| (0..=count).map(of).collect::<Vec<_>>().join(", ");
    let steps: Vec<String> = (1..=count)
        .map(|number| format!("[p0 >= 1] fire {{ p0 := p0 - 1; p{number} := p{number} + 1; }} -> Net"))
        .collect();
    let text = format!(
        "type T : 0..1; proc Net({}) = {}; init Net({});",
        names(&|number| format!("p{number} : T")),
        steps.join(" + "),
        names(&|number| format!("p{number} = {}", u32::from(number == 0)))
    );
    let model = model(&text, &[]);
    let literals = Literals::new(&model);
    let exchange = |number: usize| {
        let pairs = [0, 1].map(|value| (literals.point(number, value), literals.point(number + 1, value)));
        SparsePermutation::from_pairs(pairs.into_iter().flat_map(|(one, other)| [(one, other), (other, one)]).collect())
    };
    let exchanges: Vec<SparsePermutation> = (1..count).map(|number| exchange(number).expect("an exchange")).collect();
    let within = |steps: u64| limits::Watch::unlimited().at_most(steps);
    let text = Equivariance::new(&model, &[]);
    let found = within(1 << 23).run(|| text.proposals()).expect("little work");
    assert_eq!(found.len(), count - 1, "the places but the first may be exchanged");
    let accepted = within(1 << 20).run(|| exchanges.iter().all(|exchange| text.accepts(exchange)));
    assert!(accepted.expect("little work"));
    // Trials take the elements of all states, and their number is bounded.
    let proved = within(1 << 27).run(|| exchanges.iter().all(|exchange| text.prove(exchange).is_some()));
    assert!(proved.expect("little work"));
}
