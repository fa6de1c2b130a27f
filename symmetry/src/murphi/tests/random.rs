//! Random models: every symmetry that is found is one of the whole graph.

use std::collections::BTreeSet;

use engine::RandomSource;
use frontend::diagnostics::Diagnostics;
use frontend::murphi::interpret::{self, State};
use frontend::murphi::{Options, parse};

use super::super::ValidatedGroup;
use super::{graph, is_symmetry, renamings};

/// Parts of random models.
struct Text<'r> {
    random: &'r mut RandomSource,
    text: String,
    /// Whether names are moved on around a ring of three.
    is_ring: bool,
}

impl Text<'_> {
    fn any(&mut self, list: &[&str]) -> String {
        list[self.random.below(list.len())].to_owned()
    }

    /// An expression that gives a name, with the binders in scope.
    fn name(&mut self, scope: &[&str]) -> String {
        let mut list: Vec<&str> = vec!["o", "a[o]"];
        list.extend(scope);
        list.extend(scope);
        let mut found = self.any(&list);
        if self.random.below(6) == 0 {
            found = format!("a[{found}]");
        }
        if self.is_ring && self.random.below(4) == 0 {
            let form = self.any(&[
                "((@ + 1) % 3)",
                "((@ + 3 - 1) % 3)",
                "((@ + 4) % 3)",
                "(@ = 2 ? 0 : @ + 1)",
                "(@ < 1 ? 2 : @ - 1)",
                "after(@)",
                "before(@)",
                "(@ = 0 ? 1 : @)",
                "odd(@)",
            ]);
            found = form.replace('@', &found);
        }
        if self.random.below(24) == 0 { self.any(&["1", "2", "r.q"]) } else { found }
    }

    fn condition(&mut self, scope: &[&str], depth: usize) -> String {
        match self.random.below(if depth == 0 { 4 } else { 9 }) {
            0 | 1 => format!("{} = {}", self.name(scope), self.name(scope)),
            2 => format!("b[{}]", self.name(scope)),
            3 => format!("isundefined(a[{}])", self.name(scope)),
            4 => format!("({} & {})", self.condition(scope, depth - 1), self.condition(scope, depth - 1)),
            5 => format!("({} | {})", self.condition(scope, depth - 1), self.condition(scope, depth - 1)),
            6 => format!("!({})", self.condition(scope, depth - 1)),
            7 if self.random.below(5) == 0 => format!("{} < {}", self.name(scope), self.name(scope)),
            _ => {
                let inner: Vec<&str> = scope.iter().copied().chain(["z"]).collect();
                let word = self.any(&["forall", "exists"]);
                format!("({word} z: t do {} end)", self.condition(&inner, depth - 1))
            }
        }
    }

    fn statements(&mut self, scope: &[&str], depth: usize) {
        for _ in 0..=self.random.below(3) {
            match self.random.below(if depth == 0 { 7 } else { 10 }) {
                0 => self.line(scope, |text, scope| format!("o := {};", text.name(scope))),
                1 | 2 => {
                    self.line(scope, |text, scope| format!("a[{}] := {};", text.name(scope), text.name(scope)));
                }
                3 => {
                    self.line(scope, |text, scope| format!("b[{}] := {};", text.name(scope), text.condition(scope, 1)));
                }
                4 => self.line(scope, |text, scope| format!("undefine a[{}];", text.name(scope))),
                5 => self.line(scope, |text, scope| {
                    let value = text.name(scope);
                    format!("if multisetcount(s: net, true) < 2 then multisetadd({value}, net); end;")
                }),
                6 => {
                    self.line(scope, |text, scope| format!("r.p := {}; d(r, {});", text.name(scope), text.name(scope)));
                }
                7 | 8 => {
                    let inner: Vec<&str> = scope.iter().copied().chain(["y"]).collect();
                    self.text.push_str("for y: t do ");
                    self.statements(&inner, depth - 1);
                    self.text.push_str("end; ");
                }
                _ => {
                    let condition = self.condition(scope, 1);
                    self.text.push_str(&format!("if {condition} then "));
                    self.statements(scope, depth - 1);
                    self.text.push_str("end; ");
                    if self.is_ring && self.random.below(3) == 0 {
                        let (of, to) = (self.name(scope), self.any(&["o", "a[o]", "r.p"]));
                        let last = self.any(&["2", "2", "2", "1"]);
                        self.text.push_str(&format!("if {of} = {last} then {to} := 0; else {to} := {of} + 1; end; "));
                    }
                }
            }
        }
    }

    fn line(&mut self, scope: &[&str], make: impl FnOnce(&mut Self, &[&str]) -> String) {
        let line = make(self, scope);
        self.text.push_str(&line);
        self.text.push(' ');
    }
}

