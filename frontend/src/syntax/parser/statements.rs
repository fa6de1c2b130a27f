//! Statements.

use super::{Failed, Parse, Parser};
use crate::diagnostics::{Diagnostic, codes};
use crate::model::BinaryOp::Equal;
use crate::source::Span;
use crate::syntax::ast::{BinaryOp, Expr, ExprKind, Stmt, StmtKind, SwitchArm};
use crate::syntax::token::TokenKind;

/// `init; condition; update`
#[derive(Default)]
struct ForHeader {
    init: Vec<Stmt>,
    condition: Option<Expr>,
    update: Vec<Expr>,
}

impl Parser<'_> {
    /// `{ .. }`
    pub(super) fn braced_statements(&mut self) -> Parse<Vec<Stmt>> {
        let open = self.expect(TokenKind::BraceOpen)?.span;
        let statements = self.statements(|_| false)?;
        let _ = self.close(TokenKind::BraceClose, open);
        Ok(statements)
    }

    /// Statements up to `}`, the start of a section, or a token for which `ends` holds.
    fn statements(&mut self, ends: impl Fn(TokenKind) -> bool) -> Parse<Vec<Stmt>> {
        let mut statements = Vec::new();
        while !self.at_list_end() && !self.starts_section() && !ends(self.kind()) {
            let start = self.at;
            match self.nested(Parser::statement) {
                Ok(statement) => statements.push(statement),
                Err(Failed::Syntax) => self.recover_statement(start),
                Err(Failed::TooDeep) => return Err(Failed::TooDeep),
            }
            assert!(self.at > start, "a statement has tokens");
        }
        Ok(statements)
    }

    /// The body of an `if` or a loop. A faulty one is skipped, so that an `else` finds its `if`.
    fn body(&mut self) -> Parse<Box<Stmt>> {
        let start = self.at;
        let span = self.span();
        match self.nested(Parser::statement) {
            Err(Failed::Syntax) => {
                self.recover_statement(start);
                Ok(Box::new(Stmt { kind: StmtKind::Empty, span }))
            }
            statement => statement.map(Box::new),
        }
    }

    fn statement(&mut self) -> Parse<Stmt> {
        let start = self.span();
        if let Some(condition) = self.annotation()? {
            let statement = self.nested(Parser::statement)?;
            return Ok(Stmt { kind: StmtKind::Feature(condition, Box::new(statement)), span: self.span_from(start) });
        }
        self.stray_else();
        let start = self.span();
        let kind = match self.kind() {
            TokenKind::Semicolon => {
                self.bump();
                StmtKind::Empty
            }
            TokenKind::BraceOpen => StmtKind::Block(self.braced_statements()?),
            TokenKind::If => self.conditional()?,
            TokenKind::While => {
                self.bump();
                let condition = self.checked_condition()?;
                StmtKind::While(condition, self.body()?)
            }
            TokenKind::Do => self.do_while()?,
            TokenKind::For => self.for_loop()?,
            TokenKind::ForEachValueOf => {
                self.bump();
                let set = self.name_in_parentheses("a scalar set")?;
                StmtKind::ForEach(set, self.body()?)
            }
            TokenKind::Switch => self.switch()?,
            TokenKind::Break | TokenKind::Continue => {
                let is_break = self.bump().kind == TokenKind::Break;
                self.semicolon()?;
                if is_break { StmtKind::Break } else { StmtKind::Continue }
            }
            TokenKind::Return => {
                self.bump();
                let value = if self.kind() == TokenKind::Semicolon { None } else { Some(self.expression()?) };
                self.semicolon()?;
                StmtKind::Return(value)
            }
            TokenKind::Case | TokenKind::Default => self.stray_label(),
            _ if self.probabilistic_block() => StmtKind::Empty,
            _ if self.at_declaration() => {
                let field = self.field()?;
                self.semicolon()?;
                StmtKind::Local(field)
            }
            _ => self.effect()?,
        };
        Ok(Stmt { kind, span: self.span_from(start) })
    }

    /// Whether a local declaration starts here: `T x`, `T[3] x`, or a primitive type.
    fn at_declaration(&self) -> bool {
        if self.kind().is_primitive() {
            return self.kind_at(1) != TokenKind::ParenOpen;
        }
        if self.kind() != TokenKind::Identifier {
            return false;
        }
        let mut ahead = 1;
        let mut open = 0usize;
        loop {
            match self.kind_at(ahead) {
                TokenKind::BracketOpen => open += 1,
                TokenKind::BracketClose if open > 0 => open -= 1,
                TokenKind::Identifier if open == 0 => return true,
                TokenKind::Semicolon | TokenKind::BraceOpen | TokenKind::BraceClose | TokenKind::End => return false,
                _ if open == 0 => return false,
                _ => {}
            }
            ahead += 1;
        }
    }

    /// An expression used for its effect.
    fn effect(&mut self) -> Parse<StmtKind> {
        let expr = self.expression()?;
        self.check_effect(&expr);
        self.timing_suffixes();
        self.semicolon()?;
        Ok(StmtKind::Expr(expr))
    }

    fn check_effect(&mut self, expr: &Expr) {
        let effective = matches!(
            expr.kind,
            ExprKind::Assign(..) | ExprKind::Step { .. } | ExprKind::Call { .. } | ExprKind::New { .. }
        );
        // A fault directly after it (a missing operator, for example) is the better diagnosis.
        let complete = matches!(self.kind(), TokenKind::Semicolon | TokenKind::Comma | TokenKind::ParenClose);
        if !effective && complete {
            let help = match expr.kind {
                ExprKind::Binary(BinaryOp::On(Equal), ..) => "`=` assigns, `==` compares",
                ExprKind::Field(..) => "a message is sent with parentheses: `rebec.message();`",
                _ => "a statement assigns, counts, calls, sends or creates",
            };
            self.error(codes::NO_EFFECT, expr.span, "this statement has no effect", help);
        }
    }

    /// A condition in parentheses, with a warning when it assigns.
    fn checked_condition(&mut self) -> Parse<Expr> {
        let condition = self.condition()?;
        self.check_condition(&condition);
        Ok(condition)
    }

    fn check_condition(&mut self, condition: &Expr) {
        // A second pair of parentheses marks the assignment as intended.
        if let ExprKind::Assign(None, target, _) = &condition.kind
            && target.span.start == condition.span.start
        {
            let message = "this condition assigns, it does not compare";
            let warning = Diagnostic::warning(codes::ASSIGNMENT_AS_CONDITION, condition.span, message);
            self.diagnostics.push(warning.help("write `==` to compare, or a second pair of parentheses"));
        }
    }

    fn conditional(&mut self) -> Parse<StmtKind> {
        self.bump();
        let condition = self.checked_condition()?;
        let then = self.body()?;
        let other = if self.eat(TokenKind::Else) { Some(self.body()?) } else { None };
        Ok(StmtKind::If(condition, then, other))
    }

    fn do_while(&mut self) -> Parse<StmtKind> {
        self.bump();
        let body = self.body()?;
        self.expect(TokenKind::While)?;
        let condition = self.checked_condition()?;
        self.semicolon()?;
        Ok(StmtKind::DoWhile(body, condition))
    }

    fn for_loop(&mut self) -> Parse<StmtKind> {
        self.bump();
        let open = self.expect(TokenKind::ParenOpen)?.span;
        let header = self.for_header().and_then(|header| {
            self.close(TokenKind::ParenClose, open)?;
            Ok(header)
        });
        let ForHeader { init, condition, update } = match header {
            Err(Failed::Syntax) if self.skip_to_close(true) || self.kind() == TokenKind::BraceOpen => {
                ForHeader::default()
            }
            header => header?,
        };
        let body = self.body()?;
        Ok(StmtKind::For { init, condition, update, body })
    }

    /// `init; condition; update`
    fn for_header(&mut self) -> Parse<ForHeader> {
        let start = self.span();
        let init = if self.kind() == TokenKind::Semicolon {
            Vec::new()
        } else if self.at_declaration() {
            let kind = StmtKind::Local(self.field()?);
            vec![Stmt { kind, span: self.span_from(start) }]
        } else {
            let effects = self.effects()?;
            effects.into_iter().map(|expr| Stmt { span: expr.span, kind: StmtKind::Expr(expr) }).collect()
        };
        self.expect(TokenKind::Semicolon)?;
        let condition = if self.kind() == TokenKind::Semicolon { None } else { Some(self.expression()?) };
        if let Some(condition) = &condition {
            self.check_condition(condition);
        }
        self.expect(TokenKind::Semicolon)?;
        let update = if self.kind() == TokenKind::ParenClose { Vec::new() } else { self.effects()? };
        Ok(ForHeader { init, condition, update })
    }

    /// `i = 0, j++`
    fn effects(&mut self) -> Parse<Vec<Expr>> {
        let mut effects = Vec::new();
        loop {
            let expr = self.expression()?;
            self.check_effect(&expr);
            effects.push(expr);
            if !self.eat(TokenKind::Comma) {
                return Ok(effects);
            }
        }
    }

    fn switch(&mut self) -> Parse<StmtKind> {
        self.bump();
        let value = self.condition()?;
        let open = self.expect(TokenKind::BraceOpen)?.span;
        let mut arms = Vec::new();
        while !self.at_list_end() && !self.starts_section() {
            let start = self.at;
            match self.arm() {
                Ok(arm) => arms.push(arm),
                Err(Failed::Syntax) => self.recover_statement(start),
                Err(Failed::TooDeep) => return Err(Failed::TooDeep),
            }
            assert!(self.at > start, "an arm has tokens");
        }
        let _ = self.close(TokenKind::BraceClose, open);
        Ok(StmtKind::Switch(value, arms))
    }

    /// `case a: case b: statements`
    fn arm(&mut self) -> Parse<SwitchArm> {
        let mut labels = Vec::new();
        while matches!(self.kind(), TokenKind::Case | TokenKind::Default) {
            let start = self.bump();
            let value = if start.kind == TokenKind::Case { Some(self.value()?) } else { None };
            self.expect(TokenKind::Colon)?;
            labels.push((value, self.span_from(start.span)));
        }
        if labels.is_empty() {
            return Err(self.fault("`case`, `default` or `}`"));
        }
        let body = self.statements(|kind| matches!(kind, TokenKind::Case | TokenKind::Default))?;
        Ok(SwitchArm { labels, body })
    }

    /// Reports and skips `else` without `if`.
    fn stray_else(&mut self) {
        while self.kind() == TokenKind::Else {
            self.stray("`else` without `if`", self.span());
            self.bump();
        }
    }

    /// Reports and skips `case x:` outside of `switch`.
    fn stray_label(&mut self) -> StmtKind {
        let word = self.text_of(self.span());
        self.stray(&format!("`{word}` outside of `switch`"), self.span());
        while !self.at_list_end() && !matches!(self.kind(), TokenKind::Colon | TokenKind::Semicolon) {
            self.bump();
        }
        self.bump_unless_list_end();
        StmtKind::Empty
    }

    fn bump_unless_list_end(&mut self) {
        if !self.at_list_end() {
            self.bump();
        }
    }

    fn stray(&mut self, message: &str, span: Span) {
        if self.is_new_fault() {
            let help = "check the braces and semicolons before it";
            self.error(codes::STRAY_BRANCH, span, message, help);
        }
    }
}
