//! Text to automaton.
//!
//! A header that starts with a capital letter changes the meaning of the automaton: unknown ones of this kind are
//! refused, others are skipped. The label of a state, and its acceptance sets, apply to the edges that leave it. Edges
//! without labels read the letters in order, one letter each.

use rustc_hash::FxHashMap;

use super::label::{Label, cubes};
use super::token::{Token, tokens};
use super::{Hoa, HoaError, HoaErrorKind, Place};
use crate::automaton::{Cube, Edge, MOST_BITS};

/// The greatest number of states.
const MOST_STATES: usize = 1 << 16;
/// The greatest number of edges, each with one cube.
const MOST_EDGES: usize = 1 << 16;
/// The greatest work of all labels together.
const MOST_WORK: usize = 1 << 20;
/// The deepest nesting of a label, aliases expanded.
const MOST_DEPTH: usize = 200;

type Read<T> = Result<T, HoaError>;

/// Reads an automaton.
///
/// # Errors
/// The first place that is wrong, and the remedy.
pub fn parse(text: &str) -> Result<Hoa, HoaError> {
    let tokens = tokens(text).map_err(|(span, message)| wrong(span, message))?;
    let mut reader = Reader {
        tokens,
        at: 0,
        states: None,
        starts: Vec::new(),
        names: None,
        aliases: Vec::new(),
        depths: Vec::new(),
        alias_names: FxHashMap::default(),
        sets: None,
        budget: MOST_WORK,
        edges: 0,
        hoa: Hoa::default(),
    };
    reader.headers()?;
    reader.body()?;
    assert!(reader.hoa.automaton.is_closed(), "edges lead to states");
    let propositions = reader.hoa.propositions.len();
    assert!(reader.hoa.automaton.reads_only(propositions), "labels are about propositions of the file");
    Ok(reader.hoa)
}

fn wrong(place: Place, message: impl Into<String>) -> HoaError {
    HoaError { kind: HoaErrorKind::Syntax, place, message: message.into() }
}

fn unsupported(place: Place, message: impl Into<String>) -> HoaError {
    HoaError { kind: HoaErrorKind::Unsupported, place, message: message.into() }
}

struct Reader {
    tokens: Vec<(Token, Place)>,
    at: usize,
    states: Option<usize>,
    starts: Vec<(usize, Place)>,
    /// The number of propositions.
    names: Option<usize>,
    aliases: Vec<Label>,
    /// The depth of each alias.
    depths: Vec<usize>,
    alias_names: FxHashMap<String, usize>,
    /// For each set of the file the set of the automaton, if the acceptance condition mentions it.
    sets: Option<Vec<Option<usize>>>,
    budget: usize,
    edges: usize,
    hoa: Hoa,
}

/// An edge before its label is known.
struct Outgoing {
    label: Option<Vec<Cube>>,
    to: usize,
    marks: u128,
}

impl Reader {
    fn token(&self) -> &Token {
        &self.tokens[self.at].0
    }

    fn span(&self) -> Place {
        self.tokens[self.at].1
    }

    /// Consumes the current token and returns it.
    fn next(&mut self) -> Token {
        let token = self.token().clone();
        self.at = (self.at + 1).min(self.tokens.len() - 1);
        token
    }

    /// Consumes a sign if it is there.
    fn sign(&mut self, sign: char) -> bool {
        let found = *self.token() == Token::Sign(sign);
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, sign: char) -> Read<()> {
        if self.sign(sign) { Ok(()) } else { Err(wrong(self.span(), format!("`{sign}` is missing here"))) }
    }

    fn number(&mut self, what: &str) -> Read<usize> {
        let Token::Number(number) = *self.token() else {
            return Err(wrong(self.span(), format!("a number is missing here: {what}")));
        };
        self.next();
        Ok(number)
    }

    fn headers(&mut self) -> Read<()> {
        let version = (self.next(), self.next());
        if version != (Token::Header("HOA".to_owned()), Token::Word("v1".to_owned())) {
            return Err(wrong(self.tokens[0].1, "the file does not begin with `HOA: v1`"));
        }
        loop {
            let span = self.span();
            match self.next() {
                Token::Body => break,
                Token::Header(name) => self.header(&name, span)?,
                _ => return Err(wrong(span, "a header, `word:`, or `--BODY--` is missing here")),
            }
        }
        let end = self.tokens[self.at.saturating_sub(1)].1;
        if self.sets.is_none() {
            return Err(wrong(end, "the header `Acceptance:` is missing"));
        }
        Ok(())
    }

