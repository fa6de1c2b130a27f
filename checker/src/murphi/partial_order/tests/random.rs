//! Random models of agents with program counters, some of which name no agent.

use std::fmt::Write as _;

use crate::tests::Rng;

pub(super) fn pick<'t>(rng: &mut Rng, list: &[&'t str]) -> &'t str {
    list[rng.below(u32::try_from(list.len()).expect("few")) as usize]
}

/// A random model of agents with program counters, own and shared variables; if `alike`, no agent is named.
pub(super) fn random_text(seed: u64, alike: bool) -> String {
    let mut rng = Rng::new(seed ^ 0x3a7);
    let agents = 2 + rng.below(2);
    let (first, last) = (if alike { "" } else { "0 .. " }, agents - u32::from(!alike));
    let set = if alike { format!("scalarset({agents})") } else { format!("{first}{last}") };
    let mut text = format!(
        "type ag: {set}; pt: enum {{ a, b, c, d }}; v: 0 .. 2; rc: record p: v; q: boolean; end;
         var pc: array [ag] of pt; y: array [ag] of boolean; z: array [ag] of v; x: v; t: boolean; u: v; w: array [v] of boolean; r: rc; k: rc; m: multiset [2] of v;
         procedure put_in(var w: v; from: v); begin w := from; end;
         procedure swap_t(); begin t := !t; end;
         function is_x(w: v): boolean; begin return w = x; end;
         startstate begin for i: ag do pc[i] := a; y[i] := {}; z[i] := 0; end; x := {}; t := false; clear r; clear k; clear w; end;\n",
        pick(&mut rng, &["true", "false"]),
        rng.below(3)
    );
    let counters = ["a", "b", "c", "d"];
    let count = 4 + rng.below(3) as usize;
    for at in 0..count {
        let own = rng.below(5) > 0;
        let (guard, body) = (condition(&mut rng, own, alike), statements(&mut rng, own, alike));
        match (own, rng.below(9)) {
            (true, _) => {
                let (from, next) = (counters[at % 4], counters[(at + 1) % 4]);
                let to = if rng.below(4) == 0 { pick(&mut rng, &counters) } else { next };
                let goes = if rng.below(8) == 0 { String::new() } else { format!("pc[i] := {to};") };
                let (before, after) = match rng.below(24) {
                    0..3 => ("alias own: z[i] do", "end;"),
                    3 => ("alias own: w[u] do", "end;"),
                    4 => ("alias own: u do", "end;"),
                    _ => ("", ""),
                };
                let _ = writeln!(
                    text,
                    "ruleset i: ag do {before} rule \"r{at}\" pc[i] = {from} & {guard} ==> begin {goes} {body} end; {after} end;"
                );
            }
            (false, 0) => {
                let _ = writeln!(
                    text,
                    "choose s: m do rule \"r{at}\" m[s] != 2 & {guard} ==> begin {body} multisetremove(s, m); end; end;"
                );
            }
            _ => {
                let _ = writeln!(text, "rule \"r{at}\" {guard} ==> begin {body} end;");
            }
        }
    }
    for name in ["I", "J", "K"] {
        let _ = writeln!(text, "invariant \"{name}\" !({});", atom(&mut rng, alike));
    }
    if rng.below(10) == 0 {
        let _ = writeln!(text, "assume !({});", atom(&mut rng, alike));
    }
    text
}

pub(super) fn condition(rng: &mut Rng, own: bool, alike: bool) -> String {
    let part = |rng: &mut Rng| match rng.below(if own { 18 } else { 13 }) {
        0 => format!("x = {}", rng.below(3)),
        1 => format!("x != {}", rng.below(3)),
        2 => "t".to_owned(),
        3 => "!t".to_owned(),
        4 => format!("exists j: ag do pc[j] = {} end", pick(rng, &["a", "b", "c", "d"])),
        5 => "forall j: ag do z[j] != 2 end".to_owned(),
        6 => "r = k".to_owned(),
        7 => format!("multisetcount(s: m, m[s] = {}) > 0", rng.below(3)),
        8 if rng.below(4) == 0 => format!("u = {}", rng.below(3)),
        8 => "isundefined(u)".to_owned(),
        9 if !alike => format!("y[{}]", rng.below(2)),
        9 => "is_x(1)".to_owned(),
        10 => "(x > 0 | r.p = 1)".to_owned(),
        11 if rng.below(6) == 0 => "2 / x = 1".to_owned(),
        11 | 12 => "true".to_owned(),
        13 => "y[i]".to_owned(),
        14 => "!y[i]".to_owned(),
        15 => format!("z[i] {} {}", pick(rng, &["=", "!=", "<"]), rng.below(3)),
        16 => "is_x(z[i])".to_owned(),
        _ => "(z[i] = 0 -> y[i])".to_owned(),
    };
    match rng.below(3) {
        0 => "true".to_owned(),
        1 => part(rng),
        _ => format!("{} & {}", part(rng), part(rng)),
    }
}

