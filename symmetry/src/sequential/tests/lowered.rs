//! The constraints with one instance of each orbit evaluated, against those of all instances.

use csp::csp::{Condition, ConditionId, Csp, Datum, Term, TermId};
use csp::ground::Symmetry;
use frontend::diagnostics::Diagnostics;
use frontend::sequential::{Options, Property, Sequential, SummandId, parse};

use super::super::{constraints, proved_by_text};
use super::names::Texts;
use super::pairs::Pairs;
use super::writer::Writer;
use super::{fixture, fixtures, model};

/// The constraints as text in which nothing has a number, without the elements with one value that are read: an evaluation stops where constants decide, so these differ by
/// the order of values.
struct Expanded<'a>(&'a Csp);

impl Expanded<'_> {
    fn sorted(mut parts: Vec<String>) -> String {
        parts.sort();
        parts.join(", ")
    }

    fn term(&self, id: TermId) -> String {
        match self.0.terms[id.index()] {
            Term::Value(value) => value.to_string(),
            Term::Element(element) => format!("e{element}"),
            Term::Bits(inner) => format!("bits({})", self.term(inner)),
            Term::Binary(op, left, right) => {
                let parts = vec![self.term(left), self.term(right)];
                let parts = if op.is_commutative() { Self::sorted(parts) } else { parts.join(", ") };
                format!("{op:?}({parts})")
            }
        }
    }

    fn atom(&self, number: usize) -> String {
        use csp::csp::Atom;
        match self.0.atoms[number] {
            Atom::Equal(left, right) => format!("equal({})", Self::sorted(vec![self.term(left), self.term(right)])),
            Atom::Less(left, right) => format!("less({}, {})", self.term(left), self.term(right)),
            Atom::Fault(term) => format!("fault({})", self.term(term)),
        }
    }

    fn condition(&self, id: ConditionId) -> String {
        let of = |list: &[ConditionId]| Self::sorted(list.iter().map(|&id| self.condition(id)).collect());
        match self.0.condition(id) {
            Condition::False => "false".to_owned(),
            Condition::True => "true".to_owned(),
            Condition::Cube(tests) => {
                let name = |element: usize| match self.0.atom_of(element) {
                    Some(atom) => self.atom(atom),
                    None => format!("e{element}"),
                };
                Self::sorted(
                    tests.iter().map(|(element, values)| format!("{} in {values:?}", name(*element))).collect(),
                )
            }
            Condition::All(list) => format!("all({})", of(list)),
            Condition::Any(list) => format!("any({})", of(list)),
            Condition::NoneOf(list) => format!("none({})", of(list)),
        }
    }

    fn instances(&self) -> Vec<String> {
        let of = |instance: &csp::csp::Instance| {
            let labels = instance.labels.as_ref().map(|labels| {
                let terms = instance.label_terms.iter();
                let parts = labels.iter().zip(terms).map(|(&(label, when), terms)| {
                    let terms: Vec<String> = terms.iter().map(|&term| self.term(term)).collect();
                    format!("{:?} {terms:?} if {}", self.0.labels[label], self.condition(when))
                });
                Self::sorted(parts.collect())
            });
            let outputs = instance.outputs.iter().map(|output| {
                let value = match output.value {
                    Datum::Value(value) => value.to_string(),
                    Datum::Term(term) => self.term(term),
                };
                format!("e{} = {value} if {}", output.element, self.condition(output.when))
            });
            format!(
                "{:?} {:?} [{}] fault {} labels {labels:?} process {:?} outputs {}",
                instance.summand,
                instance.parameters,
                self.condition(instance.guard),
                self.condition(instance.fault),
                instance.process,
                Self::sorted(outputs.collect()),
            )
        };
        self.0.instances.iter().map(of).collect()
    }

    fn claims(&self) -> Vec<String> {
        let claims = self.0.claims.iter();
        claims.map(|claim| format!("{} {}", self.condition(claim.holds), self.condition(claim.faults))).collect()
    }
}

