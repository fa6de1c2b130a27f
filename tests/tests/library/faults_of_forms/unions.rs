//! Models of Murphi with unions whose sorts have others between them, places of such types that are undefined, and ranges at both ends of
//! the integers.

use super::{agree, compared, parts};

const HEAD: &str = "type A: scalarset(2); B: enum { b1, b2 }; C: scalarset(2); ABC: union { A, B, C }; AC: union { A, C }; AB: union { A, B }; four: 0 .. 3;
    low: -2147483648 .. -2147483646; row: array [AC] of four; deep: array [AC] of array [AC] of four;
    rec: record v: row; w: AC; l: low; end; high: 2147483645 .. 2147483647;
    var n: 0 .. 80; k: 0 .. 4; x: four; b: boolean; z: ABC; u: AC; w: AB; r: row; s: row; t: deep; c: array [ABC] of AC; p: array [AC] of rec; l: low; h: high; o: AC; iv: -5 .. 5;
    function same(i: AC): AC; begin return i; end;
    function narrow(i: ABC): AC; begin return i; end;
    function never(i: ABC): A; begin if ismember(i, A) then return i; end; end;
    function lowest(i: low): low; begin return i; end;
    function minus(i: low): 0 .. 5; begin return -i; end;
    function of_row(i: row): boolean; begin return true; end;
    function of_name(var i: four): boolean; begin return true; end;
    function of_ac(i: AC): boolean; begin return true; end;
    function first(): AC; begin for j: ABC do if j = z then return j; end; end; end;
    function any(): four; begin for j: AC do if r[j] = x then return r[j]; end; end; return 0; end;
    function setting(): ABC; begin x := 1; return z; end;
    procedure rows(var i: row; j: row); begin i := j; end;
    procedure lose(var i: AC; var j: low; var l: four); begin undefine i; undefine j; undefine l; end;
    startstate begin n := 0; k := 0; clear x; clear b; undefine z; clear u; clear w; clear r; clear s; clear t; clear c; clear p; clear l; clear h; undefine o; clear iv; end;
    rule n < 80 ==> begin n := n + 1; end;
    rule n = 80 & k < 4 ==> begin k := k + 1; end;
    ruleset j: ABC do rule n = 80 ==> begin z := j; end; end;
    ruleset j: AC do rule n = 80 & k = 3 ==> begin r[j] := 1; end; end;";

