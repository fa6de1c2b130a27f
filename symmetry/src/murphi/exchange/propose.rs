//! Candidates for exchanges: rules of one shape are laid on each other, and the names at the same places change places.
//!
//! The shape of a text is its constructs without names, operands of symmetric operators sorted; its names are the variables and members in their order. From a pair of rules of
//! one shape, or a pair of variables, follows a map of names. Each other text that has some of them has to go to one of its shape: if one
//! text only fits, its names join the map. Members of different enumerations move with all members, in order.
//!
//! # Soundness
//!
//! These are guesses: the proof looks at the text anew.

use std::collections::{BTreeMap, BTreeSet};
use std::mem::discriminant;

use frontend::murphi::program::{
    Argument, Base, BinaryOp, Child, Class, Expr, ExprKind, Header, Part, Place, Program, Step, Stmt,
};
use frontend::murphi::syntax::ast::PropertyKind;
use rustc_hash::FxHashMap;

use super::Exchange;

/// The most pairs that maps begin with.
const MOST_PAIRS: usize = 512;
/// The most texts.
const MOST_TEXTS: usize = 512;

/// A name: a variable or a member.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Name {
    Variable(usize),
    Member(i32),
}

/// A rule or assumption.
#[derive(Debug)]
struct Text {
    shape: String,
    names: Vec<Name>,
}

impl Text {
    fn new(program: &Program, header: &[Header], conditions: &[&Expr], body: &[Stmt]) -> Text {
        let mut text = Text { shape: format!("{}/", header.len()), names: Vec::new() };
        // The parts of an expression that was taken as a whole are passed over.
        let mut within = 0;
        let mut note = |part: Part<'_>| {
            if within > 0 {
                within -= 1;
                return;
            }
            match part {
                Part::Stmt(stmt) => text.shape.push_str(&format!("{:?};", discriminant(&stmt.kind))),
                Part::Place(place) => text.add(Text::place(place)),
                Part::Expr(expr) => {
                    Child::Expr(expr).visit(&mut |_| within += 1);
                    within -= 1;
                    text.add(Text::of(program, expr));
                }
            }
        };
        header.iter().filter_map(Header::child).for_each(|child| child.visit(&mut note));
        conditions.iter().for_each(|condition| Child::Expr(condition).visit(&mut note));
        Child::Body(body).visit(&mut note);
        debug_assert_eq!(within, 0, "the parts of an expression follow it");
        text
    }

    fn add(&mut self, other: Text) {
        self.shape.push_str(&other.shape);
        self.names.extend(other.names);
    }

    /// A place without its indices.
    fn place(place: &Place) -> Text {
        let step = |step: &Step| if let Step::Field(field) = step { format!(".{field}") } else { "[]".to_owned() };
        let steps: String = place.steps.iter().map(step).collect();
        match place.base {
            Base::Variable(id) => Text { shape: format!("v{steps}"), names: vec![Name::Variable(id.index())] },
            Base::Local(_) => Text { shape: format!("l{steps}"), names: Vec::new() },
        }
    }

    /// An expression; operands whose order may have no meaning are sorted by their shapes.
    fn of(program: &Program, expr: &Expr) -> Text {
        let whole = |shape: String| Text { shape, names: Vec::new() };
        let of = |one: &Expr| Text::of(program, one);
        let at = |place: &Place| {
            let indices = place
                .steps
                .iter()
                .filter_map(|step| if let Step::Index(index) = step { Some(of(index)) } else { None });
            [Text::place(place)].into_iter().chain(indices).collect::<Vec<Text>>()
        };
        let kind = discriminant(&expr.kind);
        let (mut text, mut parts) = match &expr.kind {
            ExprKind::Value(value) if program.types.class(expr.of) == Class::Names => {
                (Text { shape: "m".to_owned(), names: vec![Name::Member(*value)] }, Vec::new())
            }
            ExprKind::Value(value) => (whole(value.to_string()), Vec::new()),
            ExprKind::Undefined | ExprKind::Count(..) => (whole(format!("{kind:?}")), Vec::new()),
            ExprKind::Read(place) | ExprKind::IsUndefined(place) => (whole(format!("{kind:?}")), at(place)),
            ExprKind::Unary(op, inner) => (whole(format!("{op:?}")), vec![of(inner)]),
            ExprKind::Binary(op, left, right) => (whole(format!("{op:?}")), vec![of(left), of(right)]),
            ExprKind::And(list) | ExprKind::Or(list) => (whole(format!("{kind:?}")), list.iter().map(of).collect()),
            ExprKind::Implies(left, right) => (whole(format!("{kind:?}")), vec![of(left), of(right)]),
            ExprKind::Conditional(condition, then, otherwise) => {
                (whole(format!("{kind:?}")), vec![of(condition), of(then), of(otherwise)])
            }
            ExprKind::Quantified(all, _, inner) => (whole(format!("{kind:?}{all}")), vec![of(inner)]),
            ExprKind::IsMember(inner, _) => (whole(format!("{kind:?}")), vec![of(inner)]),
            ExprKind::Call(id, arguments) => {
                let argument = |argument: &Argument| match argument {
                    Argument::Value(value) => vec![of(value)],
                    Argument::Reference(place) => at(place),
                };
                (whole(format!("{id:?}")), arguments.iter().flat_map(argument).collect())
            }
        };
        let is_free = |op: &BinaryOp| matches!(op, BinaryOp::Equal | BinaryOp::NotEqual);
        if matches!(&expr.kind, ExprKind::And(_) | ExprKind::Or(_))
            || matches!(&expr.kind, ExprKind::Binary(op, ..) if is_free(op))
        {
            parts.sort_by(|one, other| one.shape.cmp(&other.shape));
        }
        text.shape.push('(');
        parts.into_iter().for_each(|part| text.add(part));
        text.shape.push(')');
        text
    }
}

