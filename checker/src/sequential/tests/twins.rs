//! Programs with and without tables, step by step, and the reference semantics, on random processes whose guards are
//! disjunctions, whose indices are not known, and whose bodies loop and fault. The battery catches a table that is
//! known to be wrong.

use frontend::diagnostics::Diagnostics;
use frontend::sequential::interpret::{State, successors};
use frontend::sequential::{Options, Sequential, SummandId, parse};

use super::super::explore_graph;
use super::super::machine::{Machine, Steps, Taken};
use super::super::packing::Packing;
use super::super::program::{Program, Tables, Wrong};
use crate::Limits;
use crate::patch::{Patch, apply};
use crate::tests::Rng;

/// Processes of the battery, and the states of each that are compared.
const COUNT: u64 = 360;
const STATES: u64 = 250;

/// Every so many processes one has a summand with too many instances to be compiled one by one; it takes long.
const WIDE: u64 = 12;
const WIDE_STATES: u64 = 40;

/// Draws one of the texts.
fn pick<'t>(rng: &mut Rng, texts: &[&'t str]) -> &'t str {
    texts[rng.below(u32::try_from(texts.len()).expect("few")) as usize]
}

/// The text of a random process.
fn text(seed: u64) -> String {
    let rng = &mut Rng::new(seed);
    let atoms = [
        "x[i] = k",
        "y < k",
        "b[i][k mod 3] = 1",
        "w > 60",
        "i != 1",
        "(exists j:I . x[j] >= k)",
        "(forall j:I . (j = i || x[j] < k))",
        "(y = k || forall j:I . (j = i || x[j] < 2))",
        "!(y = k && x[i] != 1 && forall j:I . x[j] > 0)",
        "(w mod 7 = k || y != 2 && b[0][i] = 0)",
        "x[y mod 3] != k",
        "x[y] = k",
        "6 / (y - 1) >= k",
        "ite(w > 9, b[i][i] = 1, x[0] = k)",
        "(c = green => x[i] > 0)",
    ];
    let actions = [
        "x[i] := k;",
        "y := (y + 1) mod 4;",
        "y := y + 1;",
        "w := (w * 3 + k) mod 201;",
        "x[y] := 1;",
        "b[i][y mod 3] := 1 - b[i][y mod 3];",
        "if (x[i] = 2) { x[i] := 0; y := x[2]; } else { c := blue; }",
        "c := turn[c];",
        "{ var t : V := y; while (t > 0 && x[t mod 3] != 1) { t := t - 1; } x[i] := t; }",
        "for j:I { b[j][i] := 0; }",
        "x[0] := 3; x[0] := k;",
        "d[i][k mod 3] := w; w := d[y mod 3][x[i] mod 3];",
        "if (x[i] = k) { y := 1; } else { w := y; } x[0] := y;",
        "x[1] := k; x[y mod 3] := 2; y := x[1];",
        "y := x[i]; x[i] := y; if (y > 1) { c := green; } else { c := red; } b[0][0] := ite(c = red, 1, 0);",
    ];
    let mut summands = Vec::new();
    for at in 0..2 + rng.below(6) {
        let guard: Vec<&str> = (0..rng.below(4)).map(|_| pick(rng, &atoms)).collect();
        let guard = if guard.is_empty() { "true".to_owned() } else { guard.join(" && ") };
        let body: Vec<&str> = (0..rng.below(3)).map(|_| pick(rng, &actions)).collect();
        let more = if at == 0 && seed.is_multiple_of(WIDE) { "sum u:U . sum v:U . " } else { "" };
        let only = if more.is_empty() { "" } else { " && u = v && u = w" };
        let body = body.join(" ").replace("{ var", "if (true) { var");
        summands.push(format!("sum i:I . sum k:V . {more}[{guard}{only}] e{at}(i, k) {{ {body} }} -> P"));
    }
    format!(
        "type I : 0..2; type V : 0..3; type W : 0..200; type U : 0..20; type C : {{ red, green, blue }};
         const turn[C] = [green, blue, red];
         proc P(x : V[I], y : V, w : W, b : BOOL[I][I], c : C, d : W[I][I]) = {};
         init P(x = 0, y = {}, w = {}, b = 0, c = red, d = 7);",
        summands.join(" + "),
        rng.below(4),
        rng.below(200),
    )
}

