//! [`ColouredGraph`]: the graph whose automorphisms are symmetries of the model, and the meaning of each vertex.
//!
//! An element is joined to its live literals; a wide one has none (`wide`). An element that no constraint mentions is drawn only where
//! its indices determine its image (`unconstrained`). Elements that an opaque part names have colours of their own, with their literals. A
//! condition that is a cube is joined to its literals, any other to its operands; its colour consists of its kind and its height, which
//! distinguishes operands from the conditions that contain them. An instance is joined to its guard, its labels, its process, and to one
//! vertex per output. An output is joined to the literal that it makes true and
//! to its condition. Several `init` have a vertex each, of one colour if none has `*`. Constant elements are joined to the instances that
//! read them. Faults are joined to the instance and the condition. One vertex is joined to all initial literals. Each atom of a property
//! has a colour of its own and is joined to its condition. The condition that is always true is not drawn.
//!
//! With [`Ties::Names`] the graph keeps two more structures, so that the names of the model suffice to describe a symmetry. First, an
//! array of several dimensions is permuted index by index: each dimension has a vertex, joined to one vertex per index, and these are
//! joined to the elements. Second, arguments of events move with the processes: where an argument is a parameter, the label is joined to
//! a vertex for the value, and that vertex to everything that the value indexes. With [`Ties::Places`] and [`Ties::Values`] labels move
//! apart from what their arguments index, but only elements move, or only values. With [`Ties::None`] the search may find more symmetries,
//! such as one that moves the even places of a ring and another that moves the odd ones.
//!
//! # Soundness
//!
//! An automorphism maps literals of one element to those of one other, so it acts on states of live values. It maps a condition to one
//! with the image of its function (by induction on the height). Hence it maps an instance to one of the same event whose guard, faults
//! and changes of elements are exactly the images of its own, and it maps initial states to initial states. It is therefore an
//! automorphism of the transition system on those states, and keeps deadlocks, faults, and each atom. Sharing a condition between
//! instances changes nothing: it is a function of the state, and each instance keeps its own edges to it. Labels are permuted as a whole.
//!
//! # Invariants
//!
//! No two vertices have the same meaning ([`ColouredGraph::verify`]).
//!
//! # Source
//!
//! \[Zha13\] IV-C after Puget, with the colours above: variables are elements of the state; their latest versions are the outputs, tied
//! to the element and to the value by the literal that they make true.

mod unconstrained;
mod vertex;
mod wide;

use std::collections::BTreeSet;

use frontend::sequential::{ExprKind, Sequential, SortId, VariableId};
use rustc_hash::FxHashSet;

use crate::csp::{Condition, ConditionId, Csp, Datum, Indexed, Instance, Term};
use crate::drawing::{Canvas, Drawn};

use unconstrained::Treatment;

pub use vertex::Vertex;

/// The structure of the model that symmetries keep in addition to the behaviour.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Ties {
    /// Arrays of several dimensions move index by index, and arguments of events move with the elements that they index.
    #[default]
    Names,
    /// Arrays of several dimensions move index by index, and an argument of an event moves with what the summand indexes by it.
    Arrays,
    /// Arrays of several dimensions move index by index, and values stay.
    Places,
    /// Elements stay, and their values move.
    Values,
    /// No structure: any symmetry of the behaviour.
    None,
}

/// The property that vertices of one colour share.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Colour {
    /// The size of the sort, and the place of an element that stays.
    Element(usize, Option<usize>),
    /// An element that an opaque part names.
    Named(usize),
    /// An element that no constraint mentions: the array in which it stays, the size of its sort, and if it is wide, its bounds and its
    /// initial values.
    Unconstrained(Option<usize>, usize, Option<(i32, i32)>, Vec<Option<i32>>),
    /// The value, where values stay.
    Literal(Option<i32>),
    /// A wide element: bounds and initial values.
    Wide(i32, i32, Vec<Option<i32>>),
    Constant(i32),
    /// A term: its shape and its height.
    Term(wide::Shape, u32),
    Left(u32),
    Answer(bool),
    /// A value of an element that an opaque part names.
    NamedLiteral(usize, i32),
    Dimension,
    Index,
    /// The sort.
    Argument(SortId),
    Initial,
    /// One of several initial states.
    Start,
    /// The kind and the height.
    Condition(u8, u32),
    /// The event.
    Label(String),
    Process,
    /// The event.
    Instance(String),
    /// An instance that is mapped only to itself.
    Pinned(usize),
    Labelled,
    LabelTerms,
    Output,
    Fault,
    Claim(usize),
    ClaimFault(usize),
}

/// The graph of a process.
pub type ColouredGraph = Drawn<Vertex>;

