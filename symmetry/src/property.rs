//! The action of a permutation on properties: which invariants and atomic propositions it fixes.
//!
//! An expression is written as a key, a canonical text of its meaning *on the image of a state*: named rebecs are replaced by their
//! images, literal positions in groups are rotated, and a scalar that is read is rotated back. If the key under a permutation is the key
//! under the identity, the expression has one value in a state and in its image. Invariants and atoms are taken as wholes: `a.x || b.x`
//! is fixed by swapping `a` and `b`. A formula is fixed when each of its atoms is fixed; a permutation of its atoms among each other is
//! not enough (M07).
//!
//! Operands of commutative operators are sorted. Those of `&&` and `||` are sorted only where none of them may fault, as evaluation stops
//! at the first operand that decides.
//!
//! If values, positions or servers move within rebecs, keys are the conditions of `csp::actors` instead, mapped element by element and
//! value by value.
//!
//! Soundness: equal keys mean equal values. Expressions that are equal for deeper reasons get different keys, which makes the group
//! smaller.

use std::cell::RefCell;

use csp::actors::{Actors, Claim};
use frontend::model::{
    Base, BinaryOp, Dimension, Expr, ExprKind, Formula, Model, Place, PropertyKind, PropertySet, RebecId, ScalarSetId,
    Sort, UnaryOp,
};

use crate::ground::Mapping;
use crate::permutation::{ModelPermutation, add};

/// The invariants and atomic propositions of a property set.
pub struct PropertyKeys<'m> {
    model: &'m Model,
    /// The expressions, each with the name of its property.
    expressions: Vec<(&'m str, &'m Expr)>,
    still: Vec<String>,
    /// The properties as conditions on elements and values, for permutations that move more than rebecs and rotations.
    claims: Option<RefCell<Actors<'m>>>,
}

impl<'m> PropertyKeys<'m> {
    /// The invariants and atomic propositions of all properties.
    ///
    /// With `exact`, keys are conditions on elements and values, which any permutation maps, instead of texts.
    pub fn new(model: &'m Model, properties: &'m PropertySet, exact: bool) -> PropertyKeys<'m> {
        let mut expressions = Vec::new();
        for property in &properties.properties {
            match &property.kind {
                PropertyKind::Invariant(invariant) | PropertyKind::End(invariant) => {
                    expressions.push((property.name.as_str(), invariant));
                }
                PropertyKind::Ltl(formula) => {
                    atoms(formula, &mut |atom| expressions.push((property.name.as_str(), atom)));
                }
            }
        }
        let claims = if exact { Actors::new(model, properties).ok().map(RefCell::new) } else { None };
        let mut property_keys = PropertyKeys { model, expressions, still: Vec::new(), claims };
        property_keys.still = property_keys.keys(&ModelPermutation::identity(model));
        assert_eq!(property_keys.still.len(), property_keys.expressions.len(), "every condition has a key");
        property_keys
    }

    /// The keys of all expressions under a permutation.
    pub fn keys(&self, permutation: &ModelPermutation) -> Vec<String> {
        if let Some(actors) = &self.claims {
            return self.claimed(&mut actors.borrow_mut(), permutation);
        }
        if !permutation.is_rotation() {
            // A text does not describe moves within rebecs.
            return vec![format!("{permutation:?}"); self.expressions.len()];
        }
        let writer = Writer { model: self.model, permutation };
        self.expressions.iter().map(|(_, expr)| writer.write(expr).text).collect()
    }

    /// The conditions of all expressions on the image of a state.
    fn claimed(&self, actors: &mut Actors<'m>, permutation: &ModelPermutation) -> Vec<String> {
        let Actors { space, terms, claims, .. } = actors;
        let names = self.expressions.iter().map(|&(name, _)| name);
        debug_assert!(claims.iter().map(|claim| claim.property.as_str()).eq(names), "claims are ordered as properties");
        let Ok(mapping) = Mapping::new(space, terms, permutation) else {
            return vec![format!("{permutation:?}"); claims.len()];
        };
        let key = |claim: &Claim| match &claim.says {
            Ok(says) => format!("{:?}", says.each_ref().map(|cubes| mapping.cubes(cubes))),
            Err(read) if read.iter().all(|&element| mapping.fixes(element)) => "fixed".to_owned(),
            Err(_) => format!("{permutation:?}"),
        };
        claims.iter().map(key).collect()
    }

    /// The name of a property with an expression that the permutation does not fix.
    pub fn moved_by(&self, permutation: &ModelPermutation) -> Option<&'m str> {
        let keys = self.keys(permutation);
        assert_eq!(keys.len(), self.still.len(), "every condition has a key");
        let mut pairs = keys.iter().zip(&self.still).zip(&self.expressions);
        pairs.find(|((key, still), _)| key != still).map(|(_, (name, _))| *name)
    }
}

