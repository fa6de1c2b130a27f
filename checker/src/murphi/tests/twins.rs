//! Tests: compiled steps and truths against the reference interpreter, state by state.

use std::collections::{BTreeSet, VecDeque};
use std::path::Path;

use frontend::diagnostics::Diagnostics;
use frontend::murphi::interpret::{
    Fault, State, Step, Watched, evaluate, evaluate_in_any_order, starts, successors, successors_in_any_order,
};
use frontend::murphi::program::{LocalKind, Program, RuleId, TypeKind};
use frontend::murphi::{Options, parse};
use frontend::parts::Parts;
use rustc_hash::FxHashSet;

use super::super::code::Code;
use super::super::compile::{Wrong, compile};
use super::super::machine::{Forgets, Machine};
use super::super::packing::{Packing, cell, value};
use super::super::steps::{End, Found, Knowledge, Steps, TruthKnowledge, Unsure};
use crate::patch::apply;

/// The states that are compared of each model.
const STATES: usize = 300;

/// A compiled model with what is known of it.
struct Compiled<'p> {
    program: &'p Program,
    code: &'p Code,
    packing: Packing,
    machine: Machine,
    knowledge: Knowledge,
    /// For each property.
    truths: Vec<TruthKnowledge>,
    /// The steps that were known, and the truths.
    known: usize,
}

impl<'p> Compiled<'p> {
    fn new(program: &'p Program, code: &'p Code) -> Compiled<'p> {
        let packing = Packing::new(program);
        let knowledge = Knowledge::new(code, &packing);
        let truths = (0..program.properties.len()).map(|property| TruthKnowledge::new(code, property)).collect();
        Compiled { program, code, packing, machine: Machine::default(), knowledge, truths, known: 0 }
    }

    fn words(&self, state: &State) -> Vec<u64> {
        let mut words = Vec::new();
        self.packing.pack(state.iter().copied().map(value), &mut words);
        words
    }

    /// The steps of a state in the form of the interpreter.
    fn steps(&mut self, state: &State) -> Result<Vec<Step>, Unsure> {
        let words = self.words(state);
        let Compiled { program, code, packing, machine, knowledge, known, .. } = self;
        let mut steps = Vec::new();
        let mut visit = |machine: &Machine, found: Found<'_>| {
            let (result, covers) = match found.end {
                End::Fault(fault) => (Err(*fault), machine.covers.clone()),
                End::Written => {
                    let state = machine.memory[..code.slots].iter().copied().map(cell).collect();
                    (Ok(state), machine.covers.clone())
                }
                End::Known(step) => {
                    *known += 1;
                    let mut next = words.clone();
                    apply(&step.patches, &mut next);
                    (Ok(packing.unpack(&next)), step.covers.to_vec())
                }
            };
            let rule = RuleId::from_index(found.rule);
            steps.push(Step { rule, values: found.values.to_vec(), covers, marks: Vec::new(), result });
        };
        Steps { program, code, packing }.successors(&words, knowledge, machine, &mut visit)?;
        machine.enter(code, packing, &words);
        assert!(machine.memory[..code.slots].iter().copied().map(cell).eq(state.iter().copied()), "it goes back");
        Ok(steps)
    }
}

