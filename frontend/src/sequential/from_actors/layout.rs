//! The layout of the sequential form: its sorts, constant tables and variables.
//!
//! One enumeration `Rebec` holds `null` and the rebecs; the rebecs of one class are consecutive, so that each class is
//! a part of it. One enumeration `Message` holds `none` and the names of all messages. A state variable becomes an
//! array over the rebecs of its class, a known rebec a constant table, and a queue a few arrays over rebecs and slots:
//! messages, senders, one array per parameter, and the length.
//!
//! Invariant: a slot after the end of a queue holds `none`, `null`, 0 or the least value, so that equal queues are
//! equal arrays.

use rustc_hash::FxHashMap;

use super::names::Names;
use crate::model::{self, ClassId, Dimension, Model, RebecId, Role, ScalarSetId, Value};
use crate::sequential::{Domain, Sequential, SortId, TableId, ValueKind, Variable, VariableId};
use crate::source::Span;

/// The sequential form under construction, and the map from the actors to it.
pub(super) struct Layout<'m> {
    pub(super) model: &'m Model,
    pub(super) out: Sequential,
    pub(super) names: Names,
    sort_names: Names,
    ranges: FxHashMap<(String, i32, i32), SortId>,
    /// `null` and all rebecs.
    pub(super) rebec: SortId,
    /// `none` and all messages.
    pub(super) message: SortId,
    messages: FxHashMap<&'m str, i32>,
    /// The member of each rebec.
    members: Vec<i32>,
    /// One per class; `None` without rebecs.
    pub(super) classes: Vec<Option<ClassLayout>>,
    /// One per feature.
    pub(super) features: Vec<VariableId>,
    /// Tables that are made on demand; their names are reserved before any local has one.
    conforming: FxHashMap<ClassId, TableId>,
    conforming_names: Vec<String>,
    defined: FxHashMap<ScalarSetId, TableId>,
    defined_names: Vec<String>,
    nobody: Option<TableId>,
    nobody_name: String,
}

/// A class with rebecs.
pub(super) struct ClassLayout {
    /// The sort of its rebecs, a part of the enumeration of all rebecs.
    pub(super) sort: SortId,
    pub(super) rebecs: Vec<RebecId>,
    /// One per variable of the class.
    pub(super) variables: Vec<Home>,
    /// `None` without message servers.
    pub(super) queue: Option<Queue>,
}

/// The home of a variable of a class.
#[derive(Clone, Copy)]
pub(super) enum Home {
    Constant(TableId),
    Variable(VariableId),
}

/// The queues of a class.
pub(super) struct Queue {
    pub(super) bound: i32,
    /// All slots but the last; `None` if there is only one.
    pub(super) shift: Option<SortId>,
    pub(super) message: VariableId,
    pub(super) sender: VariableId,
    pub(super) length: VariableId,
    /// By server and parameter.
    pub(super) parameters: Vec<Vec<VariableId>>,
    /// All arrays over the slots, with the value of a free slot.
    pub(super) arrays: Vec<(VariableId, i32)>,
}

