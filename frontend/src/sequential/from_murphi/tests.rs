//! The size of sequential forms. The equality of the state spaces is tested in `tests/tests/library/faults_of_forms` and by the checker.

use super::from_murphi;
use crate::diagnostics::Diagnostics;
use crate::murphi::{Options, parse};
use crate::sequential::Sequential;

fn form(text: &str) -> Result<Sequential, String> {
    let mut sink = Diagnostics::new();
    let program = parse(text, &Options::default(), &mut sink).program.unwrap_or_else(|| panic!("{:?}", sink.list));
    from_murphi(&program, &mut sink).ok_or_else(|| sink.list.iter().map(|found| found.message.as_str()).collect())
}

/// A function that doubles a value so many times, in a guard or in a step.
fn doubles(times: usize, is_guard: bool) -> String {
    let more = "y := (y + y) % 4; ".repeat(times);
    let rule = if is_guard { "rule f(x) ==> x := 1; end;" } else { "rule if f(x) then x := 1; end; end;" };
    format!(
        "var x: 0 .. 3; function f(a: 0 .. 3): boolean; var y: 0 .. 3; begin y := a; {more} return y = 1; end;
        startstate x := 0; end; {rule} rule x := (x + 1) % 4; end;"
    )
}

#[test]
fn values_that_double_are_not_written_out() {
    assert!(form(&doubles(5, true)).is_ok());
    for times in [15, 40, 400] {
        let refused = form(&doubles(times, true)).expect_err("its guard is too long");
        assert!(refused.contains("too long as an expression"), "{refused}");
        assert!(form(&doubles(times, false)).is_ok(), "the function is written out in the step");
    }
}

#[test]
fn operands_that_are_written_several_times_are_not_nested_without_end() {
    let guard = |times: usize| {
        let shifts = (0..times).fold("x".to_owned(), |inner, _| format!("(({inner}) << x)"));
        format!("var x: 0 .. 3; startstate x := 0; end; rule {shifts} > 0 ==> x := 1; end;")
    };
    assert!(form(&guard(3)).is_ok());
    let refused = form(&guard(30)).expect_err("its guard is too long");
    assert!(refused.contains("becomes this long"), "{refused}");
}
