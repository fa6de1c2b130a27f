//! The text of each stage, and the invariants of the constraints.
//!
//! [`Actors::print_paths`] prints the sequential form: for each instance its paths, each with its conditions on the
//! inputs and the values of the variables afterwards. [`Actors::print`] prints the constraints: elements with their
//! values, and for each instance its effects with their conditions.

use std::fmt::Write as _;

use frontend::model::display::element_name;
use frontend::model::{RebecId, Value};

use super::cube::{Cube, Key, Mask};
use super::graph::{ActorGraph, Vertex};
use super::space::{Domain, ElementId};
use super::summary::{Effect, Message, Receiver, Source, source};
use super::term::{Operator, Term, TermId};
use super::walk::Val;
use super::{Actors, Summary};

impl Actors<'_> {
    /// The paths of all instances.
    pub fn print_paths(&self) -> String {
        let mut out = String::new();
        for instance in self.space.all_instances() {
            let (rebec, _) = self.space.meaning(instance);
            let _ = writeln!(out, "{}", self.space.instance_name(instance));
            if let Summary::Opaque(reason) = self.summaries[instance.index()] {
                let _ = writeln!(out, "  not represented: {reason}");
            }
            for path in &self.paths[instance.index()] {
                let cube: Cube = super::summary::cube(&self.space, &path.cube);
                let _ = writeln!(out, "  if {}", self.cube(&cube));
                for (place, &value) in path.values.iter().enumerate() {
                    let element = self.space.state(rebec, place);
                    let same = value == Val::Input(element) || self.space.constant(element).is_some();
                    let read = matches!(value, Val::Term(term) if *self.terms.get(term) == Term::Input(element));
                    if path.fault.is_none() && !same && !read {
                        let value = self.source(source(&self.space, path, value));
                        let _ = writeln!(out, "    {}' = {value}", self.space.name(element));
                    }
                }
                for made in &path.made {
                    let values: Vec<Source> =
                        made.values.iter().map(|&value| source(&self.space, path, value)).collect();
                    let _ = writeln!(out, "    {}", self.made(made.rebec, &values));
                }
                for sent in &path.sent {
                    let arguments = sent.arguments.iter().map(|&value| source(&self.space, path, value)).collect();
                    let sender = source(&self.space, path, sent.sender);
                    let message = Message { server: sent.server, sender, arguments };
                    let _ = writeln!(out, "    {}", self.message(instance, sent.receiver, &message));
                }
                if let Some(class) = path.fault {
                    let _ = writeln!(out, "    fault: {class:?}");
                }
            }
        }
        out
    }

    /// The constraints.
    pub fn print(&self) -> String {
        let mut out = String::new();
        for id in self.space.all_elements() {
            let values = match &self.space.element(id).domain {
                Domain::Wide(width) => width.keyword().to_owned(),
                Domain::Values(values) if values.is_empty() => continue,
                Domain::Values(values) => self.values(values),
            };
            let _ = writeln!(out, "element {}: {values}", self.space.name(id));
        }
        for local in self.start.locals.iter().flatten() {
            let _ = writeln!(out, "start {}", self.space.model.rebec_name(local.rebec));
            for (place, &value) in local.values.iter().enumerate() {
                let element = self.space.state(local.rebec, place);
                if self.space.constant(element).is_none() {
                    let name = element_name(self.space.model, self.space.model.class_of(local.rebec), place);
                    let name = format!("{}.{name}", self.space.model.rebec_name(local.rebec));
                    let _ = writeln!(out, "  {name} = {}", self.start_value(value));
                }
            }
            for message in &local.queue {
                let arguments: Vec<String> = message.arguments.iter().map(|&value| self.start_value(value)).collect();
                let server = &self.space.class(local.rebec).servers[message.server.index()].name;
                let name = self.space.model.rebec_name(local.rebec);
                let _ = writeln!(out, "  {name}.{server}({})", arguments.join(", "));
            }
        }
        for instance in self.space.all_instances() {
            self.print_instance(instance, &mut out);
        }
        for claim in &self.claims {
            let _ = writeln!(out, "claim {}.{}", claim.property, claim.atom);
            match &claim.says {
                Err(_) => {
                    let _ = writeln!(out, "  not represented");
                }
                Ok([holds, faults]) => {
                    let _ = writeln!(out, "  holds if {}", self.union(holds));
                    if !faults.is_empty() {
                        let _ = writeln!(out, "  faults if {}", self.union(faults));
                    }
                }
            }
        }
        out
    }

    fn print_instance(&self, instance: super::InstanceId, out: &mut String) {
        let name = self.space.instance_name(instance);
        match &self.summaries[instance.index()] {
            Summary::Dead => {}
            Summary::Opaque(reason) => {
                let _ = writeln!(out, "instance {name}: not represented: {reason}");
            }
            Summary::Cases(cases) => {
                let _ = writeln!(out, "instance {name}");
                for case in cases {
                    let _ = writeln!(out, "  if {}", self.union(&case.cubes));
                    match &case.effect {
                        Effect::Runs { writes, sends, makes } => {
                            for &(element, value) in writes {
                                let _ = writeln!(out, "    {}' = {}", self.space.name(element), self.source(value));
                            }
                            for (rebec, made) in makes {
                                for values in made {
                                    let _ = writeln!(out, "    {}", self.made(*rebec, values));
                                }
                            }
                            for (receiver, messages) in sends {
                                for message in messages {
                                    let _ = writeln!(out, "    {}", self.message(instance, *receiver, message));
                                }
                            }
                        }
                        Effect::Faults { class, .. } => {
                            let _ = writeln!(out, "    fault: {class:?}");
                        }
                    }
                }
            }
        }
    }

    fn values(&self, values: &[Value]) -> String {
        values.iter().map(|&value| self.space.value_name(value)).collect::<Vec<_>>().join(" ")
    }

    fn union(&self, cubes: &[Cube]) -> String {
        if cubes.is_empty() {
            return "never".to_owned();
        }
        cubes.iter().map(|cube| self.cube(cube)).collect::<Vec<_>>().join(" or ")
    }

    fn cube(&self, cube: &Cube) -> String {
        let part = |&(key, mask): &(Key, Mask)| match key {
            Key::Atom(atom) => format!("{}{}", if mask == 2 { "" } else { "!" }, self.term(atom)),
            Key::Element(element) => {
                let values = self.space.values(element).iter().enumerate();
                let allowed: Vec<Value> =
                    values.filter(|&(bit, _)| mask >> bit & 1 == 1).map(|(_, &value)| value).collect();
                format!("{}={}", self.space.name(element), self.values(&allowed).replace(' ', "|"))
            }
        };
        if cube.is_empty() { "always".to_owned() } else { cube.iter().map(part).collect::<Vec<_>>().join(", ") }
    }

    fn source(&self, source: Source) -> String {
        match source {
            Source::Value(value) => self.space.value_name(value),
            Source::Copy(element) => self.space.name(element),
            Source::Term(term) => self.term(term),
            Source::Own(_) => "self".to_owned(),
            Source::New(rebec, number) => self.new_name(rebec, number),
        }
    }

    fn new_name(&self, rebec: RebecId, number: u32) -> String {
        format!("new {}#{}", self.space.class(rebec).name, number + 1)
    }

    /// A value of an initial state, where the identity of created rebecs is known.
    fn start_value(&self, value: Value) -> String {
        match value {
            Value::Rebec(rebec) => self.space.model.rebec_name(rebec),
            _ => self.space.value_name(value),
        }
    }

    fn made(&self, rebec: RebecId, values: &[Source]) -> String {
        let changing = |&(place, _): &(usize, &Source)| self.space.constant(self.space.state(rebec, place)).is_none();
        let shown = values.iter().enumerate().filter(changing).map(|(place, &value)| {
            format!(
                "{} = {}",
                element_name(self.space.model, self.space.model.class_of(rebec), place),
                self.source(value)
            )
        });
        format!("new {}({})", self.space.class(rebec).name, shown.collect::<Vec<_>>().join(", "))
    }

    fn receiver(&self, receiver: Receiver) -> String {
        match receiver {
            Receiver::Rebec(rebec) => self.space.rebec_name(rebec),
            Receiver::Own(_) => "self".to_owned(),
            Receiver::Held(element, _) => format!("({})", self.space.name(element)),
            Receiver::New(rebec, number) => format!("({})", self.new_name(rebec, number)),
        }
    }

    fn message(&self, from: super::InstanceId, receiver: Receiver, message: &Message) -> String {
        let server = &self.space.class(receiver.rebec()).servers[message.server.index()].name;
        let arguments: Vec<String> = message.arguments.iter().map(|&argument| self.source(argument)).collect();
        let sender = match message.sender {
            Source::Value(Value::Rebec(rebec)) if rebec == self.space.meaning(from).0 => String::new(),
            Source::Own(_) => String::new(),
            other => format!(" from {}", self.source(other)),
        };
        format!("{}.{server}({}){sender}", self.receiver(receiver), arguments.join(", "))
    }

    fn term(&self, id: TermId) -> String {
        self.term_within(id, 20)
    }

    /// A term, abbreviated below a maximal depth.
    fn term_within(&self, id: TermId, depth: usize) -> String {
        match self.terms.get(id) {
            Term::Constant(value) => value.to_string(),
            Term::Input(element) => self.space.name(*element),
            Term::Own(_) => "self".to_owned(),
            Term::Apply(..) if depth == 0 => "..".to_owned(),
            Term::Apply(operator, operands) => {
                let operands: Vec<String> =
                    operands.iter().map(|&operand| self.term_within(operand, depth - 1)).collect();
                match (operator, &operands[..]) {
                    (Operator::Binary(op), [left, right]) => format!("({left} {} {right})", op.symbol()),
                    (Operator::Unary(op), [operand]) => format!("{}{operand}", op.symbol()),
                    (Operator::Exceeds(width), [operand]) => format!("exceeds({}, {operand})", width.keyword()),
                    (Operator::Same, [one, other]) => format!("same({one}, {other})"),
                    (Operator::Faults, [operand]) => format!("faults({operand})"),
                    _ => format!("sqrt({})", operands.join(", ")),
                }
            }
        }
    }

    /// The meaning of a vertex of the graph, in names of the model.
    pub fn vertex_name(&self, vertex: Vertex) -> String {
        let (space, name) = (&self.space, |element: ElementId| self.space.name(element));
        let of = |instance, number: u32| format!("{}#{number}", space.instance_name(instance));
        match vertex {
            Vertex::Null => "null".to_owned(),
            Vertex::Rebec(rebec) => space.rebec_name(rebec),
            Vertex::StartRebec(rebec) => format!("{} at start", space.model.rebec_name(rebec)),
            Vertex::New(instance, effect, rebec, at) => {
                format!("{} {}", of(instance, effect), self.new_name(rebec, at))
            }
            Vertex::Made(instance, effect, rebec, at, place) => {
                format!("{} {} variable {place}", of(instance, effect), self.new_name(rebec, at))
            }
            Vertex::Element(element) => name(element),
            Vertex::Literal(element, number) => {
                let value = space.value_name(space.values(element)[number as usize]);
                format!("{}={value}", name(element))
            }
            Vertex::Instance(instance) => space.instance_name(instance),
            Vertex::Effect(instance, effect) => of(instance, effect),
            Vertex::Cube(instance, effect, at) => format!("{} if {at}", of(instance, effect)),
            Vertex::Write(instance, effect, at) => format!("{} write {at}", of(instance, effect)),
            Vertex::Sends(instance, effect, at) => format!("{} sends {at}", of(instance, effect)),
            Vertex::Message(instance, effect, at, k) => format!("{} sends {at}.{k}", of(instance, effect)),
            Vertex::Argument(instance, effect, at, k, n) => {
                format!("{} sends {at}.{k} argument {n}", of(instance, effect))
            }
            Vertex::Copy(from, to) => format!("{} := {}", name(to), name(from)),
            Vertex::Copied(from, to) => format!("{} := {} source", name(to), name(from)),
            Vertex::Same(from, to, at) => format!("{} := {} value {at}", name(to), name(from)),
            Vertex::Term(id) => self.term(id),
            Vertex::Operand(id, at) => format!("{} operand {at}", self.term(id)),
            Vertex::Truth(id, truth) => format!("{} is {truth}", self.term(id)),
            Vertex::Slot(instance, at) => format!("{} position {at}", space.instance_name(instance)),
            Vertex::Start(rebec, at) => format!("{} start {at}", space.model.rebec_name(rebec)),
            Vertex::StartItem(rebec, at, k) => format!("{} start {at}.{k}", space.model.rebec_name(rebec)),
            Vertex::StartArgument(rebec, at, k, n) => {
                format!("{} start {at}.{k} argument {n}", space.model.rebec_name(rebec))
            }
            Vertex::State(at) => format!("start {at}"),
            Vertex::Claim(at) => format!("claim {}", self.claims[at as usize].property),
            Vertex::ClaimCube(at, faults, k) => {
                format!("claim {} {} {k}", self.claims[at as usize].property, if faults { "faults" } else { "holds" })
            }
        }
    }

    /// Lists the broken invariants of the constraints; an empty list means that they are valid.
    pub fn verify(&self) -> Vec<String> {
        let mut problems = Vec::new();
        for id in self.space.all_elements() {
            if !self.space.values(id).windows(2).all(|pair| pair[0] < pair[1]) {
                problems.push(format!("{}: values out of order", self.space.name(id)));
            }
        }
        for instance in self.space.all_instances() {
            let Summary::Cases(cases) = &self.summaries[instance.index()] else { continue };
            let name = self.space.instance_name(instance);
            for case in cases {
                if case.cubes.is_empty() {
                    problems.push(format!("{name}: an effect that never happens"));
                }
                let known =
                    |&(key, mask): &(Key, Mask)| mask != 0 && mask & !super::summary::all(&self.space, key) == 0;
                if !case.cubes.iter().flatten().all(known) {
                    problems.push(format!("{name}: a cube of values that are not there"));
                }
            }
        }
        problems
    }

    /// The vertices of a graph with their names, one per line, numbered from 1 as in DIMACS.
    pub fn map(&self, graph: &ActorGraph) -> String {
        let mut out = String::new();
        for (number, &vertex) in (1..).zip(&graph.vertices) {
            let _ = writeln!(out, "{number} {}", self.vertex_name(vertex));
        }
        out
    }
}
