//! Random processes of agents with program counters, and their formulas.

use std::fmt::Write as _;

use crate::tests::Rng;

/// A random process of agents with program counters, own and shared variables; of few kinds if `alike`, so that rotations of
/// the agents are symmetries more often.
pub(super) fn random_text(seed: u64, alike: bool) -> String {
    let mut rng = Rng::new(seed ^ 0x10e5);
    let agents = 2 + rng.below(2);
    let mut text = format!(
        "const N = {agents}; type AG : 0..N-1; type PC : {{ a, b, c, d }}; type V : 0..2;\nproc P(pc : PC[AG], y : BOOL[AG], \
         z : V[AG], x : V, t : BOOL) =\n"
    );
    let count = 4 + rng.below(3);
    for at in 0..count {
        let plus = if at == 0 { " " } else { "+" };
        if at > 0 && rng.below(6) == 0 {
            let (guard, body) = (condition(&mut rng, None, alike), statements(&mut rng, None, alike));
            let _ = writeln!(text, "  {plus} [{guard}] g{at} {{ {body} }} -> P");
            continue;
        }
        let guard = condition(&mut rng, Some(()), alike);
        let own = if !alike && rng.below(5) == 0 { format!("u = {} && ", rng.below(agents)) } else { String::new() };
        let body = statements(&mut rng, Some(()), alike);
        let chain = |at: u32| ['a', 'b', 'c', 'd'][at as usize % 4];
        let to = if rng.below(4) == 0 { counter(&mut rng) } else { chain(at + 1) };
        let goes = if rng.below(8) == 0 { String::new() } else { format!("pc[u] := {to}; ") };
        let from = chain(at);
        let _ = writeln!(text, "  {plus} sum u:AG . [{own}pc[u] = {from} && {guard}] e{at}(u) {{ {goes}{body} }} -> P");
    }
    let first = rng.below(3);
    let _ = writeln!(text, "  ; init P(pc = a, y = {}, z = {first}, x = 0, t = 0);", rng.below(2));
    for name in ["I", "J", "K"] {
        let _ = writeln!(text, "assert {name} = !({});", atom(&mut rng, alike));
        let _ = writeln!(text, "ltl L{name} = {};", formula(&mut rng, 3, alike));
    }
    text
}

/// Random processes of agents that send to and receive from queues of two places, count, and look at the length; at times
/// they do so without a guard. With `turns` a summand may keep the turn.
pub(super) fn random_queues(seed: u64, turns: bool) -> String {
    let mut rng = Rng::new(seed ^ 0x9e0e);
    let mut text =
        "const N = 3; type AG : 0..N-1; type TURN : -1..N-1; type PC : { a, b, c, d }; type V : 0..2; type L : 0..2; \
         type S : 0..1;\nproc P(pc : PC[AG], z : V[AG], n : L[S], q : V[S][S], x : V, t : BOOL, turn : TURN) =\n"
            .to_owned();
    for at in 0..5 + rng.below(3) {
        let plus = if at == 0 { " " } else { "+" };
        let chain = |at: u32| ['a', 'b', 'c', 'd'][at as usize % 4];
        let (from, agent, queue) = (chain(at / 2 + rng.below(2)), rng.below(3), rng.below(2));
        let to = if rng.below(4) == 0 { counter(&mut rng) } else { chain(at / 2 + 1) };
        let value = if rng.below(2) == 0 { "z[u]".to_owned() } else { rng.below(3).to_string() };
        let send = format!("q[{queue}][n[{queue}]] := {value}; n[{queue}] := n[{queue}] + 1;");
        let receive = format!(
            "{} := q[{queue}][0]; q[{queue}][0] := q[{queue}][1]; q[{queue}][1] := 0; n[{queue}] := n[{queue}] - 1;",
            ["z[u]", "x"][usize::from(rng.below(6) == 0)]
        );
        let (guard, body) = match rng.below(8) {
            0..3 => (format!("n[{queue}] < 2"), send),
            3..6 => (format!("n[{queue}] > 0"), receive),
            6 => (format!("n[{queue}] = {}", rng.below(3)), "z[u] := (z[u] + 1) mod 3;".to_owned()),
            _ => (format!("t = {}", rng.below(2)), "x := (x + 1) mod 3;".to_owned()),
        };
        let guard = if rng.below(8) == 0 { "1 = 1".to_owned() } else { guard };
        let keeps = if turns && rng.below(3) > 0 { "u" } else { "-1" };
        let _ = writeln!(
            text,
            "  {plus} sum u:AG . [u != {agent} && pc[u] = {from} && (turn = -1 || turn = u) && {guard}] e{at}(u) \
             {{ pc[u] := {to}; {body} turn := {keeps}; }} -> P"
        );
    }
    let _ = writeln!(
        text,
        "  ; init P(pc = a, z = {}, n = {}, q = 0, x = 0, t = 0, turn = -1);",
        rng.below(3),
        rng.below(2)
    );
    if turns {
        text.push_str("hold turn;\n");
    }
    for name in ["I", "J", "K"] {
        let own = |rng: &mut Rng| match rng.below(3) {
            0 => format!("(n[{}] = {})", rng.below(2), rng.below(3)),
            1 => format!("(z[{}] = {})", rng.below(3), rng.below(3)),
            _ => format!("(pc[{}] = {} || x = {})", rng.below(3), counter(rng), rng.below(3)),
        };
        let _ = writeln!(text, "assert {name} = !({});", own(&mut rng));
        let (one, other) = (own(&mut rng), own(&mut rng));
        let formulas = [format!("F{one}"), format!("{one} U {other}"), format!("G({one} => F{other})")];
        let _ = writeln!(text, "ltl L{name} = {};", formulas[rng.below(3) as usize]);
    }
    text
}

