//! The trees and diagnostics of the parsers.

use super::{MAX_NESTING, parse_model, parse_properties};
use crate::diagnostics::Diagnostics;
use crate::syntax::ast::{BinaryOp, ClassForm, Expr, ExprKind, Group, MemberKind, Program, Stmt, StmtKind};
use crate::syntax::temporal::Temporal2;

/// The codes of all diagnostics, in order of their places.
fn codes(mut diagnostics: Diagnostics) -> Vec<&'static str> {
    diagnostics.sort();
    diagnostics.list.iter().map(|diagnostic| diagnostic.code.as_str()).collect()
}

fn model_codes(text: &str) -> Vec<&'static str> {
    let mut diagnostics = Diagnostics::new();
    parse_model(text, &mut diagnostics);
    codes(diagnostics)
}

fn property_codes(text: &str) -> Vec<&'static str> {
    let mut diagnostics = Diagnostics::new();
    parse_properties(text, &mut diagnostics);
    codes(diagnostics)
}

fn model(text: &str) -> Program {
    let mut diagnostics = Diagnostics::new();
    let program = parse_model(text, &mut diagnostics);
    assert!(diagnostics.list.is_empty(), "{text}: {:?}", diagnostics.list);
    program
}

fn in_server(body: &str) -> String {
    format!("reactiveclass A(3) {{ msgsrv m() {{ {body} }} }} main {{ A a():(); }}")
}

fn statements(body: &str) -> Vec<Stmt> {
    model(&in_server(body)).classes.remove(0).members.remove(0).body.unwrap()
}

fn expression(text: &str) -> Expr {
    let StmtKind::Expr(Expr { kind: ExprKind::Assign(None, _, value), .. }) =
        statements(&format!("x = {text};")).remove(0).kind
    else {
        panic!("no assignment");
    };
    *value
}

/// The expression with all its parentheses.
fn shape(expr: &Expr) -> String {
    let list = |items: &[Expr]| items.iter().map(shape).collect::<Vec<_>>().join(", ");
    match &expr.kind {
        ExprKind::Int(value) => value.to_string(),
        ExprKind::Name(name) => name.clone(),
        ExprKind::Bool(value) => value.to_string(),
        ExprKind::Text(text) => format!("{text:?}"),
        ExprKind::Null => "null".to_string(),
        ExprKind::Binary(BinaryOp::On(op), a, b) => format!("({op:?} {} {})", shape(a), shape(b)),
        ExprKind::Binary(op, a, b) => format!("({op:?} {} {})", shape(a), shape(b)),
        ExprKind::And(items) => format!("(And {})", list(items)),
        ExprKind::Or(items) => format!("(Or {})", list(items)),
        ExprKind::Unary(op, a) => format!("({op:?} {})", shape(a)),
        ExprKind::Step { up, prefix, operand } => format!("(Step {up} {prefix} {})", shape(operand)),
        ExprKind::Ternary(a, b, c) => format!("({} ? {} : {})", shape(a), shape(b), shape(c)),
        ExprKind::Assign(op, a, b) => format!("({op:?} = {} {})", shape(a), shape(b)),
        ExprKind::Cast(class, a) => format!("(Cast {} {})", class.text, shape(a)),
        ExprKind::InstanceOf(a, class) => format!("(InstanceOf {} {})", shape(a), class.text),
        ExprKind::Index(a, b) => format!("{}[{}]", shape(a), shape(b)),
        ExprKind::Field(a, name) => format!("{}.{}", shape(a), name.text),
        ExprKind::Call { target, name, arguments } => {
            let target = target.as_ref().map_or(String::new(), |target| shape(target) + ".");
            format!("{target}{}({})", name.text, list(arguments))
        }
        ExprKind::New { class, known, arguments } => {
            format!("new {}({}):({})", class.text, list(known), list(arguments))
        }
        ExprKind::Choose(items) => format!("?({})", list(items)),
        ExprKind::Temporal1(op, a) => format!("({op:?} {})", shape(a)),
        ExprKind::Temporal2(op, a, b) => format!("({op:?} {} {})", shape(a), shape(b)),
    }
}

#[track_caller]
fn check(text: &str, expected: &str) {
    assert_eq!(shape(&expression(text)), expected, "{text}");
}