/// Compares both constructions; whether some symmetry is known.
fn agree(name: &str, model: &Sequential, properties: &[Property]) -> bool {
    let known = proved_by_text(model, properties);
    let requested: Vec<&Property> = properties.iter().collect();
    let by_orbits = constraints(model, &requested, &known).expect("small enough");
    let whole = constraints(model, &requested, &[]).expect("small enough");
    assert_eq!(by_orbits.elements, whole.elements, "{name}");
    assert_eq!(csp::csp::verify(&by_orbits), Vec::<String>::new(), "{name}");
    let (own, other) = (Expanded(&by_orbits), Expanded(&whole));
    assert_eq!(own.instances(), other.instances(), "{name}");
    assert_eq!(own.claims(), other.claims(), "{name}");
    assert_eq!((&by_orbits.dead, &by_orbits.opaque), (&whole.dead, &whole.opaque), "{name}");
    assert_eq!(by_orbits.as_written, whole.as_written, "{name}");
    !known.is_empty()
}

#[test]
fn images_of_instances_are_what_is_evaluated() {
    let mut with_symmetries = 0;
    for (name, constants) in fixtures() {
        let constants: Vec<(&str, i64)> = constants.iter().map(|(name, value)| (name.as_str(), *value)).collect();
        let model = model(&fixture(&name), &constants);
        if csp::weight::weight(&model) > 1 << 13 {
            continue;
        }
        with_symmetries += usize::from(agree(&name, &model, &model.properties));
    }
    assert!(with_symmetries > 20, "{with_symmetries} fixtures");
    let (mut clusters, mut pairs, mut writer) = (Texts::new(71), Pairs::new(72), Writer::rich(73));
    with_symmetries = 0;
    for _ in 0..120 {
        for text in [clusters.text(), pairs.text(), writer.text()] {
            // A random text may declare a local twice.
            let mut sink = Diagnostics::new();
            let parsed = parse(&text, &Options::default(), &mut sink).model;
            let Some(model) = parsed.filter(|_| !sink.has_errors()) else { continue };
            with_symmetries += usize::from(agree(&text, &model, &model.properties));
        }
    }
    assert!(with_symmetries > 60, "{with_symmetries} random processes");
}

/// What is written of `p`, which is 0 in all states, depends on the order of values: the images along one exchange of values are not those along others.
#[test]
fn images_that_disagree_are_not_taken() {
    let text = "type I : 0..3; type S : { free, busy }; type W : 0..4000;
        proc X(x : S[I], y : BOOL[I], p : I[I], last : I, w : W[I], m : W) =
          sum i:I . [!y[i]] f { y[i] := y[p[i]]; w[i] := (w[i] + 1000) mod 3000; } -> X
        + sum i:I . [m > 0 && p[i] != i] e(i) { if (x[last] != free) { p[i] := p[i]; } else { last := i; }
            for k:I { if (p[k] = i) { p[k] := k; } } } -> X;
        init X(x = free, y = 0, p = 0, last = *, w = 0, m = 0);";
    assert!(agree(text, &model(text, &[]), &[]), "the text proves some symmetries");
}

/// Exchanges the values 0 and 1 of all parameters and arguments.
struct Exchange;

impl Symmetry for Exchange {
    fn instance(&self, summand: SummandId, parameters: &[i32]) -> (SummandId, Vec<i32>) {
        (summand, parameters.iter().map(|value| 1 - value).collect())
    }

    fn argument(&self, _: SummandId, _: usize, value: i32) -> i32 {
        1 - value
    }
}

/// What is passed on decides what is drawn: an exchange that is no symmetry gives other constraints, and the proofs of candidates do not rely on these.
#[test]
fn an_exchange_that_is_no_symmetry_is_not_noticed_by_the_lowering() {
    let text = "type I : 0..1; proc P(x : BOOL[I]) = sum i:I . [i = 0 && !x[i]] up(i) { x[i] := 1; } -> P
        + sum i:I . [i = 1 && x[i]] up(i) { x[i] := 0; } -> P; init P(x = 0);";
    let model = model(text, &[]);
    let literals = csp::Literals::new(&model);
    let pairs = [0, 1].map(|value| (literals.point(0, value), literals.point(1, value)));
    let pairs = pairs.into_iter().flat_map(|(one, other)| [(one, other), (other, one)]).collect();
    let exchange = engine::SparsePermutation::from_pairs(pairs).expect("an exchange");
    let known = [csp::ground::Known { symmetry: &Exchange, literals: &exchange }];
    let wrong = csp::ground::constraints_of_orbits(&model, &csp::forms(&model), &[], &known).expect("small enough");
    let right = constraints(&model, &[], &[]).expect("small enough");
    assert_ne!(Expanded(&wrong).instances(), Expanded(&right).instances());
    assert!(proved_by_text(&model, &[]).is_empty());
    assert!(super::ValidatedGroup::new(&model, &[], vec![exchange]).generators().is_empty());
}