    fn header(&mut self, name: &str, span: Place) -> Read<()> {
        match name {
            "States" => {
                let at = self.span();
                let states = self.number("how many states there are")?;
                if states > MOST_STATES {
                    return Err(unsupported(at, format!("more than {MOST_STATES} states")));
                }
                self.states = Some(states);
            }
            "Start" => {
                let at = self.span();
                let state = self.target()?;
                self.starts.push((state, at));
            }
            "AP" => self.propositions(span)?,
            "Alias" => {
                let at = self.span();
                let Token::Alias(name) = self.next() else {
                    return Err(wrong(at, "an alias, `@name`, is missing here"));
                };
                let (label, deep) = self.label(0)?;
                if self.alias_names.insert(name, self.aliases.len()).is_some() {
                    return Err(wrong(at, "the alias stands twice"));
                }
                self.aliases.push(label);
                self.depths.push(deep);
            }
            "Acceptance" => self.acceptance(span)?,
            "name" => {
                let at = self.span();
                let Token::Text(name) = self.next() else { return Err(wrong(at, "a text is missing here")) };
                self.hoa.name = Some((name, at));
            }
            _ if name.starts_with(|first: char| first.is_ascii_uppercase()) => {
                return Err(unsupported(
                    span,
                    format!("the header `{name}:` changes what the automaton means, and is not known"),
                ));
            }
            _ => {
                let is_value =
                    |token: &Token| !matches!(token, Token::Header(_) | Token::Body | Token::End | Token::Nothing);
                while is_value(self.token()) {
                    self.next();
                }
            }
        }
        Ok(())
    }

    fn propositions(&mut self, span: Place) -> Read<()> {
        let count = self.number("how many propositions there are")?;
        if self.names.is_some() {
            return Err(wrong(span, "a second header `AP:`"));
        }
        if count > MOST_BITS {
            return Err(unsupported(span, format!("more than {MOST_BITS} propositions")));
        }
        for _ in 0..count {
            let at = self.span();
            let Token::Text(name) = self.next() else {
                return Err(wrong(at, format!("the name of a proposition is missing here: {count} are promised")));
            };
            self.hoa.propositions.push((name, at));
        }
        self.names = Some(count);
        Ok(())
    }

    /// `t`, or a conjunction of `Inf(n)`.
    fn acceptance(&mut self, span: Place) -> Read<()> {
        let count = self.number("how many acceptance sets there are")?;
        if self.sets.is_some() {
            return Err(wrong(span, "a second header `Acceptance:`"));
        }
        if count > 10 * MOST_BITS {
            return Err(unsupported(span, format!("more than {MOST_BITS} acceptance sets")));
        }
        let mut sets = vec![None; count];
        let mut open = 0;
        loop {
            while self.sign('(') {
                open += 1;
            }
            let at = self.span();
            match self.next() {
                Token::Word(word) if word == "t" => {}
                Token::Word(word) if word == "Inf" => {
                    self.expect('(')?;
                    let at = self.span();
                    if *self.token() == Token::Sign('!') {
                        return Err(unsupported(at, "the complement of an acceptance set"));
                    }
                    let set = self.number("an acceptance set")?;
                    let Some(place) = sets.get_mut(set) else {
                        return Err(wrong(at, format!("there are {count} acceptance sets, counted from 0")));
                    };
                    if place.is_none() {
                        *place = Some(self.hoa.automaton.sets);
                        self.hoa.automaton.sets += 1;
                    }
                    self.expect(')')?;
                }
                Token::Word(word) if word == "Fin" || word == "f" => {
                    return Err(unsupported(at, "acceptance is not of the form `Inf(0)&Inf(1)&..`"));
                }
                _ => return Err(wrong(at, "an acceptance condition is missing here")),
            }
            while open > 0 && self.sign(')') {
                open -= 1;
            }
            if *self.token() == Token::Sign('|') {
                return Err(unsupported(self.span(), "acceptance is not of the form `Inf(0)&Inf(1)&..`"));
            }
            if !self.sign('&') {
                break;
            }
        }
        if open > 0 {
            return Err(wrong(self.span(), "`)` is missing here"));
        }
        if self.hoa.automaton.sets > MOST_BITS {
            return Err(unsupported(span, format!("more than {MOST_BITS} acceptance sets")));
        }
        self.sets = Some(sets);
        Ok(())
    }

