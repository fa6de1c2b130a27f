//! Rebeca text of a generated model and of its property file.
//!
//! Parentheses are written only where Java's precedence requires them, so that the parser's precedence is tested too.

use std::fmt::Write;

use super::spec::{Axis, ClassSpec, Expr, Form, KnownSpec, MemberKind, MemberSpec, ModelSpec, Node, Sort, Stmt};

/// The text of the model.
pub fn model(spec: &ModelSpec) -> String {
    let mut out = String::new();
    for (name, value) in &spec.environment {
        line(&mut out, 0, &format!("env int {name} = {value};"));
    }
    for name in &spec.features {
        line(&mut out, 0, &format!("featurevar {name};"));
    }
    for class in &spec.classes {
        render_class(&mut out, spec, class);
    }
    line(&mut out, 0, "main {");
    for rebec in &spec.rebecs {
        let (known, arguments) = (list(&rebec.known), list(&rebec.arguments));
        line(&mut out, 1, &format!("{} {}({known}):({arguments});", rebec.class, rebec.name));
    }
    line(&mut out, 0, "}");
    out
}

/// The text of the property file; `None` when the model has no properties.
pub fn properties(spec: &ModelSpec) -> Option<String> {
    if spec.invariants.is_empty() {
        return None;
    }
    let mut out = String::from("property {\n");
    if !spec.definitions.is_empty() {
        line(&mut out, 1, "define {");
        for (name, value) in &spec.definitions {
            line(&mut out, 2, &format!("{name} = {};", expression(value)));
        }
        line(&mut out, 1, "}");
    }
    line(&mut out, 1, "Assertion {");
    for (name, value) in &spec.invariants {
        line(&mut out, 2, &format!("{name}: {};", expression(value)));
    }
    line(&mut out, 1, "}");
    out.push_str("}\n");
    Some(out)
}

fn line(out: &mut String, depth: usize, text: &str) {
    writeln!(out, "{:1$}{text}", "", depth * 2).expect("writing to a string");
}

/// The keyword or name of a sort.
pub fn sort_name(sort: &Sort) -> &str {
    match sort {
        Sort::Bool => "boolean",
        Sort::Byte => "byte",
        Sort::Short => "short",
        Sort::Int => "int",
        Sort::Rebec(name) | Sort::Scalar(name) => name,
        Sort::AnyRebec => unreachable!("no variable has the sort of sender"),
    }
}

fn render_class(out: &mut String, spec: &ModelSpec, class: &ClassSpec) {
    let keyword = match class.form {
        Form::Reactive => "reactiveclass",
        Form::Abstract => "abstract reactiveclass",
        Form::Interface => "interface",
    };
    let extends = class.extends.as_ref().map(|name| format!(" extends {name}")).unwrap_or_default();
    let implements = class.implements.as_ref().map(|name| format!(" implements {name}")).unwrap_or_default();
    let bound = if class.form == Form::Interface { String::new() } else { format!("({})", class.bound) };
    line(out, 0, &format!("{keyword} {}{extends}{implements}{bound} {{", class.name));
    if class.form != Form::Interface {
        let known: Vec<String> =
            class.known.iter().enumerate().map(|(at, known)| known_text(class, at, known)).collect();
        line(out, 1, &format!("knownrebecs {{ {}}}", known.concat()));
        line(out, 1, "statevars {");
        for variable in &class.variables {
            let (mut dimensions, mut group) = (String::new(), String::new());
            for axis in &variable.axes {
                match axis {
                    Axis::Array(length) => write!(dimensions, "[{length}]").expect("writing to a string"),
                    Axis::Set(name) => write!(group, "[{name}]").expect("writing to a string"),
                }
            }
            line(out, 2, &format!("{}{dimensions} {}{group};", sort_name(&variable.sort), variable.name));
        }
        line(out, 1, "}");
    }
    for member in &class.members {
        render_member(out, spec, class, member);
    }
    line(out, 0, "}");
}

fn known_text(class: &ClassSpec, at: usize, known: &KnownSpec) -> String {
    let Some(set) = class.set.as_ref().filter(|_| known.is_grouped) else {
        return format!("{} {}; ", known.class, known.name);
    };
    // The first group introduces the set, later ones use it.
    if class.known[..at].iter().any(|earlier| earlier.is_grouped) {
        return format!("{} {}[{}]; ", known.class, known.name, set.name);
    }
    let high = i64::from(set.low) + set.size as i64 - 1;
    format!("{} {}[{}:{}..{high}]; ", known.class, known.name, set.name, set.low)
}