/// A difference between the twins on the states of a model, if there is one.
fn difference(program: &Program, watched: &Watched, wrong: Wrong, forgets: Forgets) -> Option<String> {
    let code = compile(program, &Parts::of_murphi(program), watched, wrong).expect("compiled");
    let mut compiled = Compiled::new(program, &code);
    compiled.machine.wrong = forgets;
    let mut waiting: VecDeque<State> = starts(program).into_iter().filter_map(|start| start.result.ok()).collect();
    let mut known: FxHashSet<State> = waiting.iter().cloned().collect();
    while let Some(state) = waiting.pop_front() {
        let (mut expected, broken) = match watched.is_empty() {
            true => (successors(program, &state), BTreeSet::new()),
            false => successors_in_any_order(program, &state, watched),
        };
        // Coverage has tests of its own.
        expected.iter_mut().for_each(|step| step.marks.clear());
        let is_broken = !broken.is_empty();
        let found = compiled.steps(&state);
        let is_found = compiled.machine.order.is_broken;
        match found {
            Ok(found) if found != expected => {
                return Some(format!("steps of {state:?}:\n{found:?}\nnot\n{expected:?}"));
            }
            Ok(_) if is_found != is_broken => return Some(format!("order at {state:?}: {is_found}")),
            Err(Unsure) if watched.is_empty() => return Some("nothing is watched".to_owned()),
            _ => {}
        }
        if let Some(difference) = of_truths(&mut compiled, watched, &state) {
            return Some(difference);
        }
        for next in expected.into_iter().filter_map(|step| step.result.ok()) {
            if known.len() < STATES && known.insert(next.clone()) {
                waiting.push_back(next);
            }
        }
    }
    None
}

fn of_truths(compiled: &mut Compiled<'_>, watched: &Watched, state: &State) -> Option<String> {
    let words = compiled.words(state);
    let Compiled { program, code, packing, machine, truths: knowledge, .. } = compiled;
    let steps = Steps { program, code, packing };
    for (index, property) in program.properties.iter().enumerate() {
        let (truths, broken) = match watched.is_empty() {
            true => (evaluate(program, property, state), BTreeSet::new()),
            false => evaluate_in_any_order(program, property, state, watched),
        };
        let is_broken = !broken.is_empty();
        let expected: Vec<(Vec<i32>, Result<bool, Fault>)> =
            truths.into_iter().map(|truth| (truth.values, truth.holds)).collect();
        if knowledge[index].is_in_use() {
            let mut found = Vec::new();
            steps.known_truths(&words, &mut knowledge[index], machine, &mut |truth| found.push(truth));
            if !found.iter().copied().eq(expected.iter().map(|(_, holds)| holds.clone().ok())) {
                return Some(format!("truths at {state:?}:\n{found:?}\nnot\n{expected:?}"));
            }
        }
        machine.begin(code, packing, &words);
        let mut found = Vec::new();
        let sure = steps.truths(machine, index, &mut |values, holds| {
            found.push((values.to_vec(), holds.map_err(|fault| *fault)));
        });
        if sure.is_ok() && (found != expected || machine.order.is_broken != is_broken) {
            return Some(format!("truths at {state:?}:\n{found:?}\nnot\n{expected:?}"));
        }
    }
    None
}

/// Every binder of a model without multisets over a scalar set.
fn binders(program: &Program) -> Watched {
    if program.types.list.iter().any(|of| matches!(of.kind, TypeKind::Multiset { .. })) {
        return Watched::default();
    }
    let frames = program.procedures.iter().map(|one| &one.frame);
    let frames = frames.chain(program.starts.iter().chain(&program.rules).map(|one| &one.frame));
    let frames = frames.chain(program.properties.iter().map(|one| &one.frame));
    let is_declared = |of| match program.types.kind(of) {
        TypeKind::Names(sorts) => sorts.iter().any(|&sort| program.types.sort(sort).members.is_none()),
        _ => false,
    };
    let locals = frames.flat_map(|frame| &frame.locals);
    let own = locals.filter(|local| local.kind == LocalKind::Binder && is_declared(local.of));
    own.map(|local| local.span).collect()
}

fn read(text: &str) -> Option<Program> {
    parse(text, &Options::default(), &mut Diagnostics::new()).program
}

/// Every difference of a text in the two ways of compiling.
fn differences(text: &str, wrong: Wrong) -> Vec<String> {
    let program = read(text).unwrap_or_else(|| panic!("a model:\n{text}"));
    let ways = [Watched::default(), binders(&program)];
    ways.iter().filter_map(|watched| difference(&program, watched, wrong, Forgets::default())).collect()
}

