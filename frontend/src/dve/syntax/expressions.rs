//! Expressions of DVE.
//!
//! From the loosest operator: `imply`; `or || and &&`; `| ^ &`; `== !=`; `< <= > >=`; `<< >>`; `+ -`; `* / %`; the prefixes
//! `not ! ~ -`. All infix operators are left associative. These are the levels of DiVinE 1 and 2 (`dve_grammar.yy`), in which the counts of BEEM
//! were made; DiVinE 3 groups `and`, `or` and `imply` to the right, on one level, and `& | ^ << >>` tighter than `*`. Mixes without parentheses of
//! `and` with `or`, and of `&`, `|` and `^`, are warned of. The height of every node is limited: later stages may recurse.

use super::ast::{self, Expr, ExprKind, Name, UnaryOp};
use super::parser::Parser;
use super::token::TokenKind;
use crate::diagnostics::{Diagnostic, codes};
use crate::sequential::BinaryOp;
use crate::source::Span;
use crate::text::{self, Conditions, Cursor, Grouping, Infix, Join, Marks, Operators, Parse, Words, marks};

/// The precedence of the operands of prefixes.
const PREFIX: u8 = 9;

type Tall = text::Tall<ExprKind>;

impl Operators for TokenKind {
    type Op = ast::Infix;

    fn infix(parser: &Parser<'_>) -> Option<Infix<ast::Infix>> {
        let infix = |op, level| {
            let grouping = if matches!(op, ast::Infix::And | ast::Infix::Or) { Grouping::Flat } else { Grouping::Left };
            Infix { op, level, grouping }
        };
        Some(match parser.kind() {
            TokenKind::Imply => infix(ast::Infix::Imply, 1),
            TokenKind::Or | TokenKind::DoubleBar => infix(ast::Infix::Or, 2),
            TokenKind::And | TokenKind::DoubleAnd => infix(ast::Infix::And, 2),
            kind => {
                let op = BinaryOp::written(kind.fixed_text()?)?;
                infix(ast::Infix::On(op), 1 + op.level().max(BinaryOp::BitAnd.level()))
            }
        })
    }

    fn operand(parser: &mut Parser<'_>) -> Parse<Tall> {
        parser.prefix()
    }

    fn join(op: ast::Infix, left: Expr, right: Expr) -> ExprKind {
        ExprKind::Binary(op, Box::new(left), Box::new(right))
    }

    fn check_mix(parser: &mut Parser<'_>, before: ast::Infix, op: ast::Infix) {
        let word = |op| match op {
            ast::Infix::Or => Some("or"),
            ast::Infix::And => Some("and"),
            ast::Infix::On(BinaryOp::BitOr) => Some("|"),
            ast::Infix::On(BinaryOp::Xor) => Some("^"),
            ast::Infix::On(BinaryOp::BitAnd) => Some("&"),
            ast::Infix::Imply | ast::Infix::On(_) => None,
        };
        if let (Some(before), Some(word)) = (word(before), word(op)) {
            let message = format!("`{before}` and `{word}` stand next to each other and are read from left to right");
            let help = "parentheses say what is meant: versions of DiVinE read this differently";
            parser.remark(Diagnostic::warning(codes::DVE_MIXED, parser.span(), message).help(help));
        }
    }
}

