//! The symmetries of a group that keep a claim: on all reachable states they do, and a known-wrong rule does not.

use super::super::keeping::{Exchanged, Wrong, keeping_with};
use super::*;

/// Two names in variables that the rules keep apart, and that something else may compare.
fn text(start: &str, rest: &str) -> String {
    format!(
        "type t: 0 .. 2; var x: t; y: t; n: 0 .. 2; a: array [t] of boolean;
        {start} n := 0; clear a; end; end;
        ruleset i: t do
          rule \"x\" begin x := i; a[i] := true; end;
          rule \"y\" n < 2 ==> begin y := i; n := n + 1; end;
        end;
        invariant \"named\" n < 2 | y != 2; invariant \"count\" n < 3; invariant \"free\" forall i: t do y != i | n < 2 end;
        {rest}"
    )
}

const ONE_START: &str = "ruleset i: t do startstate begin x := i; y := i;";
const MANY_STARTS: &str = "ruleset i: t; j: t do startstate begin x := i; y := j;";

/// The number of generators that keep each of the three invariants, and whether all of them do.
fn kept(text: &str, formulas: &str, cutting: &[&str], wrong: Wrong) -> Vec<(usize, bool)> {
    let read = frontend::murphi::parse_formulas(text, &Options::default(), formulas, &mut Diagnostics::new());
    let program = read.expect("a model");
    let claims = program.claims();
    let cuts: Vec<_> = claims.iter().filter(|claim| cutting.contains(&claim.name.as_str())).cloned().collect();
    assert_eq!(cuts.len(), cutting.len(), "{text}");
    let group = ValidatedGroup::of(&program, &cuts, false);
    let states = graph(&program, 10_000).expect("a small graph");
    let of = |name: &str| {
        let claim = claims.iter().find(|claim| claim.name == name).expect("a claim");
        let ClaimKind::Invariant(number) = claim.kind else { panic!("an invariant") };
        let truth = |state: &State| {
            evaluate(&program, &program.properties[number], state).iter().all(|one| one.holds == Ok(true))
        };
        let generators = keeping_with(&program, &group, &[claim], wrong).remove(0);
        let keeps =
            |element: &Exchanged| states.iter().all(|state| truth(&element.image(&program, state)) == truth(state));
        let elements =
            generators.iter().map(|one| Exchanged::new(&program, &group, one).expect("an exchange of values"));
        (generators.len(), elements.collect::<Vec<_>>().iter().all(keeps))
    };
    ["named", "count", "free"].into_iter().map(of).collect()
}

#[test]
fn generators_that_keep_a_claim_move_all_that_the_group_moves_with_them() {
    let ends = "ends: n = 2 & (x = y | x != y)";
    let tied = "invariant \"tied\" x = y | x != y;";
    // What makes the classes of `x` and `y` one in the group: the starts, a condition of ends, or another claim.
    for (start, rest, formulas, cutting) in
        [(ONE_START, "", "", &[][..]), (MANY_STARTS, "", ends, &["ends"]), (MANY_STARTS, tied, "", &["tied"])]
    {
        let text = text(start, rest);
        let right = kept(&text, formulas, cutting, Wrong::default());
        assert_eq!(right, [(1, true), (2, true), (2, true)], "{text}");
        let wrong = kept(&text, formulas, cutting, Wrong { forgets_shared_classes: true });
        assert!(!wrong[0].1, "the known-wrong variant keeps too much: {text}");
    }
}

/// Where the group has two classes and a claim makes them one, values move in both.
#[test]
fn generators_that_keep_a_claim_move_all_that_the_claim_ties() {
    let tied = text(MANY_STARTS, "").replace("n < 2 | y != 2", "n < 2 | x != y | a[x]");
    assert_eq!(kept(&tied, "", &[], Wrong::default()), [(2, true), (4, true), (4, true)]);
}
