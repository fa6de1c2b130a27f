//! [`ColouredGraph`]: the graph whose automorphisms are symmetries of the model, and what each vertex stands for.
//!
//! An element is joined to its live literals, a wide one has none (`wide`); one that nothing speaks of is drawn only where its indices
//! say where it goes (`silent`); those that an opaque part names have colours of their own, with their literals. A condition that is a cube is joined to its literals, any other to its
//! operands; its colour has its kind and its height, which tells operands from what they are part of. An instance is joined to
//! its guard, its labels, its process, and to one vertex for each output, in parametric form to its parameters (`parametric`); an output is joined to the literal it makes true
//! and to its condition; several `init` have a vertex each, of one colour if none has `*`; constant elements are joined to the instances that read them. Faults are joined to the instance and the condition. One vertex is joined to all initial literals. Each atom
//! of a property has a colour of its own and is joined to its condition. What is always true is not drawn.
//!
//! With [`Ties::Names`] two more things are kept, so that a symmetry can be said in the model's own names. An array of
//! several dimensions is permuted index by index: each dimension has a vertex, joined to one for each of its indices, and
//! those to the elements. Arguments of events move with the processes: where an argument is a parameter, the label
//! is joined to a vertex for the value, and that to everything it indexes. With [`Ties::None`] more symmetries may be found,
//! such as one for the even and another for the odd places of a ring.
//!
//! # Soundness
//!
//! An automorphism maps literals of one element to those of one other, so it acts on states of live values; it maps a
//! condition to one with the image of its function (by induction on the height), hence an instance to one of the same event
//! that is enabled, faults and changes elements in just the image of the way, and initial states to initial states. So it is an
//! automorphism of the transition system on those states, keeps deadlocks and faults, and each atom. Sharing a
//! condition between instances changes nothing: it is a function of the state, and each instance keeps its own
//! edges to it. Labels are permuted as a whole.
//!
//! # Invariants
//!
//! Every vertex stands for something else ([`ColouredGraph::verify`]).
//!
//! # Source
//!
//! \[Zha13\] IV-C after Puget, with the colours above: variables are elements of the state, their latest versions are the outputs,
//! tied to the element and to the value by the literal they make true.

mod parametric;
mod silent;
mod vertex;
mod wide;

use std::collections::BTreeSet;

use engine::{Graph, GraphBuilder};
use frontend::sequential::{ExprKind, Sequential, SortId, VariableId};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::csp::{Condition, ConditionId, Csp, Datum, Instance, Term};

use silent::Voice;

pub use vertex::Vertex;

/// What is kept beyond the behaviour.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Ties {
    /// Arrays of several dimensions move index by index, arguments of events with what they index.
    #[default]
    Names,
    /// Nothing: any symmetry of the behaviour.
    None,
}

/// What vertices of one colour have in common.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Colour {
    /// The size of the sort.
    Element(usize),
    /// An element that an opaque part names.
    Alone(usize),
    /// One that nothing speaks of: the array that it stays in, the size of its sort, its bounds, and its initial values.
    Silent(Option<usize>, usize, Option<(i32, i32)>, Vec<Option<i32>>),
    Literal,
    /// Bounds and initial values.
    Wide(i32, i32, Vec<Option<i32>>),
    Constant(i32),
    /// What it does, and its height.
    Term(wide::Shape, u32),
    Left(u32),
    Answer(bool),
    /// A value of an element that an opaque part names.
    LiteralAlone(usize, i32),
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
    /// Whether it says which process of weak fairness an instance belongs to.
    Parameter(bool),
    ParameterValue,
    OtherThan,
    /// The event.
    ArgumentValue(String),
    /// The event.
    ArgumentPlace(String),
    Told,
    Output,
    Fault,
    Claim(usize),
    ClaimFault(usize),
}

/// A graph with what its vertices stand for.
#[derive(Clone, Debug)]
pub struct ColouredGraph {
    /// The graph.
    pub graph: Graph,
    /// What each vertex stands for.
    pub vertices: Vec<Vertex>,
    index: FxHashMap<Vertex, u32>,
}

impl ColouredGraph {
    /// Draws a process given as constraints.
    pub fn new(model: &Sequential, csp: &Csp, ties: Ties) -> ColouredGraph {
        let mut drawing = Drawing::default();
        drawing.state(csp, &silent::voices(model, csp, &used(csp), ties == Ties::Names));
        drawing.terms(csp);
        drawing.parametric(csp);
        drawing.conditions(csp);
        for (place, label) in csp.labels.iter().enumerate() {
            let vertex = drawing.add(Vertex::Label(place), Colour::Label(label.event.clone()));
            drawing.label_arguments(csp, vertex, place);
        }
        for (place, instance) in csp.instances.iter().enumerate() {
            drawing.instance(csp, place, instance, &model.summand(instance.summand).event);
        }
        for (place, claim) in csp.claims.iter().enumerate() {
            let holds = drawing.add(Vertex::Claim(place), Colour::Claim(place));
            let faults = drawing.add(Vertex::ClaimFault(place), Colour::ClaimFault(place));
            drawing.asks(holds, claim.holds);
            drawing.asks(faults, claim.faults);
        }
        if ties == Ties::Names {
            drawing.dimensions(model);
            drawing.arguments(model, csp);
        }
        let graph = drawing.builder.build().expect("edges join different vertices that exist");
        ColouredGraph { graph, vertices: drawing.vertices, index: drawing.index }
    }

