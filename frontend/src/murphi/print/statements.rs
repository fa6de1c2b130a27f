//! Statements as text.

use super::Printer;
use super::expressions::{alias, binders, called, expression};
use super::rules::aliased;
use crate::murphi::syntax::ast::{Branch, Case, Expr, Stmt, StmtKind};
use crate::source::Span;

impl Printer<'_> {
    pub(super) fn statement(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::If(branches, otherwise) => self.conditional(branches, otherwise.as_deref(), stmt.span),
            StmtKind::Switch(subject, cases, otherwise) => {
                self.switch(subject, cases, otherwise.as_deref(), stmt.span);
            }
            StmtKind::For(list, body) => {
                self.enclosed(&format!("for {} do", binders(list)), body, stmt.span);
            }
            StmtKind::While(condition, body) => {
                self.enclosed(&format!("while {} do", expression(condition)), body, stmt.span);
            }
            StmtKind::Alias(aliases, body) => self.enclosed(&aliased("alias", aliases), body, stmt.span),
            StmtKind::Property(property) => self.property(property, stmt.span),
            kind => {
                self.leaf(stmt.span);
                self.line(&format!("{};", short(kind)));
            }
        }
    }

    /// A header, statements one level deeper, and `end;`.
    fn enclosed(&mut self, header: &str, body: &[Stmt], span: Span) {
        self.start(span);
        self.line(header);
        let first = body.first().map_or(span.end, |stmt| stmt.span.start);
        self.last_end = None;
        self.statements(body, self.header_end(span, first), span.end);
        self.close("end;", span);
    }

    /// The end of the header of a construct, whose first statement starts at `first`: where the last of its words ends.
    fn header_end(&self, span: Span, first: u32) -> u32 {
        let comment = self.comments.first().map_or(u32::MAX, |comment| comment.start);
        let header = self.slice(Span::new(span.start, first.min(comment))).trim_end();
        span.start + u32::try_from(header.len()).unwrap_or(0)
    }

    fn conditional(&mut self, branches: &[Branch], otherwise: Option<&[Stmt]>, span: Span) {
        self.start(span);
        for (index, branch) in branches.iter().enumerate() {
            let word = if index == 0 { "if" } else { "elsif" };
            self.line(&format!("{word} {} then", expression(&branch.condition)));
            let header_end = self.word_end(branch.condition.span.end, "then");
            let next = if index + 1 < branches.len() { Some("elsif") } else { otherwise.map(|_| "else") };
            self.branch(&branch.body, header_end, next, span);
        }
        self.otherwise(otherwise, span);
    }

    fn switch(&mut self, subject: &Expr, cases: &[Case], otherwise: Option<&[Stmt]>, span: Span) {
        self.start(span);
        self.line(&format!("switch {}", expression(subject)));
        self.last_end = Some(subject.span.end);
        self.comments_on_line(span.end);
        let mut next = self.word_after(subject.span.end, "case", span.end);
        for (index, case) in cases.iter().enumerate() {
            self.comments_before(next);
            self.gap(next);
            let values: Vec<String> = case.values.iter().map(expression).collect();
            self.line(&format!("case {}:", values.join(", ")));
            let last = case.values.last().map_or(next, |value| value.span.end);
            let header_end = self.word_end(last, ":");
            let word = if index + 1 < cases.len() { Some("case") } else { otherwise.map(|_| "else") };
            next = self.branch(&case.body, header_end, word, span);
        }
        self.otherwise(otherwise, span);
    }

    /// The statements of a branch; `next` is the word of the branch that follows it, whose place is returned.
    fn branch(&mut self, body: &[Stmt], header_end: u32, next: Option<&str>, span: Span) -> u32 {
        let last = body.last().map_or(header_end, |stmt| stmt.span.end);
        let place = next.map_or(span.end, |word| self.word_after(last, word, span.end));
        self.statements(body, header_end, self.comments_of_block(last, place));
        self.comments_before(place);
        place
    }

    fn otherwise(&mut self, body: Option<&[Stmt]>, span: Span) {
        if let Some(body) = body {
            let start = self.word_after(self.last_end.unwrap_or(span.start), "else", span.end);
            self.line("else");
            self.statements(body, (start + 4).min(span.end), span.end);
        }
        self.close("end;", span);
    }

    /// Where the comments end that belong to a block rather than to the word after it: those indented deeper than the word.
    fn comments_of_block(&self, last: u32, place: u32) -> u32 {
        let column = |offset: u32| {
            let before = self.text.get(..offset as usize).unwrap_or("");
            before.len() - before.rfind('\n').map_or(0, |line| line + 1)
        };
        let mut own = self.comments.iter().filter(|comment| comment.start >= last && comment.start < place);
        let own = own.find(|comment| {
            let on_line = self.text.get(last as usize..comment.start as usize).is_some_and(|gap| !gap.contains('\n'));
            !on_line && column(comment.start) <= column(place)
        });
        own.map_or(place, |comment| comment.start)
    }

    /// The place of a word after another place, outside of comments.
    fn word_after(&self, from: u32, word: &str, end: u32) -> u32 {
        let mut at = from;
        while at < end && !self.text.is_empty() {
            if let Some(comment) = self.comments.iter().find(|comment| comment.start <= at && at < comment.end) {
                at = comment.end;
                continue;
            }
            let found = self.text.get(at as usize..).and_then(|rest| rest.get(..word.len()));
            if found.is_some_and(|found| found.eq_ignore_ascii_case(word)) {
                return at;
            }
            at += 1;
        }
        end
    }

    /// The end of a word that follows a place.
    fn word_end(&self, after: u32, word: &str) -> u32 {
        let rest = self.text.get(after as usize..).unwrap_or("").trim_start();
        let found = rest.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word));
        if found { u32::try_from(self.text.len() - rest.len() + word.len()).unwrap_or(after) } else { after }
    }
}

/// A statement of one line, without its semicolon.
fn short(kind: &StmtKind) -> String {
    match kind {
        StmtKind::Assign(place, value) => format!("{} := {}", expression(place), expression(value)),
        StmtKind::Undefine(place) => format!("undefine {}", expression(place)),
        StmtKind::Clear(place) => format!("clear {}", expression(place)),
        StmtKind::Call(name, arguments) => called(name, arguments),
        StmtKind::Return(None) => "return".into(),
        StmtKind::Return(Some(value)) => format!("return {}", expression(value)),
        StmtKind::Error(text) => format!("error \"{}\"", text.text),
        StmtKind::PutText(text) => format!("put \"{}\"", text.text),
        StmtKind::Put(value) => format!("put {}", expression(value)),
        StmtKind::MultisetAdd(value, multiset) => {
            format!("multisetadd({}, {})", expression(value), expression(multiset))
        }
        StmtKind::MultisetRemove(slot, multiset) => {
            format!("multisetremove({}, {})", expression(slot), expression(multiset))
        }
        StmtKind::MultisetRemoveWhere(slot, condition) => {
            format!("multisetremovepred({}, {})", alias(slot), expression(condition))
        }
        StmtKind::If(..)
        | StmtKind::Switch(..)
        | StmtKind::For(..)
        | StmtKind::While(..)
        | StmtKind::Alias(..)
        | StmtKind::Property(_) => unreachable!("printed with its block"),
    }
}
