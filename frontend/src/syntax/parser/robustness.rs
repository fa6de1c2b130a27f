//! The parsers on hostile text: deep nesting on a small stack, and damaged models.

use super::{parse_model, parse_properties};
use crate::diagnostics::Diagnostics;
use crate::syntax::{format, lex};

/// The number of openings of the nested shapes.
const DEEP: usize = 100_000;

/// The stack of an ordinary thread.
const STACK: usize = 8 << 20;

const MODEL: &str = "env int N = 4;
@priority(1) abstract reactiveclass Base(3) { abstract msgsrv run(); abstract void act(int a); }
interface Net { msgsrv send(byte data); }
reactiveclass Node extends Base implements Net (5) {
  knownrebecs { Node known[t:1..2]; Net net; }
  statevars { boolean f[t], g; int[3][2] x = {{1, 2}, {3}}; t cur; } // state
  Node(int n, boolean[2] b) { cur = ?(1, 2); for (int i = 0, j; i < N && !g; i++, j -= 1) { x[i][0] <<= i >>> 1; } }
  msgsrv run() { forEachValueOf(t) { if (f[t]) known[t +% 1].run(); else if (sender == self) ; else { g = !g; } } }
  msgsrv do() { switch (n + 1) { case 1: case -2: break; default: { return; } } do { x[0][1]++; } while (g); }
  int f(Node p) { /* why */ return (int)pow(2, (p.x[1] % 3 > 0) ? 1 : ~n); }
  void act(int a) { ((Node) sender).send((byte) -1); assertion(a <= 3 || g, \"a\\n\"); Node q = new Node(net):(a ^ 1 | 2 & 3); }
}
main { Node a(b, net):(1); @x Node b(a, null):(0x1F); }
";

const PROPERTIES: &str = "property {
  define { a = node1.f && !(node2.x[1] >= 2); b = (node1.n == -1) ? true : false; } // defined
  Assertion { Safe: a -> b || !b; }
  LTL { Live: G(!a || F(b)); Until: U(a, b) R (a W b) -> X G F p; }
}
";

fn on_small_stack(job: impl FnOnce() + Send + 'static) {
    std::thread::Builder::new().stack_size(STACK).spawn(job).unwrap().join().unwrap();
}

/// Parses on a small stack and expects exactly one diagnostic about nesting.
fn check_deep(text: String, property: bool) {
    on_small_stack(move || {
        let mut diagnostics = Diagnostics::new();
        if property {
            drop(parse_properties(&text, &mut diagnostics));
        } else {
            drop(parse_model(&text, &mut diagnostics));
        }
        let codes: Vec<_> = diagnostics.list.iter().map(|diagnostic| diagnostic.code.as_str()).collect();
        let start: String = text.chars().skip(45).take(40).collect();
        assert_eq!(codes.iter().filter(|&&code| code == "E0112").count(), 1, "{start}: {codes:?}");
        assert!(codes.len() <= 3, "{start}: {codes:?}");
    });
}

#[test]
fn deep_expressions_are_refused() {
    let shapes = [
        ("(", "1", ")"),
        ("!", "a", ""),
        ("- ", "1", ""),
        ("~", "1", ""),
        ("++", "a", ""),
        ("a.b(", "1", ")"),
        ("f(", "1", ")"),
        ("a[", "1", "]"),
        ("?(?(1, 2), ", "1", ")"),
        ("?(", "1", ")"),
        ("(int)", "1", ""),
        ("(Node)", "a", ""),
        ("(a)?(", "1", ") : b"),
        ("a ? ", "b", " : c"),
        ("a ? b : ", "c", ""),
        ("a = ", "1", ""),
        ("1 + (", "2", ")"),
        ("a && (b || (", "c", "))"),
        ("new A(", "a", "):()"),
        ("new A():(", "a", ")"),
        ("a || b && c | d ^ e & f == g < h << i + j * (", "k", ")"),
        ("", "1", " + 1"),
        ("", "1", " * 1 + 1"),
        ("", "a", ".b"),
        ("", "a", ".b(1)"),
        ("", "a", "[1]"),
        ("", "a", "++"),
        ("", "a", " instanceof B"),
    ];
    for (open, middle, close) in shapes {
        for closed in [true, false] {
            let close = if closed || open.is_empty() { close.repeat(DEEP) } else { String::new() };
            let body = format!("x = {}{middle}{close};", open.repeat(DEEP));
            check_deep(format!("reactiveclass A(3) {{ msgsrv m() {{ {body} }} }} main {{ A a():(); }}"), false);
        }
    }
}

#[test]
fn deep_statements_are_refused() {
    let shapes = [
        "{ ",
        "if (a) ",
        "if (a) { ",
        "if (a) b(); else ",
        "while (a) ",
        "do ",
        "for (;;) ",
        "forEachValueOf(t) ",
        "switch (a) { case 1: ",
        "if (a) ; else { ",
    ];
    for shape in shapes {
        for tail in ["", "b();"] {
            let body = shape.repeat(DEEP) + tail;
            check_deep(format!("reactiveclass A(3) {{ msgsrv m() {{ {body}"), false);
            let closed = body.clone() + &"}".repeat(body.matches('{').count());
            check_deep(format!("reactiveclass A(3) {{ msgsrv m() {{ {closed} }} }} main {{ A a():(); }}"), false);
        }
    }
}

#[test]
fn deep_declarations_and_formulas_are_refused() {
    for open in ["{", "(", "a[", "?("] {
        let deep = open.repeat(DEEP);
        check_deep(format!("reactiveclass A(3) {{ statevars {{ int[2] x = {deep}; }} }}"), false);
        check_deep(format!("env int[2] x = {deep}; reactiveclass A(3) {{ }}"), false);
    }
    check_deep(format!("reactiveclass A({}1) {{ }}", "(".repeat(DEEP)), false);
    check_deep(format!("main {{ A a({}1):(); }}", "(".repeat(DEEP)), false);
    for open in ["G(", "G ", "!", "a -> ", "a U ", "U(a, ", "(", "a && !(", "X X F "] {
        check_deep(format!("property {{ LTL {{ A: {}a; }} }}", open.repeat(DEEP)), true);
    }
}

#[test]
fn long_flat_text_is_fine() {
    let mut diagnostics = Diagnostics::new();
    let repeated = |text: &str| text.repeat(DEEP);
    let text = format!(
        "reactiveclass A(3) {{ statevars {{ int {}z; }} msgsrv m() {{ {} x = ?({}1); y = {}a; }} }}",
        repeated("a, "),
        repeated("b();"),
        repeated("1, "),
        repeated("a || "),
    );
    parse_model(&text, &mut diagnostics);
    assert!(diagnostics.list.is_empty());
    for noise in [
        "else ",
        "@ ",
        "} ",
        "{ } ",
        "case 1: ",
        "int ",
        "msgsrv ",
        "reactiveclass ",
        "(a)?(",
        "?(0.5: ",
        "= ",
        "a b c ",
    ] {
        parse_model(&format!("reactiveclass A(3) {{ msgsrv m() {{ {} }} }}", repeated(noise)), &mut diagnostics);
        parse_properties(&format!("property {{ LTL {{ A: {} }} }}", repeated(noise)), &mut diagnostics);
    }
}

/// A small deterministic generator (xorshift).
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % bound.max(1) as u64).unwrap()
    }
}