fn atoms<'f>(formula: &'f Formula, sink: &mut impl FnMut(&'f Expr)) {
    match formula {
        Formula::Atom(atom) => sink(atom),
        Formula::Not(inner)
        | Formula::Next(inner)
        | Formula::Finally(inner)
        | Formula::Globally(inner)
        | Formula::Quantified(_, inner) => atoms(inner, sink),
        Formula::And(operands) | Formula::Or(operands) | Formula::Accepted(_, operands) => {
            operands.iter().for_each(|operand| atoms(operand, sink));
        }
        Formula::Implies(left, right)
        | Formula::Until(left, right)
        | Formula::WeakUntil(left, right)
        | Formula::Release(left, right) => {
            atoms(left, sink);
            atoms(right, sink);
        }
    }
}

/// A key, and whether evaluating the expression may fault.
struct Key {
    text: String,
    may_fault: bool,
}

impl Key {
    fn sure(text: String) -> Key {
        Key { text, may_fault: false }
    }
}

/// A scalar: a base, and the amount of its rotation.
struct ScalarKey {
    text: String,
    offset: u32,
    may_fault: bool,
}

struct Writer<'w> {
    model: &'w Model,
    permutation: &'w ModelPermutation,
}

impl Writer<'_> {
    fn write(&self, expr: &Expr) -> Key {
        if let Sort::Scalar(set) = expr.sort {
            let ScalarKey { text, offset, may_fault } = self.scalar(expr, set);
            return Key { text: format!("({text} +% {offset})"), may_fault };
        }
        match &expr.kind {
            ExprKind::Bool(value) => Key::sure(value.to_string()),
            ExprKind::Int(value) => Key::sure(value.to_string()),
            ExprKind::Null => Key::sure("null".to_owned()),
            ExprKind::Rebec(rebec) => Key::sure(format!("r{}", self.permutation.image(*rebec).0)),
            ExprKind::Feature(feature) => Key::sure(format!("f{}", feature.0)),
            ExprKind::Read(place) => self.place(place),
            ExprKind::And(operands) => self.junction("&&", operands),
            ExprKind::Or(operands) => self.junction("||", operands),
            ExprKind::Binary(op, left, right) => self.binary(*op, left, right),
            other => {
                let operands: Vec<Key> = expr.operands().into_iter().map(|operand| self.write(operand)).collect();
                let (head, faults) = head(other);
                let may_fault = faults || operands.iter().any(|operand| operand.may_fault);
                let texts: Vec<String> = operands.into_iter().map(|operand| operand.text).collect();
                Key { text: format!("{head}({})", texts.join(", ")), may_fault }
            }
        }
    }

    fn junction(&self, op: &str, operands: &[Expr]) -> Key {
        let mut keys: Vec<Key> = operands.iter().map(|operand| self.write(operand)).collect();
        let may_fault = keys.iter().any(|key| key.may_fault);
        if !may_fault {
            keys.sort_by(|one, other| one.text.cmp(&other.text));
        }
        let texts: Vec<String> = keys.into_iter().map(|key| key.text).collect();
        Key { text: format!("({})", texts.join(&format!(" {op} "))), may_fault }
    }

    fn binary(&self, op: BinaryOp, left: &Expr, right: &Expr) -> Key {
        if let Sort::Scalar(set) = left.sort {
            return self.scalar_comparison(op, left, right, set);
        }
        let (one, other) = (self.write(left), self.write(right));
        let may_fault = op.may_fault() || one.may_fault || other.may_fault;
        let commutes = matches!(
            op,
            BinaryOp::Add
                | BinaryOp::Multiply
                | BinaryOp::BitAnd
                | BinaryOp::BitOr
                | BinaryOp::BitXor
                | BinaryOp::Equal
                | BinaryOp::NotEqual
        );
        let (op, swap) = match op {
            BinaryOp::Greater => (BinaryOp::Less, true),
            BinaryOp::GreaterEqual => (BinaryOp::LessEqual, true),
            _ => (op, commutes && other.text < one.text),
        };
        let (first, second) = if swap { (other.text, one.text) } else { (one.text, other.text) };
        Key { text: format!("({first} {} {second})", op.symbol()), may_fault }
    }

    /// `a +% x == b +% y` as `a == b +% (y - x)`, the lesser text first.
    fn scalar_comparison(&self, op: BinaryOp, left: &Expr, right: &Expr, set: ScalarSetId) -> Key {
        let size = self.model.scalar_set(set).size();
        let (one, other) = (self.scalar(left, set), self.scalar(right, set));
        let may_fault = one.may_fault || other.may_fault;
        let (one, other) = if other.text < one.text { (other, one) } else { (one, other) };
        let mut difference = add(other.offset, (size - one.offset) % size, size);
        if one.text == other.text {
            difference = difference.min((size - difference) % size);
        }
        Key { text: format!("({} {} {} +% {difference})", one.text, op.symbol(), other.text), may_fault }
    }

    /// The value in the state itself, computed from the values in the image.
    fn scalar(&self, expr: &Expr, set: ScalarSetId) -> ScalarKey {
        let bounds = self.model.scalar_set(set);
        let size = bounds.size();
        match &expr.kind {
            ExprKind::Scalar(value) => {
                ScalarKey { text: "#".to_owned(), offset: value.abs_diff(bounds.low), may_fault: false }
            }
            ExprKind::Read(place) => {
                let Key { text, .. } = self.place(place);
                let amount = match place.base {
                    Base::Remote(rebec, _) => self.permutation.rotation(rebec, set),
                    Base::Variable(_) | Base::Local(_) => 0,
                };
                ScalarKey { text, offset: (size - amount) % size, may_fault: true }
            }
            ExprKind::Rotate(inner, by) => {
                let inner = self.scalar(inner, set);
                if let ExprKind::Int(by) = by.kind {
                    let by = i64::from(by).rem_euclid(i64::from(size));
                    let offset = add(inner.offset, u32::try_from(by).expect("below the size"), size);
                    return ScalarKey { offset, ..inner };
                }
                let by = self.write(by);
                let may_fault = inner.may_fault || by.may_fault;
                ScalarKey { text: format!("({} +% {})", inner.text, by.text), offset: inner.offset, may_fault }
            }
            _ => {
                let operands: Vec<Key> = expr.operands().into_iter().map(|operand| self.write(operand)).collect();
                let texts: Vec<String> = operands.into_iter().map(|operand| operand.text).collect();
                ScalarKey { text: format!("{}({})", head(&expr.kind).0, texts.join(", ")), offset: 0, may_fault: true }
            }
        }
    }

    fn place(&self, place: &Place) -> Key {
        let Base::Remote(rebec, variable) = place.base else {
            return Key { text: format!("{:?}", place.base), may_fault: true };
        };
        let class = self.model.class(self.model.class_of(rebec));
        let dimensions = &class.variables[variable.index()].dimensions;
        let mut text = format!("r{}.{}", self.permutation.image(rebec).0, variable.0);
        let mut may_fault = false;
        for (index, &dimension) in place.indices.iter().zip(dimensions) {
            let (index, faults) = self.index(rebec, index, dimension);
            text.push_str(&format!("[{index}]"));
            may_fault |= faults;
        }
        Key { text, may_fault }
    }

    fn index(&self, rebec: RebecId, index: &Expr, dimension: Dimension) -> (String, bool) {
        match dimension {
            Dimension::Array(_) => (self.write(index).text, !matches!(index.kind, ExprKind::Int(_))),
            Dimension::Scalar(set) => {
                let size = self.model.scalar_set(set).size();
                let ScalarKey { text, offset, may_fault } = self.scalar(index, set);
                let offset = add(offset, self.permutation.rotation(rebec, set), size);
                (format!("{text} +% {offset}"), may_fault)
            }
        }
    }
}

/// The name of an operation, and whether it may fault.
fn head(kind: &ExprKind) -> (String, bool) {
    match kind {
        ExprKind::Unary(op, _) => (op.symbol().to_owned(), *op == UnaryOp::Negate),
        ExprKind::Ite(..) => ("ite".to_owned(), false),
        ExprKind::Narrow(width, _) => (width.keyword().to_owned(), true),
        ExprKind::Cast(class, _) => (format!("cast{}", class.0), true),
        ExprKind::InstanceOf(class, _) => (format!("is{}", class.0), false),
        ExprKind::SquareRoot(_) => ("sqrt".to_owned(), true),
        ExprKind::SelfRef => ("self".to_owned(), true),
        ExprKind::Sender => ("sender".to_owned(), true),
        _ => ("value".to_owned(), true),
    }
}