fn model(text: &str) -> Sequential {
    let mut sink = Diagnostics::new();
    parse(text, &Options::default(), &mut sink).model.unwrap_or_else(|| panic!("{:?}\n{text}", sink.list))
}

/// A step: the summand, its parameters, and the packed successor, if there is one.
type Step = (SummandId, Vec<i32>, Option<Vec<u64>>);

/// Notes the steps that it receives.
struct Note<'a> {
    packing: &'a Packing,
    packed: &'a [u64],
    /// Whether the parameters are noted.
    has_parameters: bool,
    steps: Vec<Step>,
}

impl Note<'_> {
    fn note(&mut self, summand: SummandId, parameters: &[i32], next: Option<Vec<u64>>) {
        self.steps.push((summand, if self.has_parameters { parameters.to_vec() } else { Vec::new() }, next));
    }
}

impl Steps for Note<'_> {
    fn successor(&mut self, machine: &Machine, summand: SummandId, parameters: &[i32]) {
        let mut words = self.packed.to_vec();
        for (element, value) in machine.written(self.packing) {
            self.packing.set(&mut words, element, value);
        }
        self.note(summand, parameters, Some(words));
    }

    fn patched(&mut self, patch: &[Patch], Taken { summand, parameters, .. }: Taken<'_>) {
        let mut words = self.packed.to_vec();
        apply(patch, &mut words);
        self.note(summand, parameters, Some(words));
    }

    fn needs_no_parameters(&self) -> bool {
        !self.has_parameters
    }

    fn fault(&mut self, Taken { summand, parameters, .. }: Taken<'_>) {
        self.note(summand, parameters, None);
    }
}

/// The steps by the reference semantics.
fn reference(model: &Sequential, packing: &Packing, state: &State) -> Vec<Step> {
    let step = successors(model, state).into_iter();
    step.map(|step| (step.summand, step.parameters, step.result.ok().map(|next| packing.pack(&next)))).collect()
}

/// Compares programs with the reference semantics in reached states; returns the number of steps, and whether all
/// agree.
fn agree(seed: u64, all: &[Tables]) -> (usize, bool) {
    let model = &model(&text(seed));
    let most = if seed.is_multiple_of(WIDE) { WIDE_STATES } else { STATES };
    let limits = Limits { max_states: Some(most), ..Limits::default() };
    let explored = explore_graph(model, &limits);
    let packing = Packing::new(model);
    let programs = all.iter().map(|&tables| (Program::new(model, &packing, tables), Machine::default()));
    let mut programs: Vec<(Program<'_>, Machine)> = programs.collect();
    let mut count = 0;
    for state in explored.states {
        let (packed, expected) = (packing.pack(&state), reference(model, &packing, &state));
        count += expected.len();
        let without: Vec<Step> =
            expected.iter().map(|(summand, _, next)| (*summand, Vec::new(), next.clone())).collect();
        for (program, machine) in &mut programs {
            for (has_parameters, expected) in [(true, &expected), (false, &without)] {
                let mut note = Note { packing: &packing, packed: &packed, has_parameters, steps: Vec::new() };
                program.run(machine, &packing, &packed, &mut note);
                if note.steps != *expected {
                    return (count, false);
                }
            }
        }
    }
    (count, true)
}

#[test]
fn tables_give_the_steps_of_the_reference_semantics() {
    let ways = [[false; 3], [true, false, false], [false, true, false], [true, true, false], [false, false, true]];
    let all = ways.map(|[selection, memos, splits]| Tables { selection, memos, splits, ..Tables::ALL });
    let all = [&all[..], &[Tables::ALL]].concat();
    let mut steps = 0;
    for seed in 0..COUNT {
        let (count, agrees) = agree(seed, &all);
        assert!(agrees, "seed {seed}\n{}", text(seed));
        steps += count;
    }
    assert!(steps > 20_000, "only {steps}");
}

#[test]
fn tables_that_are_known_to_be_wrong_are_caught() {
    let all =
        [Wrong::ForgetsAPart, Wrong::ForgetsAnAlternative, Wrong::JoinsSides, Wrong::KeepsKnown, Wrong::KeepsASide];
    for wrong in all {
        let tables = Tables { wrong: Some(wrong), ..Tables::ALL };
        let caught = (0..COUNT).filter(|&seed| !agree(seed, &[tables]).1).take(5).count();
        assert_eq!(caught, 5, "{wrong:?}");
    }
}