impl ColouredGraph {
    /// As [`ColouredGraph::new`]; debug builds verify the constraints and the graph.
    pub fn verified(model: &Sequential, csp: &Csp, ties: Ties) -> ColouredGraph {
        limits::phase("drawing the graph");
        let graph = ColouredGraph::new(model, csp, ties);
        debug_assert_eq!(crate::verify(model, csp, &graph), Vec::<String>::new(), "the stages are well formed");
        graph
    }

    /// Draws a process given as constraints.
    pub fn new(model: &Sequential, csp: &Csp, ties: Ties) -> ColouredGraph {
        let mut drawing = Drawing::default();
        drawing.state(csp, &unconstrained::treatments(model, csp, &used(csp), ties), ties);
        drawing.terms(csp);
        drawing.conditions(csp);
        for (place, label) in csp.labels.iter().enumerate() {
            drawing.add(Vertex::Label(place), Colour::Label(label.event.clone()));
        }
        for (place, instance) in csp.instances.iter().enumerate() {
            drawing.instance(csp, place, instance, &model.summand(instance.summand).event);
        }
        for (place, claim) in csp.claims.iter().enumerate() {
            let holds = drawing.add(Vertex::Claim(place), Colour::Claim(place));
            let faults = drawing.add(Vertex::ClaimFault(place), Colour::ClaimFault(place));
            drawing.attach_condition(holds, claim.holds);
            drawing.attach_condition(faults, claim.faults);
        }
        if ties != Ties::None {
            drawing.dimensions(model);
        }
        match ties {
            Ties::Names => drawing.arguments(model, csp),
            Ties::Arrays => drawing.indexed(model, csp),
            Ties::Places | Ties::Values | Ties::None => {}
        }
        drawing.finish()
    }

    /// Lists the broken invariants; an empty list means that the graph is valid.
    pub fn verify(&self) -> Vec<String> {
        self.problems(|meaning| match meaning {
            Vertex::Literal { element, .. } => Some(Vertex::Element(element)),
            _ => None,
        })
    }
}

type Drawing = Canvas<Vertex, Colour>;

impl Drawing {
    /// Joins a vertex to the condition that it refers to, unless this is always true. The condition that is never true has a vertex.
    fn attach_condition(&mut self, vertex: engine::Vertex, condition: ConditionId) {
        if condition != ConditionId::TRUE {
            self.join(vertex, Vertex::Condition(condition));
        }
    }

    fn state(&mut self, csp: &Csp, treatments: &[Treatment], ties: Ties) {
        assert_eq!(treatments.len(), csp.elements.len(), "every element is treated");
        let named: FxHashSet<usize> = csp.opaque.iter().flat_map(|opaque| opaque.elements.iter().copied()).collect();
        for (place, element) in csp.elements.iter().enumerate() {
            let named = named.contains(&place);
            let starts = || csp.starts.iter().map(|start| Some(start[place])).chain([element.initial]).collect();
            // The only value of a unconstrained element moves with it; a wide element keeps its value.
            let kept = |wide: Option<(i32, i32)>| wide.map_or_else(Vec::new, |_| starts());
            let colour = match (treatments[place], element.wide) {
                _ if named => Colour::Named(place),
                (Treatment::Unconstrained, _) => {
                    assert!(element.values.len() <= 1, "an element with several values is drawn");
                    continue;
                }
                (Treatment::Moved, wide) => Colour::Unconstrained(None, element.size, wide, kept(wide)),
                (Treatment::MovedWithin(array), wide) => {
                    Colour::Unconstrained(Some(array), element.size, wide, kept(wide))
                }
                (Treatment::Constrained, Some((low, high))) => Colour::Wide(low, high, starts()),
                (Treatment::Constrained, None) => {
                    Colour::Element(element.size, (ties == Ties::Values).then_some(place))
                }
            };
            let vertex = self.add(Vertex::Element(place), colour);
            for &value in &element.values {
                let colour = match named {
                    true => Colour::NamedLiteral(place, value),
                    false => Colour::Literal((ties == Ties::Places).then_some(value)),
                };
                self.add(Vertex::Literal { element: place, value }, colour);
                self.join(vertex, Vertex::Literal { element: place, value });
            }
        }
        let single = csp.elements.iter().all(|element| element.initial.is_some());
        let alike = single && !csp.starts.is_empty();
        let initial = self.add(Vertex::Initial, if alike { Colour::Start } else { Colour::Initial });
        for (number, start) in csp.starts.iter().enumerate() {
            let vertex = self.add(Vertex::Start(number), Colour::Start);
            start.iter().enumerate().for_each(|(element, &value)| self.starts_with(vertex, element, value));
        }
        for (place, element) in csp.elements.iter().enumerate() {
            if let Some(value) = element.initial {
                self.starts_with(initial, place, value);
            }
        }
    }

