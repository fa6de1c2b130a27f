//! Constraints on terms over wide elements, on random states, against the reference semantics: quotients and remainders of both
//! conventions, bits and shifts, of operands of both signs.

use engine::RandomSource;
use frontend::sequential::Sequential;
use frontend::sequential::interpret::{State, arithmetic, step};

use super::{fixture, model};
use crate::csp::{Atom, Condition, ConditionId, Csp, Datum, Term, TermId};
use crate::{detect_graph, forms, ground};

/// Writes expressions over the wide elements `c[0]` and `c[1]`.
struct Writer {
    random: RandomSource,
}

impl Writer {
    fn pick<'a>(&mut self, list: &[&'a str]) -> &'a str {
        list[self.random.below(list.len())]
    }

    fn number(&mut self, depth: usize) -> String {
        if depth == 0 {
            return self.pick(&["c[0]", "c[1]", "c[i]", "(c[i] - 3)"]).into();
        }
        let inner = self.number(depth - 1);
        let constant = self.pick(&["-7", "-2", "-1", "1", "2", "3", "7", "8", "67108864", "300000000", "i"]);
        let count = self.pick(&["0", "1", "3", "26", "29", "30", "31", "-1"]);
        match self.random.below(12) {
            0 => format!("({inner} / {constant})"),
            1 => format!("({inner} mod {constant})"),
            2 => format!("div({inner}, {constant})"),
            3 => format!("rem({inner}, {constant})"),
            4 => format!("bitand({inner}, {constant})"),
            5 => format!("bitor({inner}, {constant})"),
            6 => format!("({inner} xor {constant})"),
            7 => format!("shr({inner}, {count})"),
            8 => format!("ushr({inner}, {count})"),
            9 => format!("shl({inner}, {count})"),
            10 => format!("popcount({inner})"),
            _ => format!("({inner} + {})", self.number(depth - 1)),
        }
    }

    fn text(&mut self) -> String {
        let mut summands = Vec::new();
        for _ in 0..2 {
            let guard = self.random.below(3);
            let [guard, narrow, wide] = [guard, 1 + self.random.below(3), 1].map(|depth| self.number(depth));
            let bound = self.pick(&["-5", "0", "2", "6", "1000"]);
            let order = self.pick(&["<", "<=", "=", "!=", ">"]);
            summands.push(format!(
                "sum i:P . [{guard} {order} {bound}] e {{ d[i] := {narrow}; c[1 - i] := {wide}; }} -> X"
            ));
        }
        format!(
            "type P : 0..1; type N : -2147483648..2147483647; type S : -8..7; proc X(c : N[P], d : S[P]) = {}; init X(c = 0, d = 0);",
            summands.join(" + ")
        )
    }

    fn value(&mut self) -> i32 {
        let ends = [i32::MIN, i32::MIN + 1, -8, -1, 0, 1, 7, 255, i32::MAX - 1, i32::MAX];
        if self.random.below(3) == 0 {
            return ends[self.random.below(ends.len())];
        }
        let bits = u32::try_from(self.random.next_word() >> 32).expect("32 bits").cast_signed();
        bits >> self.random.below(32)
    }
}

fn value(csp: &Csp, id: TermId, state: &[i32]) -> Option<i32> {
    match csp.terms[id.index()] {
        Term::Value(value) => Some(value),
        Term::Element(element) => Some(state[element]),
        Term::Bits(inner) => value(csp, inner, state).map(|value| value.count_ones().cast_signed()),
        Term::Binary(op, left, right) => arithmetic(op, value(csp, left, state)?, value(csp, right, state)?).ok(),
    }
}

fn holds(csp: &Csp, id: ConditionId, state: &[i32]) -> bool {
    let value_at = |element: usize| match element.checked_sub(state.len()) {
        None => state[element],
        Some(atom) => i32::from(match csp.atoms[atom] {
            Atom::Equal(left, right) => value(csp, left, state) == value(csp, right, state),
            Atom::Less(left, right) => value(csp, left, state) < value(csp, right, state),
            Atom::Fault(term) => value(csp, term, state).is_none(),
        }),
    };
    let all = |list: &[ConditionId]| list.iter().all(|&operand| holds(csp, operand, state));
    let any = |list: &[ConditionId]| list.iter().any(|&operand| holds(csp, operand, state));
    match &csp.conditions[id.index()] {
        Condition::False => false,
        Condition::True => true,
        Condition::Cube(tests) => tests.iter().all(|(element, values)| values.contains(&value_at(*element))),
        Condition::All(list) => all(list),
        Condition::Any(list) => any(list),
        Condition::NoneOf(list) => !any(list),
    }
}

