//! Random loops over a scalar set: every accepted candidate commutes with every step that is reached.
//!
//! The texts mix statements that commute with statements that do not, under guards and without, for groups with and without aliased
//! members. The number of accepted candidates is bounded from below, so that a validator that rejects everything does not pass.

use super::support::{commutes, model, reachable};
use crate::{ModelPermutation, Validator};
use engine::RandomSource;
use frontend::model::{Model, RebecId};

fn pick<'a>(random: &mut RandomSource, options: &[&'a str]) -> &'a str {
    options[random.below(options.len())]
}

fn condition(random: &mut RandomSource) -> &'static str {
    let all = [
        "f[i]",
        "!f[i +% 1]",
        "sender == leaf[i]",
        "leaf[i +% 1] == sender",
        "sender != leaf[i]",
        "i == cur",
        "i != cur",
        "i +% 2 == cur",
        "x < 2",
        "last == leaf[i]",
        "sender == leaf[i] && f[i]",
        "f[i] || sender != leaf[i]",
        "!(cur == i)",
        "cur == i && x < y",
    ];
    pick(random, &all)
}

fn statements(random: &mut RandomSource, depth: usize) -> String {
    let simple = [
        "x = x + 1;",
        "x = x - 1;",
        "x = 2;",
        "x = y;",
        "y = x;",
        "x = 1 - x;",
        "f[i] = true;",
        "f[i] = false;",
        "f[i +% 1] = true;",
        "f[i] = f[i +% 1];",
        "f[i] = !f[i];",
        "f[i] = ?(true, false);",
        "f[cur] = true;",
        "cur = cur +% 1;",
        "cur = i;",
        "last = leaf[i];",
        "last = sender;",
        "leaf[i].hi(1);",
        "leaf[i].lo();",
        "leaf[i +% 1].hi(2);",
        "leaf[i].hi(x);",
        "leaf[cur].lo();",
        "self.note(1);",
        "self.note(2);",
        "sender.lo();",
        "break;",
        "continue;",
        "return;",
        "f[i +% 1] = f[i];",
        "{ boolean b = f[i]; f[i] = !b; }",
        "assertion(x < 4);",
    ];
    let count = 1 + random.below(2);
    let mut text = String::new();
    for _ in 0..count {
        if depth > 0 && random.below(2) == 0 {
            let (test, then) = (condition(random), statements(random, depth - 1));
            text += &format!("if ({test}) {{ {then} }}");
            if random.below(3) == 0 {
                text += &format!(" else {{ {} }}", statements(random, depth - 1));
            }
        } else {
            let next = pick(random, &simple);
            // A jump ends its block.
            if ["break;", "continue;", "return;"].contains(&next) && random.below(3) > 0 {
                continue;
            }
            text += next;
            if ["break;", "continue;", "return;"].contains(&next) {
                break;
            }
        }
        text.push(' ');
    }
    text
}

/// The hub turns, and with it the leaves if they are distinct.
fn turn(model: &Model, distinct: bool) -> ModelPermutation {
    let images = if distinct { [0, 2, 3, 1] } else { [0, 1, 2, 3] };
    let rotations = vec![vec![1], vec![0], vec![0], vec![0]];
    ModelPermutation::new(model, images.map(RebecId).to_vec(), rotations).unwrap()
}

/// A hub that runs a random loop over its leaves, and the body of the loop.
pub(super) fn hub(random: &mut RandomSource, leaves: &str) -> (Model, String) {
    let body = statements(random, 2);
    let text = format!(
        "reactiveclass Hub(9) {{
            knownrebecs {{ Leaf leaf[i:1..3]; }}
            statevars {{ byte x; byte y; boolean f[i]; i cur; Leaf last; }}
            msgsrv initial() {{ cur = ?(1, 2, 3); leaf[cur].lo(); f[cur +% 1] = ?(true, false); }}
            msgsrv go() {{ forEachValueOf(i) {{ {body} }} }}
            msgsrv note(byte n) {{ y = n; }}
            msgsrv lo() {{ }}
        }}
        reactiveclass Leaf(7) {{
            knownrebecs {{ Hub hub; }}
            statevars {{ byte n; }}
            msgsrv initial() {{ }}
            msgsrv hi(byte k) {{ n = k; }}
            msgsrv lo() {{ n = 3; hub.go(); }}
        }}
        main {{ Hub h({leaves}):(); Leaf a(h):(); Leaf b(h):(); Leaf c(h):(); }}"
    );
    (model(&text), body)
}

#[test]
fn accepted_rotations_commute() {
    let mut random = RandomSource::new(20);
    let (mut accepted, mut rejected) = (0, 0);
    for round in 0..700 {
        let (leaves, distinct) = if round % 4 == 0 { ("a, a, a", false) } else { ("a, b, c", true) };
        let (model, body) = hub(&mut random, leaves);
        let turn = turn(&model, distinct);
        match Validator::new(&model).check(&turn) {
            Ok(certificate) => {
                accepted += 1;
                let states = reachable(&model, 250);
                assert!(commutes(&model, &turn, &states, certificate.keeps_fault_classes), "{leaves}: {body}");
            }
            Err(_) => rejected += 1,
        }
    }
    assert!(accepted > 150 && rejected > 150, "{accepted} accepted, {rejected} rejected");
}