#[test]
fn precedence_is_javas() {
    check("a + b * c", "(Add a (Multiply b c))");
    check("a - b - c", "(Subtract (Subtract a b) c)");
    check("a < b == c", "(Equal (Less a b) c)");
    check("a & b == c", "(BitAnd a (Equal b c))");
    check("a | b ^ c & d", "(BitOr a (BitXor b (BitAnd c d)))");
    check("a << 1 + 2", "(ShiftLeft a (Add 1 2))");
    check("a || b && c || d", "(Or a, (And b, c), d)");
    check("i +% 1 +% 2", "(Rotate (Rotate i 1) 2)");
    check("c ? a : d ? e : f", "(c ? a : (d ? e : f))");
    check("b = c += 1", "(None = b (Some(Add) = c 1))");
    check("!a.b[1]", "(Not a.b[1])");
    check("-a % 2", "(Remainder (Minus a) 2)");
    check("a >>> b >> c", "(ShiftRight (ShiftRightUnsigned a b) c)");
    check("s instanceof A && t", "(And (InstanceOf s A), t)");
    check("- -a + +b - ~c", "(Subtract (Add (Minus (Minus a)) (Plus b)) (Complement c))");
    check("a++ + ++b", "(Add (Step true false a) (Step true true b))");
}

#[test]
fn junctions_are_flattened_in_order() {
    check("a && b && c && d", "(And a, b, c, d)");
    check("a && (b && c) && d", "(And a, b, c, d)");
    check("a || (b && c)", "(Or a, (And b, c))");
}

#[test]
fn casts_and_parentheses() {
    check("(int)pow(2, p)", "(Cast int pow(2, p))");
    check("((Node)sender).id", "(Cast Node sender).id");
    check("(byte)-1", "(Cast byte (Minus 1))");
    check("(int) x + 1", "(Add (Cast int x) 1)");
    check("(a) - b", "(Subtract a b)");
    check("(a)", "a");
    check("(a) + (b)", "(Add a b)");
    check("(A) ?(b, c)", "(Cast A ?(b, c))");
    check("(a) ? (b) : c", "(a ? b : c)");
    check("(int) ?(1, 2)", "(Cast int ?(1, 2))");
    let text = in_server("x = (a + b);");
    let value = expression("(a + b)");
    assert_eq!(&text[value.span.range(text.len())], "(a + b)");
}

#[test]
fn operands() {
    check("?(1, 2, x)", "?(1, 2, x)");
    check("c ? ?(1, 2) : 3", "(c ? ?(1, 2) : 3)");
    check("new A(b, null):(1)", "new A(b, null):(1)");
    check("a.do(self)[1].c", "a.do(self)[1].c");
    check("super.m()", "super.m()");
    check("0x10 + 0b11 + 010 + 1_000", "(Add (Add (Add 16 3) 8) 1000)");
    check("\"a\\n\"", "\"a\\n\"");
}

#[test]
fn statements_of_every_kind() {
    let body = "; { } if (a) ; else if (b) c(); else { } while (a) a = b; do { } while (a); \
        for (int i = 0, j; i < 3; i++, j += 2) ; for (;;) break; forEachValueOf(t) { } \
        switch (a) { case 1: case 2: b(); break; default: continue; } return; return a; \
        int x = 1, y; int[3][2] z = {{1, 2}, {3}, {}}; Node n; Node[2] m; a[1] = 2; a.m(); new A():(); i++;";
    let kinds: Vec<String> = statements(body)
        .iter()
        .map(|statement| format!("{:?}", statement.kind).split(['(', ' ', '{']).next().unwrap().to_string())
        .collect();
    let expected = "Empty Block If While DoWhile For For ForEach Switch Return Return Local Local Local Local \
        Expr Expr Expr Expr";
    assert_eq!(kinds.join(" "), expected);
    let switch = statements("switch (a) { case 1: case 2: b(); break; default: c(); }").remove(0);
    let StmtKind::Switch(_, arms) = switch.kind else { panic!("no switch") };
    let sizes: Vec<_> = arms.iter().map(|arm| (arm.labels.len(), arm.body.len())).collect();
    assert_eq!(sizes, [(2, 2), (1, 1)]);
}