/// One change of a token or a byte.
fn damage(text: &str, random: &mut Random) -> String {
    const NOISE: [&str; 28] = [
        "(", ")", "{", "}", "[", "]", ";", ",", ".", "..", "?", ":", "@", "'", "\"", "/*", "*/", "//", "else", "case",
        "msgsrv", "abstract", "1.5", "0x", "é", "\u{0}", "->", "=>",
    ];
    let tokens = lex(text, &mut Diagnostics::new());
    let range = |random: &mut Random| tokens[random.below(tokens.len())].span.range(text.len());
    let (first, second) = (range(random), range(random));
    let mut changed = text.to_string();
    match random.below(5) {
        0 => changed.replace_range(first, ""),
        1 => changed.insert_str(first.start, &format!(" {} ", &text[first.clone()])),
        2 => changed.replace_range(first, &text[second]),
        3 => changed.insert_str(first.start, NOISE[random.below(NOISE.len())]),
        _ => {
            let mut bytes = changed.into_bytes();
            let at = random.below(bytes.len());
            match random.below(3) {
                0 => drop(bytes.remove(at)),
                1 => bytes.truncate(at.max(1)),
                _ => bytes[at] = u8::try_from(random.below(256)).unwrap(),
            }
            changed = String::from_utf8_lossy(&bytes).into_owned();
        }
    }
    changed
}

#[test]
fn damaged_text_is_parsed_to_its_end() {
    let mut diagnostics = Diagnostics::new();
    parse_model(MODEL, &mut diagnostics);
    parse_properties(PROPERTIES, &mut diagnostics);
    assert!(!diagnostics.has_errors(), "{:?}", diagnostics.list);
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    for sample in [MODEL, PROPERTIES] {
        for _ in 0..200 {
            let mut text = sample.to_string();
            for _ in 0..=random.below(6) {
                if !text.is_empty() {
                    text = damage(&text, &mut random);
                }
                check_damaged(&text);
            }
        }
    }
}

/// Parses, formats and checks the places of all diagnostics.
fn check_damaged(text: &str) {
    let mut diagnostics = Diagnostics::new();
    parse_model(text, &mut diagnostics);
    parse_properties(text, &mut diagnostics);
    for diagnostic in &diagnostics.list {
        for span in std::iter::once(diagnostic.span).chain(diagnostic.related.iter().map(|label| label.span)) {
            let (start, end) = (span.start as usize, span.end as usize);
            assert!(start <= end && end <= text.len(), "{span:?} outside of {text:?}: {diagnostic:?}");
            assert!(text.is_char_boundary(start) && text.is_char_boundary(end), "{span:?} in {text:?}");
        }
    }
    if let Ok(formatted) = format(text) {
        assert_eq!(format(&formatted).unwrap(), formatted, "of {text}");
    }
}
