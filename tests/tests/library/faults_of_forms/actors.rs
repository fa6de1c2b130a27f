//! Models of Rebeca, compared level by level: states, steps, and rebecs that fault (`battery::sequential_form`).

use battery::harness::{messages, read_model};
use battery::sequential_form::{Compared, compare};
use frontend::interpret::Bounds;
use frontend::lower::LowerOptions;
use frontend::model::PropertySet;

use super::{Outcome, agree, filled};

/// Expressions that fault in some states.
const EXPRESSIONS: &[&str] = &[
    "6 / d",
    "6 % d",
    "a[k]",
    "c[a[k]]",
    "(byte) (k * 100)",
    "same(k)",
    "asserting(k)",
    "setting(k)",
    "(b ? a[k] : a[k])",
    "(int) (byte) (k * 60)",
    "narrow(k * 60)",
    "sqrt(k - 2)",
    "number((Leaf) ref)",
    "number((Leaf) self)",
    "k",
    "none(k)",
    "count(k)",
];

/// Places of an expression `E` in a body with the local `y`.
const PLACES: &[&str] = &[
    "int z = E;",
    "int z = E; z = 1;",
    "int z = E; x = z;",
    "y = E;",
    "y = E; y = 1;",
    "x = E;",
    "x = E; x = 1;",
    "byte z = (byte) (E);",
    "byte z = (byte) (E * 50);",
    "short z = (short) (E * 10000);",
    "w = (byte) (E + 126);",
    "if (E > 0) { }",
    "if (E > 0) { y = 1; } else { y = 1; }",
    "if (n > 9) { y = E; }",
    "if (b) { y = E; y = 1; }",
    "if (b) { y = E; } else { y = E; }",
    "if (b) { y = E; } y = 1;",
    "boolean z = b & E > 0;",
    "boolean z = b | E > 0;",
    "boolean z = b && E > 0;",
    "boolean z = b || E > 0;",
    "b = b & (E > 0);",
    "b = b & b | (E > 0);",
    "b = (E > 0) & b;",
    "b = b == (E > 0);",
    "b = b ^ (E > 0);",
    "y = b ? 1 : E;",
    "y = b ? E : E;",
    "y = 0 * (E);",
    "y = E & 0;",
    "y = 1 << E;",
    "y += E;",
    "y = -(E);",
    "y = ~(E);",
    "same(E);",
    "y = same(same(E));",
    "nothing(E);",
    "nothing(1); nothing(E);",
    "two(1, E);",
    "y = one(E);",
    "self.take(E);",
    "ref.take(E);",
    "other.take(E);",
    "((Leaf) ref).leaf(E);",
    "((Leaf) other).leaf(E);",
    "a[E] = 1;",
    "a[1] = E;",
    "a[E] = E;",
    "int[3] z; z[E] = 1;",
    "int[3] z; y = z[E];",
    "int[3] z; z[1] = E;",
    "c[a[1]] = E;",
    "switch (E) { default: y = 1; }",
    "switch (E) { case 1: y = 1; break; }",
    "switch (E) { }",
    "switch (n) { case 8: y = E; break; default: y = 2; }",
    "switch (E) { case 0: case 1: default: }",
    "for (int i = E; i < 0; i++) { }",
    "for (int i = 0; i < E; i++) { }",
    "for (int i = 0; i < 3; i++) { y = E; }",
    "for (int i = 0; i < 3; i++) { if (i == 1) { break; } y = E; }",
    "for (int i = 0; i < 3; i++) { if (i == 1) { continue; } y = E; }",
    "for (int i = 0; i < 1; y = E) { i++; }",
    "for (int i = 0; i < 2; i++) { if (E > 3) { return; } }",
    "while (E > 200) { }",
    "while (n > 9 && E > 0) { }",
    "while (y < 2) { y = y + 1; if (E > 0) { break; } }",
    "assertion(E >= 0);",
    "assertion(b || E >= 0);",
    "y = ?(E, 1);",
    "y = ?(1, E, E);",
    "int z = ?(E, 2);",
    "int z = ?(E, E);",
    "self.take(?(1, E));",
    "boolean z = ?(true, E > 0);",
    "if (b) { return; } y = E;",
    "if (b) { y = E; return; } y = 1;",
    "if (E > 0) { return; } y = 1;",
    "{ int z = E; }",
    "int z = ?(1, 2); if (z > E) { y = 1; }",
    "int z = ?(0, 1, 2, 3); int v = a[z];",
    "int z = ?(0, 1, 2, 3); int v = same(a[z]);",
    "int z = E; int v = z; int u = v;",
    "if (b) { int z = ?(1, 2); y = E + z; y = 1; } else { int z = ?(1, 2); y = 1; }",
    "if (E > 1) { int z = ?(1, 2); y = z; }",
    "if (b && E > 1) { int z = ?(1, 2); x = z; }",
    "for (int i = 0; i < 2; i++) { int z = ?(1, 2); y = E + z; }",
    "boolean z = b & (((Leaf) ref) == other);",
    "boolean z = b & (((Leaf) self) == other);",
    "b = b | (((Leaf) self) == ((Leaf) other));",
    "b = b & (((Leaf) other) == self);",
    "A z = (Leaf) ref;",
    "A z = ref; z.take(E);",
    "Leaf z = (Leaf) self;",
    "ref = null; ref.take(E);",
    "ref = (Leaf) other;",
    "ref = (Leaf) self;",
    "y = number((Leaf) self);",
    "b = b & 6 / d > 0 & E > 0;",
    "other.take(y); other.take(E);",
    "y = x++ + E;",
    "((A) sender).take(E);",
    "((Leaf) sender).leaf(E);",
    "b = (sender == self) & (((Leaf) sender) == other);",
];

