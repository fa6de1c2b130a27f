//! The formatter on models, property files and awkward comments.

use super::{Text, format, same_tokens};
use crate::diagnostics::Diagnostics;
use crate::syntax::lex_with_comments;

/// Formats and checks both invariants: the same tokens, and a fixed point.
#[track_caller]
fn formatted(text: &str) -> String {
    let formatted = format(text).unwrap_or_else(|diagnostics| panic!("{text}: {:?}", diagnostics.list));
    let tokens = |text: &str| lex_with_comments(text, &mut Diagnostics::new());
    let (before, after) = (tokens(text), tokens(&formatted));
    let is_same = same_tokens(Text { text, tokens: &before }, Text { text: &formatted, tokens: &after });
    assert!(is_same, "{text}\n{formatted}");
    assert_eq!(format(&formatted).unwrap(), formatted, "formatting again changes the text");
    assert!(formatted.lines().all(|line| line.trim_end() == line), "white space at a line's end: {formatted:?}");
    formatted
}

#[track_caller]
fn check_body(body: &str, expected: &str) {
    let text = format!("reactiveclass A(3) {{ msgsrv m() {{ {body} }} }}");
    let formatted = formatted(&text);
    let lines: Vec<&str> = formatted.lines().map(|line| line.strip_prefix("    ").unwrap_or(line)).collect();
    assert_eq!(lines[2..lines.len() - 2].join("\n"), expected.trim_matches('\n'));
}

#[test]
fn a_whole_model() {
    let text = "env int N=4;reactiveclass  Fork extends A implements I,J (3)
{


knownrebecs{Phil philL,philR;Node k [ t : 1 .. 2 ];} statevars { } // state

Fork (int n){busy=false ;; }msgsrv   request ( ) {}


interfaceFree();} }";
    assert!(format(text).is_err());
    let text = text.replace(
        "\n\n\ninterfaceFree();} }",
        "\n\n\nabstract void f(int[2] a , Node b);}main{Fork f ( a ,b ) : ( 1,-2 ) ;}",
    );
    let expected = "\
env int N = 4;
reactiveclass Fork extends A implements I, J(3) {
  knownrebecs {
    Phil philL, philR;
    Node k[t:1..2];
  }
  statevars { } // state

  Fork(int n) {
    busy = false;;
  }
  msgsrv request() { }

  abstract void f(int[2] a, Node b);
}
main {
  Fork f(a, b):(1, -2);
}
";
    assert_eq!(formatted(&text), expected);
}

#[test]
fn statements() {
    check_body("if(a){b();}else if (c) d(); else{e();}", "if (a) {\n  b();\n} else if (c) d();\nelse {\n  e();\n}");
    check_body(
        "for(int i=0,j;i<3;i++,j-=1){} for(;;)break;",
        "for (int i = 0, j; i < 3; i++, j -= 1) { }\nfor (;;) break;",
    );
    check_body("do{a();}while(b);while(c);", "do {\n  a();\n} while (b);\nwhile (c);");
    check_body("forEachValueOf ( t ) {f[t]=true;}", "forEachValueOf(t) {\n  f[t] = true;\n}");
    let switch = "switch (a) {\n  case 1:\n  case -2:\n    b();\n    break;\n  default:\n    {\n      c();\n    }\n}";
    check_body("switch(a){case 1:case -2:b();break;default:{c();}}", switch);
    check_body("int [2][3] x={{1,2},{3}},y; return-1;", "int[2][3] x = {{1, 2}, {3}}, y;\nreturn -1;");
    check_body("self . do ( ); a.if();", "self.do();\na.if();");
}

#[test]
fn operators() {
    check_body("x=- -a+ +b- -c;", "x = - -a + +b - -c;");
    check_body("x=a++ + ++b- --c;", "x = a++ + ++b - --c;");
    check_body("x=?(1,2)+%3;", "x = ?(1, 2) +% 3;");
    check_body("x=c?-1:?(a?b:c,2);", "x = c ? -1 : ?(a ? b : c, 2);");
    check_body("x=(int) pow (2,p)*( a+b ) -((Node) sender ).n;", "x = (int)pow(2, p) * (a + b) - ((Node)sender).n;");
    check_body("x=(byte) -1>>>2; y>>>=(a)-b;", "x = (byte)-1 >>> 2;\ny >>>= (a) - b;");
    check_body("x=!a&&~b!=0||c instanceof D;", "x = !a && ~b != 0 || c instanceof D;");
    check_body("n=new A( b ):( 1 );", "n = new A(b):(1);");
    check_body("a=b?new A():(1):c;", "a = b ? new A() : (1):c;");
}