#[test]
fn classes_with_every_header() {
    let program = model(
        "interface I { msgsrv s(); } interface J extends I { int f(int a, Node b); } \
         abstract reactiveclass B(2) { abstract msgsrv m(); abstract void run(); } \
         reactiveclass C extends B implements I, J (3) { C(int[2] a) { } msgsrv do() { } boolean f() { return true; } } \
         reactiveclass D(4) extends B { ; }",
    );
    let forms: Vec<_> = program.classes.iter().map(|class| class.form).collect();
    assert_eq!(forms[..3], [ClassForm::Interface, ClassForm::Interface, ClassForm::Abstract]);
    let c = &program.classes[3];
    assert_eq!((c.extends.len(), c.implements.len()), (1, 2));
    assert!(c.queue_bound.is_some() && program.classes[4].queue_bound.is_some());
    assert!(matches!(c.members[0].kind, MemberKind::Constructor));
    assert!(matches!(&c.members[2].kind, MemberKind::Method(Some(ty)) if ty.name.text == "boolean"));
    assert!(program.classes[2].members.iter().all(|member| member.is_abstract && member.body.is_none()));
    assert!(program.main.is_none());
}

#[test]
fn fields_groups_and_environment() {
    let program = model(
        "env int N = 4, M = N + 1; featurevar f, g; \
         reactiveclass C(N) { statevars { boolean signal[t], waiting[t]; int[3][2] x = {1, 2}, y; t cur; } \
         knownrebecs { Node known[t:1..N]; L lgt[t]; } } env byte K = 1; main { C c(a, null):(1); }",
    );
    assert_eq!((program.environment.len(), program.features.len()), (2, 2));
    let class = &program.classes[0];
    assert!(matches!(&class.known[0].declarators[0].groups[0], Group::Introduce { name, .. } if name.text == "t"));
    assert!(matches!(&class.known[1].declarators[0].groups[0], Group::Use(_)));
    assert_eq!(class.variables[1].ty.dimensions.len(), 2);
    let instance = &program.main.unwrap()[0];
    assert_eq!((instance.known.len(), instance.arguments.len()), (2, 1));
}

#[test]
fn several_errors_and_no_cascades() {
    let body =
        "a = ; b = 2; c(1 2); d = 3 d = 4; if (x y) { e = ; } else { f(; } for (int i 0; i < 3; i++) { g(); } h();";
    assert_eq!(model_codes(&in_server(body)), ["E0110"; 7]);
    assert_eq!(model_codes(&in_server("a = 1\n b = 2;\n c()")), ["E0110", "E0110"]);
    assert_eq!(model_codes(&in_server("if (a) b c d; else e();")), ["E0110"]);
    assert_eq!(
        model_codes("reactiveclass A(3) { msgsrv m() { if (a) { b(); } msgsrv n() { } } main { A a():(); }"),
        ["E0111"]
    );
    assert_eq!(model_codes("reactiveclass A(3) { msgsrv m() { ((((( {{{"), ["E0110", "E0111"]);
    assert_eq!(
        model_codes("reactiveclass A(3) { msgsrv m(int) { a(; } msgsrv n( { } } foo bar main { A a }"),
        ["E0110", "E0110", "E0110", "E0115"]
    );
    assert_eq!(
        model_codes("reactiveclass A(3) { statevars { int 1; boolean b c; byte d; } reactiveclass B(2) { }"),
        ["E0111", "E0110", "E0110"]
    );
}

#[test]
fn words_of_other_dialects_may_be_names() {
    assert_eq!(model_codes(&in_server("delay(3); now = now + 1; delay(4);")), ["E0130", "E0130"]);
    let declared = "reactiveclass A(3) { statevars { int now; } msgsrv delay(int a) { } msgsrv m() { delay(now); } }";
    assert!(model_codes(declared).is_empty());
    assert_eq!(model_codes(&in_server("a.m() after(1) deadline(x + (2)); a.m() after(2);")), ["E0130", "E0130"]);
    assert_eq!(
        model_codes(&in_server("x = ?(0.5: 1, 0.5: 2); pAlt { prob(0.5): { } } y = ?(p: 1, q: 2);")),
        ["E0132", "E0132"]
    );
    assert_eq!(model_codes(&in_server("x' = 1; y' = 2; setmode(on);")), ["E0131", "E0131"]);
    let hybrid = "physicalclass H(3) { mode a { inv(x < 2.5) { x' = 1; } } } \
        reactiveclass A(2) { mode on { guard(x) { } } msgsrv m() { } }";
    assert_eq!(model_codes(hybrid), ["E0131", "E0131"]);
}

#[test]
fn annotations_and_modifiers_are_noticed_once() {
    let text = "@priority(1) reactiveclass A(3) { @a @priority(2) public msgsrv m(@b int x) { @a x = f(@b 1); } \
        private int f(int y) { return y; } } main { @priority(3) A a():(@c 1); }";
    assert_eq!(model_codes(text), ["N0101", "N0101", "N0102", "N0101", "N0101"]);
}

