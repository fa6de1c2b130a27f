//! [`Space`]: the elements of the constraints of a Rebeca model, with the values that they may have.
//!
//! An instance is a rebec of `main` with one of its message servers. It represents every message of this kind in the
//! queue of the rebec, so queues need no slots. Elements are the feature variables, the elements of the variables of
//! each rebec, and for each instance the sender and the parameters of its message. An element has a list of values, or
//! it is wide: a machine integer.
//!
//! One stand-in represents the rebecs of one class that `new` creates, and bears the identity of the first of them. As
//! the holder of elements and instances the stand-in is any of these rebecs, with all values that they may hold. As a
//! value it means that the variable holds some rebec among them, without identifying it.
//!
//! Invariants: lists are ascending and contain every value that the element has in a reachable state (see
//! `analysis.rs`).

use frontend::model::display::{element_name, value_text};
use frontend::model::{Class, Model, RebecId, Role, ServerId, Sort, Value, Variable, Width};

use super::cube::Mask;

frontend::ids! {
    /// Index of an element.
    ElementId;
    /// Index of an instance: a rebec with one of its servers.
    InstanceId;
}

/// The object that an element is part of.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Holder {
    /// A feature variable.
    Feature(u32),
    /// An element of the variables of a rebec.
    State(RebecId, u32),
    /// The sender of a message.
    Sender(InstanceId),
    /// An argument of a message.
    Parameter(InstanceId, u32),
}

/// The values that an element may have.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Domain {
    /// These values, ascending.
    Values(Vec<Value>),
    /// A machine integer of this width.
    Wide(Width),
}

/// An element: one component of a state or of a message.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Element {
    /// The object that it is part of.
    pub holder: Holder,
    /// Its sort.
    pub sort: Sort,
    /// Its values.
    pub domain: Domain,
    /// Whether it is a known rebec.
    pub is_known: bool,
}

/// The elements and instances of a model.
#[derive(Clone, Debug)]
pub struct Space<'m> {
    /// The model.
    pub model: &'m Model,
    /// The elements.
    pub elements: Vec<Element>,
    /// The instances.
    pub instances: Vec<(RebecId, ServerId)>,
    /// The first element of each rebec.
    states: Vec<u32>,
    /// The first instance of each rebec.
    servers: Vec<u32>,
    /// The sender of each instance; its parameters follow.
    messages: Vec<u32>,
}

/// The most values of an element that is not a machine integer.
pub const MAX_VALUES: usize = 120;

