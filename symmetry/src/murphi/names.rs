//! The names of the values of classes: members by their own names, values of ranges by the name of the type or, where two
//! classes share it, by a place: `Node_1`, `owner=1`, `at[1]`.

use std::collections::{BTreeMap, BTreeSet};

use frontend::murphi::program::{Program, TypeId, TypeKind, Types};

use super::roles::{Class, Node, NodeId, Roles, TRUTH};
use super::uses::{Block, Uses};

/// The names of the values of the classes that are in the state.
#[derive(Clone, Debug)]
pub struct Names {
    classes: BTreeMap<Class, Named>,
}

/// The name of a class.
#[derive(Clone, Debug)]
struct Named {
    /// The name of its type, or a place.
    label: String,
    /// The names of its values.
    values: BTreeMap<i32, String>,
    /// Whether some array has them as indices.
    is_index: bool,
}

/// A first place of a class.
struct First {
    of: TypeId,
    /// The text before and after a value.
    around: [String; 2],
    is_index: bool,
}

impl Names {
    /// The names for a program, first those of some blocks.
    pub(super) fn new(program: &Program, uses: &Uses, blocks: &[&Block]) -> Names {
        let mut found: BTreeMap<Class, First> = BTreeMap::new();
        for (variable, &node) in program.variables.iter().zip(&uses.roles.variables) {
            places(program, &uses.roles, node, variable.of, &variable.name, &mut found);
        }
        let mut taken: BTreeSet<String> = BTreeSet::new();
        let mut classes = BTreeMap::new();
        let moved: BTreeSet<Class> = blocks.iter().map(|block| block.class).collect();
        let (first, rest): (Vec<_>, Vec<_>) = found.into_iter().partition(|(class, _)| moved.contains(class));
        for list in [first, rest] {
            let mut shared: BTreeMap<TypeId, usize> = BTreeMap::new();
            list.iter().for_each(|(_, first)| *shared.entry(first.of).or_default() += 1);
            for (class, first) in list {
                let named = named(program, &first, shared[&first.of] == 1, &taken);
                taken.extend(named.values.values().cloned());
                classes.insert(class, named);
            }
        }
        Names { classes }
    }

    /// The name of a value.
    #[must_use]
    pub fn value(&self, class: Class, value: i32) -> String {
        let named = self.classes.get(&class).and_then(|named| named.values.get(&value));
        named.cloned().unwrap_or_else(|| value.to_string())
    }

    /// The name of a class.
    #[must_use]
    pub fn class(&self, class: Class) -> &str {
        self.classes.get(&class).map_or("", |named| &named.label)
    }

    /// Whether the values of a class are indices of an array.
    #[must_use]
    pub fn is_index(&self, class: Class) -> bool {
        self.classes.get(&class).is_some_and(|named| named.is_index)
    }

    /// The value with a name.
    pub(super) fn find(&self, name: &str) -> Option<(Class, i32)> {
        self.classes.iter().find_map(|(&class, named)| {
            let value = named.values.iter().find(|(_, own)| *own == name)?;
            Some((class, *value.0))
        })
    }
}

fn named(program: &Program, first: &First, is_alone: bool, taken: &BTreeSet<String>) -> Named {
    let types = &program.types;
    let values: Vec<i32> = types.values(first.of).into_iter().flatten().collect();
    let own = &types.list[first.of.index()].name;
    let [before, after] = &first.around;
    let by_place = |value: i32| format!("{before}{}{after}", types.value_text(first.of, value));
    let by_type = |value: i32| match types.kind(first.of) {
        TypeKind::Names(_) => types.value_text(first.of, value),
        _ if own.is_empty() => by_place(value),
        _ => format!("{own}_{value}"),
    };
    let names: Vec<String> = values.iter().map(|&value| by_type(value)).collect();
    let is_free = is_alone && names.iter().all(|name| !taken.contains(name));
    let names = if is_free { names } else { values.iter().map(|&value| by_place(value)).collect() };
    let label = if own.is_empty() || !is_free { format!("{before}..{after}") } else { own.clone() };
    Named { label, values: values.into_iter().zip(names).collect(), is_index: first.is_index }
}

/// Finds a place for each class: as an index, else as a value; of the widest type.
fn places(program: &Program, roles: &Roles, node: NodeId, of: TypeId, name: &str, found: &mut BTreeMap<Class, First>) {
    let types = &program.types;
    let mut note = |class: Class, first: First| {
        let is_known = |known: &First| types.count(known.of) >= types.count(first.of);
        if class != TRUTH
            && types.count(first.of) <= super::uses::MOST_VALUES
            && !found.get(&class).is_some_and(is_known)
        {
            let is_index = first.is_index || found.get(&class).is_some_and(|known| known.is_index);
            found.insert(class, First { is_index, ..first });
        } else if let Some(known) = found.get_mut(&class) {
            known.is_index |= first.is_index;
        }
    };
    match (roles.node(node), types.kind(of)) {
        (Node::Simple(class), _) if of != Types::INTEGER => {
            note(*class, First { of, around: [format!("{name}="), String::new()], is_index: false });
        }
        (Node::Array(class, part), TypeKind::Array { index, element }) => {
            note(*class, First { of: *index, around: [format!("{name}["), "]".to_owned()], is_index: true });
            places(program, roles, *part, *element, &format!("{name}[]"), found);
        }
        (Node::Record(parts), TypeKind::Record(fields)) => {
            for (&part, field) in parts.iter().zip(fields) {
                places(program, roles, part, field.of, &format!("{name}.{}", field.name), found);
            }
        }
        (Node::Multiset(part), TypeKind::Multiset { element, .. }) => {
            places(program, roles, *part, *element, &format!("{name}{{}}"), found);
        }
        _ => {}
    }
}