#[test]
fn features_stand_before_droppable_declarations() {
    let text = "featurevar F; @feature(F) reactiveclass A(3) { knownrebecs { @feature(F) A a; } @a @feature(!F) @feature(F) \
        msgsrv m() { @feature(F) { @feature(F) int x; } if (F) @feature(F) ; } } main { @feature(F) A a(a):(); }";
    let program = parse_model(text, &mut Diagnostics::new());
    assert!(program.is_annotated);
    let class = &program.classes[0];
    assert_eq!((class.conditions.len(), class.known[0].conditions.len(), class.members[0].conditions.len()), (1, 1, 2));
    assert_eq!(program.main.expect("a block")[0].conditions.len(), 1);
    assert_eq!(model_codes(text), ["N0101"]);
    for refused in [
        "@feature(F) env int N = 1;",
        "@feature(F) featurevar G;",
        "@feature(F) main { }",
        "reactiveclass A(3) { @feature(F) statevars { int x; } }",
        "reactiveclass A(3) { msgsrv m(@feature(F) int x) { } }",
        "reactiveclass A(3) { msgsrv m() { self.n(@feature(F) 1); } }",
        "main { A @feature(F) a():(); }",
    ] {
        assert_eq!(model_codes(refused), ["E0133"], "{refused}");
        assert_eq!(model_codes(&refused.replace("(F)", "(true)")), [] as [&str; 0], "{refused}");
    }
    assert_eq!(model_codes("@feature reactiveclass A(3) { }").len(), 1);
    assert_eq!(model_codes(&in_server("@feature(F)")).len(), 1);
    let deep = in_server(&"@feature(F) ".repeat(100_000));
    assert_eq!(model_codes(&deep), ["E0112"]);
}

#[test]
fn an_assignment_as_condition_is_warned_of() {
    let body = "if (a = b) ; while ((a = b)) ; while (a += 1) ; do ; while (a = b); for (; a = b;) ;";
    assert_eq!(model_codes(&in_server(body)), ["W0101"; 3]);
}

fn formula(text: &str) -> String {
    let text = format!("property {{ LTL {{ L: {text}; }} }}");
    let mut diagnostics = Diagnostics::new();
    let file = parse_properties(&text, &mut diagnostics);
    assert!(diagnostics.list.is_empty(), "{text}: {:?}", diagnostics.list);
    shape(&file.formulas[0].1)
}

#[test]
fn formulas() {
    assert_eq!(formula("G(F(p)) && G q"), "(And (Globally (Finally p)), (Globally q))");
    assert_eq!(formula("a -> b -> c"), "(Implies a (Implies b c))");
    assert_eq!(formula("a U b U c -> d || e"), "(Implies (Until a (Until b c)) (Or d, e))");
    assert_eq!(formula("G(!c || U(m, a -> b))"), "(Globally (Or (Not c), (Until m (Implies a b))))");
    assert_eq!(formula("(p) U (q) W r.x[1] R s"), "(Until p (WeakUntil q (Release r.x[1] s)))");
    assert_eq!(formula("[]<>p -> <> [](q)"), "(Implies (Globally (Finally p)) (Finally (Globally q)))");
    assert_eq!(formula("G []p && F<>!q"), "(And (Globally (Globally p)), (Finally (Finally (Not q))))");
    assert_eq!(formula("a.n < 1 U b.n > 2"), "(Until (Less a.n 1) (Greater b.n 2))");
    assert_eq!(formula("X !p == X q"), "(Equal (Next (Not p)) (Next q))");
    assert_eq!(formula("a.n == -1 || G.busy"), "(Or (Equal a.n (Minus 1)), G.busy)");
}

#[test]
fn until_binds_tighter_than_chains_and_says_so() {
    let read = |formula: &str| {
        let mut found = Diagnostics::new();
        let file = parse_properties(&format!("property {{ LTL {{ F: {formula}; }} }}"), &mut found);
        let codes: Vec<&str> = found.list.iter().map(|one| one.code.as_str()).collect();
        (shape(&file.formulas[0].1), codes)
    };
    for (loose, tight, remarks) in [
        ("a && b U c", "a && (b U c)", 1),
        ("a U b || c", "(a U b) || c", 1),
        ("a U b && c W d", "(a U b) && (c W d)", 2),
        ("a || b && c R d R e", "a || (b && (c R (d R e)))", 1),
        ("a U (b && c) -> !d U e", "(a U (b && c)) -> ((!d) U e)", 0),
    ] {
        assert_eq!(read(loose), (read(tight).0, vec!["W0401"; remarks]), "{loose}");
        assert!(read(tight).1.is_empty(), "{tight}");
    }
}