/// A small random model.
fn random_model(random: &mut RandomSource, is_ring: bool) -> String {
    let mut text = Text { random, text: String::new(), is_ring };
    let of = match is_ring {
        true => "0 .. 2".to_owned(),
        false => text.any(&["1 .. 3", "1 .. 3", "scalarset(3)", "enum { e1, e2, e3 }", "1 .. 2"]),
    };
    let is_range = is_ring || of.starts_with('1');
    text.text = format!(
        "type t: {of}; var a: array [t] of t; b: array [t] of boolean; o: t; net: multiset [2] of t; r: record p: t; q: t; end;
        procedure d(var x: record p: t; q: t; end; v: t); begin x.q := v; if b[v] then x.p := x.q; end; end;
        startstate begin for i: t do b[i] := false; a[i] := i; end; end; "
    );
    if is_ring {
        text.text.push_str(
            "function after(i: t): t; begin if i = 2 then return 0; else return i + 1; end; end;
            function before(i: t): t; begin if i = 0 then return 2; end; return i - 1; end;
            function odd(i: t): t; begin if i = 0 then return 2; end; return after(i) = 0 ? 1 : 0; end; ",
        );
    }
    for _ in 0..2 + text.random.below(2) {
        text.text.push_str("ruleset u: t do rule ");
        let guard = text.condition(&["u"], 2);
        text.text.push_str(&format!("{guard} ==> begin "));
        text.statements(&["u"], 1);
        text.text.push_str("end; end; ");
    }
    if text.random.below(2) == 0 {
        let (first, last) = (text.any(&["", "o := net[s]; "]), text.any(&["", "o := net[s]; "]));
        text.text.push_str(&format!(
            "choose s: net do rule begin {first}multisetremove(s, net); for y: t do if b[y] & multisetcount(m: net, true) < 2 then
            multisetadd(y, net); end; end; {last}end; end; "
        ));
    } else if text.random.below(2) == 0 {
        let more = text.condition(&["net[s]"], 1);
        text.text.push_str(&format!(
            "choose s: net do rule {more} ==> begin o := net[s]; multisetremove(s, net); end; end; "
        ));
    }
    let invariant = text.condition(&[], 2);
    text.text.push_str(&format!("invariant \"i\" {invariant};"));
    let found = std::mem::take(&mut text.text);
    // Numbers are no names.
    if is_range {
        found
    } else {
        found.replace("[1]", "[o]").replace("[2]", "[o]").replace(" 1;", " o;").replace(" 2;", " o;")
    }
}

/// Every permutation that is found for a random model is a symmetry of its whole graph, unless a loop or quantifier that
/// searches watch shows its order there.
#[test]
fn random_models_have_the_symmetries_that_are_found() {
    let (read, found) = random_models(7, false);
    assert!(read * 2 > count() && found * 7 > count(), "{read} models, {found} symmetries");
}

/// The same of models in which names are moved on around a ring.
#[test]
fn random_rings_have_the_rotations_that_are_found() {
    let (read, found) = random_models(8, true);
    println!("{read} models, {found} symmetries");
    assert!(read * 2 > count() && found * 7 > count(), "{read} models, {found} symmetries");
}

/// The number of random models.
fn count() -> usize {
    std::env::var("MURPHI_COUNT").ok().and_then(|count| count.parse().ok()).unwrap_or(400)
}

/// The number of models that were read, and of symmetries that were found and tried on the whole graph.
fn random_models(seed: u64, is_ring: bool) -> (usize, usize) {
    let mut random = RandomSource::new(seed);
    let (mut read, mut found) = (0, 0);
    for number in 0..count() {
        let text = random_model(&mut random, is_ring);
        let Some(program) = parse(&text, &Options::default(), &mut Diagnostics::new()).program else { continue };
        read += 1;
        let group = ValidatedGroup::of(&program, &program.claims(), false);
        let Some(states) = graph(&program, 400) else { continue };
        let shown: BTreeSet<_> = if group.watched().is_empty() {
            BTreeSet::new()
        } else {
            let watched = group.watched();
            let shows = |state: &State| {
                let mut shown = interpret::successors_in_any_order(&program, state, &watched).1;
                for property in &program.properties {
                    shown.extend(interpret::evaluate_in_any_order(&program, property, state, &watched).1);
                }
                shown
            };
            states.iter().flat_map(shows).collect()
        };
        for proved in group.blocks().iter().filter(|proved| proved.watched.is_disjoint(&shown)) {
            found += 1;
            for renaming in renamings(&proved.block) {
                assert!(is_symmetry(&program, group.roles(), &renaming, &states), "{number}: {renaming:?}\n{text}");
            }
        }
    }
    (read, found)
}