    /// A state that is the target of an edge.
    fn target(&mut self) -> Read<usize> {
        let state = self.number("a state")?;
        if *self.token() == Token::Sign('&') {
            return Err(unsupported(self.span(), "an edge to several states at once (universal branching)"));
        }
        Ok(state)
    }

    /// A disjunction, and its depth.
    fn label(&mut self, depth: usize) -> Read<(Label, usize)> {
        let conjunction = |read: &mut Self| read.chain('&', Label::And, |read| read.literal(depth));
        self.chain('|', Label::Or, conjunction)
    }

    /// Parts with a sign between them, and the depth of the deepest.
    fn chain(
        &mut self,
        sign: char,
        join: fn(Vec<Label>) -> Label,
        mut part: impl FnMut(&mut Self) -> Read<(Label, usize)>,
    ) -> Read<(Label, usize)> {
        let (first, mut deepest) = part(self)?;
        let mut list = vec![first];
        while self.sign(sign) {
            let (next, deep) = part(self)?;
            list.push(next);
            deepest = deepest.max(deep);
        }
        let only = if list.len() == 1 { list.pop() } else { None };
        Ok((only.unwrap_or(join(list)), deepest))
    }

    fn literal(&mut self, depth: usize) -> Read<(Label, usize)> {
        let span = self.span();
        if depth > MOST_DEPTH {
            return Err(unsupported(span, "a label that is nested too deeply"));
        }
        Ok(match self.next() {
            Token::Word(word) if word == "t" => (Label::True, depth),
            Token::Word(word) if word == "f" => (Label::Not(Box::new(Label::True)), depth),
            Token::Number(number) => {
                let count = self.names.unwrap_or(0);
                if number >= count {
                    let message = match count {
                        1 => "there is 1 proposition, and its number is 0".to_owned(),
                        _ => format!("there are {count} propositions, counted from 0"),
                    };
                    return Err(wrong(span, message));
                }
                (Label::Proposition(number), depth)
            }
            Token::Alias(name) => {
                let Some(&number) = self.alias_names.get(&name) else {
                    return Err(wrong(span, format!("there is no alias `@{name}` above")));
                };
                let deep = depth + self.depths[number] + 1;
                if deep > MOST_DEPTH {
                    return Err(unsupported(span, "aliases that are nested too deeply"));
                }
                (Label::Alias(number), deep)
            }
            Token::Sign('!') => {
                let (inner, deep) = self.literal(depth + 1)?;
                (Label::Not(Box::new(inner)), deep)
            }
            Token::Sign('(') => {
                let inner = self.label(depth + 1)?;
                self.expect(')')?;
                inner
            }
            _ => {
                return Err(wrong(
                    span,
                    "a label is made of numbers, `t`, `f`, `@alias`, `!`, `&`, `|` and parentheses",
                ));
            }
        })
    }

    /// `[label]`, as cubes, if there is one.
    fn cubes(&mut self) -> Read<Option<Vec<Cube>>> {
        let span = self.span();
        if !self.sign('[') {
            return Ok(None);
        }
        let (label, _) = self.label(0)?;
        self.expect(']')?;
        let found = cubes(&label, true, &self.aliases, &mut self.budget);
        found.map(Some).map_err(|_| unsupported(span, "the labels are too large together"))
    }

    /// `{sets}`, if they are there.
    fn marks(&mut self) -> Read<u128> {
        let mut marks = 0;
        if !self.sign('{') {
            return Ok(marks);
        }
        while !self.sign('}') {
            let span = self.span();
            let set = self.number("an acceptance set, or `}`")?;
            let sets = self.sets.as_deref().unwrap_or_default();
            match sets.get(set) {
                Some(Some(set)) => marks |= 1 << set,
                Some(None) => {}
                None => return Err(wrong(span, format!("there are {} acceptance sets, counted from 0", sets.len()))),
            }
        }
        Ok(marks)
    }