pub(crate) fn fixtures(folder: &Path, list: &mut Vec<std::path::PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()) {
        if entry.is_dir() {
            fixtures(&entry, list);
        } else if entry.extension().is_some_and(|extension| extension == "m") {
            list.push(entry);
        }
    }
}

#[test]
fn compiled_steps_are_those_of_the_interpreter_on_fixtures() {
    let mut paths = Vec::new();
    fixtures(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/murphi"), &mut paths);
    if let Ok(more) = std::env::var("MURPHI_MODELS") {
        fixtures(Path::new(&more), &mut paths);
    }
    assert!(paths.len() > 10);
    for path in paths {
        let Some(program) = std::fs::read_to_string(&path).ok().and_then(|text| read(&text)) else { continue };
        for watched in [Watched::default(), binders(&program)] {
            if let Some(difference) = difference(&program, &watched, Wrong::default(), Forgets::default()) {
                panic!("{}: {difference}", path.display());
            }
        }
    }
}

/// Declarations that random rules are about.
const HEAD: &str = "type pid: scalarset(3); lab: enum { L0, L1, L2 }; num: 0 .. 3; gap: union { pid, lab };
    rec: record l: lab; n: num; o: pid; end;
    var a: array [pid] of rec; b: array [num] of num; c: array [pid] of array [pid] of boolean; d: array [gap] of boolean;
    x: num; y: num; p: pid; q: gap; f: boolean; r: rec;
    function get(i: pid): num; var h: num; begin h := a[i].n; if h > 2 then return x; end; return h; end;
    function deep(k: num): num; begin if k = 0 then return y; end; return deep(k - 1); end;
    procedure bump(var n: num; m: num); begin n := n + m; end;
    procedure give(var e: rec; i: pid); begin e.o := i; if !isundefined(e.n) & e.n > 1 then return; end; e.n := 2; end;
    startstate begin clear a; clear b; x := 1; y := 2; f := true; clear c; undefine r; undefine d; end;
    startstate begin for i: pid do a[i].l := L1; a[i].n := 0; end; f := false; x := 0; b[0] := 2; end;\n";

/// A source of random text.
struct Random(u64);

impl Random {
    fn below(&mut self, count: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).expect("31 bits") % count
    }

    /// One of some texts, in which `I`, `B`, `P`, `R` and `S` are an integer, a condition, a member, a record and statements.
    fn one(&mut self, depth: usize, simple: usize, of: &[&str]) -> String {
        let text = of[self.below(if depth == 0 { simple } else { of.len() })];
        let mut written = String::new();
        for letter in text.chars() {
            let under = depth.saturating_sub(1);
            match letter {
                'I' => written += &self.integer(under),
                'B' => written += &self.condition(under),
                'P' => written += &self.member(),
                'R' => written += ["r", "a[i]", "a[p]", "a[j]"][self.below(4)],
                'S' => written += &self.statements(under),
                _ => written.push(letter),
            }
        }
        written
    }

    fn member(&mut self) -> String {
        ["i", "j", "p", "a[i].o", "r.o"][self.below(5)].to_owned()
    }

    fn integer(&mut self, depth: usize) -> String {
        let of = [
            "0",
            "1",
            "2",
            "x",
            "y",
            "b[x]",
            "a[P].n",
            "I + 1",
            "I - I",
            "get(P)",
            "deep(I)",
            "b[I]",
            "(B ? I : I)",
            "I / I",
        ];
        self.one(depth, 7, &of)
    }

    fn condition(&mut self, depth: usize) -> String {
        let of = [
            "f",
            "x = 1",
            "a[i].l = L1",
            "P = P",
            "isundefined(r.n)",
            "a[i].n != x",
            "c[i][j]",
            "d[q]",
            "L2 = a[P].l",
            "q = L1",
            "(B & B)",
            "(B | B)",
            "(B -> B)",
            "!B",
            "I < I",
            "I = I",
            "R = R",
            "exists i: pid do B end",
            "forall j: pid do B end",
            "exists k: num do b[k] = I end",
            "ismember(q, pid)",
            "isundefined(a[P].o)",
        ];
        self.one(depth, 10, &of)
    }

    fn statements(&mut self, depth: usize) -> String {
        let of = [
            "x := I;",
            "a[i].l := L2;",
            "a[i].n := I;",
            "p := P;",
            "f := B;",
            "undefine R;",
            "c[P][P] := B;",
            "q := P;",
            "q := L1;",
            "R := R;",
            "d[q] := B;",
            "d[P] := f;",
            "clear R;",
            "bump(x, I);",
            "bump(a[P].n, 1);",
            "give(R, P);",
            "if B then S elsif B then S else S end;",
            "switch I case 0, x: S case 2: S else S end;",
            "for i: pid do S end;",
            "for j: pid do a[j].n := I; end;",
            "for k := 0 to I do b[k] := 1; end;",
            "for i: pid do if B then give(a[i], i); end; end;",
            "while x < 2 do x := x + 1; S end;",
            "alias z: a[P] do z.n := I; S end;",
            "alias z: I; e: r do e.n := z; end;",
            "assert B;",
            "cover B;",
            "return;",
            "for k: num do b[k] := I; end;",
            "for g: gap do d[g] := B; end;",
        ];
        (0..=self.below(2)).map(|_| self.one(depth, 16, &of)).collect::<Vec<_>>().join(" ")
    }

    fn model(&mut self) -> String {
        let mut text = HEAD.to_owned();
        for _ in 0..3 {
            let (guard, body) = (self.condition(2), self.statements(2));
            text += &format!("ruleset i: pid; j: pid do rule {guard} ==> begin {body} end; end;\n");
        }
        let (guard, body) = (self.condition(2), self.statements(2));
        text += &format!("ruleset i: pid do alias j: a[i].o do rule {guard} ==> begin {body} end; end; end;\n");
        text + &format!("ruleset i: pid; j: pid do invariant {}; end;\n", self.condition(3))
            + &format!("ruleset i: pid; j: pid do assume f -> {}; end;\n", self.condition(1))
    }
}

