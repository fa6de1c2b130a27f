//! Models with more elements or channels than a state may have, and texts that nobody wrote by hand.

use crate::diagnostics::{Code, Diagnostics, codes};

/// The codes of what is wrong with a text.
fn faults(text: &str) -> Vec<Code> {
    let mut sink = Diagnostics::new();
    super::super::parse(text, &Default::default(), &mut sink);
    sink.list.into_iter().map(|found| found.code).collect()
}

#[test]
fn variables_that_are_too_large_together_are_refused() {
    let arrays = |count: usize| {
        let arrays: String = (0..count).map(|number| format!("byte a{number}[4000]; ")).collect();
        faults(&format!("{arrays} active proctype P() {{ a0[1] = 1 }}"))
    };
    let is_of_size = |code: &Code| *code == codes::PROMELA_SIZE;
    assert_eq!([16, 17].map(|count| arrays(count).into_iter().filter(is_of_size).count()), [0, 1]);
}

#[test]
fn too_many_channels_are_refused() {
    let nested = |sizes: [usize; 4]| {
        let [own, inner, outer, all] = sizes;
        faults(&format!(
            "typedef A {{ chan c[{own}] = [0] of {{ int }} }}; typedef B {{ A a[{inner}] }}; typedef C {{ B b[{outer}] }}; \
             C x[{all}]; init {{ skip }}"
        ))
    };
    assert_eq!(nested([16, 16, 16, 16]), []);
    assert_eq!(nested([17, 16, 16, 16]), [codes::PROMELA_SIZE]);
    assert_eq!(nested([4096; 4]), [codes::PROMELA_SIZE]);
}

/// `!!` is two operators, and nests like them.
#[test]
fn negations_are_nested_no_deeper_than_allowed() {
    let negated = |count: usize| faults(&format!("byte x; active proctype P() {{ x = {}x }}", "!! ".repeat(count)));
    assert_eq!(negated(20), []);
    assert_eq!(negated(200_000), [codes::PROMELA_NESTING]);
}

/// A chain of operators is as high as it is long.
#[test]
fn chains_of_operators_are_no_longer_than_allowed() {
    let chain = |operand: &str, count: usize| {
        faults(&format!("byte x; active proctype P() {{ x = x{} ; x = x + 1 + 1 }}", operand.repeat(count)))
    };
    for operand in [" + x", " && x", " == (x)", " + (x * x)"] {
        assert_eq!(chain(operand, 100_000)[0], codes::PROMELA_NESTING, "{operand}");
    }
    // Each expression is counted by itself.
    let statements = "x = (x + 1) + x; ".repeat(40_000);
    assert_eq!(faults(&format!("byte x; active proctype P() {{ {statements} }}")), []);
}

/// Reading a long text takes a number of steps that grows with its length, not with its square.
#[test]
fn long_texts_are_read_in_little_time() {
    let conditions = format!("x = {}y", "x && ".repeat(3_000));
    let sends = "c!1; c?x;".repeat(3_000);
    let labels: String = (0..3_000).map(|number| format!("l{number}: x = 1; goto l{};", 2_999 - number)).collect();
    let same_labels = "{ l: x = 1; if :: goto l :: skip fi };".repeat(1_000);
    for body in ["x = 1; ".repeat(3_000), "x == 0 -> ".repeat(3_000) + "skip", conditions, sends, labels, same_labels] {
        let text = format!("byte x, y; chan c = [1] of {{ byte }}; active proctype P() {{ {body} }}");
        let read = limits::Watch::unlimited().at_most(1 << 21).run(|| faults(&text));
        assert_eq!(read.expect("little work"), [], "{}", &text[..90]);
    }
}
