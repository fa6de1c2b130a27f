//! The types and names of random models while they are written.

use std::rc::Rc;

use super::generate::Writer;

/// A type by its text.
#[derive(Debug)]
pub(super) struct Ty {
    pub(super) text: String,
    pub(super) kind: Kind,
}

/// The structure of a type.
#[derive(Clone, Debug)]
pub(super) enum Kind {
    Boolean,
    Range(i32, i32),
    /// Sorts by number, with the names of their members if they have some.
    Names(Vec<(usize, Vec<String>)>),
    Array(Rc<Ty>, Rc<Ty>),
    Record(Vec<(String, Rc<Ty>)>),
    Multiset(Rc<Ty>),
}

impl Ty {
    pub(super) fn is_simple(&self) -> bool {
        matches!(self.kind, Kind::Boolean | Kind::Range(..) | Kind::Names(_))
    }

    pub(super) fn has_multiset(&self) -> bool {
        match &self.kind {
            Kind::Multiset(_) => true,
            Kind::Array(_, element) => element.has_multiset(),
            Kind::Record(fields) => fields.iter().any(|(_, of)| of.has_multiset()),
            _ => false,
        }
    }

    /// The simple parts, roughly.
    pub(super) fn cells(&self) -> usize {
        match &self.kind {
            Kind::Array(index, element) => index.values() * element.cells(),
            Kind::Record(fields) => fields.iter().map(|(_, of)| of.cells()).sum(),
            Kind::Multiset(element) => 2 * element.cells(),
            _ => 1,
        }
    }

    fn values(&self) -> usize {
        match &self.kind {
            Kind::Range(low, high) => usize::try_from(high - low + 1).expect("not empty"),
            Kind::Names(sorts) => 2 * sorts.len(),
            _ => 2,
        }
    }

    /// Whether values of both are members of sorts of which one has all of the other.
    pub(super) fn mixes(&self, other: &Ty) -> bool {
        match (&self.kind, &other.kind) {
            (Kind::Names(some), Kind::Names(others)) => {
                let within = |some: &[(usize, Vec<String>)], others: &[(usize, Vec<String>)]| {
                    some.iter().all(|(sort, _)| others.iter().any(|(other, _)| sort == other))
                };
                within(some, others) || within(others, some)
            }
            (Kind::Range(..), Kind::Range(..)) | (Kind::Boolean, Kind::Boolean) => true,
            _ => self.text == other.text && !self.is_simple(),
        }
    }
}

/// What a name stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Form {
    /// A variable.
    Variable,
    /// A value that is not changed.
    Value,
    /// A slot of a multiset of the type.
    Slot,
}

/// A name.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub(super) name: String,
    pub(super) of: Rc<Ty>,
    pub(super) form: Form,
    /// Whether it is there before the current body, so that a function without effects does not change it.
    pub(super) is_old: bool,
}

/// A variable or a part of one.
#[derive(Clone, Debug)]
pub(super) struct Place {
    pub(super) name: String,
    pub(super) steps: Vec<Step>,
    pub(super) of: Rc<Ty>,
    pub(super) form: Form,
    pub(super) is_old: bool,
}

/// A step into a part.
#[derive(Clone, Debug)]
pub(super) enum Step {
    Field(String),
    Index(Rc<Ty>),
    Slot(String),
}

impl Writer {
    /// The names that are not hidden.
    fn visible(&self) -> Vec<Entry> {
        let mut list: Vec<Entry> = Vec::new();
        for entry in self.scope.iter().rev() {
            if !list.iter().any(|known| known.name == entry.name) {
                list.push(entry.clone());
            }
        }
        list
    }

    /// The places of some types.
    pub(super) fn places(&self, fits: &dyn Fn(&Ty) -> bool, is_written: bool) -> Vec<Place> {
        let visible = self.visible();
        let slots: Vec<&Entry> = visible.iter().filter(|entry| entry.form == Form::Slot).collect();
        let mut found = Vec::new();
        for entry in visible.iter().filter(|entry| entry.form != Form::Slot) {
            if is_written && (entry.form == Form::Value || self.is_pure && entry.is_old) {
                continue;
            }
            let place = Place {
                name: entry.name.clone(),
                steps: Vec::new(),
                of: entry.of.clone(),
                form: entry.form,
                is_old: entry.is_old,
            };
            descend(place, &slots, fits, &mut found);
        }
        found
    }
}

fn descend(place: Place, slots: &[&Entry], fits: &dyn Fn(&Ty) -> bool, found: &mut Vec<Place>) {
    let part = |step: Step, of: &Rc<Ty>| {
        let mut steps = place.steps.clone();
        steps.push(step);
        Place { steps, of: of.clone(), ..place.clone() }
    };
    match &place.of.kind {
        Kind::Array(index, element) => descend(part(Step::Index(index.clone()), element), slots, fits, found),
        Kind::Record(fields) => {
            for (name, of) in fields {
                descend(part(Step::Field(name.clone()), of), slots, fits, found);
            }
        }
        Kind::Multiset(element) => {
            for slot in slots.iter().filter(|slot| slot.of.text == place.of.text) {
                descend(part(Step::Slot(slot.name.clone()), element), slots, fits, found);
            }
        }
        _ => {}
    }
    if fits(&place.of) {
        found.push(place);
    }
}