/// A map of names that is its own inverse; names that it lacks are open.
#[derive(Clone, Default)]
struct Map(BTreeMap<Name, Name>);

impl Map {
    fn image(&self, name: Name) -> Name {
        self.0.get(&name).copied().unwrap_or(name)
    }

    /// Whether a name is open, or goes to another one.
    fn fits(&self, from: Name, to: Name) -> bool {
        self.0.get(&from).is_none_or(|&known| known == to)
    }

    /// Exchanges two names; whether no other exchange contradicts it.
    fn exchange(&mut self, program: &Program, one: Name, other: Name) -> bool {
        let mut pairs = vec![(one, other)];
        if let (Name::Member(one), Name::Member(other)) = (one, other) {
            let sort = |value: i32| program.types.sorts.iter().find(|sort| sort.contains(value));
            let (Some(own), Some(image)) = (sort(one), sort(other)) else { return false };
            if own.first != image.first {
                if own.size != image.size || one - own.first != other - image.first {
                    return false;
                }
                pairs =
                    (0..own.size).map(|at| (Name::Member(own.first + at), Name::Member(image.first + at))).collect();
            }
        }
        pairs.into_iter().all(|(one, other)| {
            let is_alike =
                matches!((one, other), (Name::Variable(_), Name::Variable(_)) | (Name::Member(_), Name::Member(_)));
            let is_new = is_alike && self.fits(one, other) && self.fits(other, one);
            self.0.insert(one, other);
            self.0.insert(other, one);
            is_new
        })
    }

    /// The map with the names of one text going to those of another.
    fn joined(&self, program: &Program, one: &Text, other: &Text) -> Option<Map> {
        debug_assert_eq!(one.names.len(), other.names.len(), "texts of one shape have as many names");
        let mut pairs = one.names.iter().zip(&other.names);
        // Most texts contradict the map: that needs no copy of it.
        if !pairs.clone().all(|(&one, &other)| self.fits(one, other) && self.fits(other, one)) {
            return None;
        }
        let mut map = self.clone();
        pairs.all(|(&one, &other)| map.exchange(program, one, other)).then_some(map)
    }

    /// Whether the names of a text go to its own, somewhere.
    fn keeps(&self, text: &Text) -> bool {
        let mut images: Vec<Name> = text.names.iter().map(|&name| self.image(name)).collect();
        let mut own = text.names.clone();
        images.sort_unstable();
        own.sort_unstable();
        images == own
    }

    fn exchanges(&self, text: &Text) -> bool {
        text.names.iter().any(|&name| self.image(name) != name)
    }
}