    /// Joins an initial state to a literal of an element that is drawn and has literals.
    fn starts_with(&mut self, state: engine::Vertex, element: usize, value: i32) {
        if let Some(literal) = self.vertex(Vertex::Literal { element, value }) {
            self.edge(state, literal);
        }
    }

    /// Draws the dimensions and indices of arrays of several dimensions.
    fn dimensions(&mut self, model: &Sequential) {
        for (place, variable) in model.variables.iter().enumerate().filter(|(_, variable)| variable.indices.len() > 1) {
            let id = VariableId::from_index(place);
            let elements = (variable.offset..variable.offset + model.len_of(variable))
                .filter_map(|at| Some((self.vertex(Vertex::Element(at))?, model.element(at).1)));
            let elements: Vec<(engine::Vertex, Vec<i32>)> = elements.collect();
            for dimension in (0..variable.indices.len()).filter(|_| !elements.is_empty()) {
                let whole = self.add(Vertex::Dimension(id, dimension), Colour::Dimension);
                let values: BTreeSet<i32> = elements.iter().map(|(_, indices)| indices[dimension]).collect();
                for value in values {
                    let index = Vertex::Index { variable: id, dimension, value };
                    self.add(index, Colour::Index);
                    self.join(whole, index);
                }
            }
            for (vertex, indices) in elements {
                for (dimension, value) in indices.into_iter().enumerate() {
                    self.join(vertex, Vertex::Index { variable: id, dimension, value });
                }
            }
        }
    }

    /// Joins labels to the values of those arguments that are parameters, and these values to all elements that they index.
    fn arguments(&mut self, model: &Sequential, csp: &Csp) {
        let sorts = unconstrained::argument_sorts(model, csp);
        for &sort in &sorts {
            model.domain(sort).values().for_each(|value| {
                self.add(Vertex::Argument(sort, value), Colour::Argument(sort));
            });
        }
        for instance in &csp.instances {
            let summand = model.summand(instance.summand);
            for (place, argument) in summand.arguments.iter().enumerate() {
                let ExprKind::Parameter(id) = argument.kind else { continue };
                let sort = summand.parameters[id.index()].sort;
                for &(label, _) in instance.labels.iter().flatten() {
                    let value = csp.labels[label].arguments[place].expect("parameters have values");
                    let vertex = self.vertex(Vertex::Label(label)).expect("labels are drawn before");
                    self.join(vertex, Vertex::Argument(sort, value));
                }
            }
        }
        for (place, variable) in model.variables.iter().enumerate() {
            let id = VariableId::from_index(place);
            for (dimension, &sort) in variable.indices.iter().enumerate().filter(|(_, sort)| sorts.contains(sort)) {
                for (value, offset) in model.domain(sort).values().zip(0..) {
                    let indexed = match variable.indices.len() {
                        1 => Vertex::Element(variable.offset + offset),
                        _ => Vertex::Index { variable: id, dimension, value },
                    };
                    if let Some(indexed) = self.vertex(indexed) {
                        self.join(indexed, Vertex::Argument(sort, value));
                    }
                }
            }
        }
    }

    /// Joins labels to what their arguments index.
    fn indexed(&mut self, model: &Sequential, csp: &Csp) {
        for &Indexed { label, variable: id, dimension, value } in &csp.indexed {
            let variable = model.variable(id);
            let first = model.domain(variable.indices[dimension]).bounds().0;
            let indexed = match variable.indices.len() {
                1 => Vertex::Element(variable.offset + usize::try_from(value - first).expect("an index of the array")),
                _ => Vertex::Index { variable: id, dimension, value },
            };
            if let Some(indexed) = self.vertex(indexed) {
                self.join(indexed, Vertex::Label(label));
            }
        }
    }

    /// Draws the conditions, except the one that is always true and those that no vertex refers to.
    fn conditions(&mut self, csp: &Csp) {
        let used_conditions = used_conditions(csp);
        let mut heights = vec![0u32; csp.conditions.len()];
        for (place, condition) in csp.conditions.iter().enumerate() {
            let id = ConditionId(u32::try_from(place).expect("the number of conditions is bounded"));
            heights[place] = 1 + condition.operands().iter().map(|operand| heights[operand.index()]).max().unwrap_or(0);
            let kind = match condition {
                Condition::False => 0,
                Condition::True => continue,
                Condition::Cube(_) => 1,
                Condition::All(_) => 2,
                Condition::Any(_) => 3,
                Condition::NoneOf(_) => 4,
            };
            if !used_conditions[place] {
                continue;
            }
            let vertex = self.add(Vertex::Condition(id), Colour::Condition(kind, heights[place]));
            for &operand in condition.operands() {
                self.join(vertex, Vertex::Condition(operand));
            }
            if let Condition::Cube(tests) = condition {
                for (element, values) in tests {
                    for &value in values {
                        let literal = match csp.atom_of(*element) {
                            None => Vertex::Literal { element: *element, value },
                            Some(atom) => Vertex::Answer { atom, holds: value == 1 },
                        };
                        self.join(vertex, literal);
                    }
                }
            }
        }
    }