    /// The vertex that stands for something, if there is one.
    pub fn vertex(&self, vertex: Vertex) -> Option<u32> {
        self.index.get(&vertex).copied()
    }

    /// Lists what is broken; nothing is right.
    pub fn verify(&self) -> Vec<String> {
        let mut problems = Vec::new();
        if self.graph.len() != self.vertices.len() {
            problems.push(format!("{} vertices, {} of them known", self.graph.len(), self.vertices.len()));
        }
        let different: FxHashSet<Vertex> = self.vertices.iter().copied().collect();
        if different.len() != self.vertices.len() {
            problems.push("two vertices stand for the same".into());
        }
        for (vertex, &meaning) in (0..).zip(&self.vertices) {
            let Vertex::Literal { element, .. } = meaning else { continue };
            let owner = self.vertex(Vertex::Element(element));
            if owner.is_none_or(|owner| !self.graph.has_edge(owner, vertex)) {
                problems.push(format!("{meaning:?} has no element"));
            }
        }
        problems
    }
}

#[derive(Default)]
struct Drawing {
    builder: GraphBuilder,
    vertices: Vec<Vertex>,
    index: FxHashMap<Vertex, u32>,
    colours: FxHashMap<Colour, u32>,
}

impl Drawing {
    fn add(&mut self, vertex: Vertex, colour: Colour) -> u32 {
        let next = u32::try_from(self.colours.len()).expect("the number of colours is bounded");
        let colour = *self.colours.entry(colour).or_insert(next);
        let number = self.builder.add_vertex(colour);
        self.vertices.push(vertex);
        self.index.insert(vertex, number);
        number
    }

    fn join(&mut self, vertex: u32, other: Vertex) {
        let other = self.index[&other];
        self.builder.add_edge(vertex, other);
    }

    /// Joins a vertex to the condition it asks; nothing for what is always true. Conditions that are never true are vertices.
    fn asks(&mut self, vertex: u32, condition: ConditionId) {
        if condition != ConditionId::TRUE {
            self.join(vertex, Vertex::Condition(condition));
        }
    }