pub(super) fn counter(rng: &mut Rng) -> char {
    ['a', 'b', 'c', 'd'][rng.below(4) as usize]
}

pub(super) fn condition(rng: &mut Rng, agent: Option<()>, alike: bool) -> String {
    match rng.below(if agent.is_some() { 14 } else { 4 }) {
        0 => format!("x = {}", rng.below(3)),
        1 => format!("t = {}", rng.below(2)),
        2 if rng.below(3) == 0 => format!("exists v:AG . pc[v] = {}", counter(rng)),
        2 if rng.below(6) == 0 => "2 / x = 1".to_owned(),
        2 => format!("x != {}", rng.below(3)),
        3 if !alike => format!("y[0] = {}", rng.below(2)),
        3 => "forall v:AG . z[v] != 2".to_owned(),
        4 => format!("y[u] = {}", rng.below(2)),
        5 => format!("z[u] != {}", rng.below(3)),
        6 => format!("y[(u + 1) mod N] = {}", rng.below(2)),
        7 => format!("t = {} && y[u] = {}", rng.below(2), rng.below(2)),
        _ => "1 = 1".to_owned(),
    }
}

pub(super) fn statements(rng: &mut Rng, agent: Option<()>, alike: bool) -> String {
    let mut text = String::new();
    for _ in 0..1 + rng.below(2) {
        let (value, bit) = (rng.below(3), rng.below(2));
        let next = match rng.below(if agent.is_some() { 16 } else { 4 }) {
            0 => format!("x := {value};"),
            1 => "x := (x + 1) mod 3;".to_owned(),
            2 => format!("t := {bit};"),
            3 if !alike => format!("z[0] := {value};"),
            3 => format!("if (x = {value}) {{ t := 1 - t; }}"),
            4 => format!("y[(u + 1) mod N] := {bit};"),
            5 if !alike => "y[z[u] mod N] := t;".to_owned(),
            5 => "x := z[u];".to_owned(),
            6 => format!("if (t = {bit}) {{ y[(u + 1) mod N] := {bit}; }}"),
            7 if rng.below(2) == 0 => "z[u] := z[u] + 1;".to_owned(),
            8 | 9 => "z[u] := (z[u] + 1) mod 3;".to_owned(),
            10 => format!("if (y[u] = {bit}) {{ z[u] := 0; }} else {{ y[u] := {bit}; }}"),
            11 | 12 => format!("y[u] := {bit};"),
            _ => format!("z[u] := {value};"),
        };
        text.push_str(&next);
    }
    text
}

pub(super) fn atom(rng: &mut Rng, alike: bool) -> String {
    match rng.below(if alike { 6 } else { 8 }) {
        0 | 6 => format!("(x = {})", rng.below(3)),
        1 | 5 => format!("(t = {})", rng.below(2)),
        2 => format!("(exists v:AG . pc[v] = {})", counter(rng)),
        3 => format!("(forall v:AG . z[v] = {})", rng.below(3)),
        4 if !alike => format!("(pc[{}] = {})", rng.below(2), counter(rng)),
        4 => format!("(x = {} && t = 1)", rng.below(3)),
        _ => format!("(y[{}] = 1 && x = {})", rng.below(2), rng.below(3)),
    }
}

/// A formula without `X`.
pub(super) fn formula(rng: &mut Rng, depth: u32, alike: bool) -> String {
    if depth == 0 || rng.below(5) == 0 {
        return atom(rng, alike);
    }
    let (one, other) = (formula(rng, depth - 1, alike), formula(rng, depth - 1, alike));
    match rng.below(8) {
        0 => format!("!({one})"),
        1 => format!("({one}) && ({other})"),
        2 => format!("({one}) || ({other})"),
        3 | 4 => format!("F({one})"),
        5 => format!("G({one})"),
        6 => format!("({one}) U ({other})"),
        _ => format!("({one}) => F({other})"),
    }
}