    /// Joins a vertex to a process of weak fairness.
    fn process(&mut self, vertex: engine::Vertex, value: i32) {
        if self.vertex(Vertex::Process(value)).is_none() {
            self.add(Vertex::Process(value), Colour::Process);
        }
        self.join(vertex, Vertex::Process(value));
    }

    fn instance(&mut self, csp: &Csp, place: usize, instance: &Instance, event: &str) {
        let labels = instance.labels.as_ref().map_or(0, Vec::len);
        assert_eq!(labels, instance.label_terms.len(), "every label has its terms");
        let colour = match instance.labels {
            Some(_) => Colour::Instance(event.to_owned()),
            None => Colour::Pinned(place),
        };
        let vertex = self.add(Vertex::Instance(place), colour);
        self.attach_condition(vertex, instance.guard);
        for &element in &instance.constants {
            self.join(vertex, Vertex::Element(element));
        }
        if let Some(value) = instance.process {
            self.process(vertex, value);
        }
        for (number, (&(label, when), label_terms)) in
            instance.labels.iter().flatten().zip(&instance.label_terms).enumerate()
        {
            if !label_terms.is_empty() {
                let labelled = self.add(Vertex::LabelTerms { instance: place, number }, Colour::LabelTerms);
                self.join(labelled, Vertex::Instance(place));
                self.join(labelled, Vertex::Label(label));
                label_terms.iter().for_each(|&term| self.join(labelled, Vertex::Term(term)));
                self.attach_condition(labelled, when);
                continue;
            }
            if when == ConditionId::TRUE {
                self.join(vertex, Vertex::Label(label));
                continue;
            }
            let labelled = self.add(Vertex::Labelled { instance: place, label }, Colour::Labelled);
            self.join(labelled, Vertex::Instance(place));
            self.join(labelled, Vertex::Label(label));
            self.attach_condition(labelled, when);
        }
        for output in &instance.outputs {
            let (element, value) = (output.element, output.value);
            let change = self.add(Vertex::Output { instance: place, element, value }, Colour::Output);
            self.join(change, Vertex::Instance(place));
            match value {
                Datum::Term(term) => {
                    self.join(change, Vertex::Element(element));
                    self.join(change, Vertex::Term(term));
                }
                Datum::Value(value) if csp.elements[element].wide.is_some() => {
                    self.join(change, Vertex::Element(element));
                    self.join(change, Vertex::Constant(value));
                }
                Datum::Value(value) => self.join(change, Vertex::Literal { element, value }),
            }
            self.attach_condition(change, output.when);
        }
        if instance.fault != ConditionId::FALSE {
            let fault = self.add(Vertex::Fault(place), Colour::Fault);
            self.join(fault, Vertex::Instance(place));
            self.attach_condition(fault, instance.fault);
        }
    }
}

/// The conditions that a vertex of the graph refers to, by position.
fn used_conditions(csp: &Csp) -> Vec<bool> {
    let mut used_conditions = vec![false; csp.conditions.len()];
    for instance in &csp.instances {
        used_conditions[instance.guard.index()] = true;
        if instance.fault != ConditionId::FALSE {
            used_conditions[instance.fault.index()] = true;
        }
        instance.outputs.iter().for_each(|output| used_conditions[output.when.index()] = true);
        instance.labels.iter().flatten().for_each(|&(_, when)| used_conditions[when.index()] = true);
    }
    for claim in &csp.claims {
        used_conditions[claim.holds.index()] = true;
        used_conditions[claim.faults.index()] = true;
    }
    for (place, condition) in csp.conditions.iter().enumerate().rev() {
        if used_conditions[place] {
            condition.operands().iter().for_each(|operand| used_conditions[operand.index()] = true);
        }
    }
    used_conditions
}

/// The elements that a condition reads, or that an instance reads or changes.
fn used(csp: &Csp) -> FxHashSet<usize> {
    let used_conditions = used_conditions(csp);
    let mut used: FxHashSet<usize> = FxHashSet::default();
    for (condition, _) in csp.conditions.iter().zip(&used_conditions).filter(|(_, is_used)| **is_used) {
        if let Condition::Cube(tests) = condition {
            used.extend(tests.iter().map(|&(element, _)| element).filter(|&element| element < csp.elements.len()));
        }
    }
    let terms = wide::needed(csp).1.into_iter();
    used.extend(terms.filter_map(|id| match csp.terms[id.index()] {
        Term::Element(element) => Some(element),
        _ => None,
    }));
    for instance in &csp.instances {
        used.extend(instance.outputs.iter().map(|output| output.element));
        used.extend(&instance.constants);
    }
    used
}
