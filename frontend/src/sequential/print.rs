//! Canonical text: [`print`](fn@print) gives a text that parses back to the same process, up to spans.
//!
//! Constants are printed with their values; bounds, tables and uses of constants are evaluated already. Parentheses are
//! written only where precedence requires them; a quantifier needs none where its body may extend to the end.

use std::fmt::Write as _;

use super::syntax::{binary_level, written};
use super::{
    Domain, Expr, ExprKind, Formula, Initial, PropertyKind, Quantified, Sequential, SortId, Stmt, StmtKind, Summand,
    ValueKind,
};

/// The text of a process.
pub fn print(model: &Sequential) -> String {
    let mut printer = Printer { model, out: String::new(), scope: Vec::new() };
    printer.definitions();
    printer.process();
    printer.initial();
    printer.claims();
    assert!(printer.scope.is_empty(), "every binder ends in the text");
    printer.out
}

/// The text of an expression with these names for the parameters in scope.
pub fn print_expression(model: &Sequential, expr: &Expr, parameters: &[&str]) -> String {
    let scope = parameters.iter().map(|&name| name.to_owned()).collect();
    let mut printer = Printer { model, out: String::new(), scope };
    printer.expression(expr, IMPLIES, true);
    assert!(printer.scope.len() == parameters.len(), "every binder ends in the text");
    printer.out
}

/// The text of a formula.
pub fn print_formula(model: &Sequential, formula: &Formula) -> String {
    let mut printer = Printer { model, out: String::new(), scope: Vec::new() };
    printer.formula(formula);
    printer.out
}

const IMPLIES: u8 = 1;
const OR: u8 = 2;
const AND: u8 = 3;
const UNARY: u8 = 7;

/// Longer lists of variables and initial values are printed with one line per item.
const LONG: usize = 100;

struct Printer<'a> {
    model: &'a Sequential,
    out: String,
    /// The names of the binders in scope.
    scope: Vec<String>,
}

