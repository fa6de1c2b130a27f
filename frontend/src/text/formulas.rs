//! Formulas of linear temporal logic: lines `name: formula` of a property file.
//!
//! A line that begins with white space continues the one before. `G F X U W R`, `[]` and `<>` are operators, whatever the model
//! declares; `U W R` bind tighter than those between formulas and group to the right. Atoms are the largest conditions without
//! temporal operators, so that a condition with a guard in front stays one condition, which is evaluated from left to right.

use ltl::Formula;

use super::{Cursor, Grouping, Infix, Kind, Operators, Parse, Tall};
use crate::source::{Name, Spanned};
use crate::syntax::temporal::{Temporal1, Temporal2};

/// A named formula.
#[derive(Clone, Debug)]
pub(crate) struct Line<E> {
    pub(crate) name: Name,
    pub(crate) formula: Formula<Spanned<E>>,
}

/// The lines of a property file, and the operators in them that are words.
#[derive(Clone, Debug)]
pub(crate) struct Lines<E> {
    pub(crate) list: Vec<Line<E>>,
    pub(crate) words: Vec<Name>,
}

/// An operator between formulas.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Join {
    /// To the right.
    Implies,
    Or,
    And,
}

/// The tokens that formulas are made of.
pub(crate) struct Marks<K> {
    pub(crate) parentheses: [K; 2],
    pub(crate) brackets: [K; 2],
    pub(crate) angles: [K; 2],
    pub(crate) colon: K,
    pub(crate) semicolon: K,
}

/// The marks of a language whose tokens have the usual names.
macro_rules! marks {
    ($kind:ident) => {
        $crate::text::Marks {
            parentheses: [$kind::ParenOpen, $kind::ParenClose],
            brackets: [$kind::BracketOpen, $kind::BracketClose],
            angles: [$kind::Less, $kind::Greater],
            colon: $kind::Colon,
            semicolon: $kind::Semicolon,
        }
    };
}

pub(crate) use marks;

/// A language whose property files have formulas over its conditions.
pub(crate) trait Conditions: Operators<ExprKind: Clone> {
    /// The tokens of formulas.
    const MARKS: Marks<Self>;
    /// The help for a line that goes on behind its formula.
    const LINE: &'static str;
    /// The precedence of the loosest operator between formulas.
    const LOOSEST: u8;
    /// Whether a negation binds tighter than comparisons, as in the conditions of the language.
    const NEGATES_OPERANDS: bool = false;

    /// The name of a property.
    fn title(cursor: &mut Cursor<'_, Self>) -> Parse<Name> {
        cursor.name("the name of a property")
    }

    /// The operator at the current token, which stands between conditions or formulas.
    fn between_formulas(cursor: &Cursor<'_, Self>) -> Option<Infix<Self::Op>> {
        Self::infix(cursor)
    }

    /// The connective of formulas that an operator is.
    fn connective(op: Self::Op) -> Option<Join>;

    /// Whether the token negates.
    fn negates(self) -> bool;

    /// A condition that is no chain of operators between formulas.
    fn condition(cursor: &mut Cursor<'_, Self>) -> Parse<Tall<Self::ExprKind>>;

    /// The negation of a condition.
    fn not(inner: Spanned<Self::ExprKind>) -> Self::ExprKind;

    /// Whether the token so many tokens ahead stands between formulas only, whatever these are.
    fn is_of_formulas(_: &Cursor<'_, Self>, _: usize) -> bool {
        false
    }

    /// Whether the name so many tokens ahead is a part of the condition before it.
    fn is_part(_: &Cursor<'_, Self>, _: usize) -> bool {
        false
    }
}

type Part<K> = Formula<Tall<<K as Kind>::ExprKind>>;

impl<K: Conditions> Cursor<'_, K> {
    /// The lines of a property file.
    pub(crate) fn lines(&mut self) -> Lines<K::ExprKind> {
        let mut lines = Lines { list: Vec::new(), words: Vec::new() };
        while self.kind() != K::END {
            let start = self.span();
            match self.line(&mut lines.words) {
                Ok(line) => lines.list.push(line),
                Err(_) => {
                    self.bump();
                    while !self.begins_line() {
                        self.bump();
                    }
                }
            }
            assert_ne!(self.span(), start, "a line of a property file has tokens");
        }
        lines
    }

    fn line(&mut self, words: &mut Vec<Name>) -> Parse<Line<K::ExprKind>> {
        let name = K::title(self)?;
        self.expect(K::MARKS.colon)?;
        let formula = self.formula(K::LOOSEST, words)?;
        while self.eat(K::MARKS.semicolon) {}
        if !self.begins_line() {
            return Err(self.expected("an operator or the end of the line", Some(K::LINE)));
        }
        Ok(Line { name, formula: formula.map(&mut |atom| atom.expr.clone()) })
    }

    /// Whether the current token is the first of its line, without white space before it, or the end.
    fn begins_line(&self) -> bool {
        self.kind() == K::END || self.starts_line()
    }

    /// A formula of operators that bind at least as tightly as a level.
    fn formula(&mut self, level: u8, words: &mut Vec<Name>) -> Parse<Part<K>> {
        let mut left = self.until(words)?;
        let mut last: Option<Infix<K::Op>> = None;
        while !self.begins_line()
            && let Some(infix) = K::between_formulas(self).filter(|infix| infix.level >= level)
            && let Some(join) = K::connective(infix.op)
        {
            if let Some(last) = last.filter(|last| last.level == infix.level && last.op != infix.op) {
                K::check_mix(self, last.op, infix.op);
            }
            last = Some(infix);
            self.bump();
            let is_left = join != Join::Implies || infix.grouping == Grouping::Left;
            let tighter = infix.level + u8::from(is_left);
            let right = self.nested(|cursor| cursor.formula(tighter, words))?;
            left = self.joined((join, infix), left, right)?;
        }
        Ok(left)
    }

