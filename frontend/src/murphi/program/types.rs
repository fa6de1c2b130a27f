//! The types of a model: interned by structure, each with its number of cells.
//!
//! A cell holds one simple value. Integers and booleans represent themselves. The members of all enumerations and scalar
//! sets are numbered once, in the order of their declarations, so that a value needs no conversion between a member of a
//! union and the union: a union is a list of sorts.
//!
//! Layout: an array is its elements in the order of its index type, a record its fields in order. A slot of a multiset is
//! one cell, 1 where the slot is used and undefined elsewhere, and the cells of an element: a multiset that is undefined
//! as a whole is empty.

use rustc_hash::FxHashMap;

use super::{SortId, TypeId};
use crate::murphi::MAX_CELLS;
use crate::source::Span;

/// A set of names: an enumeration or a scalar set.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sort {
    /// The name of its type; empty if it has none.
    pub name: String,
    /// The names of its members; `None` for a scalar set, whose members are numbered from 1.
    pub members: Option<Vec<String>>,
    /// The number of its first member.
    pub first: i32,
    /// The number of members.
    pub size: i32,
    /// The declaration.
    pub span: Span,
}

impl Sort {
    /// Whether a value is a member.
    pub fn contains(&self, value: i32) -> bool {
        self.first <= value && value - self.first < self.size
    }
}

/// A type.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Type {
    /// The kind, with its parts.
    pub kind: TypeKind,
    /// The first name that it was declared by; empty if there is none.
    pub name: String,
    /// The number of cells.
    pub cells: usize,
}

/// The kind of a type, with its parts.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum TypeKind {
    /// `boolean`: 0 and 1.
    Boolean,
    /// `low .. high`
    Range {
        /// The least value.
        low: i32,
        /// The greatest value.
        high: i32,
    },
    /// An enumeration or scalar set; a union where there are several.
    Names(Vec<SortId>),
    /// `array [index] of element`
    Array {
        /// The index type.
        index: TypeId,
        /// The type of the elements.
        element: TypeId,
    },
    /// `record .. end`
    Record(Vec<Field>),
    /// `multiset [capacity] of element`
    Multiset {
        /// The number of slots.
        capacity: usize,
        /// The type of the elements.
        element: TypeId,
    },
}

/// A field of a record.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Field {
    /// Its name.
    pub name: String,
    /// Its type.
    pub of: TypeId,
    /// Its first cell in the record.
    pub offset: usize,
}

/// The classes in which values of simple types mix: integers of all ranges do, names of the same sorts do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Class {
    /// Integers.
    Integer,
    /// Booleans.
    Boolean,
    /// Members of enumerations and scalar sets.
    Names,
    /// Arrays, records and multisets: copied and compared as a whole.
    Compound,
}

/// The types of a model.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Types {
    /// The types, parts before wholes.
    pub list: Vec<Type>,
    /// The enumerations and scalar sets.
    pub sorts: Vec<Sort>,
    known: FxHashMap<TypeKind, TypeId>,
}

impl Default for Types {
    fn default() -> Types {
        Types::new()
    }
}

impl Types {
    /// `boolean`
    pub const BOOLEAN: TypeId = TypeId(0);
    /// All integers: the type of literals and of arithmetic.
    pub const INTEGER: TypeId = TypeId(1);

    /// The predefined types.
    pub fn new() -> Types {
        let mut types = Types { list: Vec::new(), sorts: Vec::new(), known: FxHashMap::default() };
        let boolean = types.intern(TypeKind::Boolean);
        let integer = types.intern(TypeKind::Range { low: i32::MIN, high: i32::MAX });
        assert_eq!((boolean, integer), (Some(Types::BOOLEAN), Some(Types::INTEGER)));
        types.list[0].name = "boolean".into();
        types
    }

