//! Models with more elements or channels than a state may have.

use crate::diagnostics::{Code, Diagnostics, codes};

/// The codes of what is wrong with a text.
fn faults(text: &str) -> Vec<Code> {
    let mut sink = Diagnostics::new();
    super::parse(text, &Default::default(), &mut sink);
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
