//! The white space that each token requires on either side, and the level of indentation of a line that starts with it.
//!
//! One pass with a stack of open brackets. The tokens around `-`, `?`, `:` or `(T)` decide whether it is a sign, a
//! choice, part of a ternary, or a cast, as in the parser. Where the lookahead here is shorter, only the spacing can be
//! wrong.

use crate::syntax::token::{Token, TokenKind};
use crate::text::Words;

/// The white space that a token requires on one side.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Side {
    /// Nothing.
    Tight,
    /// A space, unless the neighbour is tight.
    Space,
    /// A line break.
    Line,
}

/// The layout of a token.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shape {
    pub(super) kind: TokenKind,
    pub(super) before: Side,
    pub(super) after: Side,
    /// Indentation of a line that starts here.
    pub(super) level: usize,
    /// `{` of statements or declarations.
    pub(super) opens_block: bool,
    /// The `}` of one.
    pub(super) closes_block: bool,
    /// The `}` of `do { .. }`.
    closes_do: bool,
    /// The last token of an annotation.
    pub(super) ends_annotation: bool,
    /// A binary operator or comma, next to which long lines are broken.
    infix: bool,
}

impl Shape {
    /// Whether two tokens share a line although the first ends one: `} else`, `} while`, `};`, `;;`.
    pub(super) fn joins(&self, next: &Shape) -> bool {
        let semicolons = matches!(self.kind, TokenKind::Semicolon) || self.closes_block;
        (self.closes_block && next.kind == TokenKind::Else)
            || (self.closes_do && next.kind == TokenKind::While)
            || (semicolons && next.kind == TokenKind::Semicolon && self.after == Side::Line)
    }

    /// Whether the two tokens would be read as another token without a space: `- -x`.
    pub(super) fn merges_with(&self, next: &Shape) -> bool {
        let last = self.kind.fixed_text().and_then(|text| text.chars().last());
        let first = next.kind.fixed_text().and_then(|text| text.chars().next());
        matches!(last, Some('+' | '-')) && last == first
    }

    /// Whether a long line may be broken between the two.
    pub(super) fn breaks_with(&self, next: &Shape) -> bool {
        self.infix || next.infix
    }
}

/// The purpose of a bracket.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Bracket {
    /// The header of a statement.
    Header(TokenKind),
    /// Arguments, parameters, a queue bound.
    Call,
    /// The arguments of an annotation.
    Annotation,
    /// Parentheses around an expression.
    Group,
    Square,
    Block,
    Do,
    Switch,
    /// `{1, 2}`
    Inline,
}

struct Open {
    bracket: Bracket,
    at: usize,
    /// The number of `?` of ternaries that wait for their `:`.
    ternaries: usize,
    /// Whether a `case` of this switch was seen.
    labelled: bool,
}

struct Shaper<'a> {
    text: &'a str,
    /// The tokens without comments, with their index among all.
    tokens: Vec<(usize, Token)>,
    property_file: bool,
    open: Vec<Open>,
    /// The kind of the last token, and whether an operand ends with it.
    previous: TokenKind,
    operand: bool,
    in_label: bool,
    /// The header whose `)` was the last token.
    header: Option<TokenKind>,
    /// Whether the last token is part of an annotation that continues.
    annotation: bool,
}

/// The shapes of all tokens; those of comments are not used.
pub(super) fn shapes(text: &str, tokens: &[Token], property_file: bool) -> Vec<Shape> {
    let mut shapes: Vec<Shape> = tokens.iter().map(|token| word(token.kind)).collect();
    let significant = tokens.iter().copied().enumerate().filter(|(_, token)| !token.kind.is_comment()).collect();
    let mut shaper = Shaper {
        text,
        tokens: significant,
        property_file,
        open: vec![Open { bracket: Bracket::Block, at: 0, ternaries: 0, labelled: false }],
        previous: TokenKind::End,
        operand: false,
        in_label: false,
        header: None,
        annotation: false,
    };
    for at in 0..shaper.tokens.len() {
        shapes[shaper.tokens[at].0] = shaper.shape(at);
    }
    shapes
}