    fn body(&mut self) -> Read<()> {
        let mut described: Vec<Option<Vec<Edge>>> = Vec::new();
        let mut targets: Vec<(usize, Place)> = std::mem::take(&mut self.starts);
        let known = self.states;
        let is_known = |state: usize| known.map_or(state < MOST_STATES, |states| state < states);
        loop {
            let span = self.span();
            match self.next() {
                Token::End => break,
                Token::Header(name) if name == "State" => {}
                _ => return Err(wrong(span, "`State:` or `--END--` is missing here")),
            }
            let (label, span) = (self.cubes()?, self.span());
            let state = self.number("a state")?;
            if !is_known(state) {
                return Err(wrong(span, "there is no such state"));
            }
            if matches!(self.token(), Token::Text(_)) {
                self.next();
            }
            let marks = self.marks()?;
            let edges = self.outgoing(marks, &mut targets)?;
            let edges = self.labelled(label.as_deref(), edges, span)?;
            if described.len() <= state {
                described.resize(state + 1, None);
            }
            if described[state].replace(edges).is_some() {
                return Err(wrong(span, format!("the state {state} is described twice")));
            }
        }
        if *self.token() != Token::Nothing {
            return Err(unsupported(self.span(), "something behind `--END--`: one automaton a file"));
        }
        if let Some(&(_, span)) = targets.iter().find(|(state, _)| !is_known(*state)) {
            return Err(wrong(span, "there is no such state"));
        }
        let most = targets.iter().map(|(state, _)| state + 1).max().unwrap_or(0).max(described.len());
        assert!(described.len() <= known.unwrap_or(most), "each state that is described is kept");
        described.resize(known.unwrap_or(most), None);
        let starts = targets.len() - self.edges;
        self.hoa.automaton.initial = targets[..starts].iter().map(|(state, _)| *state).collect();
        self.hoa.automaton.edges = described.into_iter().map(Option::unwrap_or_default).collect();
        Ok(())
    }

    /// The edges of a state; the marks of the state apply to them.
    fn outgoing(&mut self, own: u128, targets: &mut Vec<(usize, Place)>) -> Read<Vec<(Outgoing, Place)>> {
        let mut edges = Vec::new();
        while matches!(self.token(), Token::Sign('[') | Token::Number(_)) {
            let (label, span) = (self.cubes()?, self.span());
            let to = self.target()?;
            let marks = self.marks()? | own;
            self.edges += 1;
            if self.edges > MOST_EDGES {
                return Err(unsupported(span, format!("more than {MOST_EDGES} edges")));
            }
            targets.push((to, span));
            edges.push((Outgoing { label, to, marks }, span));
        }
        Ok(edges)
    }

    /// Edges with one cube each.
    fn labelled(&mut self, own: Option<&[Cube]>, edges: Vec<(Outgoing, Place)>, span: Place) -> Read<Vec<Edge>> {
        let with = edges.iter().filter(|(edge, _)| edge.label.is_some()).count();
        let propositions = self.names.unwrap_or(0);
        let is_implicit = own.is_none() && with == 0 && !edges.is_empty();
        if is_implicit && (propositions >= 64 || edges.len() as u64 != 1 << propositions) {
            let message =
                format!("edges without labels: there is one for each of the 2^{propositions} letters, in order");
            return Err(wrong(span, message));
        }
        if let (Some(_), Some((_, at))) = (own, edges.iter().find(|(edge, _)| edge.label.is_some())) {
            return Err(wrong(*at, "the state has a label, and an edge of it has another"));
        }
        let mut all = Vec::new();
        for (letter, (edge, at)) in edges.into_iter().enumerate() {
            let every = if propositions == 0 { 0 } else { u128::MAX >> (MOST_BITS - propositions) };
            let letter = letter as u128;
            let cubes = match (edge.label, own) {
                (Some(label), _) => label,
                (None, Some(own)) => own.to_vec(),
                (None, None) if is_implicit => vec![Cube { positive: letter, negative: every & !letter }],
                (None, None) => {
                    return Err(wrong(at, "the label of the edge is missing: others of the state have one"));
                }
            };
            let edge = |label| Edge { to: edge.to, label, marks: edge.marks };
            self.budget = self.budget.saturating_sub(1 + cubes.len());
            all.extend(cubes.into_iter().map(edge));
            if self.budget == 0 {
                return Err(unsupported(at, "the labels are too large together"));
            }
        }
        Ok(all)
    }
}
