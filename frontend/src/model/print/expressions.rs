//! Expressions as text, with the fewest parentheses that Java precedence allows.
//!
//! Each text comes with the level at which it binds; a text is put in parentheses where a tighter level is required.
//! All binary operators associate to the left. `&&` and `||` have any number of operands.

use super::super::{Base, BinaryOp, Body, Class, Expr, ExprKind, Model, Place, UnaryOp};

/// The levels of expressions; a greater one binds tighter.
pub(super) mod level {
    pub(in super::super) const TERNARY: u8 = 0;
    pub(in super::super) const OR: u8 = 1;
    pub(in super::super) const AND: u8 = 2;
    pub(in super::super) const RELATION: u8 = 7;
    pub(in super::super) const SUM: u8 = 9;
    pub(in super::super) const UNARY: u8 = 11;
    pub(in super::super) const PRIMARY: u8 = 12;
}

/// The scope of the names in an expression: a body, or none in a property.
#[derive(Clone, Copy)]
pub(super) struct Names<'a> {
    pub(super) model: &'a Model,
    pub(super) scope: Option<(&'a Class, &'a Body)>,
}

impl Names<'_> {
    /// An expression in a place that takes any level.
    pub(super) fn expr(&self, expr: &Expr) -> String {
        self.at(expr, level::TERNARY)
    }

    /// Expressions separated by commas.
    pub(super) fn list(&self, exprs: &[Expr]) -> String {
        exprs.iter().map(|expr| self.expr(expr)).collect::<Vec<_>>().join(", ")
    }

    /// An expression in a place that requires at least the given level.
    pub(super) fn at(&self, expr: &Expr, least: u8) -> String {
        let (text, level) = self.levelled(expr);
        if level < least { format!("({text})") } else { text }
    }

    pub(super) fn levelled(&self, expr: &Expr) -> (String, u8) {
        match &expr.kind {
            ExprKind::Bool(value) => (value.to_string(), level::PRIMARY),
            ExprKind::Int(value) | ExprKind::Scalar(value) => {
                (value.to_string(), if *value < 0 { level::UNARY } else { level::PRIMARY })
            }
            ExprKind::Null => ("null".to_owned(), level::PRIMARY),
            ExprKind::Rebec(rebec) => (self.model.rebec_name(*rebec), level::PRIMARY),
            ExprKind::SelfRef => ("self".to_owned(), level::PRIMARY),
            ExprKind::Sender => ("sender".to_owned(), level::PRIMARY),
            ExprKind::Feature(feature) => (self.model.features[feature.index()].name.clone(), level::PRIMARY),
            ExprKind::Read(place) => (self.place(place), level::PRIMARY),
            ExprKind::Unary(op, operand) => (self.unary(*op, operand), level::UNARY),
            ExprKind::Binary(op, left, right) => self.binary(*op, left, right),
            ExprKind::And(operands) => (self.junction(operands, " && ", level::AND), level::AND),
            ExprKind::Or(operands) => (self.junction(operands, " || ", level::OR), level::OR),
            ExprKind::Ite(condition, then, otherwise) => {
                let condition = self.at(condition, level::OR);
                (format!("{condition} ? {} : {}", self.expr(then), self.expr(otherwise)), level::TERNARY)
            }
            ExprKind::Narrow(width, operand) => {
                (format!("({}){}", width.keyword(), self.at(operand, level::UNARY)), level::UNARY)
            }
            ExprKind::Cast(class, operand) => {
                let class = &self.model.class(*class).name;
                (format!("({class}){}", self.at(operand, level::UNARY)), level::UNARY)
            }
            ExprKind::InstanceOf(class, operand) => {
                let class = &self.model.class(*class).name;
                (format!("{} instanceof {class}", self.at(operand, level::RELATION)), level::RELATION)
            }
            ExprKind::Rotate(operand, amount) => {
                let (operand, amount) = (self.at(operand, level::SUM), self.at(amount, level::SUM + 1));
                (format!("{operand} +% {amount}"), level::SUM)
            }
            ExprKind::SquareRoot(operand) => (format!("sqrt({})", self.expr(operand)), level::PRIMARY),
        }
    }

    fn junction(&self, operands: &[Expr], operator: &str, level: u8) -> String {
        operands.iter().map(|operand| self.at(operand, level + 1)).collect::<Vec<_>>().join(operator)
    }

    fn unary(&self, op: UnaryOp, operand: &Expr) -> String {
        let text = self.at(operand, level::UNARY);
        // `--x` would be read as a step.
        let text = if op == UnaryOp::Negate && text.starts_with('-') { format!("({text})") } else { text };
        format!("{}{text}", op.symbol())
    }

    fn binary(&self, op: BinaryOp, left: &Expr, right: &Expr) -> (String, u8) {
        if op == BinaryOp::Power {
            return (format!("pow({}, {})", self.expr(left), self.expr(right)), level::PRIMARY);
        }
        let level = binary_level(op);
        (format!("{} {} {}", self.at(left, level), op.symbol(), self.at(right, level + 1)), level)
    }

    /// A variable with its indices.
    pub(super) fn place(&self, place: &Place) -> String {
        let mut text = match (place.base, self.scope) {
            (Base::Variable(id), Some((class, body))) => {
                let name = &class.variables[id.index()].name;
                // A local of the same name would hide the variable.
                let hidden = body.locals.iter().any(|local| local.name == *name);
                if hidden { format!("self.{name}") } else { name.clone() }
            }
            (Base::Local(id), Some((_, body))) => body.locals[id.index()].name.clone(),
            (Base::Remote(rebec, id), _) => {
                let class = self.model.class(self.model.class_of(rebec));
                format!("{}.{}", self.model.rebec_name(rebec), class.variables[id.index()].name)
            }
            (base, None) => panic!("{base:?} in a property"),
        };
        for index in &place.indices {
            text += &format!("[{}]", self.expr(index));
        }
        text
    }
}

fn binary_level(op: BinaryOp) -> u8 {
    match op {
        BinaryOp::BitOr => 3,
        BinaryOp::BitXor => 4,
        BinaryOp::BitAnd => 5,
        BinaryOp::Equal | BinaryOp::NotEqual => 6,
        BinaryOp::Less | BinaryOp::LessEqual | BinaryOp::Greater | BinaryOp::GreaterEqual => level::RELATION,
        BinaryOp::ShiftLeft | BinaryOp::ShiftRight | BinaryOp::ShiftRightUnsigned => 8,
        BinaryOp::Add | BinaryOp::Subtract => level::SUM,
        BinaryOp::Multiply | BinaryOp::Divide | BinaryOp::Remainder => 10,
        BinaryOp::Power => level::PRIMARY,
    }
}