fn word(kind: TokenKind) -> Shape {
    Shape {
        kind,
        before: Side::Space,
        after: Side::Space,
        level: 0,
        opens_block: false,
        closes_block: false,
        closes_do: false,
        ends_annotation: false,
        infix: false,
    }
}

impl Shaper<'_> {
    fn kind(&self, at: usize) -> TokenKind {
        self.tokens.get(at).map_or(TokenKind::End, |(_, token)| token.kind)
    }

    fn text_at(&self, at: usize) -> &str {
        self.tokens.get(at).map_or("", |(_, token)| &self.text[token.span.range(self.text.len())])
    }

    fn top(&mut self) -> &mut Open {
        if self.open.is_empty() {
            self.open.push(Open { bracket: Bracket::Block, at: 0, ternaries: 0, labelled: false });
        }
        let last = self.open.len() - 1;
        &mut self.open[last]
    }

    fn level(&self) -> usize {
        let of = |open: &Open| match open.bracket {
            Bracket::Block | Bracket::Do => 1,
            Bracket::Switch => 1 + usize::from(open.labelled),
            _ => 0,
        };
        self.open.iter().skip(1).map(of).sum()
    }

    fn shape(&mut self, at: usize) -> Shape {
        use TokenKind::{Case, Default, Dot, MsgSrv};
        let mut kind = self.kind(at);
        if kind.is_word() && matches!(self.previous, Dot | MsgSrv) {
            kind = TokenKind::Identifier;
        }
        if matches!(kind, Case | Default) && self.top().bracket == Bracket::Switch {
            self.in_label = true;
            self.top().labelled = false;
        }
        let level = self.level();
        let annotation = self.annotation && kind == TokenKind::Identifier;
        let mut shape = self.sides(kind, at);
        shape.level = if shape.closes_block { self.level() } else { level };
        let has_arguments = annotation && self.kind(at + 1) == TokenKind::ParenOpen;
        shape.ends_annotation |= annotation && !has_arguments;
        self.annotation = kind == TokenKind::At || has_arguments;
        self.previous = kind;
        shape
    }

    /// The sides of a token; updates the stack and the facts about the last token.
    fn sides(&mut self, kind: TokenKind, at: usize) -> Shape {
        use TokenKind::*;
        let mut shape = Shape { kind, ..word(kind) };
        let after_operand = std::mem::replace(&mut self.operand, false);
        let header = self.header.take();
        match kind {
            ParenOpen => self.open_parenthesis(&mut shape, at, after_operand),
            ParenClose => self.close_parenthesis(&mut shape, at),
            BracketOpen | Less if self.property_file && !after_operand => shape.after = Side::Tight,
            BracketClose if self.property_file && self.previous == BracketOpen => {
                (shape.before, shape.after) = (Side::Tight, Side::Tight);
            }
            Greater if self.property_file && self.previous == Less => {
                (shape.before, shape.after) = (Side::Tight, Side::Tight);
            }
            BracketOpen => {
                (shape.before, shape.after) = (Side::Tight, Side::Tight);
                self.push(Bracket::Square, at);
            }
            BracketClose => {
                shape.before = Side::Tight;
                self.operand = true;
                self.pop();
            }
            BraceOpen => self.open_brace(&mut shape, at, header),
            BraceClose => self.close_brace(&mut shape),
            Semicolon => {
                self.top().ternaries = 0;
                shape.before = if matches!(self.previous, BraceOpen | Colon) { Side::Space } else { Side::Tight };
                let in_header = matches!(self.top().bracket, Bracket::Header(_));
                shape.after = if in_header { Side::Space } else { Side::Line };
            }
            Comma => {
                self.top().ternaries = 0;
                (shape.before, shape.infix) = (Side::Tight, true);
            }
            Dot | DotDot => (shape.before, shape.after) = (Side::Tight, Side::Tight),
            At | Not | Tilde => shape.after = Side::Tight,
            Colon => self.colon(&mut shape),
            Question if !after_operand => shape.after = Side::Tight,
            Plus | Minus if !after_operand => shape.after = Side::Tight,
            PlusPlus | MinusMinus if after_operand => {
                shape.before = Side::Tight;
                self.operand = true;
            }
            PlusPlus | MinusMinus => shape.after = Side::Tight,
            Question => {
                self.top().ternaries += 1;
                shape.infix = true;
            }
            Identifier if self.property_file && after_operand && matches!(self.text_at(at), "U" | "W" | "R") => {
                shape.infix = true;
            }
            Identifier | Integer | Float | Text | Character | True | False | Null | This => self.operand = true,
            _ => shape.infix = !kind.is_word(),
        }
        shape
    }

    fn push(&mut self, bracket: Bracket, at: usize) {
        self.open.push(Open { bracket, at, ternaries: 0, labelled: false });
    }

    fn pop(&mut self) -> Option<Open> {
        if self.open.len() > 1 { self.open.pop() } else { None }
    }

    fn open_parenthesis(&mut self, shape: &mut Shape, at: usize, after_operand: bool) {
        use TokenKind::{For, ForEachValueOf, If, Switch, While};
        shape.after = Side::Tight;
        let bracket = match self.previous {
            If | While | For | Switch | ForEachValueOf => Bracket::Header(self.previous),
            _ if self.annotation => Bracket::Annotation,
            TokenKind::Identifier if after_operand => Bracket::Call,
            _ => Bracket::Group,
        };
        if matches!(bracket, Bracket::Call | Bracket::Annotation | Bracket::Header(ForEachValueOf)) {
            shape.before = Side::Tight;
        }
        self.push(bracket, at);
    }

    fn close_parenthesis(&mut self, shape: &mut Shape, at: usize) {
        shape.before = Side::Tight;
        let Some(open) = self.pop() else { return };
        match open.bracket {
            Bracket::Header(kind) => self.header = Some(kind),
            Bracket::Annotation => shape.ends_annotation = true,
            Bracket::Group if at == open.at + 2 && self.is_cast(at) => shape.after = Side::Tight,
            _ => self.operand = true,
        }
    }

    /// Whether the `)` at `at` closes a cast `(T)`.
    fn is_cast(&self, at: usize) -> bool {
        use TokenKind::{False, Identifier, Integer, New, Not, Null, ParenOpen, Text, This, Tilde, True};
        let next = self.kind(at + 1);
        let starts_operand =
            matches!(next, Identifier | Integer | ParenOpen | New | Not | Tilde | Null | True | False | Text | This);
        let class = self.kind(at - 1);
        class.is_primitive() || (class == Identifier && !self.property_file && starts_operand)
    }

    fn open_brace(&mut self, shape: &mut Shape, at: usize, header: Option<TokenKind>) {
        let inline = self.previous == TokenKind::Assign || self.top().bracket == Bracket::Inline;
        if inline {
            shape.after = Side::Tight;
            return self.push(Bracket::Inline, at);
        }
        (shape.opens_block, shape.after) = (true, Side::Line);
        let bracket = match (self.previous, header) {
            (TokenKind::Do, _) => Bracket::Do,
            (_, Some(TokenKind::Switch)) => Bracket::Switch,
            _ => Bracket::Block,
        };
        self.push(bracket, at);
    }

    fn close_brace(&mut self, shape: &mut Shape) {
        match self.pop().map(|open| open.bracket) {
            Some(Bracket::Inline) => shape.before = Side::Tight,
            bracket => {
                (shape.before, shape.after) = (Side::Line, Side::Line);
                shape.closes_block = true;
                shape.closes_do = bracket == Some(Bracket::Do);
            }
        }
    }

    fn colon(&mut self, shape: &mut Shape) {
        let previous = self.previous;
        let in_label = self.in_label;
        let top = self.top();
        if top.ternaries > 0 {
            top.ternaries -= 1;
            shape.infix = true;
            return;
        }
        shape.before = Side::Tight;
        if in_label {
            top.labelled = true;
            self.in_label = false;
            shape.after = Side::Line;
        } else if previous == TokenKind::ParenClose || top.bracket == Bracket::Square {
            shape.after = Side::Tight;
        }
    }
}