/// The number of random models of a test: `MURPHI_COUNT`, or so many.
pub(crate) fn count(usual: usize) -> usize {
    std::env::var("MURPHI_COUNT").ok().and_then(|count| count.parse().ok()).unwrap_or(usual)
}

/// Random texts, most of which are models.
pub(crate) fn random_texts(count: usize) -> Vec<String> {
    let mut random = Random(11);
    (0..count).map(|_| random.model()).collect()
}

/// The first difference on random models.
fn random_difference(count: usize, wrong: Wrong, forgets: Forgets) -> Option<String> {
    let mut random = Random(5);
    let mut read_models = 0;
    for _ in 0..count {
        let text = random.model();
        let Some(program) = read(&text) else { continue };
        read_models += 1;
        for watched in [Watched::default(), binders(&program)] {
            if let Some(difference) = difference(&program, &watched, wrong, forgets) {
                return Some(format!("{text}\n{difference}"));
            }
        }
    }
    assert!(read_models * 2 > count, "most texts are models: {read_models}");
    None
}

#[test]
fn compiled_steps_are_those_of_the_interpreter_on_random_models() {
    if let Some(difference) = random_difference(count(1_000), Wrong::default(), Forgets::default()) {
        panic!("{difference}");
    }
}

/// Rulesets with many instances, and long loops, have values in registers.
#[test]
fn values_in_registers_are_those_that_are_fixed() {
    for text in [
        "var a: array [0 .. 30] of array [0 .. 30] of 0 .. 9; startstate begin clear a; end;
         ruleset i: 0 .. 30; j: 0 .. 30 do alias z: a[i][j] do rule z = 0 & i + j < 4 ==> begin z := i; a[j][i] := j; end; end; end;",
        "type s: scalarset(12); var a: array [s] of 0 .. 2; startstate begin clear a; end;
         ruleset i: s do rule forall j: s do a[j] = 0 | j = i end ==>
           begin for j: s do if j != i then a[j] := 1; end; end; end; end;
         invariant exists j: s do a[j] < 2 end;",
    ] {
        assert_eq!(differences(text, Wrong::default()), [""; 0]);
    }
}