impl<'m> Space<'m> {
    /// The elements of a model; only features have values yet.
    pub fn new(model: &'m Model) -> Space<'m> {
        let mut space = Space {
            model,
            elements: Vec::new(),
            instances: Vec::new(),
            states: Vec::new(),
            servers: Vec::new(),
            messages: Vec::new(),
        };
        for feature in (0..).take(model.features.len()) {
            space.add(Holder::Feature(feature), Sort::Bool);
            let last = space.elements.len() - 1;
            space.elements[last].domain = Domain::Values(vec![Value::Bool(false), Value::Bool(true)]);
        }
        for rebec in space.rebecs() {
            let first = space.next();
            space.states.push(first);
            for variable in &space.class(rebec).variables {
                for element in (variable.offset..).take(variable.len()) {
                    space.add(Holder::State(rebec, element), variable.sort);
                    let last = space.elements.len() - 1;
                    space.elements[last].is_known = variable.role == Role::Known;
                }
            }
        }
        for rebec in space.rebecs() {
            space.servers.push(u32::try_from(space.instances.len()).expect("instances are bounded"));
            for (place, server) in space.class(rebec).servers.iter().enumerate() {
                let instance = InstanceId(u32::try_from(space.instances.len()).expect("instances are bounded"));
                let first = space.next();
                space.instances.push((rebec, ServerId::from_index(place)));
                space.messages.push(first);
                space.add(Holder::Sender(instance), Sort::AnyRebec);
                for (number, parameter) in (0..).zip(server.body.parameters()) {
                    space.add(Holder::Parameter(instance, number), parameter.sort);
                }
            }
        }
        assert_eq!(space.states.len(), space.servers.len(), "every rebec has its elements and its instances");
        assert_eq!(space.messages.len(), space.instances.len(), "every instance has its message");
        assert!(space.messages.is_sorted_by(|one, next| one < next), "every message has its own elements");
        space
    }

    fn next(&self) -> u32 {
        u32::try_from(self.elements.len()).expect("elements are bounded")
    }

    fn add(&mut self, holder: Holder, sort: Sort) {
        self.elements.push(Element { holder, sort, domain: Domain::Values(Vec::new()), is_known: false });
    }

    /// The rebecs of `main`, then the stand-ins of created ones.
    pub fn rebecs(&self) -> impl Iterator<Item = RebecId> + use<> {
        (0..self.model.instances.len() + self.model.creatable.len()).map(RebecId::from_index)
    }

    /// Whether `new` creates a rebec.
    pub fn is_created(&self, rebec: RebecId) -> bool {
        rebec.index() >= self.model.instances.len()
    }

    /// A rebec of `main`, or the stand-in of a created one.
    pub fn stand_in(&self, rebec: RebecId) -> RebecId {
        if self.is_created(rebec) { self.model.created(self.model.class_of(rebec), 0) } else { rebec }
    }

    /// A value with created rebecs replaced by their stand-ins.
    pub fn abstracted(&self, value: Value) -> Value {
        match value {
            Value::Rebec(rebec) => Value::Rebec(self.stand_in(rebec)),
            _ => value,
        }
    }

    /// Whether a value denotes some created rebec without identifying it.
    pub fn is_vague(&self, value: Value) -> bool {
        matches!(value, Value::Rebec(rebec) if self.is_created(rebec))
    }

    /// The class of a rebec.
    pub fn class(&self, rebec: RebecId) -> &'m Class {
        self.model.class(self.model.class_of(rebec))
    }

    /// An element.
    pub fn element(&self, id: ElementId) -> &Element {
        &self.elements[id.index()]
    }

    /// The element of a feature variable.
    pub fn feature(&self, feature: usize) -> ElementId {
        ElementId(u32::try_from(feature).expect("features are bounded"))
    }

    /// An element of the variables of a rebec.
    pub fn state(&self, rebec: RebecId, element: usize) -> ElementId {
        ElementId(self.states[self.stand_in(rebec).index()] + u32::try_from(element).expect("elements are bounded"))
    }

    /// An instance.
    pub fn instance(&self, rebec: RebecId, server: ServerId) -> InstanceId {
        debug_assert!(server.index() < self.class(rebec).servers.len(), "a server of the rebec");
        InstanceId(self.servers[self.stand_in(rebec).index()] + server.0)
    }

    /// All instances.
    pub fn all_instances(&self) -> impl Iterator<Item = InstanceId> + use<> {
        (0..self.instances.len()).map(|index| InstanceId(u32::try_from(index).expect("instances are bounded")))
    }

    /// All elements.
    pub fn all_elements(&self) -> impl Iterator<Item = ElementId> + use<> {
        (0..self.elements.len()).map(|index| ElementId(u32::try_from(index).expect("elements are bounded")))
    }

    /// The rebec and the server of an instance.
    pub fn meaning(&self, instance: InstanceId) -> (RebecId, ServerId) {
        self.instances[instance.index()]
    }

    /// The sender of the message of an instance.
    pub fn sender(&self, instance: InstanceId) -> ElementId {
        ElementId(self.messages[instance.index()])
    }

    /// An argument of the message of an instance.
    pub fn parameter(&self, instance: InstanceId, parameter: usize) -> ElementId {
        debug_assert!(parameter < self.arity(instance), "a parameter of the server");
        ElementId(self.messages[instance.index()] + 1 + u32::try_from(parameter).expect("parameters are bounded"))
    }

    /// The number of parameters of an instance.
    pub fn arity(&self, instance: InstanceId) -> usize {
        let (rebec, server) = self.meaning(instance);
        self.class(rebec).servers[server.index()].body.parameters().len()
    }

