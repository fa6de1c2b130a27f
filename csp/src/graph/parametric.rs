//! The part of the graph for summands in parametric form: parameters with their values, and arguments of events.
//!
//! A parameter is joined to its instance and to one vertex per value. A cube that leaves a parameter at most half of its values is joined
//! to these values. Any other cube is joined to vertices that mean any value except one, so that `p != k` is one edge. Each possible
//! value of an argument of an event is one vertex for all instances of the event, joined to one vertex for the place of the argument. An
//! instance is joined to it through a vertex that carries the condition. Labels of ground instances of such an event are joined to the
//! values of their arguments. Labels are therefore permuted argument by argument, and arguments as a whole. Values of a parameter of the
//! sort of fair processes are joined to the processes.
//!
//! # Soundness
//!
//! An automorphism maps parameters of one instance to those of its image, with all values of each: the number of edges determines the
//! number of values. The drawing of a cube depends on the number of values only, so that images are drawn alike, and an image of a cube
//! is the cube of the image.

use frontend::sequential::{ExprKind, Sequential};
use rustc_hash::FxHashMap;

use super::{Colour, Drawing, Vertex, used_conditions};
use crate::csp::{Condition, ConditionId, Csp, Instance};

impl Drawing {
    /// Draws the parameters of instances, and the possible values of arguments.
    pub(super) fn parametric(&mut self, csp: &Csp) {
        for parameter in csp.instances.iter().flat_map(|instance| instance.free.clone()).flatten() {
            let is_process = csp.parameters[parameter].is_process;
            let vertex = self.add(Vertex::Parameter(parameter), Colour::Parameter(is_process));
            for &value in &csp.parameters[parameter].values {
                let here = self.add(Vertex::ParameterValue { parameter, value }, Colour::ParameterValue);
                self.builder.add_edge(vertex, here);
                if is_process {
                    self.process(here, value);
                }
            }
        }
        let used_conditions = used_conditions(csp);
        for (condition, _) in csp.conditions.iter().zip(used_conditions).filter(|(_, is_used)| *is_used) {
            let Condition::Cube(tests) = condition else { continue };
            for (element, values) in tests {
                let Some(parameter) = csp.parameter_of(*element) else { continue };
                for value in others(csp, parameter, values).into_iter().flatten() {
                    let other = Vertex::OtherThan { parameter, value };
                    if !self.index.contains_key(&other) {
                        let vertex = self.add(other, Colour::OtherThan);
                        self.join(vertex, Vertex::ParameterValue { parameter, value });
                    }
                }
            }
        }
        let mut places: FxHashMap<(&str, usize), usize> = FxHashMap::default();
        for (number, argument) in csp.arguments.iter().enumerate() {
            let vertex = self.add(Vertex::ArgumentValue(number), Colour::ArgumentValue(argument.event.clone()));
            let first = *places.entry((&argument.event, argument.place)).or_insert(number);
            if first == number {
                self.add(Vertex::ArgumentPlace(first), Colour::ArgumentPlace(argument.event.clone()));
            }
            self.join(vertex, Vertex::ArgumentPlace(first));
        }
    }

    /// Joins a label to the values of its arguments, if these are permuted one by one.
    pub(super) fn label_arguments(&mut self, csp: &Csp, label: u32, place: usize) {
        let own = &csp.labels[place];
        for (number, argument) in csp.arguments.iter().enumerate() {
            if argument.event == own.event && own.arguments.get(argument.place) == Some(&Some(argument.value)) {
                self.join(label, Vertex::ArgumentValue(number));
            }
        }
    }

    /// Joins a cube to its restriction of a parameter.
    pub(super) fn attach_parameter(&mut self, csp: &Csp, cube: u32, parameter: usize, values: &[i32]) {
        match others(csp, parameter, values) {
            Some(others) => {
                others.into_iter().for_each(|value| self.join(cube, Vertex::OtherThan { parameter, value }));
            }
            None => values.iter().for_each(|&value| self.join(cube, Vertex::ParameterValue { parameter, value })),
        }
    }

    /// Joins an instance to its parameters and its arguments.
    pub(super) fn free(&mut self, place: usize, instance: &Instance) {
        let vertex = self.index[&Vertex::Instance(place)];
        instance.free.iter().flat_map(Clone::clone).for_each(|at| self.join(vertex, Vertex::Parameter(at)));
        for &(argument, when) in &instance.arguments {
            let given = self.add(Vertex::Given { instance: place, argument }, Colour::Labelled);
            self.join(given, Vertex::Instance(place));
            self.join(given, Vertex::ArgumentValue(argument));
            if when != ConditionId::TRUE {
                self.join(given, Vertex::Condition(when));
            }
        }
    }

    /// Joins values of arguments that are parameters to the values of their sorts.
    pub(super) fn name_arguments(&mut self, model: &Sequential, csp: &Csp, instance: &Instance) {
        let summand = model.summand(instance.summand);
        for (place, argument) in summand.arguments.iter().enumerate() {
            let ExprKind::Parameter(id) = argument.kind else { continue };
            let sort = summand.parameters[id.index()].sort;
            for &(number, _) in &instance.arguments {
                if csp.arguments[number].place == place {
                    let vertex = self.index[&Vertex::ArgumentValue(number)];
                    self.join(vertex, Vertex::Argument(sort, csp.arguments[number].value));
                }
            }
        }
    }
}

/// The values that a test excludes from a parameter, if it is drawn by them.
fn others(csp: &Csp, parameter: usize, values: &[i32]) -> Option<Vec<i32>> {
    let all = &csp.parameters[parameter].values;
    let rest = || all.iter().copied().filter(|value| values.binary_search(value).is_err());
    (values.len() * 2 > all.len()).then(|| rest().collect())
}