/// Bodies of rules and functions.
const BODIES: &[&str] = &[
    "u := z;",
    "w := z;",
    "o := z;",
    "x := r[z];",
    "r[z] := 1;",
    "s := t[z];",
    "t[z] := s;",
    "t[z][z] := 2;",
    "x := t[z][u];",
    "x := p[z].v[u];",
    "u := p[z].w;",
    "u := narrow(z);",
    "u := same(z);",
    "if of_ac(z) then end;",
    "if of_row(t[z]) then end;",
    "if of_name(r[z]) then end;",
    "if of_name(t[z][z]) then end;",
    "u := never(z);",
    "if never(z) = z then end;",
    "u := first();",
    "x := any();",
    "u := (b ? z : u);",
    "u := (b ? u : z);",
    "x := r[(b ? u : z)];",
    "x := r[(b ? z : u)];",
    "u := same(b ? z : u);",
    "o := (n = 80 ? z : o);",
    "u := o;",
    "o := undefined;",
    "u := same(undefined);",
    "u := same(o);",
    "if of_ac(o) then end;",
    "x := r[o];",
    "put o;",
    "put r[o];",
    "put z;",
    "put r[z];",
    "put t[z];",
    "undefine r[z];",
    "clear t[z];",
    "undefine u;",
    "if isundefined(r[z]) then end;",
    "if isundefined(z) then z := u; end;",
    "if ismember(z, AC) then u := z; end;",
    "if ismember(z, B) then u := z; end;",
    "if z = u then end;",
    "if u = z then end;",
    "if r = t[z] then end;",
    "if t[z] = r then end;",
    "if t[u] = r then b := !b; end;",
    "r := s;",
    "s := r; if s = r then x := 3; end;",
    "rows(r, t[z]);",
    "rows(t[z], r);",
    "rows(r, s);",
    "rows(t[u], s);",
    "lose(u, l, x);",
    "lose(o, l, x);",
    "lose(p[z].w, p[u].l, r[z]);",
    "lose(p[u].w, p[u].l, r[u]);",
    "switch z case u: x := 1; end;",
    "switch u case z: x := 1; else x := 2; end;",
    "switch z case b1: x := 1; end;",
    "for j: AC do if j = z then x := r[j]; end; end;",
    "for j: ABC do x := r[j]; end;",
    "for j: ABC do if ismember(j, AC) then x := r[j]; end; end;",
    "alias q: z do u := q; end;",
    "alias q: r[z] do end;",
    "alias q: t[z] do x := q[u]; end;",
    "alias q: (b ? z : u) do u := q; end;",
    "alias q: (b ? u : z) do o := q; x := r[q]; end;",
    "alias q: setting() do u := q; end;",
    "u := setting();",
    "x := r[setting()];",
    "l := -2147483648 + k;",
    "l := l;",
    "undefine l; if isundefined(l) then x := 1; end;",
    "undefine l; iv := l;",
    "iv := minus(l);",
    "l := lowest(l + 1);",
    "undefine l; l := lowest(l);",
    "undefine p[u].l; p[u].l := p[z].l;",
    "undefine p; p[u].l := -2147483647;",
    "iv := -iv;",
    "iv := iv - 1;",
    "iv := l * k;",
    "iv := iv / -1;",
    "iv := iv % -1;",
    "iv := -2147483648 / (k - 1);",
    "h := h + k;",
    "undefine h; iv := h;",
    "h := iv;",
    "undefine h; if h = 2147483647 then end;",
    "p[u] := p[z];",
    "p[u].l := l - 1;",
    "undefine iv;",
    "if forall j: ABC do c[j] = u end then x := 3; end;",
    "if exists j: ABC do c[j] = j & ismember(j, B) end then x := 3; end;",
    "c[z] := z;",
    "c[z] := u;",
    "u := c[z];",
    "u := c[c[z]];",
    "c[c[z]] := u;",
    "x := r[c[z]];",
    "u := (ismember(z, AC) ? z : u);",
    "x := b ? 1 : r[z];",
    "x := b ? r[z] : r[z];",
    "for j := -2147483648 to -2147483646 do l := j; end;",
    "for j := 2147483646 to 2147483647 do h := j; end;",
    "for j := l to -2147483646 do l := j; end;",
    "for j := h to 2147483647 by 2 do h := j; end;",
    "for j := l to -2147483648 by -1 do l := j; end;",
    "for j: low do l := j; end;",
    "for j: high do h := j; h := h - j + 2147483645; end;",
    "if b then x := r[z]; x := 1; else x := r[z]; end;",
    "while b & r[z] > 4 do x := 1; end;",
    "x := r[z] * 0;",
    "b := (z = u) = (u = z);",
    "b := !b; if b = (r[z] = 0) then end;",
    "assert z != u \"other\";",
    "assert of_ac(z);",
    "x := 0; x := x + r[z] + 4;",
];