    /// The type of a kind; `None` if it has more than [`MAX_CELLS`] cells.
    pub fn intern(&mut self, kind: TypeKind) -> Option<TypeId> {
        if let Some(&known) = self.known.get(&kind) {
            return Some(known);
        }
        let has_values = match &kind {
            TypeKind::Range { low, high } => low <= high,
            TypeKind::Names(sorts) => !sorts.is_empty(),
            TypeKind::Multiset { capacity, .. } => *capacity > 0,
            TypeKind::Boolean | TypeKind::Array { .. } | TypeKind::Record(_) => true,
        };
        assert!(has_values, "a type has values");
        let cells = self.cells_of(&kind).filter(|&cells| cells <= MAX_CELLS)?;
        let id = TypeId::from_index(self.list.len());
        self.list.push(Type { kind: kind.clone(), name: String::new(), cells });
        self.known.insert(kind, id);
        Some(id)
    }

    fn cells_of(&self, kind: &TypeKind) -> Option<usize> {
        match kind {
            TypeKind::Boolean | TypeKind::Range { .. } | TypeKind::Names(_) => Some(1),
            TypeKind::Array { index, element } => self.cells(*element).checked_mul(self.count(*index)),
            TypeKind::Record(fields) => {
                fields.iter().try_fold(0usize, |sum, field| sum.checked_add(self.cells(field.of)))
            }
            TypeKind::Multiset { capacity, element } => (self.cells(*element) + 1).checked_mul(*capacity),
        }
    }

    /// Declares an enumeration or scalar set, and the type of its members alone.
    ///
    /// # Panics
    /// If there are more members than numbers.
    pub fn declare(&mut self, members: Option<Vec<String>>, size: i32, span: Span) -> TypeId {
        let is_named = |list: &Vec<String>| i32::try_from(list.len()) == Ok(size);
        assert!(size > 0 && members.iter().all(is_named), "a sort has values, and a name for each or none");
        let first = self.sorts.last().map_or(0, |sort| sort.first.checked_add(sort.size).expect("sorts are bounded"));
        let id = SortId::from_index(self.sorts.len());
        self.sorts.push(Sort { name: String::new(), members, first, size, span });
        self.intern(TypeKind::Names(vec![id])).expect("one cell")
    }

    /// Names a type that has no name yet, and the sort that it consists of.
    pub fn name(&mut self, id: TypeId, name: &str) {
        let of = &mut self.list[id.index()];
        if of.name.is_empty() && id != Types::INTEGER {
            of.name = name.into();
            if let TypeKind::Names(sorts) = &of.kind
                && let [sort] = sorts[..]
            {
                self.sorts[sort.index()].name = name.into();
            }
        }
    }

    /// The kind of a type.
    pub fn kind(&self, id: TypeId) -> &TypeKind {
        &self.list[id.index()].kind
    }

    /// The number of cells of a type.
    pub fn cells(&self, id: TypeId) -> usize {
        self.list[id.index()].cells
    }

    /// The sort of an id.
    pub fn sort(&self, id: SortId) -> &Sort {
        &self.sorts[id.index()]
    }

    /// The class in which values of a type mix with others.
    pub fn class(&self, id: TypeId) -> Class {
        match self.kind(id) {
            TypeKind::Boolean => Class::Boolean,
            TypeKind::Range { .. } => Class::Integer,
            TypeKind::Names(_) => Class::Names,
            TypeKind::Array { .. } | TypeKind::Record(_) | TypeKind::Multiset { .. } => Class::Compound,
        }
    }

    /// Whether a type has simple values.
    pub fn is_simple(&self, id: TypeId) -> bool {
        self.class(id) != Class::Compound
    }

    /// Whether values of a type hold multisets.
    pub fn has_multiset(&self, id: TypeId) -> bool {
        match self.kind(id) {
            TypeKind::Multiset { .. } => true,
            TypeKind::Array { element, .. } => self.has_multiset(*element),
            TypeKind::Record(fields) => fields.iter().any(|field| self.has_multiset(field.of)),
            _ => false,
        }
    }

    /// The number of values of a simple type.
    ///
    /// # Panics
    /// If the type is not simple.
    pub fn count(&self, id: TypeId) -> usize {
        let wide = |low: i32, high: i32| usize::try_from(i64::from(high) - i64::from(low) + 1).unwrap_or(0);
        match self.kind(id) {
            TypeKind::Boolean => 2,
            TypeKind::Range { low, high } => wide(*low, *high),
            TypeKind::Names(sorts) => sorts.iter().map(|&sort| wide(1, self.sort(sort).size)).sum(),
            _ => panic!("values of a type that is not simple"),
        }
    }