fn render_member(out: &mut String, spec: &ModelSpec, class: &ClassSpec, member: &MemberSpec) {
    let head = match &member.kind {
        MemberKind::Start if spec.is_dialect_20 => "msgsrv initial".to_owned(),
        MemberKind::Start => class.name.clone(),
        MemberKind::Server => format!("msgsrv {}", member.name),
        MemberKind::Method(result) => format!("{} {}", result.as_ref().map_or("void", sort_name), member.name),
    };
    let parameters: Vec<String> =
        member.parameters.iter().map(|(name, sort)| format!("{} {name}", sort_name(sort))).collect();
    let parameters = parameters.join(", ");
    match &member.body {
        Some(body) => {
            line(out, 1, &format!("{head}({parameters}) {{"));
            block(out, 2, body);
            line(out, 1, "}");
        }
        None if class.form == Form::Interface => line(out, 1, &format!("{head}({parameters});")),
        None => line(out, 1, &format!("abstract {head}({parameters});")),
    }
}

fn block(out: &mut String, depth: usize, body: &[Stmt]) {
    for stmt in body {
        statement(out, depth, stmt);
    }
}

fn statement(out: &mut String, depth: usize, stmt: &Stmt) {
    let (open, inner): (String, &[Stmt]) = match stmt {
        Stmt::If(condition, then, otherwise) => {
            line(out, depth, &format!("if ({}) {{", expression(condition)));
            block(out, depth + 1, then);
            if otherwise.is_empty() {
                return line(out, depth, "}");
            }
            ("} else {".to_owned(), otherwise)
        }
        Stmt::While(condition, body) => (format!("while ({}) {{", expression(condition)), body),
        Stmt::DoWhile(body, condition) => {
            line(out, depth, "do {");
            block(out, depth + 1, body);
            return line(out, depth, &format!("}} while ({});", expression(condition)));
        }
        Stmt::For(name, limit, body) => {
            (format!("for (int {name} = 0; {name} < {}; {name}++) {{", operand(limit, 9)), body)
        }
        Stmt::ForEach(set, body) => (format!("forEachValueOf({set}) {{"), body),
        Stmt::Block(body) => ("{".to_owned(), body),
        Stmt::Switch(value, arms) => {
            line(out, depth, &format!("switch ({}) {{", expression(value)));
            for (labels, body) in arms {
                let labels: Vec<String> = labels.iter().map(|label| format!("case {label}:")).collect();
                line(out, depth + 1, if labels.is_empty() { "default:".to_owned() } else { labels.join(" ") }.as_str());
                block(out, depth + 2, body);
            }
            return line(out, depth, "}");
        }
        _ => return line(out, depth, &simple(stmt)),
    };
    line(out, depth, &open);
    block(out, depth + 1, inner);
    line(out, depth, "}");
}

/// The text of a statement without a block.
fn simple(stmt: &Stmt) -> String {
    match stmt {
        Stmt::Assign(place, operator, value) => format!("{} {operator} {};", expression(place), expression(value)),
        Stmt::Step(place, operator) => format!("{}{operator};", expression(place)),
        Stmt::Local { name, sort, length: Some(length), .. } => format!("{}[{length}] {name};", sort_name(sort)),
        Stmt::Local { name, sort, value: Some(value), .. } => {
            format!("{} {name} = {};", sort_name(sort), expression(value))
        }
        Stmt::Local { name, sort, .. } => format!("{} {name};", sort_name(sort)),
        Stmt::Break => "break;".to_owned(),
        Stmt::Continue => "continue;".to_owned(),
        Stmt::Return(Some(value)) => format!("return {};", expression(value)),
        Stmt::Return(None) => "return;".to_owned(),
        Stmt::Send(receiver, message, arguments) => {
            format!("{}.{message}({});", operand(receiver, 13), list(arguments))
        }
        Stmt::Do(value) => format!("{};", expression(value)),
        Stmt::Assert(condition, true) => format!("assertion({}, \"as it should be\");", expression(condition)),
        Stmt::Assert(condition, false) => format!("assertion({});", expression(condition)),
        _ => unreachable!("statements with blocks are rendered by their caller"),
    }
}