/// A model with more methods and this body of a server, which runs with other values of the variables each time.
fn text(methods: &str, body: &str) -> String {
    format!(
        "reactiveclass A(3) {{ knownrebecs {{ A other; }}
        statevars {{ int n; int k; int d; int x; boolean b; int[3] a; int[3] c; byte w; A ref; }}
        A(boolean first) {{ n = 0; k = 0; d = 1; b = true; ref = other; if (first) {{ self.go(); }} }}
        int same(int i) {{ return i; }}
        byte narrow(int i) {{ return (byte) i; }}
        int asserting(int i) {{ assertion(i < 4); return i; }}
        int setting(int i) {{ x = i % 3; return a[i]; }}
        int none(int i) {{ if (i < 3) {{ return 1; }} }}
        int one(int i) {{ return 1; }}
        int number(A i) {{ return 1; }}
        int count(int i) {{ int s = 0; for (int j = 0; j < i; j++) {{ s = s + a[j]; }} return s; }}
        void nothing(int i) {{ }}
        void two(int i, int j) {{ return; }}
        {methods}
        msgsrv go() {{
            if (n < 8) {{ n = n + 1; self.go(); }}
            else {{ k = ?(0, 1, 3, 4); d = ?(0, 1); b = ?(true, false); ref = ?(other, self, null); self.run(); }}
        }}
        msgsrv run() {{ int y = 0; {body} }}
        msgsrv take(int i) {{ }} }}
        reactiveclass Leaf extends A(3) {{ msgsrv leaf(int i) {{ }} }}
        main {{ A one(two):(true); Leaf two(one):(false); }}"
    )
}

/// A body in a server, in one side of a branch behind a choice, and in a method whose result is needed for its fault alone.
fn texts_of_body(body: &str) -> Vec<String> {
    let mut texts = vec![text("", body)];
    if !body.contains("return") {
        let chosen = format!("int q = ?(1, 2); if (q == 1) {{ {body} }} else {{ int r = ?(3, 4); y = r; }} x = y;");
        texts.push(text("", &chosen));
        let method = format!("int f(int q) {{ int y = 0; {body} return 1; }}");
        texts.push(text(&method, "y = f(1); boolean r = b & (f(2) > 0);"));
    }
    texts
}

fn compared(text: &str) -> Outcome {
    let (model, found) = read_model(text.as_bytes(), &LowerOptions::default());
    let Some(model) = model else { return Outcome::Refused(messages(&found)) };
    match compare(&model, &PropertySet::default(), &Bounds::default(), 6_000) {
        Ok(Compared::Same { faults, .. }) => Outcome::Same(faults > 0),
        Ok(Compared::Refused(reason)) => Outcome::Refused(reason),
        Ok(Compared::Large) => Outcome::Refused("too many states".into()),
        Err(difference) => Outcome::Different(format!("{difference}\n{text}")),
    }
}

#[test]
fn faults_of_actors_stay() {
    let texts: Vec<String> = filled(PLACES, EXPRESSIONS).iter().flat_map(|body| texts_of_body(body)).collect();
    agree(&texts, compared, [texts.len() / 2, 300, 100]);
}
