//! Searches with a group that was validated for something else: it is asked for its origin, and a group that is mistaken for one of the
//! program is contradicted by a state.

use super::*;

/// A wrong proof that nothing near the starts contradicts ends the search at the first state that does: the group is that of a program whose last rule names
/// no value.
#[test]
#[should_panic(expected = "contradicts it in a state of the search")]
fn a_group_of_another_program_is_noticed_in_the_search() {
    mistaken("rule n = 70 & last = 3 ==> begin n := 0; end;", "");
}

/// As above, for a property.
#[test]
#[should_panic(expected = "contradicts it in a state of the search")]
fn a_group_of_another_property_is_noticed_in_the_search() {
    mistaken("", "invariant \"one\" n < 70 | last = 3;");
}

/// A group is asked what it was validated for before anything is searched.
#[test]
#[should_panic(expected = "validated for something else")]
fn a_group_of_another_program_is_not_searched_with() {
    let program = program(&text("rule n = 70 ==> begin n := 0; end;", ""));
    searched_with(&program, &of_the_plain_text());
}

#[test]
fn the_group_of_a_program_is_not_contradicted() {
    mistaken("", "");
}

fn text(rule: &str, invariant: &str) -> String {
    format!(
        "type pid: 1 .. 3; var n: 0 .. 70; last: pid; startstate begin n := 0; end;
        ruleset p: pid do rule n = 0 ==> begin n := 1; last := p; end; end; rule n > 0 & n < 70 ==> begin n := n + 1; end;
        {rule} {invariant}"
    )
}

fn of_the_plain_text() -> ValidatedGroup {
    let plain = program(&text("", ""));
    let group = ValidatedGroup::of(&plain, &plain.claims(), false);
    assert_eq!(group.order().to_string(), "6");
    group
}

/// Searches a program with the group of the plain one as if it were its own.
fn mistaken(rule: &str, invariant: &str) {
    let program = program(&text(rule, invariant));
    searched_with(&program, &of_the_plain_text().mistaken_for(&program, &program.claims()));
}

fn searched_with(program: &Program, group: &ValidatedGroup) {
    let quotient = Quotient { group, representative: Representative::Auto, counts_orbits: false };
    let reductions = Reductions { quotient: Some(quotient), ..Reductions::default() };
    check(program, &whole(program), &reductions, &mut ()).expect("confirmed");
}