impl Printer<'_> {
    fn put(&mut self, text: &str) {
        self.out.push_str(text);
    }

    fn definitions(&mut self) {
        let model = self.model;
        // The sorts come first: constants and tables may hold members of enumerations.
        for sort in model.sorts.iter().skip(2) {
            let domain = match &sort.domain {
                Domain::Range { low, high } | Domain::Numbers { low, high } => format!("{low}..{high}"),
                Domain::Members(names) => {
                    let names: Vec<_> = names.iter().map(|name| written(name)).collect();
                    format!("{{ {} }}", names.join(", "))
                }
                Domain::Part { of, low, high } => {
                    format!("{}..{}", self.sorted(*of, *low), self.sorted(*of, *high))
                }
            };
            let _ = writeln!(self.out, "type {} : {domain};", written(&sort.name));
        }
        for constant in &model.constants {
            let value = self.value(constant.kind, constant.value);
            let _ = writeln!(self.out, "const {} = {value};", written(&constant.name));
        }
        for table in &model.tables {
            let values: Vec<String> = table.values.iter().map(|&value| self.value(table.kind, value)).collect();
            let indices = self.sorts(&table.indices);
            let _ = writeln!(self.out, "const {}{indices} = [{}];", written(&table.name), values.join(", "));
        }
        if !self.out.is_empty() {
            self.put("\n");
        }
    }

    fn sorts(&self, sorts: &[SortId]) -> String {
        sorts.iter().map(|&sort| format!("[{}]", self.sort(sort))).collect()
    }

    fn sort(&self, sort: SortId) -> String {
        written(&self.model.sort(sort).name).into_owned()
    }

    /// A value of a kind.
    fn value(&self, kind: ValueKind, value: i32) -> String {
        self.model.member_name(kind, value).map_or_else(|| value.to_string(), |name| written(name).into_owned())
    }

    /// A value of a sort.
    fn sorted(&self, sort: SortId, value: i32) -> String {
        self.value(self.model.kind_of(sort), value)
    }

    fn process(&mut self) {
        let model = self.model;
        let variable = |variable: &super::Variable| {
            format!("{} : {}{}", written(&variable.name), self.sort(variable.sort), self.sorts(&variable.indices))
        };
        let variables: Vec<String> = model.variables.iter().map(variable).collect();
        let _ = write!(self.out, "proc {}", written(&model.name));
        self.enclosed(&variables);
        if let Some(fair) = model.fair {
            let _ = write!(self.out, " fair {}", self.sort(fair));
        }
        self.put(" =\n");
        for (number, summand) in model.summands.iter().enumerate() {
            self.put(if number == 0 { "    " } else { "\n  + " });
            self.summand(summand);
        }
        self.put(";\n\n");
    }

    fn summand(&mut self, summand: &Summand) {
        for parameter in &summand.parameters {
            let _ = write!(self.out, "sum {}:{} . ", written(&parameter.name), self.sort(parameter.sort));
        }
        self.scope = summand.parameters.iter().map(|parameter| parameter.name.clone()).collect();
        self.put("[");
        self.condition(&summand.guard);
        let _ = write!(self.out, "] {}", written(&summand.event));
        if !summand.arguments.is_empty() {
            self.put("(");
            self.list(&summand.arguments);
            self.put(")");
        }
        self.put(" ");
        self.block(&summand.body, 1);
        let _ = write!(self.out, " -> {}", written(&self.model.name));
        self.scope.clear();
    }

    fn block(&mut self, body: &[Stmt], depth: usize) {
        if body.is_empty() {
            return self.put("{ }");
        }
        self.put("{");
        for stmt in body {
            let _ = write!(self.out, "\n{:width$}", "", width = 4 * (depth + 1));
            self.statement(stmt, depth + 1);
        }
        let _ = write!(self.out, "\n{:width$}}}", "", width = 4 * depth);
    }

    fn statement(&mut self, stmt: &Stmt, depth: usize) {
        match &stmt.kind {
            StmtKind::Assign(place, value) => {
                self.put(&written(&self.model.variable(place.variable).name));
                self.indices(&place.indices);
                self.put(" := ");
                self.expression(value, IMPLIES, true);
                self.put(";");
            }
            StmtKind::If(condition, then, otherwise) => {
                self.put("if (");
                self.condition(condition);
                self.put(") ");
                self.block(then, depth);
                match otherwise.as_slice() {
                    [] => {}
                    [only] if matches!(only.kind, StmtKind::If(..)) => {
                        self.put(" else ");
                        self.statement(only, depth);
                    }
                    _ => {
                        self.put(" else ");
                        self.block(otherwise, depth);
                    }
                }
            }
            StmtKind::Var(local, value) => {
                let local = self.model.variable(*local);
                let sort = self.sort(local.sort);
                let _ = write!(self.out, "var {} : {sort}{} := ", written(&local.name), self.sorts(&local.indices));
                self.expression(value, IMPLIES, true);
                self.put(";");
            }
            StmtKind::For(parameter, body) => {
                let _ = write!(self.out, "for {}:{} ", written(&parameter.name), self.sort(parameter.sort));
                self.scope.push(parameter.name.clone());
                self.block(body, depth);
                self.scope.pop();
            }
            StmtKind::While(condition, body) => {
                self.put("while (");
                self.condition(condition);
                self.put(") ");
                self.block(body, depth);
            }
            StmtKind::Fail(text) => {
                let _ = write!(self.out, "fail \"{text}\";");
            }
        }
    }

    fn initial(&mut self) {
        let model = self.model;
        let any = model.variables.iter().all(|variable| variable.initial == Initial::Any);
        if any && !model.variables.is_empty() && model.starts.is_empty() {
            let _ = writeln!(self.out, "init {}(*);", written(&model.name));
            return;
        }
        let value = |variable: &super::Variable| match &variable.initial {
            Initial::Any => format!("{} = *", written(&variable.name)),
            Initial::Values(values) => self.initial_values(variable, values),
        };
        let values: Vec<String> = model.variables.iter().map(value).collect();
        let _ = write!(self.out, "init {}", written(&model.name));
        self.enclosed(&values);
        self.put(";\n");
        for start in &model.starts {
            let own = |variable: &super::Variable| variable.offset..variable.offset + model.len_of(variable);
            let value = |variable| self.initial_values(variable, &start[own(variable)]);
            let values: Vec<String> = model.variables.iter().map(value).collect();
            let _ = write!(self.out, "init {}", written(&model.name));
            self.enclosed(&values);
            self.put(";\n");
        }
    }

    /// Items in parentheses: on one line, or one per line where that would be too long.
    fn enclosed(&mut self, items: &[String]) {
        let width: usize = items.iter().map(|item| item.len() + 2).sum();
        if width <= LONG {
            let _ = write!(self.out, "({})", items.join(", "));
        } else {
            let _ = write!(self.out, "(\n        {}\n    )", items.join(",\n        "));
        }
    }

    /// `name = value`, or `name = [value, ..]` where the elements differ.
    fn initial_values(&self, variable: &super::Variable, values: &[i32]) -> String {
        let mut names = values.iter().map(|&value| self.sorted(variable.sort, value));
        match values.first() {
            Some(first) if values.iter().all(|value| value == first) => {
                format!("{} = {}", written(&variable.name), names.next().unwrap_or_default())
            }
            _ => format!("{} = [{}]", written(&variable.name), names.collect::<Vec<String>>().join(", ")),
        }
    }

    fn claims(&mut self) {
        let model = self.model;
        if let Some(hold) = model.hold {
            let _ = writeln!(self.out, "hold {};", model.variable(hold).name);
        }
        if let Some(ends) = &model.ends {
            self.put("ends ");
            self.condition(ends);
            self.put(";\n");
        }
        for proposition in &model.propositions {
            let _ = write!(self.out, "prop {} = ", written(&proposition.name));
            self.condition(&proposition.value);
            self.put(";\n");
        }
        for property in &model.properties {
            match &property.kind {
                PropertyKind::Ltl(formula) if formula.has_automaton() => {
                    let _ = writeln!(self.out, "// `{}` is an automaton, which has no text", property.name);
                    continue;
                }
                PropertyKind::Invariant(condition) => {
                    let _ = write!(self.out, "assert {} = ", written(&property.name));
                    self.condition(condition);
                }
                PropertyKind::End(condition) => {
                    self.put("ends ");
                    self.condition(condition);
                }
                PropertyKind::Ltl(formula) => {
                    let _ = write!(self.out, "ltl {} = ", written(&property.name));
                    self.formula(formula);
                }
            }
            self.put(";\n");
        }
        let is_own = |name: &&String| model.properties.iter().any(|property| property.name == **name);
        if let Some(name) = model.inside.as_ref().filter(is_own) {
            let _ = writeln!(self.out, "inside {};", written(name));
        }
    }

    fn formula(&mut self, formula: &Formula) {
        match formula {
            Formula::Atom(condition) => self.condition(condition),
            Formula::Not(inner) => self.prefix("!", inner),
            Formula::Next(inner) => self.prefix("X", inner),
            Formula::Finally(inner) => self.prefix("F", inner),
            Formula::Globally(inner) => self.prefix("G", inner),
            Formula::And(list) => self.joined(list, " && "),
            Formula::Or(list) => self.joined(list, " || "),
            Formula::Implies(left, right) => self.joined([&**left, &**right], " => "),
            Formula::Until(left, right) => self.joined([&**left, &**right], " U "),
            Formula::WeakUntil(left, right) => self.joined([&**left, &**right], " W "),
            Formula::Release(left, right) => self.joined([&**left, &**right], " R "),
            Formula::Quantified(paths, inner) => match &**inner {
                Formula::Until(left, right) => {
                    self.joined([&**left, &**right], &format!(" {}U ", paths.letter()));
                }
                inner => {
                    self.put(paths.letter());
                    self.formula(inner);
                }
            },
            // No text parses to it; this one is for people.
            Formula::Accepted(_, propositions) => {
                self.put("accepted");
                self.joined(propositions, ", ");
            }
        }
    }

    fn prefix(&mut self, operator: &str, inner: &Formula) {
        self.put(operator);
        self.put("(");
        self.formula(inner);
        self.put(")");
    }

    fn joined<'f>(&mut self, operands: impl IntoIterator<Item = &'f Formula>, operator: &str) {
        for (number, operand) in operands.into_iter().enumerate() {
            if number > 0 {
                self.put(operator);
            }
            match operand {
                Formula::Not(_) | Formula::Next(_) | Formula::Finally(_) | Formula::Globally(_) => {
                    self.formula(operand);
                }
                _ => self.prefix("", operand),
            }
        }
    }

    /// An expression where a truth value is required: `true` and `false` in place of 1 and 0.
    fn condition(&mut self, expr: &Expr) {
        match expr.kind {
            ExprKind::Int(0) => self.put("false"),
            ExprKind::Int(1) => self.put("true"),
            _ => self.expression(expr, IMPLIES, true),
        }
    }

    fn list(&mut self, list: &[Expr]) {
        for (number, expr) in list.iter().enumerate() {
            if number > 0 {
                self.put(", ");
            }
            self.expression(expr, IMPLIES, true);
        }
    }

    fn indices(&mut self, indices: &[Expr]) {
        for index in indices {
            self.put("[");
            self.expression(index, IMPLIES, true);
            self.put("]");
        }
    }

    /// An expression that binds at least as tightly as `level`; `open` if nothing follows it inside these brackets.
    fn expression(&mut self, expr: &Expr, level: u8, open: bool) {
        let own = match &expr.kind {
            ExprKind::Implies(..) => IMPLIES,
            ExprKind::Or(_) => OR,
            ExprKind::And(_) => AND,
            ExprKind::Binary(op, ..) if !op.is_function() => binary_level(*op),
            // A quantifier is a prefix operator whose operand extends to the end.
            ExprKind::Forall(_) | ExprKind::Exists(_) if !open => IMPLIES - 1,
            _ => UNARY,
        };
        let enclosed = own < level;
        let open = open || enclosed;
        if enclosed {
            self.put("(");
        }
        match &expr.kind {
            ExprKind::Int(value) => self.put(&value.to_string()),
            ExprKind::Member(sort, index) => {
                let value = i32::try_from(*index).unwrap_or(i32::MAX);
                self.put(&self.sorted(*sort, value));
            }
            ExprKind::Parameter(id) => {
                let name = self.scope.get(id.index()).cloned();
                self.put(&written(&name.unwrap_or_else(|| format!("_{}", id.index()))));
            }
            ExprKind::Read(place) => {
                self.put(&written(&self.model.variable(place.variable).name));
                self.indices(&place.indices);
            }
            ExprKind::Lookup(table, indices) => {
                self.put(&written(&self.model.table(*table).name));
                self.indices(indices);
            }
            ExprKind::Negate(inner) => self.unary("-", inner, open),
            ExprKind::Not(inner) => self.unary("!", inner, open),
            ExprKind::PopCount(inner) => self.call("popcount", &[inner]),
            ExprKind::Ite(condition, then, otherwise) => self.call("ite", &[condition, then, otherwise]),
            ExprKind::Binary(op, left, right) if op.is_function() => self.call(op.symbol(), &[left, right]),
            ExprKind::Binary(op, left, right) => {
                self.expression(left, own + u8::from(op.is_comparison()), false);
                let _ = write!(self.out, " {} ", op.symbol());
                self.expression(right, own + 1, open);
            }
            ExprKind::And(list) | ExprKind::Or(list) => {
                let operator = if own == AND { " && " } else { " || " };
                for (number, operand) in list.iter().enumerate() {
                    if number > 0 {
                        self.put(operator);
                    }
                    self.expression(operand, own + 1, open && number + 1 == list.len());
                }
            }
            ExprKind::Implies(left, right) => {
                self.expression(left, OR, false);
                self.put(" => ");
                self.expression(right, IMPLIES, open);
            }
            ExprKind::Forall(quantified) => self.quantified("forall", quantified),
            ExprKind::Exists(quantified) => self.quantified("exists", quantified),
        }
        if enclosed {
            self.put(")");
        }
    }

    fn unary(&mut self, operator: &str, inner: &Expr, open: bool) {
        self.put(operator);
        // `-5` is a literal, so the negation of one is set apart.
        let literal = matches!(inner.kind, ExprKind::Int(_));
        self.expression(inner, if literal { UNARY + 1 } else { UNARY }, open);
    }

    fn call(&mut self, function: &str, arguments: &[&Expr]) {
        self.put(function);
        for (number, argument) in arguments.iter().enumerate() {
            self.put(if number == 0 { "(" } else { ", " });
            self.expression(argument, IMPLIES, true);
        }
        self.put(")");
    }

    fn quantified(&mut self, word: &str, quantified: &Quantified) {
        let _ = write!(self.out, "{word} {}:{} . ", written(&quantified.name), self.sort(quantified.sort));
        self.scope.push(quantified.name.clone());
        self.expression(&quantified.body, IMPLIES, true);
        self.scope.pop();
    }
}