/// Further rules and invariants.
const RULES: &[&str] = &[
    "ruleset j: ABC do alias q: r[j] do rule n = 80 ==> begin b := !b; end; end; end;",
    "ruleset j: ABC do alias q: r[j] do rule n = 80 & q > 5 ==> begin b := !b; end; end; end;",
    "ruleset j: ABC do alias q: t[j] do rule n = 80 ==> begin b := !b; end; end; end;",
    "ruleset j: ABC do alias q: t[j] do ruleset i: AC do rule n = 80 ==> begin q[i] := 1; end; end; end; end;",
    "ruleset j: ABC do alias q: c[j] do rule n = 80 ==> begin u := q; q := j; end; end; end;",
    "ruleset j: ABC do alias q: c[j] do rule n = 80 & ismember(j, AC) ==> begin u := q; q := j; end; end; end;",
    "alias q: z do rule n = 80 ==> begin u := q; end; end;",
    "alias q: r[z] do rule n = 80 ==> begin end; end;",
    "alias q: r[z] do invariant n < 80; end;",
    "alias q: r[z] do invariant true; end;",
    "ruleset j: ABC do alias q: r[j] do invariant true; end; end;",
    "ruleset j: ABC do invariant n < 80 | r[j] = 0; end;",
    "ruleset j: ABC do invariant n < 80 | !ismember(j, AC) | r[j] = 0; end;",
    "ruleset j: ABC do invariant n < 80 | of_name(r[j]); end;",
    "ruleset j: ABC do rule n = 80 & r[j] = 0 ==> begin x := 1; end; end;",
    "ruleset j: ABC do rule n = 80 & of_name(r[j]) ==> begin x := 1; end; end;",
    "ruleset j: ABC do rule n = 80 & of_row(t[j]) ==> begin x := 1; end; end;",
    "ruleset j: ABC do rule n = 80 & j != z & of_ac(j) ==> begin x := 1; end; end;",
    "ruleset j: AC; i: ABC do alias q: t[j]; v: q[j] do rule n = 80 & j != i ==> begin v := x; end; end; end;",
    "ruleset j: low do alias q: j do rule n = 80 ==> begin l := q; end; end; end;",
    "ruleset j: low do alias q: -j do rule n = 80 ==> begin iv := q; end; end; end;",
    "ruleset j: low do alias q: j - 1 do rule n = 80 & q < 0 ==> begin l := j; end; end; end;",
    "ruleset j: high do alias q: j + 1 do rule n = 80 & q < 0 ==> begin h := j; end; end; end;",
    "ruleset j: low do invariant n < 80 | j - 1 < 0; end;",
    "rule n = 80 ==> begin undefine l; undefine h; end; rule n = 80 & isundefined(l) ==> begin l := -2147483648; end; rule n = 80 ==> begin iv := l - h; end;",
    "invariant exists j: ABC do r[j] = 3 end;",
    "invariant forall j: ABC do r[j] = 0 | n < 80 end;",
    "invariant forall j: AC do r[j] = 0 | n < 80 end;",
    "invariant forall j: AC do c[j] = u | n < 80 end;",
    "invariant exists j: ABC do c[j] = j end;",
];

/// A body in rules, functions and procedures; where its variables are locals, these have values first.
fn texts_of_body(body: &str) -> Vec<String> {
    let (declarations, rest) = parts(HEAD);
    let locals = "var x: four; u: AC; o: AC; r: row; s: row; w: AB; t: deep; q: rec; iv: -5 .. 5; l: low; h: high;";
    let first = "clear x; clear u; clear r; clear s; clear w; clear t; clear l; clear h; iv := 0;";
    let twice = "invariant n < 80 | r = s | u = z; invariant c[u] = u; rule r = s ==> begin s[u] := 2; end;
        invariant isundefined(o) | isundefined(z) | o != z;";
    let function = |locals: &str, body: &str, result: &str| {
        format!("{declarations} function f(): four; {locals} begin {body} return {result}; end; {rest}")
    };
    let (step, guard) = ("rule n = 80 ==> begin x := f(); end;", "rule n = 80 & f() = 1 ==> begin b := !b; end;");
    vec![
        format!("{HEAD} rule n = 80 ==> begin {body} end;"),
        format!("{HEAD} rule n = 80 ==> begin {body} x := 1; {body} end; {twice}"),
        format!("{} {step}", function(locals, &format!("{first} {body}"), "x")),
        format!("{} {step}", function(locals, &format!("{first} if k > 1 then {body} else {body} end;"), "x")),
        format!("{} {guard}", function("var x: four; o: AC;", &format!("x := 0; {body}"), "1")),
        format!(
            "{declarations} procedure f(); begin {body} if k = 2 then return; end; {body} end; {rest}
            ruleset j: AC do rule n = 80 & r[j] = 0 ==> begin f(); end; end;"
        ),
    ]
}

#[test]
fn faults_of_unions_and_of_ranges_at_the_ends_stay() {
    let more = "rule n = 80 & k = 4 ==> begin clear t; end; rule n = 80 & k = 4 ==> begin r := t[u]; t[z] := r; end;
        rule n = 80 & k = 4 ==> begin undefine c; clear p; end;";
    let of_rule = |rule: &&str| [format!("{HEAD} {rule}"), format!("{HEAD} {rule} {more}")];
    let texts: Vec<String> =
        BODIES.iter().flat_map(|body| texts_of_body(body)).chain(RULES.iter().flat_map(of_rule)).collect();
    agree(&texts, compared, [450, 100, texts.len() / 5]);
}
