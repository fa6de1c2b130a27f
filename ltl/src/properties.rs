//! [`Properties`]: the properties of a question, in any language of models.

use std::fmt::Debug;

use crate::Formula;

/// What a property says.
#[derive(Clone, Copy, Debug)]
pub enum Says<'p, A> {
    /// A condition holds in every reachable state.
    Invariant(&'p A),
    /// A formula holds.
    Formula(&'p Formula<A>),
    /// A state without steps in which a condition holds is no deadlock. It asks nothing itself.
    End(&'p A),
    /// Something is met in some state or step.
    Cover,
    /// Something is met again after every state.
    Recovery,
}

/// A property with its name.
pub trait Property: Clone + Debug + Send + 'static {
    /// A condition over one state.
    type Condition;
    /// A place in a text.
    type Place;

    /// Its name.
    fn name(&self) -> &str;

    /// The place where it is declared.
    fn place(&self) -> Self::Place;

    /// What it says.
    fn says(&self) -> Says<'_, Self::Condition>;

    /// The formula, if it is one.
    fn formula(&self) -> Option<&Formula<Self::Condition>> {
        if let Says::Formula(formula) = self.says() { Some(formula) } else { None }
    }

    /// Whether it only says which states may end.
    fn is_end(&self) -> bool {
        matches!(self.says(), Says::End(_))
    }
}

/// The properties of a question.
pub trait Properties: Clone + Default + Debug + Send + 'static {
    /// A condition over one state.
    type Condition;
    /// A property.
    type Property: Property<Condition = Self::Condition>;

    /// The properties, in order.
    fn list(&self) -> &[Self::Property];

    /// The properties, to be changed.
    fn list_mut(&mut self) -> &mut Vec<Self::Property>;

    /// These properties, with the same definitions.
    #[must_use]
    fn with(&self, list: Vec<Self::Property>) -> Self {
        let mut other = self.clone();
        *other.list_mut() = list;
        other
    }

    /// Removes the properties that are not wanted.
    fn keep(&mut self, wanted: &dyn Fn(&str) -> bool, ends: bool) {
        self.list_mut().retain(|one| if one.is_end() { ends } else { wanted(one.name()) });
    }

    /// The properties that have an answer.
    fn answered(&self) -> impl Iterator<Item = &Self::Property> {
        self.list().iter().filter(|one| !one.is_end())
    }

    /// The formulas, with their names.
    fn formulas(&self) -> Vec<(&str, &Formula<Self::Condition>)> {
        self.list().iter().filter_map(|one| Some((one.name(), one.formula()?))).collect()
    }

    /// The conditions of the invariants, with their names.
    fn invariants(&self) -> Vec<(&str, &Self::Condition)> {
        let invariant = |one| if let Says::Invariant(condition) = Property::says(one) { Some(condition) } else { None };
        self.list().iter().filter_map(|one| Some((one.name(), invariant(one)?))).collect()
    }

    /// The conditions on states that may end.
    fn ends(&self) -> Vec<&Self::Condition> {
        let end = |one| if let Says::End(condition) = Property::says(one) { Some(condition) } else { None };
        self.list().iter().filter_map(end).collect()
    }
}

impl<P: Property> Properties for Vec<P> {
    type Condition = P::Condition;
    type Property = P;

    fn list(&self) -> &[P] {
        self
    }

    fn list_mut(&mut self) -> &mut Vec<P> {
        self
    }
}