#[test]
fn comments() {
    check_body(
        "a(); // one\nb(); /* two */ /* three */\n/* four */ c();",
        "a(); // one\nb(); /* two */ /* three */\n/* four */ c();",
    );
    check_body("a(); /* b */ c();", "a();\n/* b */ c();");
    check_body("a(); /* last */", "a(); /* last */");
    check_body("if (a) { // why\n b(); } // then\n else { }", "if (a) { // why\n  b();\n} // then\nelse { }");
    check_body(
        "x = a + // first\n b /* second */ - f(/* third */ c /* fourth */);",
        "x = a + // first\n    b /* second */ - f(/* third */ c /* fourth */);",
    );
    check_body("if (a) {\n // nothing\n }\n\n\n // end\n", "if (a) {\n  // nothing\n}\n\n// end");
    check_body("if (a) { /* nothing */ }", "if (a) { /* nothing */\n}");
    check_body("/* a\n   b */ c();", "/* a\n   b */ c();");
    check_body(
        "switch (a) { // s\n case 1: // one\n b(); /* two */ case 2: }",
        "switch (a) { // s\n  case 1: // one\n    b();\n  /* two */ case 2:\n}",
    );
    let head = "// head\r\n\r\n\r\n/* x */ env int N = 1; // n\r\n// tail";
    assert_eq!(formatted(head), "// head\n\n/* x */ env int N = 1; // n\n// tail\n");
    assert_eq!(formatted("  // only  "), "// only\n");
    assert_eq!(formatted(""), "");
}

#[test]
fn annotations_keep_their_lines() {
    let text = "@priority ( 1 )\n  @other msgsrv m ( ) { }";
    let expected = "reactiveclass A(3) {\n  @priority(1)\n  @other msgsrv m() { }\n}\n";
    assert_eq!(formatted(&format!("reactiveclass A(3) {{ {text} }}")), expected);
}

#[test]
fn features_are_kept() {
    let text = "@feature ( ! F&&G )\nmsgsrv m ( ) { @feature(F) { x=1; } @feature(!F)\n int y; }";
    let text = formatted(&format!("featurevar F,G; @feature( F ) reactiveclass A(3) {{ {text} }}"));
    assert!(
        text.contains("@feature(!F && G)\n  msgsrv m()") && text.contains("@feature(F) reactiveclass A(3)"),
        "{text}"
    );
    assert!(text.contains("@feature(!F)\n    int y;"), "{text}");
    assert_eq!(formatted(&text), text);
}

#[test]
fn long_lines_keep_their_breaks() {
    let operand = "(node1.leaderId == node2.leaderId)";
    let text = format!("property {{ define {{ a = {operand} &&\n{operand} &&\n {operand} && b &&\nc; }} }}");
    let expected = format!(
        "property {{\n  define {{\n    a = {operand} && {operand} &&\n        {operand} && b && c;\n  }}\n}}\n"
    );
    assert_eq!(formatted(&text), expected);
}

#[test]
fn property_files() {
    let text = "property{define{a=x.y[1]>=-1;}Assertion{Safe : !(a)->b;}LTL{L:G (F( a ))&&a U ( b )||U(a,b);M : G !a;N:G F X p;O : []<> ( p )->[ ] !q && < >[] r;}}";
    let expected = "\
property {
  define {
    a = x.y[1] >= -1;
  }
  Assertion {
    Safe: !(a) -> b;
  }
  LTL {
    L: G(F(a)) && a U (b) || U(a, b);
    M: G !a;
    N: G F X p;
    O: []<>(p) -> []!q && <>[]r;
  }
}
";
    assert_eq!(formatted(text), expected);
}

#[test]
fn faulty_text_is_refused() {
    let codes = |text: &str| format(text).unwrap_err().list.iter().map(|d| d.code.as_str()).collect::<Vec<_>>();
    assert_eq!(codes("reactiveclass A(3) { msgsrv m() { a = ; } }"), ["E0110"]);
    assert_eq!(codes("env int N = 08;"), ["E0105"]);
    assert_eq!(codes("property { LTL { A: a"), ["E0110"]);
}