    fn state(&mut self, csp: &Csp, voices: &[Voice]) {
        let named: FxHashSet<usize> = csp.opaque.iter().flat_map(|opaque| opaque.elements.iter().copied()).collect();
        for (place, element) in csp.elements.iter().enumerate() {
            let named = named.contains(&place);
            let starts = || csp.starts.iter().map(|start| Some(start[place])).chain([element.initial]).collect();
            let colour = match (voices[place], element.wide) {
                _ if named => Colour::Alone(place),
                (Voice::Silent, _) => continue,
                (Voice::Moved, wide) => Colour::Silent(None, element.size, wide, starts()),
                (Voice::MovedWithin(array), wide) => Colour::Silent(Some(array), element.size, wide, starts()),
                (Voice::Heard, Some((low, high))) => Colour::Wide(low, high, starts()),
                (Voice::Heard, None) => Colour::Element(element.size),
            };
            let vertex = self.add(Vertex::Element(place), colour);
            for &value in &element.values {
                let colour = if named { Colour::LiteralAlone(place, value) } else { Colour::Literal };
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

    /// Joins a state to a literal of an element that is drawn and has literals.
    fn starts_with(&mut self, state: u32, element: usize, value: i32) {
        if let Some(&literal) = self.index.get(&Vertex::Literal { element, value }) {
            self.builder.add_edge(state, literal);
        }
    }

    /// Draws the dimensions and indices of arrays of several dimensions.
    fn dimensions(&mut self, model: &Sequential) {
        for (place, variable) in model.variables.iter().enumerate().filter(|(_, variable)| variable.indices.len() > 1) {
            let id = VariableId::from_index(place);
            let elements = (variable.offset..variable.offset + model.len_of(variable))
                .filter_map(|at| Some((*self.index.get(&Vertex::Element(at))?, model.element(at).1)));
            let elements: Vec<(u32, Vec<i32>)> = elements.collect();
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

    /// Joins labels to the values of those arguments that are parameters, and these to all that they index.
    fn arguments(&mut self, model: &Sequential, csp: &Csp) {
        let sorts = silent::argument_sorts(model, csp);
        for &sort in &sorts {
            model.domain(sort).values().for_each(|value| {
                self.add(Vertex::Argument(sort, value), Colour::Argument(sort));
            });
        }
        for instance in &csp.instances {
            self.name_arguments(model, csp, instance);
            let summand = model.summand(instance.summand);
            for (place, argument) in summand.arguments.iter().enumerate() {
                let ExprKind::Parameter(id) = argument.kind else { continue };
                let sort = summand.parameters[id.index()].sort;
                for &(label, _) in instance.labels.iter().flatten() {
                    let vertex = self.index[&Vertex::Label(label)];
                    let value = csp.labels[label].arguments[place].expect("parameters have values");
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
                    if let Some(&indexed) = self.index.get(&indexed) {
                        let vertex = self.index[&Vertex::Argument(sort, value)];
                        self.builder.add_edge(vertex, indexed);
                    }
                }
            }
        }
    }

    /// Draws the conditions, except the one that is always true and those that nothing asks.
    fn conditions(&mut self, csp: &Csp) {
        let asked = asked(csp);
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
            if !asked[place] {
                continue;
            }
            let vertex = self.add(Vertex::Condition(id), Colour::Condition(kind, heights[place]));
            for &operand in condition.operands() {
                self.join(vertex, Vertex::Condition(operand));
            }
            if let Condition::Cube(tests) = condition {
                for (element, values) in tests {
                    if let Some(parameter) = csp.parameter_of(*element) {
                        self.asks_parameter(csp, vertex, parameter, values);
                        continue;
                    }
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
    fn process(&mut self, vertex: u32, value: i32) {
        if !self.index.contains_key(&Vertex::Process(value)) {
            self.add(Vertex::Process(value), Colour::Process);
        }
        self.join(vertex, Vertex::Process(value));
    }

    fn instance(&mut self, csp: &Csp, place: usize, instance: &Instance, event: &str) {
        let colour = match instance.labels {
            Some(_) => Colour::Instance(event.to_owned()),
            None => Colour::Pinned(place),
        };
        let vertex = self.add(Vertex::Instance(place), colour);
        self.asks(vertex, instance.guard);
        for &element in &instance.constants {
            self.join(vertex, Vertex::Element(element));
        }
        if let Some(value) = instance.process {
            self.process(vertex, value);
        }
        self.free(place, instance);
        for (number, (&(label, when), told)) in instance.labels.iter().flatten().zip(&instance.told).enumerate() {
            if !told.is_empty() {
                let labelled = self.add(Vertex::Told { instance: place, number }, Colour::Told);
                self.join(labelled, Vertex::Instance(place));
                self.join(labelled, Vertex::Label(label));
                told.iter().for_each(|&term| self.join(labelled, Vertex::Term(term)));
                self.asks(labelled, when);
                continue;
            }
            if when == ConditionId::TRUE {
                self.join(vertex, Vertex::Label(label));
                continue;
            }
            let labelled = self.add(Vertex::Labelled { instance: place, label }, Colour::Labelled);
            self.join(labelled, Vertex::Instance(place));
            self.join(labelled, Vertex::Label(label));
            self.asks(labelled, when);
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
            self.asks(change, output.when);
        }
        if instance.fault != ConditionId::FALSE {
            let fault = self.add(Vertex::Fault(place), Colour::Fault);
            self.join(fault, Vertex::Instance(place));
            self.asks(fault, instance.fault);
        }
    }
}

/// The conditions that something in the graph asks, by position.
fn asked(csp: &Csp) -> Vec<bool> {
    let mut asked = vec![false; csp.conditions.len()];
    for instance in &csp.instances {
        asked[instance.guard.index()] = true;
        if instance.fault != ConditionId::FALSE {
            asked[instance.fault.index()] = true;
        }
        instance.outputs.iter().for_each(|output| asked[output.when.index()] = true);
        instance.labels.iter().flatten().for_each(|&(_, when)| asked[when.index()] = true);
        instance.arguments.iter().for_each(|&(_, when)| asked[when.index()] = true);
    }
    for claim in &csp.claims {
        asked[claim.holds.index()] = true;
        asked[claim.faults.index()] = true;
    }
    for (place, condition) in csp.conditions.iter().enumerate().rev() {
        if asked[place] {
            condition.operands().iter().for_each(|operand| asked[operand.index()] = true);
        }
    }
    asked
}

/// The elements that a condition or an instance reads or an instance changes.
fn used(csp: &Csp) -> FxHashSet<usize> {
    let asked = asked(csp);
    let mut used: FxHashSet<usize> = FxHashSet::default();
    for (condition, _) in csp.conditions.iter().zip(&asked).filter(|(_, asked)| **asked) {
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