pub(super) fn statements(rng: &mut Rng, own: bool, alike: bool) -> String {
    (0..rng.below(3)).map(|_| statement(rng, own, alike)).collect::<Vec<_>>().join(" ")
}

pub(super) fn statement(rng: &mut Rng, own: bool, alike: bool) -> String {
    match rng.below(if own { 22 } else { 14 }) {
        0 => format!("x := {};", rng.below(3)),
        1 => "x := (x + 1) % 3;".to_owned(),
        2 => pick(rng, &["t := !t;", "swap_t();"]).to_owned(),
        3 => pick(rng, &["undefine u;", "u := x;"]).to_owned(),
        4 => pick(rng, &["r := k;", "k := r;", "r.p := x;", "k.q := t;", "undefine k;"]).to_owned(),
        5 => "if multisetcount(s: m, true) < 2 then multisetadd(x, m); end;".to_owned(),
        6 => "multisetremovepred(s: m, m[s] = 1);".to_owned(),
        7 => format!("if {} then {} end;", condition(rng, own, alike), statement(rng, own, alike)),
        8 => "for j: ag do if y[j] then z[j] := 0; end; end;".to_owned(),
        9 if rng.below(3) == 0 => format!("assert x != {};", rng.below(3)),
        10 if rng.below(3) == 0 => format!("assume x != {};", rng.below(3)),
        11 if rng.below(5) == 0 => "multisetadd(x, m);".to_owned(),
        12 if !alike => format!("y[{}] := {};", rng.below(2), pick(rng, &["true", "false"])),
        13 if rng.below(4) == 0 => "if t then return; end;".to_owned(),
        14 => format!("z[i] := {};", rng.below(3)),
        15 => "z[i] := x;".to_owned(),
        16 => "z[i] := (z[i] + 1) % 3;".to_owned(),
        17 => format!("y[i] := {};", pick(rng, &["true", "false", "!y[i]"])),
        18 => "put_in(z[i], x);".to_owned(),
        19 => "x := z[i];".to_owned(),
        20 => "alias w: y[i] do w := t; end;".to_owned(),
        _ => format!("x := t ? {} : {};", rng.below(3), rng.below(3)),
    }
}

pub(super) fn atom(rng: &mut Rng, alike: bool) -> String {
    match rng.below(8) {
        0 => format!("x = {} & t", rng.below(3)),
        1 => format!("exists j: ag do pc[j] = {} & y[j] end", pick(rng, &["a", "b", "c", "d"])),
        2 => format!("forall j: ag do z[j] = {} end", rng.below(3)),
        3 => format!("exists j: ag do pc[j] = d & z[j] = {} end", rng.below(3)),
        4 => "r.p = x & r.q".to_owned(),
        5 => "multisetcount(s: m, m[s] = 0) = 2".to_owned(),
        6 if !alike => "pc[0] = d & pc[1] = c".to_owned(),
        _ => "!isundefined(u) & x = 1".to_owned(),
    }
}

/// A random model of two processes with variables of their own, whose names may be exchanged.
pub(super) fn alike_text(seed: u64) -> String {
    let mut rng = Rng::new(seed ^ 0x51b);
    let mut text =
        "type v: 0 .. 2; pt: enum { a, b, c }; var x: v; p_0: pt; p_1: pt; z_0: v; z_1: v; t_0: boolean; t_1: boolean;
        startstate begin x := 0; p_0 := a; p_1 := a; z_0 := 0; z_1 := 0; undefine t_0; undefine t_1; end;\n"
            .to_owned();
    let counters = ["a", "b", "c"];
    for at in 0..3 + rng.below(3) as usize {
        let from = counters[at % 3];
        let to = if rng.below(3) == 0 { pick(&mut rng, &counters) } else { counters[(at + 1) % 3] };
        let guard = pick(
            &mut rng,
            &["true", "x = 0", "z_# != 1", "x < 2", "z_# = 0", "!isundefined(t_#) & t_#", "p_% = a", "t_# & x = 1"],
        );
        let body = |rng: &mut Rng| {
            pick(
                rng,
                &[
                    "z_# := 1;",
                    "z_# := 2;",
                    "t_# := true;",
                    "x := 1;",
                    "x := z_#;",
                    "undefine t_#;",
                    "z_# := x;",
                    "t_# := !t_#;",
                    "",
                ],
            )
        };
        let (one, other) = (body(&mut rng), body(&mut rng));
        for (own, others) in [("0", "1"), ("1", "0")] {
            let rule = format!("rule \"r{at}_#\" p_# = {from} & {guard} ==> begin p_# := {to}; {one} {other} end;");
            let _ = writeln!(text, "{}", rule.replace('#', own).replace('%', others));
        }
    }
    for name in ["I", "J"] {
        let (one, other) = (pick(&mut rng, &counters), rng.below(3));
        let _ = writeln!(text, "invariant \"{name}\" !(p_0 = {one} & p_1 = {one} & z_0 = {other} & z_1 = {other});");
    }
    text
}