/// Compares constraints with the reference in one state; returns the number of instances that were enabled and ended.
fn compare(model: &Sequential, csp: &Csp, state: &State) -> Result<usize, String> {
    let mut ended = 0;
    for summand in 0..model.summands.len() {
        for parameter in 0..2 {
            let id = frontend::sequential::SummandId::from_index(summand);
            if csp.opaque.iter().any(|opaque| opaque.part == crate::csp::Part::Summand(id)) {
                continue;
            }
            let description = format!("summand {summand} of {parameter} in {state:?}");
            let found = csp.instances.iter().find(|found| found.summand == id && found.parameters == [parameter]);
            let expected = step(model, state, id, &[parameter]);
            let Some(instance) = found else {
                if expected.is_some() {
                    return Err(format!("{description} is missing"));
                }
                continue;
            };
            let faults = expected.as_ref().is_some_and(|step| step.result.is_err());
            if holds(csp, instance.fault, state) != faults {
                return Err(format!("{description}: faults"));
            }
            if !faults && holds(csp, instance.guard, state) != expected.is_some() {
                return Err(format!("{description}: guard"));
            }
            let Some(Ok(after)) = expected.map(|step| step.result) else { continue };
            ended += 1;
            for output in instance.outputs.iter().filter(|output| holds(csp, output.when, state)) {
                let written = match output.value {
                    Datum::Value(value) => Some(value),
                    Datum::Term(term) => value(csp, term, state),
                };
                if written != Some(after[output.element]) {
                    return Err(format!("{description}: element {} becomes {written:?}", output.element));
                }
            }
            for (element, (&new, &old)) in after.iter().zip(state).enumerate().filter(|(_, (new, old))| new != old) {
                let mut outputs = instance.outputs.iter().filter(|output| output.element == element);
                if !outputs.any(|output| holds(csp, output.when, state)) {
                    return Err(format!("{description}: element {element} stays {old} and not {new}"));
                }
            }
        }
    }
    Ok(ended)
}

#[test]
fn constraints_of_wide_elements_agree_with_the_reference() {
    let mut writer = Writer { random: RandomSource::new(21) };
    let (mut ended, mut small) = (0, 0);
    for _ in 0..150 {
        let text = writer.text();
        let model = model(&text, &[]);
        let csp = ground::constraints(&model, &forms(&model), &[]).expect("small");
        small += usize::from(csp.opaque.is_empty());
        for _ in 0..60 {
            let state = vec![writer.value(), writer.value(), 0, 0];
            ended += compare(&model, &csp, &state).unwrap_or_else(|problem| panic!("{problem}\n{text}"));
        }
    }
    println!("{ended} steps, {small} models without opaque summands");
    assert!(ended > 3_000 && small > 120, "{ended} steps, {small} models without opaque summands");
}

/// Results that a remainder or a shift cannot have need no atom.
#[test]
fn narrow_results_of_wide_elements_need_few_questions() {
    let found = detect_graph(&model(&fixture("language/remainder_of_wide_values.lpe"), &[]), &[]).expect("small");
    assert!(found.csp.atoms.len() < 30 && found.graph.graph.len() < 200, "{} atoms", found.csp.atoms.len());
    for value in ["c mod 7", "c / 134217728", "bitand(c, 7)", "shr(c, 28)", "ushr(c, 29)", "popcount(c)", "rem(c, 5)"] {
        let text = format!(
            "type N : -2147483648..2147483647; type S : -128..127; proc X(c : N, d : S) = \
             [true] e {{ d := {value}; }} -> X; init X(c = 0, d = 0);"
        );
        let found = detect_graph(&model(&text, &[]), &[]).expect("small");
        assert!(found.csp.opaque.is_empty() && found.csp.instances[0].fault == ConditionId::FALSE, "{value}");
        assert!(found.csp.atoms.len() <= 32, "{value}: {} questions", found.csp.atoms.len());
    }
}