impl Parser<'_> {
    /// An expression of any form.
    pub(super) fn expression(&mut self) -> Parse<Expr> {
        Ok(self.tall()?.expr)
    }

    fn tall(&mut self) -> Parse<Tall> {
        self.nested(|parser| parser.binary(1))
    }

    fn prefix(&mut self) -> Parse<Tall> {
        let start = self.span();
        let op = match self.kind() {
            TokenKind::Minus if self.kind_at(1) == TokenKind::Number => {
                self.bump();
                return self.number(start, true);
            }
            TokenKind::Minus => UnaryOp::Negate,
            TokenKind::Not | TokenKind::Exclamation => UnaryOp::Not,
            TokenKind::Tilde => UnaryOp::Complement,
            _ => return self.operand(),
        };
        self.bump();
        self.prefixed_by(start, |inner| ExprKind::Unary(op, inner), |parser| parser.binary(PREFIX))
    }

    fn operand(&mut self) -> Parse<Tall> {
        let start = self.span();
        match self.kind() {
            TokenKind::Number => self.number(start, false),
            TokenKind::True | TokenKind::False => {
                let value = i32::from(self.bump().kind == TokenKind::True);
                self.node(ExprKind::Int(value), start, 0)
            }
            TokenKind::ParenOpen => self.between(TokenKind::MARKS.parentheses, Parser::tall),
            TokenKind::Name => self.named(),
            _ => Err(self.expected("an expression", None)),
        }
    }

    fn named(&mut self) -> Parse<Tall> {
        let name = self.name("a name")?;
        let start = name.span;
        if self.eat(TokenKind::Dot) {
            let state = self.name("the name of a state")?;
            return self.node(ExprKind::InState(name, state), self.span_from(start), 0);
        }
        let foreign =
            if self.eat(TokenKind::Arrow) { Some(self.name("the name of a variable of the process")?) } else { None };
        let mut below = 0;
        let index = self.index(&mut below)?;
        let kind = match foreign {
            Some(variable) => ExprKind::Foreign(name, variable, index),
            None => ExprKind::Data(name, index),
        };
        self.node(kind, self.span_from(start), below)
    }

    /// `[i]`, if it is there.
    fn index(&mut self, below: &mut usize) -> Parse<Option<Box<Expr>>> {
        if !self.eat(TokenKind::BracketOpen) {
            return Ok(None);
        }
        let index = self.tall()?;
        *below = index.height;
        self.expect(TokenKind::BracketClose)?;
        Ok(Some(Box::new(index.expr)))
    }

    fn number(&mut self, start: Span, is_negative: bool) -> Parse<Tall> {
        let (span, value) = self.decimal(start, is_negative);
        let Some(value) = value else {
            let help = "numbers lie between -2147483648 and 2147483647";
            return Err(self.report(codes::DVE_NUMBER, span, "the number does not fit into 32 bits", Some(help)));
        };
        self.node(ExprKind::Int(value), span, 0)
    }

    /// A variable, or an element of one.
    pub(super) fn place(&mut self) -> Parse<Expr> {
        let name: Name = self.name("a variable")?;
        let start = name.span;
        let index = self.index(&mut 0)?;
        Ok(Expr { kind: ExprKind::Data(name, index), span: self.span_from(start) })
    }
}

impl Conditions for TokenKind {
    const MARKS: Marks<TokenKind> = marks!(TokenKind);
    const LINE: &'static str = "each property has a line of its own";
    const LOOSEST: u8 = 1;
    const NEGATES_OPERANDS: bool = true;

    /// `->` is `imply`, but behind the bare name of a process.
    fn between_formulas(parser: &Parser<'_>) -> Option<Infix<ast::Infix>> {
        let imply = Infix { op: ast::Infix::Imply, level: 1, grouping: Grouping::Right };
        if parser.kind() == TokenKind::Arrow { Some(imply) } else { TokenKind::infix(parser) }
    }

    fn connective(op: ast::Infix) -> Option<Join> {
        match op {
            ast::Infix::Imply => Some(Join::Implies),
            ast::Infix::Or => Some(Join::Or),
            ast::Infix::And => Some(Join::And),
            ast::Infix::On(_) => None,
        }
    }

    fn negates(self) -> bool {
        matches!(self, TokenKind::Not | TokenKind::Exclamation)
    }

    fn condition(cursor: &mut Parser<'_>) -> Parse<Tall> {
        cursor.binary(3)
    }

    fn not(inner: Expr) -> ExprKind {
        ExprKind::Unary(UnaryOp::Not, Box::new(inner))
    }

    /// `->` is `imply`, but behind the bare name of a process.
    fn is_of_formulas(cursor: &Cursor<'_, TokenKind>, ahead: usize) -> bool {
        let before = |back: usize| ahead.checked_sub(back).map(|at| cursor.kind_at(at));
        let is_variable = before(1) == Some(TokenKind::Name) && before(2) != Some(TokenKind::Dot);
        before(0) == Some(TokenKind::Arrow) && !is_variable
    }

    /// `P.s`, or `P->x`: behind the bare name of a process.
    fn is_part(cursor: &Cursor<'_, TokenKind>, ahead: usize) -> bool {
        let before = |back: usize| ahead.checked_sub(back).map(|at| cursor.kind_at(at));
        let is_variable = before(1) == Some(TokenKind::Arrow) && before(2) == Some(TokenKind::Name);
        before(1) == Some(TokenKind::Dot) || is_variable && before(3) != Some(TokenKind::Dot)
    }
}