    /// Two operands under a connective: one condition if both are.
    fn joined(&mut self, (join, infix): (Join, Infix<K::Op>), left: Part<K>, right: Part<K>) -> Parse<Part<K>> {
        match (left, right) {
            (Formula::Atom(one), Formula::Atom(other)) => {
                let (span, below) = (one.expr.span.to(other.expr.span), one.height.max(other.height));
                let kind = match infix.grouping {
                    Grouping::List => K::list(infix.op, vec![one.expr, other.expr]),
                    _ => K::join(infix.op, one.expr, other.expr),
                };
                self.node(kind, span, below).map(Formula::Atom)
            }
            (left, right) => Ok(match join {
                Join::And => Formula::And(vec![left, right]),
                Join::Or => Formula::Or(vec![left, right]),
                Join::Implies => Formula::Implies(Box::new(left), Box::new(right)),
            }),
        }
    }

    /// `f U g` and the like, to the right.
    fn until(&mut self, words: &mut Vec<Name>) -> Parse<Part<K>> {
        let left = self.prefixed(words)?;
        let Some(op) = self.word().filter(|_| !self.begins_line()).and_then(Temporal2::of) else { return Ok(left) };
        self.take_word(words);
        let right = self.nested(|cursor| cursor.until(words))?;
        Ok(op.on(Box::new(left), Box::new(right)))
    }

    /// A formula behind prefix operators, one in parentheses, or a condition.
    fn prefixed(&mut self, words: &mut Vec<Name>) -> Parse<Part<K>> {
        let start = self.span();
        if let Some(op) = self.word().and_then(Temporal1::of) {
            self.take_word(words);
            let inner = self.nested(|cursor| cursor.prefixed(words))?;
            return Ok(op.on(Box::new(inner)));
        }
        if let Some(op) = self.temporal_symbol(0) {
            self.bump();
            self.bump();
            let inner = self.nested(|cursor| cursor.prefixed(words))?;
            return Ok(op.on(Box::new(inner)));
        }
        if self.kind().negates() && (!K::NEGATES_OPERANDS || self.negates_formula()) {
            self.bump();
            return match self.nested(|cursor| cursor.prefixed(words))? {
                Formula::Atom(inner) => {
                    self.node(K::not(inner.expr), self.span_from(start), inner.height).map(Formula::Atom)
                }
                formula => Ok(Formula::Not(Box::new(formula))),
            };
        }
        let [open, close] = K::MARKS.parentheses;
        if self.kind() == open && self.is_temporal_group(0) {
            self.bump();
            let inner = self.nested(|cursor| cursor.formula(K::LOOSEST, words))?;
            self.expect(close)?;
            return Ok(inner);
        }
        K::condition(self).map(Formula::Atom)
    }

    /// The text of the current token, if it is a name.
    fn word(&self) -> Option<&str> {
        (self.kind() == K::NAME).then(|| self.text_of(self.span()))
    }

    fn take_word(&mut self, words: &mut Vec<Name>) {
        debug_assert!(self.kind() == K::NAME, "an operator that is a word has the form of a name");
        let span = self.bump().span;
        words.push(Name { text: self.text_of(span).into(), span });
    }

    /// `[]` or `<>`, so many tokens ahead: no condition has one after the other.
    fn temporal_symbol(&self, ahead: usize) -> Option<Temporal1> {
        let pair = [self.kind_at(ahead), self.kind_at(ahead + 1)];
        let finally = (pair == K::MARKS.angles).then_some(Temporal1::Finally);
        finally.or_else(|| (pair == K::MARKS.brackets).then_some(Temporal1::Globally))
    }

    /// Whether what the negations here stand before begins with a temporal operator, or has one in its parentheses.
    fn negates_formula(&self) -> bool {
        let is_behind = |ahead: &usize| {
            limits::work(1);
            !self.kind_at(*ahead).negates()
        };
        let ahead = (0..).find(is_behind).unwrap_or(0);
        let kind = self.kind_at(ahead);
        let is_word = kind == K::NAME && Temporal1::of(self.text_of(self.span_at(ahead))).is_some();
        is_word
            || self.temporal_symbol(ahead).is_some()
            || kind == K::MARKS.parentheses[0] && self.is_temporal_group(ahead)
    }

    /// Whether an operator that conditions do not have stands inside the parentheses that open so many tokens ahead.
    fn is_temporal_group(&self, ahead: usize) -> bool {
        let [opening, closing] = K::MARKS.parentheses;
        let mut open = 0usize;
        for ahead in ahead.. {
            limits::work(1);
            let kind = self.kind_at(ahead);
            if kind == opening {
                open += 1;
            } else if kind == closing && open > 1 {
                open -= 1;
            } else if kind == closing || kind == K::END {
                return false;
            } else if kind == K::NAME {
                let word = self.text_of(self.span_at(ahead));
                let is_operator = Temporal1::of(word).is_some() || Temporal2::of(word).is_some();
                if is_operator && !K::is_part(self, ahead) {
                    return true;
                }
            } else if self.temporal_symbol(ahead).is_some() || K::is_of_formulas(self, ahead) {
                return true;
            }
        }
        false
    }
}
