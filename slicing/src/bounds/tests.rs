//! Bounds of queues of models whose text is much smaller than what it calls.

use battery::harness::{messages, read_model};
use frontend::lower::LowerOptions;

use super::never_overflows;

#[test]
fn nested_calls_are_written_out_as_far_as_there_is_room() {
    let calls = |number: usize| format!("void m{number}() {{ {} }}", format!("m{}();", number + 1).repeat(14));
    let methods: String = (0..8).map(calls).collect();
    let text = format!(
        "reactiveclass A(5) {{ statevars {{ byte n; }} msgsrv initial() {{ self.go(); }} \
         msgsrv go() {{ if (n > 5) {{ m0(); }} self.go(); }} {methods} void m8() {{ self.go(); }} }} \
         main {{ A a():(); }}"
    );
    let (model, found) = read_model(text.as_bytes(), &LowerOptions::default());
    let model = model.unwrap_or_else(|| panic!("refused: {}", messages(&found)));
    let watch = limits::Watch::unlimited().at_most(1 << 24);
    assert_eq!(watch.run(|| never_overflows(&model)), Ok(false));
}