impl<'m> Layout<'m> {
    /// The layout of a model without `new`.
    pub(super) fn new(model: &'m Model) -> Layout<'m> {
        let mut layout = Layout {
            model,
            out: Sequential::empty("Model"),
            names: Names::default(),
            sort_names: Names::default(),
            ranges: FxHashMap::default(),
            rebec: Sequential::BOOL,
            message: Sequential::BOOL,
            messages: FxHashMap::default(),
            members: vec![0; model.instances.len()],
            classes: Vec::new(),
            features: Vec::new(),
            conforming: FxHashMap::default(),
            conforming_names: Vec::new(),
            defined: FxHashMap::default(),
            defined_names: Vec::new(),
            nobody: None,
            nobody_name: String::new(),
        };
        layout.names.reserve(&["self", "sender"]);
        layout.sort_names.reserve(&["BOOL", "BIT"]);
        layout.enumerations();
        let classes: Vec<ClassId> = (0..model.classes.len()).map(ClassId::from_index).collect();
        layout.classes = classes.iter().map(|&class| layout.class(class)).collect();
        for &class in &classes {
            layout.variables(class);
        }
        for &class in &classes {
            layout.queue(class);
        }
        for feature in &model.features {
            let name = layout.names.fresh(&[&feature.name]);
            let id = layout.variable(name, Sequential::BOOL, Vec::new());
            layout.features.push(id);
        }
        for class in &model.classes {
            let name = layout.names.fresh(&[&format!("is_{}", class.name)]);
            layout.conforming_names.push(name);
        }
        for set in &model.scalar_sets {
            let name = layout.names.fresh(&[&format!("defined_{}", set.name)]);
            layout.defined_names.push(name);
        }
        layout.nobody_name = layout.names.fresh(&["nobody"]);
        let placed: usize = layout.classes.iter().flatten().map(|class| class.rebecs.len()).sum();
        assert_eq!(placed, model.instances.len(), "every rebec has its place");
        layout
    }

    fn enumerations(&mut self) {
        let model = self.model;
        let mut names = vec![self.names.fresh(&["null"])];
        for class in 0..model.classes.len() {
            for (index, instance) in model.instances.iter().enumerate() {
                if instance.class.index() == class {
                    self.members[index] = small(names.len());
                    names.push(self.names.fresh(&[&instance.name]));
                }
            }
        }
        self.rebec = self.sort("Rebec", Domain::Members(names));
        let mut names = vec![self.names.fresh(&["none"])];
        for instance in &model.instances {
            for server in &model.class(instance.class).servers {
                if !self.messages.contains_key(server.name.as_str()) {
                    self.messages.insert(&server.name, small(names.len()));
                    names.push(self.names.fresh(&[&server.name, &format!("{}_message", server.name)]));
                }
            }
        }
        self.message = self.sort("Message", Domain::Members(names));
    }

    fn class(&mut self, id: ClassId) -> Option<ClassLayout> {
        let all = (0..self.model.instances.len()).map(RebecId::from_index);
        let rebecs: Vec<RebecId> = all.filter(|&rebec| self.model.class_of(rebec) == id).collect();
        let (low, high) = (self.member(*rebecs.first()?), self.member(*rebecs.last()?));
        let sort = self.sort(&self.model.class(id).name, Domain::Part { of: self.rebec, low, high });
        assert_eq!(small(rebecs.len()), high - low + 1, "the rebecs of a class are neighbours");
        Some(ClassLayout { sort, rebecs, variables: Vec::new(), queue: None })
    }

    fn variables(&mut self, id: ClassId) {
        let class = self.model.class(id);
        let Some(sort) = self.classes[id.index()].as_ref().map(|class| class.sort) else { return };
        for variable in &class.variables {
            let qualified = format!("{}_{}", class.name, variable.name);
            let name = if self.is_shared(id, &variable.name) {
                self.names.fresh(&[&qualified])
            } else {
                self.names.fresh(&[&variable.name, &qualified])
            };
            let axes = variable.dimensions.iter().map(|&dimension| self.axis(dimension));
            let indices: Vec<SortId> = [sort].into_iter().chain(axes.collect::<Vec<_>>()).collect();
            let home = match variable.role {
                Role::Known => Home::Constant(self.known(id, variable, name, indices)),
                Role::State => {
                    let sort = self.variable_sort(variable.sort);
                    Home::Variable(self.variable(name, sort, indices))
                }
            };
            self.classes[id.index()].as_mut().expect("a class with rebecs").variables.push(home);
        }
    }

    /// Whether another class with rebecs has a variable of this name.
    fn is_shared(&self, id: ClassId, name: &str) -> bool {
        let classes = self.model.classes.iter().enumerate();
        let mut others =
            classes.filter(|&(other, _)| other != id.index() && self.classes[other].is_some()).map(|(_, class)| class);
        others.any(|class| class.variables.iter().any(|variable| variable.name == name))
    }

    fn known(&mut self, id: ClassId, variable: &model::Variable, name: String, indices: Vec<SortId>) -> TableId {
        let rebecs = &self.classes[id.index()].as_ref().expect("a class with rebecs").rebecs;
        let mut values = Vec::new();
        for &rebec in rebecs {
            let known = self.model.class(id).initial_values(&self.model.instances[rebec.index()].known);
            values.extend(variable.elements().map(|element| self.value(known[element], None)));
        }
        self.table(name, indices, ValueKind::Member(self.rebec), values)
    }

    fn queue(&mut self, id: ClassId) {
        let class = self.model.class(id);
        let Some(owner) = self.classes[id.index()].as_ref().map(|class| class.sort) else { return };
        if class.servers.is_empty() {
            return;
        }
        let bound = small(class.queue_bound as usize);
        assert!(bound > 0, "the queue of a class with rebecs holds a message");
        let name = format!("{}_queue", class.name);
        let slots = self.range(&format!("Slot{bound}"), 0, bound - 1);
        let shift = (bound > 1).then(|| self.range(&format!("Slot{}", bound - 1), 0, bound - 2));
        let indices = vec![owner, slots];
        let message = self.queued(&name, self.message, &indices);
        let sender = self.queued(&format!("{name}_sender"), self.rebec, &indices);
        let mut arrays = vec![(message, 0), (sender, 0)];
        let mut known: FxHashMap<(&str, SortId), VariableId> = FxHashMap::default();
        let mut parameters = Vec::new();
        for server in &class.servers {
            let mut own = Vec::new();
            for parameter in server.body.parameters() {
                let sort = self.plain_sort(parameter.sort);
                let key = (parameter.name.as_str(), sort);
                let known_id = known.get(&key).copied().filter(|id| !own.contains(id));
                let array = known_id.unwrap_or_else(|| {
                    let array = self.queued(&format!("{name}_{}", parameter.name), sort, &indices);
                    arrays.push((array, self.blank(sort)));
                    known.insert(key, array);
                    array
                });
                own.push(array);
            }
            parameters.push(own);
        }
        let counts = self.range(&format!("Length{bound}"), 0, bound);
        let length = self.queued(&format!("{name}_length"), counts, &[owner]);
        assert_eq!(parameters.len(), class.servers.len(), "every server has the arrays of its parameters");
        let queue = Queue { bound, shift, message, sender, length, parameters, arrays };
        self.classes[id.index()].as_mut().expect("a class with rebecs").queue = Some(queue);
    }

    fn queued(&mut self, name: &str, sort: SortId, indices: &[SortId]) -> VariableId {
        let name = self.names.fresh(&[name]);
        self.variable(name, sort, indices.to_vec())
    }

    /// The value of an empty element.
    fn blank(&self, sort: SortId) -> i32 {
        let (low, high) = self.out.domain(sort).bounds();
        if low <= 0 && 0 <= high { 0 } else { low }
    }

    pub(super) fn sort(&mut self, name: &str, domain: Domain) -> SortId {
        let name = self.sort_names.fresh(&[name]);
        self.out.add_sort(name, domain, Span::NONE)
    }

    /// The range of the integers from `low` to `high` that has this name.
    pub(super) fn range(&mut self, name: &str, low: i32, high: i32) -> SortId {
        assert!(low <= high, "a range of the layout has values");
        let key = (name.to_owned(), low, high);
        if let Some(&sort) = self.ranges.get(&key) {
            return sort;
        }
        let sort = self.sort(name, Domain::Range { low, high });
        self.ranges.insert(key, sort);
        sort
    }

    fn variable(&mut self, name: String, sort: SortId, indices: Vec<SortId>) -> VariableId {
        self.out.add_variable(Variable { is_uniform: false, ..Variable::new(name, sort, indices, Span::NONE) })
    }

    pub(super) fn table(&mut self, name: String, indices: Vec<SortId>, kind: ValueKind, values: Vec<i32>) -> TableId {
        self.out.add_table(name, indices, (kind, values), Span::NONE)
    }

    /// The sort of the indices along an axis.
    pub(super) fn axis(&mut self, dimension: Dimension) -> SortId {
        match dimension {
            Dimension::Array(len) => {
                let len = small(len as usize);
                self.range(&format!("Index{len}"), 0, len - 1)
            }
            Dimension::Scalar(set) => self.plain_sort(model::Sort::Scalar(set)),
        }
    }

    /// The sort of evaluated values.
    pub(super) fn plain_sort(&mut self, sort: model::Sort) -> SortId {
        match sort {
            model::Sort::Bool => Sequential::BOOL,
            model::Sort::Int(width) => {
                let range = width.range();
                self.range(width.keyword(), *range.start(), *range.end())
            }
            model::Sort::Rebec(_) | model::Sort::AnyRebec => self.rebec,
            model::Sort::Scalar(set) => {
                let set = self.model.scalar_set(set);
                let name = format!("{}_{}", self.model.class(set.class).name, set.name);
                self.range(&name, set.low, set.high)
            }
        }
    }

    /// The sort of a variable: a scalar may be undefined, which is represented by the value below its least one.
    pub(super) fn variable_sort(&mut self, sort: model::Sort) -> SortId {
        let model::Sort::Scalar(set) = sort else { return self.plain_sort(sort) };
        let set = self.model.scalar_set(set);
        let name = format!("{}_{}_or_undefined", self.model.class(set.class).name, set.name);
        self.range(&name, set.low.saturating_sub(1), set.high)
    }

    /// A value; the set of an undefined scalar must be known.
    pub(super) fn value(&self, value: Value, set: Option<ScalarSetId>) -> i32 {
        match value {
            Value::Bool(value) => i32::from(value),
            Value::Int(value) | Value::Scalar(value) => value,
            Value::Null => 0,
            Value::Rebec(rebec) => self.member(rebec),
            Value::Undefined => set.map_or(0, |set| self.model.scalar_set(set).low.saturating_sub(1)),
        }
    }

    /// The member of a rebec.
    pub(super) fn member(&self, rebec: RebecId) -> i32 {
        self.members[rebec.index()]
    }

    /// The member of a message.
    pub(super) fn message_of(&self, name: &str) -> i32 {
        self.messages.get(name).copied().unwrap_or(0)
    }

    /// The classes with rebecs that conform to a class, or all of them.
    pub(super) fn conforming_classes(&self, wanted: Option<ClassId>) -> Vec<ClassId> {
        let all = (0..self.classes.len()).filter(|&class| self.classes[class].is_some()).map(ClassId::from_index);
        all.filter(|&class| wanted.is_none_or(|wanted| self.model.conforms(class, wanted))).collect()
    }

    /// The table of the rebecs that conform to a class; `null` does not.
    pub(super) fn is_conforming(&mut self, class: ClassId) -> TableId {
        if let Some(&table) = self.conforming.get(&class) {
            return table;
        }
        let mut values = vec![0; self.out.domain(self.rebec).size()];
        debug_assert_eq!(values.len(), self.members.len() + 1, "every rebec is a member, and so is `null`");
        for (rebec, &member) in self.members.iter().enumerate() {
            let conforms = self.model.conforms(self.model.class_of(RebecId::from_index(rebec)), class);
            values[usize::try_from(member).expect("an index")] = i32::from(conforms);
        }
        let name = self.conforming_names[class.index()].clone();
        let table = self.table(name, vec![self.rebec], ValueKind::Integer, values);
        self.conforming.insert(class, table);
        table
    }

    /// The table that holds the values of a scalar set, and no entry for an undefined scalar.
    pub(super) fn defined(&mut self, set: ScalarSetId) -> TableId {
        if let Some(&table) = self.defined.get(&set) {
            return table;
        }
        let sort = self.plain_sort(model::Sort::Scalar(set));
        let scalars = self.model.scalar_set(set);
        let name = self.defined_names[set.index()].clone();
        let table = self.table(name, vec![sort], ValueKind::Integer, (scalars.low..=scalars.high).collect());
        self.defined.insert(set, table);
        table
    }

    /// Whether a table is [`Layout::nobody`].
    pub(super) fn is_nobody(&self, table: TableId) -> bool {
        self.nobody == Some(table)
    }

    /// The table that holds `null` for `null`, and no entry for a rebec.
    pub(super) fn nobody(&mut self) -> TableId {
        if let Some(table) = self.nobody {
            return table;
        }
        let sort = self.sort("Nobody", Domain::Part { of: self.rebec, low: 0, high: 0 });
        let name = self.nobody_name.clone();
        let table = self.table(name, vec![sort], ValueKind::Member(self.rebec), vec![0]);
        self.nobody = Some(table);
        table
    }
}

/// A number of rebecs, messages or slots.
fn small(number: usize) -> i32 {
    i32::try_from(number).unwrap_or(i32::MAX)
}
