//! Types and values of the interpreter of trees: values are trees, too, and nothing has a number or an address.

use std::rc::Rc;

/// A type.
#[derive(PartialEq, Eq, Debug)]
pub(super) enum Type {
    /// Whatever is simple: the type of a name for a value.
    Simple,
    /// `boolean`
    Boolean,
    /// `low .. high`
    Range(i64, i64),
    /// Enumerations and scalar sets, one of which is no union.
    Members(Vec<Sort>),
    /// `array [index] of element`
    Array(Rc<Type>, Rc<Type>),
    /// `record .. end`
    Record(Vec<(String, Rc<Type>)>),
    /// `multiset [capacity] of element`
    Multiset(usize, Rc<Type>),
}

/// An enumeration or scalar set: known by its place in the text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Sort {
    /// Where it is written.
    pub(super) place: u32,
    /// The number of its members.
    pub(super) size: i64,
}

/// A simple value.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum Simple {
    /// A truth value.
    Boolean(bool),
    /// An integer.
    Number(i64),
    /// A member of the sort at a place, by its number from 0.
    Member(u32, i64),
}

/// A value. What is undefined comes first, as in a sorted multiset.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum Value {
    /// An undefined simple value.
    Undefined,
    /// A simple value.
    Simple(Simple),
    /// The elements of an array or the fields of a record.
    Parts(Vec<Value>),
    /// The slots of a multiset; those without an element are not used.
    Slots(Vec<Option<Value>>),
}

impl Type {
    /// The values of a simple type in ascending order.
    pub(super) fn values(&self) -> Vec<Simple> {
        match self {
            Type::Boolean => vec![Simple::Boolean(false), Simple::Boolean(true)],
            Type::Range(low, high) => (*low..=*high).map(Simple::Number).collect(),
            Type::Members(sorts) => {
                let members = |sort: &Sort| {
                    let place = sort.place;
                    (0..sort.size).map(move |number| Simple::Member(place, number))
                };
                sorts.iter().flat_map(members).collect()
            }
            _ => panic!("the values of a simple type"),
        }
    }

    /// Whether a simple value is one of the type.
    pub(super) fn holds(&self, value: Simple) -> bool {
        match (self, value) {
            (Type::Simple, _) | (Type::Boolean, Simple::Boolean(_)) => true,
            (Type::Range(low, high), Simple::Number(number)) => (*low..=*high).contains(&number),
            (Type::Members(sorts), Simple::Member(place, _)) => sorts.iter().any(|sort| sort.place == place),
            _ => false,
        }
    }

    /// A value all of whose simple parts are alike: undefined, or each the least of its type.
    pub(super) fn filled(&self, clear: bool) -> Value {
        match self {
            Type::Array(index, element) => Value::Parts(index.values().iter().map(|_| element.filled(clear)).collect()),
            Type::Record(fields) => Value::Parts(fields.iter().map(|(_, of)| of.filled(clear)).collect()),
            Type::Multiset(..) => Value::Slots(Vec::new()),
            _ if clear => Value::Simple(self.values()[0]),
            _ => Value::Undefined,
        }
    }
}

impl Value {
    /// Brings multisets into order, those inside of others first.
    pub(super) fn sort(&mut self) {
        match self {
            Value::Parts(parts) => parts.iter_mut().for_each(Value::sort),
            Value::Slots(slots) => {
                slots.retain(Option::is_some);
                slots.iter_mut().flatten().for_each(Value::sort);
                slots.sort();
            }
            _ => {}
        }
    }
}