/// The exchanges that shapes of rules suggest, each once.
pub(in crate::murphi) fn propose(program: &Program) -> Vec<Exchange> {
    let rules = program.rules.iter().map(|rule| {
        let guard: Vec<&Expr> = rule.guard.iter().collect();
        Text::new(program, &rule.header, &guard, &rule.body)
    });
    let assumed = program.properties.iter().filter(|property| property.kind == PropertyKind::Assume);
    let assumed = assumed.map(|property| Text::new(program, &property.header, &[&property.condition], &[]));
    let texts: Vec<Text> = rules.chain(assumed).collect();
    if texts.len() > MOST_TEXTS {
        return Vec::new();
    }
    let mut alike: FxHashMap<&str, Vec<usize>> = FxHashMap::default();
    for (at, text) in texts.iter().enumerate() {
        alike.entry(&text.shape).or_default().push(at);
    }
    let first = Map::default();
    let mut classes: Vec<&Vec<usize>> = alike.values().collect();
    classes.sort_unstable();
    let pairs = classes.iter().flat_map(|class| {
        let pairs = (0..class.len()).flat_map(|one| (0..one).map(move |other| (other, one)));
        pairs.filter_map(|(one, other)| first.joined(program, &texts[class[one]], &texts[class[other]]))
    });
    // Variables that no rule names hold the same values in all states.
    let named: BTreeSet<Name> = texts.iter().flat_map(|text| text.names.iter().copied()).collect();
    let is_used = |&(one, other): &(usize, usize)| [one, other].iter().all(|&at| named.contains(&Name::Variable(at)));
    let variables = (0..program.variables.len()).flat_map(|one| (0..one).map(move |other| (other, one)));
    let variables = variables.filter(is_used).filter_map(|(one, other)| {
        let mut map = Map::default();
        map.exchange(program, Name::Variable(one), Name::Variable(other)).then_some(map)
    });
    let seeds = pairs.take(MOST_PAIRS).chain(variables.take(MOST_PAIRS));
    let found: BTreeSet<Exchange> = seeds
        .filter_map(|seed| spread(program, &texts, &alike, seed))
        .map(|map| exchange(&map))
        .filter(|exchange| *exchange != Exchange::default() && exchange.cells(program).is_some())
        .collect();
    found.into_iter().collect()
}

fn exchange(map: &Map) -> Exchange {
    debug_assert!(map.0.iter().all(|(&from, &to)| map.image(to) == from), "a map is its own inverse");
    let mut exchange = Exchange::default();
    for (&from, &to) in map.0.iter().filter(|(from, to)| from != to) {
        match (from, to) {
            (Name::Variable(from), Name::Variable(to)) => drop(exchange.variables.insert(from, to)),
            (Name::Member(from), Name::Member(to)) => drop(exchange.members.insert(from, to)),
            _ => unreachable!("names of one kind change places"),
        }
    }
    exchange
}

/// A map spread over all texts that have names of it; `None` if one of them goes nowhere.
fn spread(program: &Program, texts: &[Text], alike: &FxHashMap<&str, Vec<usize>>, mut map: Map) -> Option<Map> {
    let mut open: Vec<usize> = (0..texts.len()).collect();
    loop {
        let mut is_changed = false;
        let mut doubtful: Option<(usize, Map)> = None;
        let mut rest = Vec::new();
        for &at in &open {
            limits::work(1 + texts[at].names.len() as u64);
            if !map.exchanges(&texts[at]) {
                rest.push(at);
                continue;
            }
            if map.keeps(&texts[at]) {
                is_changed = true;
                continue;
            }
            let own = alike[texts[at].shape.as_str()].iter();
            let mut fitting = own.filter_map(|&other| map.joined(program, &texts[at], &texts[other]));
            let one = fitting.next()?;
            if fitting.next().is_some() {
                doubtful.get_or_insert((at, one));
                rest.push(at);
                continue;
            }
            drop(fitting);
            map = one;
            is_changed = true;
        }
        open = rest;
        if let (false, Some((at, one))) = (is_changed, doubtful) {
            map = one;
            open.retain(|&other| other != at);
            is_changed = true;
        }
        if !is_changed {
            return Some(map);
        }
    }
}
