//! Formulas in questions: the temporal operators of a line, around conditions in the language of the model.
//!
//! `G F X`, `[] <>`, `U W R` and the operators of CTL (`AG`, `EF`, `AU` and so on) are read here, and so are `! && || ->` and the words for them
//! between formulas; every largest part without a temporal operator is a condition, whose text the language reads, with
//! [`without_implications`] where it has another word for `->`. `U`, `W` and
//! `R` bind tighter than `&&`, that than `||`, and `->` the least; `U W R ->` group to the right.
//!
//! Complexity: the length of the line for each level of nesting, of which there are at most [`DEEPEST`].

use std::ops::Range;

use frontend::syntax::temporal::{Temporal1, Temporal2};
use ltl::Formula;

/// The implication of formulas.
const IMPLIES: &str = "->";

/// The most formulas within each other.
const DEEPEST: usize = 100;

/// A token of a line: a name or a mark, and the brackets that are open before it.
#[derive(Clone, Debug)]
struct Token {
    place: Range<usize>,
    depth: usize,
}

/// A connective of formulas.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Join {
    Implies,
    Or,
    And,
}

impl Join {
    fn of(text: &str) -> Option<Join> {
        Some(match text {
            IMPLIES | "=>" | "imply" => Join::Implies,
            "||" | "|" | "or" => Join::Or,
            "&&" | "&" | "and" => Join::And,
            _ => return None,
        })
    }
}

/// Whether a text has a temporal operator.
pub(super) fn is_temporal(text: &str) -> bool {
    tokens(text).iter().any(|token| is_operator(&text[token.place.clone()]))
}

/// The formula of a text over texts of conditions.
///
/// # Errors
/// The reason why it is none.
pub(super) fn read(text: &str) -> Result<Formula<String>, String> {
    let tokens = tokens(text);
    if !is_balanced(text) {
        return Err("its brackets are not closed, or closed twice".to_owned());
    }
    let reader = Reader { text, tokens: &tokens };
    reader.formula(0..tokens.len(), DEEPEST)
}

/// A condition with `!` and `||` in the place of each `->`; nothing if it has none, if they are nested too deep, or if it has quantifiers
/// or other implications, next to which it could be read in two ways.
pub(super) fn without_implications(text: &str) -> Option<String> {
    let tokens = tokens(text);
    let reader = Reader { text, tokens: &tokens };
    let has = |words: &[&str]| (0..tokens.len()).any(|at| words.contains(&reader.word(at)));
    let is_clear = has(&[IMPLIES]) && !has(&["forall", "exists", "=>", "imply", "<->", "?", ":"]);
    (is_clear && is_balanced(text)).then(|| reader.expanded(0..tokens.len(), DEEPEST)).flatten()
}

/// Whether each bracket is closed, behind its opening, by one of its kind.
fn is_balanced(text: &str) -> bool {
    let mut open = Vec::new();
    let is_fine = text.chars().all(|letter| match letter {
        '(' | '[' | '{' => {
            open.push(letter);
            true
        }
        ')' => open.pop() == Some('('),
        ']' => open.pop() == Some('['),
        '}' => open.pop() == Some('{'),
        _ => true,
    });
    is_fine && open.is_empty()
}

fn is_operator(word: &str) -> bool {
    Temporal1::of(word).is_some() || Temporal2::of(word).is_some()
}

fn tokens(text: &str) -> Vec<Token> {
    const MARKS: [&str; 10] = ["<->", "[]", "<>", "->", "=>", "||", "&&", "!=", "==", "<="];
    let is_word = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '.');
    let (mut tokens, mut depth, mut at) = (Vec::new(), 0usize, 0);
    while let Some(letter) = text[at..].chars().next() {
        let rest = &text[at..];
        let length = if is_word(letter) {
            rest.find(|letter: char| !is_word(letter)).unwrap_or(rest.len())
        } else {
            MARKS.iter().find(|mark| rest.starts_with(*mark)).map_or(letter.len_utf8(), |mark| mark.len())
        };
        if matches!(letter, ')' | ']' | '}') {
            depth = depth.saturating_sub(1);
        }
        if !letter.is_whitespace() {
            tokens.push(Token { place: at..at + length, depth });
        }
        if matches!(letter, '(' | '[' | '{') && length == 1 {
            depth += 1;
        }
        at += length;
    }
    tokens
}

struct Reader<'t> {
    text: &'t str,
    tokens: &'t [Token],
}