#[test]
fn property_files_keep_their_order() {
    let mut diagnostics = Diagnostics::new();
    let text = "property { define { a = x.y; G = a && b; } LTL { L: F a; } Assertion { A: a -> b; } LTL { M: a; ; } }";
    let file = parse_properties(text, &mut diagnostics);
    assert!(diagnostics.list.is_empty(), "{:?}", diagnostics.list);
    assert_eq!(file.order, [(true, 0), (false, 0), (true, 1)]);
    assert!(matches!(file.assertions[0].1.kind, ExprKind::Temporal2(Temporal2::Implies, ..)));
    assert_eq!(file.definitions.len(), 2);
}

#[test]
fn faults_of_property_files() {
    let assertion = |text: &str| property_codes(&format!("property {{ Assertion {{ A: {text}; B: a; }} }}"));
    assert_eq!(assertion("G(a) && F b"), ["E0141", "E0141"]);
    assert_eq!(assertion("a U b"), ["E0141"]);
    assert_eq!(assertion("U(a, b)"), ["E0141"]);
    assert_eq!(assertion("[]a"), ["E0141"]);
    assert_eq!(assertion("a && b U c"), ["E0141"]);
    assert_eq!(assertion("a => b"), ["E0125"]);
    assert_eq!(assertion("a = b"), ["E0142"]);
    assert_eq!(assertion("a++ == 1"), ["E0142"]);
    assert_eq!(assertion("?(a, b)"), ["E0142"]);
    assert_eq!(assertion("a b"), ["E0110"]);
    assert_eq!(
        property_codes("property { Ltl { a } define { x = 1 y = ; z = 3; } LTL { A G(a); }"),
        ["E0111", "E0140", "E0110", "E0110"]
    );
    assert_eq!(property_codes("property { LTL { A: a; } } x"), ["E0110"]);
    assert_eq!(property_codes("reactiveclass A(2) { }"), ["E0127"]);
    assert_eq!(property_codes(""), ["E0110"]);
    assert_eq!(model_codes("property { LTL { A: a; } }"), ["E0127"]);
    assert!(model_codes("").is_empty());
}

#[test]
fn binary_spans_reach_over_both_operands() {
    let text = in_server("x = a * b + c;");
    let sum = expression("a * b + c");
    assert!(matches!(sum.kind, ExprKind::Binary(BinaryOp::On(crate::model::BinaryOp::Add), ..)));
    assert_eq!(&text[sum.span.range(text.len())], "a * b + c");
}

#[test]
fn the_limit_of_nesting_is_a_level_count() {
    let deep = |levels: usize| in_server(&format!("x = {}1{};", "(".repeat(levels), ")".repeat(levels)));
    assert!(model_codes(&deep(MAX_NESTING - 10)).is_empty());
    assert_eq!(model_codes(&deep(MAX_NESTING + 1)), ["E0112"]);
    let sum = |terms: usize| in_server(&format!("x = 1{};", " + 1".repeat(terms)));
    assert!(model_codes(&sum(MAX_NESTING - 10)).is_empty());
    assert_eq!(model_codes(&sum(MAX_NESTING)), ["E0112"]);
    assert!(model_codes(&in_server(&format!("x = a{};", " && a".repeat(100_000)))).is_empty());
}

#[test]
fn members_behind_one_that_is_too_deep_are_read() {
    let text = format!(
        "reactiveclass A(3) {{ public msgsrv m() {{ {}{} }} msgsrv n() {{ a = ; }} }} main {{ A a; }}",
        "{".repeat(1000),
        "}".repeat(1000)
    );
    assert_eq!(model_codes(&text), ["N0102", "E0112", "E0110", "E0115"]);
    let field =
        format!("reactiveclass A(3) {{ statevars {{ int[2] x = {}{}; int 3; }} }}", "{".repeat(999), "}".repeat(999));
    assert_eq!(model_codes(&field), ["E0112", "E0110"]);
    let property = format!("property {{ LTL {{ A: {}a; B: G; }} }}", "!".repeat(999));
    assert_eq!(property_codes(&property), ["E0112", "E0110"]);
}