    /// Whether a simple part has so many values that they and `undefined` have no numbers of 32 bits.
    pub fn has_wide_cell(&self, id: TypeId) -> bool {
        match self.kind(id) {
            TypeKind::Array { element, .. } | TypeKind::Multiset { element, .. } => self.has_wide_cell(*element),
            TypeKind::Record(fields) => fields.iter().any(|field| self.has_wide_cell(field.of)),
            _ => u32::try_from(self.count(id)).map_or(true, |count| count == u32::MAX),
        }
    }

    /// The position of a value among those of a simple type, in order; `None` if it is none of them.
    ///
    /// # Panics
    /// If the type is not simple.
    pub fn position(&self, id: TypeId, value: i32) -> Option<usize> {
        let from = |low: i32| usize::try_from(i64::from(value) - i64::from(low)).ok();
        match self.kind(id) {
            TypeKind::Boolean => from(0).filter(|&position| position < 2),
            TypeKind::Range { low, high } => from(*low).filter(|_| value <= *high),
            TypeKind::Names(sorts) => {
                let mut before = 0;
                for &sort in sorts {
                    let sort = self.sort(sort);
                    if sort.contains(value) {
                        return from(sort.first).map(|position| before + position);
                    }
                    before += usize::try_from(sort.size).unwrap_or(0);
                }
                None
            }
            _ => panic!("values of a type that is not simple"),
        }
    }

    /// The values of a simple type, in order.
    ///
    /// # Panics
    /// If the type is not simple.
    pub fn values(&self, id: TypeId) -> Vec<std::ops::RangeInclusive<i32>> {
        match self.kind(id) {
            TypeKind::Boolean => vec![0..=1],
            TypeKind::Range { low, high } => vec![*low..=*high],
            TypeKind::Names(sorts) => {
                let values =
                    |&sort: &SortId| self.sort(sort).first..=self.sort(sort).first + (self.sort(sort).size - 1);
                sorts.iter().map(values).collect()
            }
            _ => panic!("values of a type that is not simple"),
        }
    }

    /// The least value of a simple type.
    ///
    /// # Panics
    /// If the type is not simple.
    pub fn least(&self, id: TypeId) -> i32 {
        *self.values(id)[0].start()
    }

    /// Whether a value of one type may go to a place of another, or be compared with one: the same integers, booleans or
    /// names, or the same structure.
    pub fn mix(&self, one: TypeId, other: TypeId) -> bool {
        match (self.kind(one), self.kind(other)) {
            (TypeKind::Range { .. }, TypeKind::Range { .. }) => true,
            (TypeKind::Names(some), TypeKind::Names(others)) => {
                some.iter().all(|sort| others.contains(sort)) || others.iter().all(|sort| some.contains(sort))
            }
            _ => one == other,
        }
    }

    /// A type as a message names it.
    pub fn text(&self, id: TypeId) -> String {
        let of = &self.list[id.index()];
        match &of.kind {
            // Ranges with the same bounds are one type, whatever their names.
            TypeKind::Range { .. } if id == Types::INTEGER => "an integer".into(),
            TypeKind::Range { low, high } => format!("`{low} .. {high}`"),
            _ if !of.name.is_empty() => format!("`{}`", of.name),
            TypeKind::Boolean => "`boolean`".into(),
            TypeKind::Names(sorts) => match (&self.sort(sorts[0]).members, sorts.len()) {
                (_, 2..) => "a union".into(),
                (Some(members), _) => format!("the enumeration of `{}`", members.first().map_or("", String::as_str)),
                (None, _) => "a scalar set".into(),
            },
            TypeKind::Array { .. } => "an array".into(),
            TypeKind::Record(_) => "a record".into(),
            TypeKind::Multiset { .. } => "a multiset".into(),
        }
    }
}
