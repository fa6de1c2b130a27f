//! Statements as text.

use super::super::{Arm, Block, Body, Class, Local, Rvalue, Stmt, StmtKind};
use super::Printer;
use super::expressions::{Names, level};

impl<'a> Printer<'a> {
    /// `head { statements }` with the names of a body.
    pub(super) fn body(&mut self, head: &str, class: &Class, body: &Body) {
        let names = Names { model: self.model, scope: Some((class, body)) };
        self.block(head, names, &body.block);
    }

    fn block(&mut self, head: &str, names: Names<'_>, block: &Block) {
        self.open(head);
        self.statements(names, block);
        self.close();
    }

    fn statements(&mut self, names: Names<'_>, block: &Block) {
        for stmt in block {
            self.statement(names, stmt);
        }
    }

    fn statement(&mut self, names: Names<'_>, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::If { .. } => self.conditional("", names, stmt),
            StmtKind::Loop { condition, body, update } => {
                let condition = names.expr(condition);
                let updates: Vec<String> = update.iter().map(|stmt| simple(names, stmt)).collect();
                let head = match update.is_empty() {
                    true => format!("while ({condition})"),
                    false => format!("for (; {condition}; {})", updates.join(", ")),
                };
                self.block(&head, names, body);
            }
            StmtKind::ForEach { set, body, .. } => {
                let head = format!("forEachValueOf({})", self.model.scalar_set(*set).name);
                self.block(&head, names, body);
            }
            StmtKind::Switch { value, arms } => {
                self.open(&format!("switch ({})", names.expr(value)));
                for arm in arms {
                    self.arm(names, arm);
                }
                self.close();
            }
            StmtKind::Block(block) => self.block("", names, block),
            _ => self.line(&format!("{};", simple(names, stmt))),
        }
    }

    /// An `if` with its chain of `else if`.
    fn conditional(&mut self, before: &str, names: Names<'_>, stmt: &Stmt) {
        let StmtKind::If { condition, then, otherwise } = &stmt.kind else { return };
        self.open(&format!("{before}if ({})", names.expr(condition)));
        self.statements(names, then);
        self.level -= 1;
        match &otherwise[..] {
            [] => self.line("}"),
            [only] if matches!(only.kind, StmtKind::If { .. }) => self.conditional("} else ", names, only),
            _ => self.block("} else", names, otherwise),
        }
    }

    fn arm(&mut self, names: Names<'_>, arm: &Arm) {
        for label in &arm.labels {
            self.line(&format!("case {label}:"));
        }
        if arm.is_default {
            self.line("default:");
        }
        self.level += 1;
        self.statements(names, &arm.block);
        self.level -= 1;
    }
}

/// A statement of one line, without its semicolon.
fn simple(names: Names<'_>, stmt: &Stmt) -> String {
    match &stmt.kind {
        StmtKind::Let { local, value } => {
            let local = &names.scope.expect("statements stand in a body").1.locals[local.index()];
            let declared = declaration(names, local);
            value.as_ref().map_or(declared.clone(), |value| format!("{declared} = {}", rvalue(names, value)))
        }
        StmtKind::Assign { place, value } => format!("{} = {}", names.place(place), rvalue(names, value)),
        StmtKind::Do(value) => rvalue(names, value),
        StmtKind::Send { receiver, message, arguments, .. } => {
            format!("{}.{message}({})", names.at(receiver, level::PRIMARY), names.list(arguments))
        }
        StmtKind::Assert { condition, message: None } => format!("assertion({})", names.expr(condition)),
        StmtKind::Assert { condition, message: Some(message) } => {
            format!("assertion({}, {})", names.expr(condition), quoted(message))
        }
        StmtKind::Break => "break".to_owned(),
        StmtKind::Continue => "continue".to_owned(),
        StmtKind::Return(None) => "return".to_owned(),
        StmtKind::Return(Some(value)) => format!("return {}", names.expr(value)),
        other => panic!("{other:?} is not a statement of one line"),
    }
}

fn declaration(names: Names<'_>, local: &Local) -> String {
    Printer::new(names.model).declarator(&local.name, local.sort, &local.dimensions, &mut |_| false)
}

fn rvalue(names: Names<'_>, value: &Rvalue) -> String {
    match value {
        Rvalue::Expr(expr) => names.expr(expr),
        Rvalue::Choose(options) => format!("?({})", names.list(options)),
        Rvalue::Call { method, arguments } => {
            let (class, _) = names.scope.expect("statements stand in a body");
            format!("{}({})", class.methods[method.index()].name, names.list(arguments))
        }
        Rvalue::New { class, known, arguments } => {
            let class = &names.model.class(*class).name;
            format!("new {class}({}):({})", names.list(known), names.list(arguments))
        }
    }
}

/// A string literal.
fn quoted(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for character in text.chars() {
        match character {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\t' => quoted.push_str("\\t"),
            '\r' => quoted.push_str("\\r"),
            character if character.is_control() => quoted += &format!("\\u{:04x}", u32::from(character)),
            character => quoted.push(character),
        }
    }
    quoted.push('"');
    quoted
}