/// The words of a statement's own text without its blocks: the names that it depends on.
pub fn words(stmt: &Stmt) -> Vec<String> {
    let mut bare = stmt.clone();
    for inner in bare.blocks_mut() {
        inner.clear();
    }
    let mut text = String::new();
    statement(&mut text, 0, &bare);
    split_words(&text)
}

/// The words of an expression.
pub fn expression_words(value: &Expr) -> Vec<String> {
    split_words(&expression(value))
}

fn split_words(text: &str) -> Vec<String> {
    text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect()
}

/// The text of an expression.
pub fn expression(value: &Expr) -> String {
    match &value.node {
        Node::Atom(text) => text.clone(),
        Node::Unary(operator, a) => format!("{operator}{}", unary_operand(operator, a)),
        Node::Postfix(operator, a) => format!("{}{operator}", expression(a)),
        Node::Binary(operator, a, b) => {
            let level = precedence(operator);
            format!("{} {operator} {}", operand(a, level), operand(b, level + 1))
        }
        Node::Ternary(c, a, b) => format!("{} ? {} : {}", operand(c, 2), operand(a, 2), operand(b, 2)),
        Node::Choose(options) => format!("?({})", list(options)),
        Node::Index(name, indices) => {
            let indices: Vec<String> = indices.iter().map(|index| format!("[{}]", expression(index))).collect();
            format!("{name}{}", indices.concat())
        }
        Node::Call(name, arguments) => format!("{name}({})", list(arguments)),
        Node::Cast(sort, a) => format!("({sort}){}", unary_operand("()", a)),
        Node::InstanceOf(a, class) => format!("{} instanceof {class}", operand(a, 9)),
        Node::New(class, known, arguments) => format!("new {class}({}):({})", list(known), list(arguments)),
    }
}

/// `- -x` and `(T)-x` read as something else without parentheses.
fn unary_operand(operator: &str, value: &Expr) -> String {
    let is_ambiguous = matches!(value.node, Node::Unary(..) | Node::Cast(..)) && operator != "!";
    if is_ambiguous { format!("({})", expression(value)) } else { operand(value, 12) }
}

fn list(values: &[Expr]) -> String {
    values.iter().map(expression).collect::<Vec<_>>().join(", ")
}

/// The text of an operand that binds at least as tightly as `level`.
fn operand(value: &Expr, level: usize) -> String {
    let own = match &value.node {
        Node::Ternary(..) => 1,
        Node::Binary(operator, ..) => precedence(operator),
        Node::InstanceOf(..) => 8,
        Node::Unary(..) | Node::Cast(..) => 12,
        Node::New(..) => 1,
        _ => 14,
    };
    if own < level { format!("({})", expression(value)) } else { expression(value) }
}

fn precedence(operator: &str) -> usize {
    match operator {
        "||" => 2,
        "&&" => 3,
        "|" => 4,
        "^" => 5,
        "&" => 6,
        "==" | "!=" => 7,
        "<" | "<=" | ">" | ">=" => 8,
        "<<" | ">>" | ">>>" => 9,
        "+" | "-" | "+%" => 10,
        "*" | "/" | "%" => 11,
        _ => unreachable!("no operator {operator} is generated"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::spec::{Expr, Node, Sort};
    use super::{expression, expression_words};

    #[test]
    fn parentheses_follow_precedence() {
        let sum = Expr::binary(Sort::Int, "+", Expr::int(1), Expr::int(2));
        let product = Expr::binary(Sort::Int, "*", sum.clone(), Expr::int(3));
        assert_eq!(expression(&product), "(1 + 2) * 3");
        let left = Expr::binary(Sort::Int, "-", sum.clone(), Expr::int(4));
        assert_eq!(expression(&left), "1 + 2 - 4");
        let right = Expr::binary(Sort::Int, "-", Expr::int(4), sum);
        assert_eq!(expression(&right), "4 - (1 + 2)");
        let minus = Expr { sort: Sort::Int, node: Node::Unary("-", Box::new(Expr::int(-2))) };
        assert_eq!(expression(&minus), "-(-2)");
    }

    #[test]
    fn words_are_names_and_numbers() {
        let index = Expr { sort: Sort::Bool, node: Node::Index("r0.v1".to_owned(), vec![Expr::int(2)]) };
        assert_eq!(expression_words(&index), ["r0", "v1", "2"]);
    }
}
