//! The sequential form of small models: its text, and the models that have none. The equality of the state spaces is
//! tested in `tests/tests/library/sequential_form.rs`.

use super::from_actors;
use crate::diagnostics::Diagnostics;
use crate::lower::{LowerOptions, lower};
use crate::model::PropertySet;
use crate::sequential::interpret::{initial_states, successors};
use crate::sequential::{Sequential, print};
use crate::syntax::parse_model;

fn form(text: &str) -> Result<Sequential, Vec<String>> {
    let mut sink = Diagnostics::new();
    let program = parse_model(text, &mut sink);
    let model = lower(&program, &LowerOptions::default(), &mut sink);
    let model = model.unwrap_or_else(|| panic!("{:?}", sink.list));
    let form = from_actors(&model, &PropertySet::default(), &mut sink);
    assert_eq!(form.is_none(), sink.has_errors());
    form.ok_or_else(|| sink.list.iter().map(|found| format!("{}: {}", found.code, found.message)).collect())
}

const PING: &str = "reactiveclass Ping(2) {
    knownrebecs { Ping other; }
    statevars { byte n; }
    Ping(boolean first) { if (first) other.ping(1); }
    msgsrv ping(byte k) { n = k; if (n < 3) { other.ping((byte)(n + 1)); } else { sender.ping(?(0, 1)); } }
}
main { Ping a(b):(true); Ping b(a):(false); }";

#[test]
fn the_text_names_the_parts_of_the_model() {
    let text = print::print(&form(PING).unwrap());
    let expected = "\
type Rebec : { null, a, b };
type Message : { none, ping };
type Ping : a..b;
type byte : -128..127;
type Slot2 : 0..1;
type Slot1 : 0..0;
type Length2 : 0..2;
type From0to1 : 0..1;
const other[Ping] = [b, a];

proc Model(
        n : byte[Ping],
        Ping_queue : Message[Ping][Slot2],
        Ping_queue_sender : Rebec[Ping][Slot2],
        Ping_queue_k : byte[Ping][Slot2],
        Ping_queue_length : Length2[Ping]
    ) fair Ping =
    sum self:Ping . sum choice:From0to1 . [Ping_queue[self][0] = ping && (Ping_queue_k[self][0] < 3 && choice = 0 || \
Ping_queue_k[self][0] >= 3)] ping(self, Ping_queue_k[self][0]) {";
    // The text of the pinned choice is not checked here; everything before it is.
    let until = |text: &str| text.split(" && (").next().unwrap_or_default().to_owned();
    assert_eq!(until(&text), until(expected), "{text}");
    assert!(text.contains("Ping_queue[other[self]][Ping_queue_length[other[self]]] := ping;"), "{text}");
    assert!(text.contains("Ping_queue[sender][Ping_queue_length[sender]] := ping;"), "{text}");
}

#[test]
fn a_choice_that_is_not_met_has_one_instance() {
    let form = form(PING).unwrap();
    let mut state = initial_states(&form).next().unwrap();
    for expected in [1, 1, 2] {
        let steps = successors(&form, &state);
        assert_eq!(steps.len(), expected);
        state = steps[0].result.clone().unwrap();
    }
}

/// `&` and `|` evaluate both operands, and an object that is cast to a class that it is not of faults.
#[test]
fn a_cast_of_self_faults_behind_an_operand_that_decides() {
    let text = |condition: &str, class: &str| {
        format!(
            "reactiveclass A(2) {{ statevars {{ boolean b; }} A() {{ self.go(); }} msgsrv go() {{ b = {condition}; }} }}
             reactiveclass Leaf extends A(2) {{ Leaf() {{ }} }} main {{ {class} one():(); {class} two():(); A a():(); Leaf l():(); }}"
        )
    };
    let faults = |text: &str| {
        let form = form(text).unwrap();
        let start = initial_states(&form).next().unwrap();
        successors(&form, &start).into_iter().filter(|step| step.result.is_err()).count()
    };
    for condition in ["b & (((Leaf) self) == self)", "!b | (((Leaf) self) == self)"] {
        assert_eq!(faults(&text(condition, "A")), 3, "{condition}");
        assert_eq!(faults(&text(condition, "Leaf")), 1, "{condition}");
    }
    assert_eq!(faults(&text("b && (((Leaf) self) == self)", "A")), 0);
}

#[test]
fn constructs_without_a_counterpart_are_refused() {
    let server = |body: &str| {
        format!(
            "reactiveclass A(2) {{ statevars {{ int x; }} A() {{ self.go(); }} msgsrv go() {{ {body} }} {} }} main {{ A a():(); }}",
            "int deep(int n) { if (n == 0) { return 0; } return deep(n - 1); }"
        )
    };
    for (text, what) in [
        (server("A b = new A():();"), "`new`"),
        (server("x = deep(3);"), "a method that calls itself"),
        (server("while (x < 5) { x = x + ?(1, 2); }"), "a choice inside a loop"),
        (server("x = 1;").replace("self.go();", "x = 1 / x;"), "a start that faults (division by zero)"),
    ] {
        let messages = form(&text).unwrap_err();
        assert!(
            messages.iter().all(|message| message.starts_with("E0640: ") && message.contains(what)),
            "{messages:?}"
        );
    }
    for body in ["for (int i = 0; i < 3; i++) { x = x + ?(1, 2); }", "while (x < 5) { x++; if (x == 3) { break; } }"] {
        assert!(form(&server(body)).is_ok(), "{body}");
    }
}

/// A known value that is a conjunction is part of the conjunction in which it is read.
#[test]
fn known_values_join_the_chains_that_they_stand_in() {
    for op in ["&&", "||"] {
        let text = format!(
            "reactiveclass A(3) {{ statevars {{ boolean b; boolean c; byte v; }} A() {{ c = true; self.go(); }}
             msgsrv go() {{ b = b {op} c; if (b {op} c) {{ v = ?(0, 1); }} self.go(); }} }} main {{ A a():(); }}"
        );
        assert!(form(&text).is_ok(), "{op}");
    }
}

#[test]
fn casts_are_not_nested_without_end() {
    let casts = |times: usize| {
        let value = (0..times).fold("x".to_owned(), |inner, _| format!("(byte)({inner} + 1)"));
        form(&format!(
            "reactiveclass A(3) {{ statevars {{ byte x; }} A() {{ self.go(); }}
             msgsrv go() {{ if (x < 100) {{ x = {value}; self.go(); }} }} }} main {{ A a():(); }}"
        ))
    };
    assert!(casts(5).is_ok());
    let messages = casts(40).unwrap_err();
    assert!(messages.iter().all(|message| message.contains("becomes this long")), "{messages:?}");
}