impl Reader<'_> {
    fn word(&self, at: usize) -> &str {
        &self.text[self.tokens[at].place.clone()]
    }

    /// The text of a part.
    fn part(&self, part: &Range<usize>) -> &str {
        match self.tokens.get(part.clone()) {
            Some([first, .., last]) => &self.text[first.place.start..last.place.end],
            Some([one]) => &self.text[one.place.clone()],
            _ => "",
        }
    }

    fn is_temporal(&self, part: &Range<usize>) -> bool {
        part.clone().any(|at| is_operator(self.word(at)))
    }

    fn formula(&self, part: Range<usize>, deepest: usize) -> Result<Formula<String>, String> {
        if part.is_empty() {
            return Err("an operator has no operand".to_owned());
        }
        if !self.is_temporal(&part) {
            return Ok(Formula::Atom(self.part(&part).to_owned()));
        }
        let deepest = deepest.checked_sub(1).ok_or("its formulas are nested too deep")?;
        let own = self.tokens[part.start].depth;
        let at_this_depth = |at: &usize| self.tokens[*at].depth == own;
        let is = |at: usize, words: &[&str]| words.contains(&self.word(at));
        // The body of a quantifier reaches to the end of the part, but for one that `end` closes.
        let binds = |at: usize| is(at, &["forall", "exists"]) && at + 2 < part.end && is(at + 2, &[":"]);
        let closes = |at: usize| is(at, &["end", "endforall", "endexists"]);
        let quantifier = part.clone().filter(at_this_depth).find(|&at| binds(at));
        let quantifier = quantifier.filter(|&at| !(at..part.end).filter(at_this_depth).any(closes));
        if let Some(at) = quantifier.filter(|&at| self.is_temporal(&(at..part.end))) {
            let condition = self.part(&(at..part.end));
            return Err(format!(
                "a temporal operator stands inside of a quantifier, in `{condition}`: put a quantifier that ends before it in parentheses"
            ));
        }
        let outside = |at: &usize| at_this_depth(at) && quantifier.is_none_or(|quantifier| *at < quantifier);
        let inner = |part: Range<usize>| self.formula(part, deepest).map(Box::new);
        for join in [Join::Implies, Join::Or, Join::And] {
            let mut places = part.clone().filter(outside).filter(|&at| Join::of(self.word(at)) == Some(join));
            match (join, places.next()) {
                (_, None) => {}
                (Join::Implies, Some(at)) => {
                    return Ok(Formula::Implies(inner(part.start..at)?, inner(at + 1..part.end)?));
                }
                (_, Some(first)) => {
                    let places = std::iter::once(first).chain(places);
                    let list = self.operands(&part, places).into_iter().map(|own| self.formula(own, deepest));
                    let list = list.collect::<Result<Vec<_>, _>>()?;
                    return Ok(if join == Join::Or { Formula::Or(list) } else { Formula::And(list) });
                }
            }
        }
        let mut between = part.clone().filter(outside).filter_map(|at| Some((at, Temporal2::of(self.word(at))?)));
        if let Some((at, op)) = between.next() {
            return Ok(op.on(inner(part.start..at)?, inner(at + 1..part.end)?));
        }
        let first = self.word(part.start);
        if let Some(op) = Temporal1::of(first) {
            return Ok(op.on(inner(part.start + 1..part.end)?));
        }
        let last = part.end - 1;
        match first {
            "!" | "not" => Ok(Formula::Not(inner(part.start + 1..part.end)?)),
            "(" if last > part.start && self.word(last) == ")" && (part.start + 1..last).all(|at| !outside(&at)) => {
                self.formula(part.start + 1..last, deepest)
            }
            _ => Err(format!("a temporal operator stands inside of a condition, in `{}`", self.part(&part))),
        }
    }

    /// The text of a part with `!` and `||` in the place of each `->`.
    fn expanded(&self, part: Range<usize>, deepest: usize) -> Option<String> {
        let deepest = deepest.checked_sub(1)?;
        let places = self.tokens.get(part.clone())?;
        let (own, end) = (places.first()?.depth, places.last()?.place.end);
        let mut own_tokens = part.clone().filter(|&at| self.tokens[at].depth == own);
        if let Some(at) = own_tokens.find(|&at| self.word(at) == IMPLIES) {
            let (left, right) = (self.expanded(part.start..at, deepest)?, self.expanded(at + 1..part.end, deepest)?);
            return Some(format!("!({left}) || ({right})"));
        }
        let (mut text, mut from, mut at) = (String::new(), places[0].place.start, part.start);
        while at < part.end {
            let inner = at..(at..part.end).find(|&at| self.tokens[at].depth == own).unwrap_or(part.end);
            at = inner.end + 1;
            if let Some([first, ..]) = self.tokens.get(inner.clone()) {
                text.push_str(&self.text[from..first.place.start]);
                text.push_str(&self.expanded(inner.clone(), deepest)?);
                from = self.tokens[inner.end - 1].place.end;
            }
        }
        text.push_str(&self.text[from..end]);
        Some(text)
    }

    /// The operands of a list between its connectives; neighbours without temporal operators are one condition.
    fn operands(&self, part: &Range<usize>, places: impl Iterator<Item = usize>) -> Vec<Range<usize>> {
        let (mut list, mut from): (Vec<Range<usize>>, usize) = (Vec::new(), part.start);
        for at in places.chain([part.end]) {
            let own = from..at;
            from = at + 1;
            let last = list.last_mut().filter(|last| !self.is_temporal(last) && !self.is_temporal(&own));
            match last {
                // An operand that is missing is reported by itself.
                Some(last) if last.start < last.end && own.start < own.end => last.end = own.end,
                _ => list.push(own),
            }
        }
        list
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_are_the_largest_parts_without_temporal_operators() {
        let atom = |text: &str| Formula::Atom(text.to_owned());
        let boxed = |formula: Formula<String>| Box::new(formula);
        assert_eq!(read("a[i] && b -> c || d").expect("a formula"), atom("a[i] && b -> c || d"));
        assert_eq!(
            read("x = 1 && a[x] && G (b || c) && !d").expect("a formula"),
            Formula::And(vec![atom("x = 1 && a[x]"), Formula::Globally(boxed(atom("(b || c)"))), atom("!d")])
        );
        assert_eq!(
            read("p U q U r -> F (s -> X t)").expect("a formula"),
            Formula::Implies(
                boxed(Formula::Until(boxed(atom("p")), boxed(Formula::Until(boxed(atom("q")), boxed(atom("r")))))),
                boxed(Formula::Finally(boxed(Formula::Implies(
                    boxed(atom("s")),
                    boxed(Formula::Next(boxed(atom("t"))))
                ))))
            )
        );
        let inside = Formula::Quantified(ltl::Paths::Some, boxed(Formula::Finally(boxed(atom("x == 1")))));
        assert_eq!(
            read("AG EF x == 1").expect("a formula"),
            Formula::Quantified(ltl::Paths::All, boxed(Formula::Globally(boxed(inside))))
        );
    }

    #[test]
    fn implications_are_expanded() {
        let expanded = |text| without_implications(text);
        assert_eq!(expanded("x == 1 && y -> z").as_deref(), Some("!(x == 1 && y) || (z)"));
        assert_eq!(expanded("x >= 1 -> (y  -> (z))").as_deref(), Some("!(x >= 1) || ((!(y) || ((z))))"));
        assert_eq!(expanded("a -> b -> c").as_deref(), Some("!(a) || (!(b) || (c))"));
        assert_eq!(expanded("!(x[1] -> P.y)").as_deref(), Some("!(!(x[1]) || (P.y))"));
        for text in ["x ->", "x", "x - > y", "(x -> y", "-> x", "a => b -> c", "a <-> b", "forall i:P . x[i] -> y"] {
            assert_eq!(expanded(text), None, "{text}");
        }
        assert_eq!(expanded(&format!("{}a -> b{}", "(".repeat(100_000), ")".repeat(100_000))), None);
    }

    #[test]
    fn quantifiers_reach_to_the_end_and_boxes_are_operators() {
        let atom = |text: &str| Box::new(Formula::Atom(text.to_owned()));
        assert!(read("forall q:P . a[q] = 0 => G b = 1").is_err());
        assert!(read("F c = 1 && exists q:P . a[q] = 0 && G b = 1").is_err());
        let open = read("(forall q:P . a[q] = 0) => G b = 1").expect("a formula");
        assert_eq!(open, Formula::Implies(atom("(forall q:P . a[q] = 0)"), Box::new(Formula::Globally(atom("b = 1")))));
        let closed = read("forall q: P do a[q] = 0 end -> [] <> b").expect("a formula");
        let often = Formula::Globally(Box::new(Formula::Finally(atom("b"))));
        assert_eq!(closed, Formula::Implies(atom("forall q: P do a[q] = 0 end"), Box::new(often)));
        let name = read("exists == 1 -> F b").expect("a formula");
        assert_eq!(name, Formula::Implies(atom("exists == 1"), Box::new(Formula::Finally(atom("b")))));
        assert_eq!(
            read("G forall q:P . a[q] = 0 => b").expect("a formula"),
            Formula::Globally(atom("forall q:P . a[q] = 0 => b"))
        );
    }

    #[test]
    fn parts_that_are_no_formulas_have_reasons() {
        for text in ["G", "G a &&", "&& G a", "forall i:P . F a[i]", "f(G a)", "G a b) (", "(G a", "U"] {
            assert!(read(text).is_err(), "{text}: {:?}", read(text));
        }
        assert!(read(&format!("{}G a{}", "(".repeat(100_000), ")".repeat(100_000))).is_err());
        assert!(is_temporal("EF (x = 1)") && !is_temporal("Goal = 1 && x.F"));
    }
}