#[test]
fn wrong_compilers_are_caught() {
    for wrong in [
        Wrong { compares_undefined: true, ..Wrong::default() },
        Wrong { copies_variables: true, ..Wrong::default() },
        Wrong { evaluates_all: true, ..Wrong::default() },
    ] {
        assert!(random_difference(60, wrong, Forgets::default()).is_some(), "{wrong:?}");
    }
    let long = "var x: 0 .. 1; startstate begin x := 0; end;
        rule begin for i: 0 .. 1000 do for j: 0 .. 1000 do x := 1; end; end; end;";
    assert_eq!(differences(long, Wrong::default()), [""; 0]);
    assert!(!differences(long, Wrong { counts_no_rounds: true, ..Wrong::default() }).is_empty());
    let all = "var x: 0 .. 1; startstate begin x := 0; end;
        ruleset i: 0 .. 1 do rule (forall j: 1 .. 1000000 do j > 0 end) & i = 1 ==> begin x := 1; end; end;";
    assert_eq!(differences(all, Wrong::default()), [""; 0]);
    let shown =
        "type s: scalarset(2); var o: s; startstate begin undefine o; end; rule begin for p: s do o := p; end; end;";
    assert_eq!(differences(shown, Wrong { forgets_writes: true, ..Wrong::default() }).len(), 1);
}

/// A recording without some of the reads, or without some of the writes, shows: outcomes of other states are wrong, or a slot is read that the tree does
/// not have there.
#[test]
fn wrong_recordings_are_caught() {
    for forgets in [Forgets { copies: true, ..Forgets::default() }, Forgets { same_values: true, ..Forgets::default() }]
    {
        let found = std::panic::catch_unwind(|| random_difference(300, Wrong::default(), forgets));
        assert!(found.is_err() || found.is_ok_and(|difference| difference.is_some()), "{forgets:?}");
    }
}

#[test]
fn outcomes_are_met_again() {
    let text = "type pid: scalarset(3); lab: enum { L0, L1, L2 }; var a: array [pid] of lab; t: pid; m: array [pid] of array [pid] of boolean;
        startstate begin for i: pid do a[i] := L0; t := i; for j: pid do m[i][j] := false; end; end; end;
        ruleset i: pid do
          rule a[i] = L0 ==> begin a[i] := L1; t := i; m[i] := m[t]; end;
          rule a[i] = L1 & (t != i | exists j: pid do a[j] = L2 end) ==> begin a[i] := L2; m[i][t] := true; end;
          rule a[i] = L2 ==> begin a[i] := L0; end;
        end;
        ruleset i: pid do invariant a[i] = L2 -> exists j: pid do m[i][j] | m[j][i] | true end; end;";
    let program = read(text).expect("a model");
    let code = compile(&program, &Parts::of_murphi(&program), &Watched::default(), Wrong::default()).expect("compiled");
    let mut compiled = Compiled::new(&program, &code);
    let (mut states, mut steps) = (vec![starts(&program).remove(0).result.expect("a start")], 0);
    for at in 0..STATES {
        let Some(state) = states.get(at).cloned() else { break };
        for step in compiled.steps(&state).expect("sure") {
            steps += 1;
            let next = step.result.expect("no fault");
            if !states.contains(&next) {
                states.push(next);
            }
        }
    }
    assert!(compiled.known * 2 > steps, "{} of {steps} steps were known", compiled.known);
}