    /// Whether an instance may ever run, that is, whether its message may be sent.
    pub fn is_live(&self, instance: InstanceId) -> bool {
        !self.values(self.sender(instance)).is_empty()
    }

    /// The listed values of an element; none if it is wide.
    pub fn values(&self, id: ElementId) -> &[Value] {
        match &self.element(id).domain {
            Domain::Values(values) => values,
            Domain::Wide(_) => &[],
        }
    }

    /// Whether an element is a machine integer without listed values.
    pub fn is_wide(&self, id: ElementId) -> bool {
        matches!(self.element(id).domain, Domain::Wide(_))
    }

    /// The value of an element that never changes.
    pub fn constant(&self, id: ElementId) -> Option<Value> {
        match self.values(id) {
            &[only] if !self.is_vague(only) => Some(only),
            _ => None,
        }
    }

    /// All values of an element, as bits.
    pub fn full(&self, id: ElementId) -> Mask {
        full(self.values(id).len())
    }

    /// The variable that an element of a rebec belongs to.
    pub fn variable(&self, rebec: RebecId, element: u32) -> &'m Variable {
        let variables = &self.class(rebec).variables;
        &variables[variables.partition_point(|variable| variable.elements().end <= element as usize)]
    }

    /// A readable name of an element.
    pub fn name(&self, id: ElementId) -> String {
        let of = |instance: InstanceId| self.instance_name(instance);
        match self.element(id).holder {
            Holder::Feature(feature) => self.model.features[feature as usize].name.clone(),
            Holder::State(rebec, element) => {
                let name = element_name(self.model, self.model.class_of(rebec), element as usize);
                format!("{}.{name}", self.rebec_name(rebec))
            }
            Holder::Sender(instance) => format!("{}.sender", of(instance)),
            Holder::Parameter(instance, parameter) => {
                let (rebec, server) = self.meaning(instance);
                let body = &self.class(rebec).servers[server.index()].body;
                format!("{}.{}", of(instance), body.parameters()[parameter as usize].name)
            }
        }
    }

    /// The rebec and the server of an instance, as readable text.
    pub fn instance_name(&self, instance: InstanceId) -> String {
        let (rebec, server) = self.meaning(instance);
        format!("{}.{}", self.rebec_name(rebec), self.class(rebec).servers[server.index()].name)
    }

    /// The name of a rebec of `main`, or of the stand-in of a created one.
    pub fn rebec_name(&self, rebec: RebecId) -> String {
        if self.is_created(rebec) {
            return format!("{}#*", self.model.class(self.model.class_of(rebec)).name);
        }
        self.model.rebec_name(rebec)
    }

    /// A value, as readable text.
    pub fn value_name(&self, value: Value) -> String {
        match value {
            Value::Rebec(rebec) => self.rebec_name(rebec),
            value => value_text(self.model, value),
        }
    }

    /// All values of a sort, as far as they can be listed.
    pub fn universe(&self, sort: Sort) -> Domain {
        let conforming = |class| {
            let fits = move |&rebec: &RebecId| self.model.conforms(self.model.class_of(rebec), class);
            std::iter::once(Value::Null).chain(self.rebecs().filter(fits).map(Value::Rebec)).collect()
        };
        match sort {
            Sort::Bool => Domain::Values(vec![Value::Bool(false), Value::Bool(true)]),
            Sort::Int(width) => Domain::Wide(width),
            Sort::Rebec(class) => Domain::Values(conforming(class)),
            Sort::AnyRebec => Domain::Values(self.rebecs().map(Value::Rebec).collect()),
            Sort::Scalar(set) => {
                let set = self.model.scalar_set(set);
                let values = (set.low..=set.high).map(Value::Scalar);
                Domain::Values(std::iter::once(Value::Undefined).chain(values).collect())
            }
        }
    }
}

/// The mask whose lowest `count` bits are set.
pub fn full(count: usize) -> Mask {
    debug_assert!(count <= 128, "a mask has a bit for each value");
    if count >= 128 { Mask::MAX } else { (1 << count) - 1 }
}
