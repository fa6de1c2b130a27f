//! Drawing effects: conditions, writes, messages, copies and terms.

use frontend::model::{BinaryOp, RebecId, Value};

use super::super::cube::{Cube, Key};
use super::super::space::{ElementId, Holder, InstanceId};
use super::super::summary::{Case, Effect, Receiver, Source};
use super::super::term::{Operator, Term, TermId};
use super::Vertex;
use super::draw::{Colour, Drawing, small};

impl Drawing<'_, '_> {
    pub(super) fn case(&mut self, instance: InstanceId, number: u32, case: &Case) {
        let effect = Vertex::Effect(instance, number);
        match &case.effect {
            Effect::Runs { writes, sends, makes } => {
                let vertex = self.add(effect, Colour::Runs);
                self.join(vertex, Vertex::Instance(instance));
                self.makes(instance, number, makes);
                assert!(writes.is_sorted_by(|one, next| one.0 < next.0), "an effect writes a variable once");
                for (place, &(element, source)) in (0..).zip(writes) {
                    let write = self.add(Vertex::Write(instance, number, place), Colour::Write);
                    self.canvas.edge(write, vertex);
                    self.source(write, instance, number, element, source);
                }
                for (place, (receiver, messages)) in (0..).zip(sends) {
                    let queue = self.add(Vertex::Sends(instance, number, place), Colour::Sends);
                    self.canvas.edge(queue, vertex);
                    self.receiver(queue, instance, number, *receiver);
                    for (at, message) in (0..).zip(messages) {
                        let order = if self.switches.ignores_order() { 0 } else { at };
                        let sent = self.add(Vertex::Message(instance, number, place, at), Colour::Message(order));
                        self.canvas.edge(sent, queue);
                        let target = self.actors.space.instance(receiver.rebec(), message.server);
                        let arity = self.actors.space.arity(target);
                        assert_eq!(message.arguments.len(), arity, "a message has an argument for each parameter");
                        self.join(sent, Vertex::Instance(target));
                        if let Source::New(rebec, at) = message.sender {
                            self.join(sent, Vertex::New(instance, number, rebec, at));
                        }
                        for (position, &source) in message.arguments.iter().enumerate() {
                            let parameter = self.actors.space.parameter(target, position);
                            if self.is_drawn(parameter) {
                                let meaning = Vertex::Argument(instance, number, place, at, small(position));
                                let argument = self.add(meaning, Colour::Argument);
                                self.canvas.edge(argument, sent);
                                self.source(argument, instance, number, parameter, source);
                            }
                        }
                    }
                }
            }
            Effect::Faults { .. } if self.switches.ignores_faults() => return,
            Effect::Faults { class, sent, made } => {
                let vertex = self.add(effect, Colour::Faults(*class));
                self.join(vertex, Vertex::Instance(instance));
                for (place, &(receiver, count)) in (0..).zip(sent) {
                    let queue = self.add(Vertex::Sends(instance, number, place), Colour::Count(count));
                    self.canvas.edge(queue, vertex);
                    match receiver {
                        // The effect creates this rebec before the fault, and the rebec has no vertex.
                        Receiver::New(rebec, _) => self.join(queue, Vertex::Rebec(rebec)),
                        _ => self.receiver(queue, instance, number, receiver),
                    }
                }
                for (place, &(rebec, count)) in (0..).zip(made) {
                    let before = Vertex::Made(instance, number, rebec, 0, place);
                    let before = self.add(before, Colour::MadeBefore(rebec, count));
                    self.canvas.edge(before, vertex);
                }
            }
        }
        for (place, cube) in (0..).zip(&case.cubes) {
            let vertex = self.add(Vertex::Cube(instance, number, place), Colour::Cube);
            let owner = if self.switches.shares_conditions() { Vertex::Instance(instance) } else { effect };
            self.join(vertex, owner);
            self.cube(vertex, cube);
        }
    }

    /// Joins a vertex to the receiver of its messages.
    fn receiver(&mut self, vertex: engine::Vertex, instance: InstanceId, number: u32, receiver: Receiver) {
        match receiver {
            Receiver::Rebec(rebec) | Receiver::Own(rebec) => self.join(vertex, Vertex::Rebec(rebec)),
            Receiver::Held(element, rebec) => {
                self.join(vertex, Vertex::Element(element));
                self.join(vertex, Vertex::Rebec(rebec));
            }
            Receiver::New(rebec, at) => self.join(vertex, Vertex::New(instance, number, rebec, at)),
        }
    }

    /// Draws the rebecs that an effect creates: all of their vertices first, because new rebecs may know each other.
    fn makes(&mut self, instance: InstanceId, number: u32, makes: &[(RebecId, Vec<Vec<Source>>)]) {
        let news = |(rebec, made): &(RebecId, Vec<Vec<Source>>)| {
            let rebec = *rebec;
            (0..small(made.len())).map(move |at| (rebec, at))
        };
        for (rebec, at) in makes.iter().flat_map(news) {
            let vertex = self.add(Vertex::New(instance, number, rebec, at), Colour::New(rebec, at));
            self.join(vertex, Vertex::Effect(instance, number));
            self.join(vertex, Vertex::Rebec(rebec));
        }
        let makes = if self.switches.ignores_creation() { &[] } else { makes };
        for (rebec, made) in makes {
            for (at, values) in (0..).zip(made) {
                let elements = self.actors.space.class(*rebec).elements();
                assert_eq!(values.len(), elements, "a new rebec has a value for each variable");
                for (place, &value) in (0..).zip(values) {
                    let element = self.actors.space.state(*rebec, place as usize);
                    if self.is_drawn(element) {
                        let variable = Vertex::Made(instance, number, *rebec, at, place);
                        let variable = self.add(variable, Colour::Made);
                        self.join(variable, Vertex::New(instance, number, *rebec, at));
                        self.source(variable, instance, number, element, value);
                    }
                }
            }
        }
    }

    pub(super) fn cube(&mut self, vertex: engine::Vertex, cube: &Cube) {
        for &(key, mask) in cube {
            match key {
                Key::Element(element) => {
                    let is_sender = matches!(self.actors.space.element(element).holder, Holder::Sender(_));
                    if is_sender && self.switches.ignores_senders() {
                        continue;
                    }
                    for number in (0..small(self.actors.space.values(element).len())).filter(|bit| mask >> bit & 1 == 1)
                    {
                        self.join(vertex, Vertex::Literal(element, number));
                    }
                }
                Key::Atom(atom) => {
                    debug_assert!(mask == 1 || mask == 2, "a cube that names an atom says whether it is true");
                    self.term(atom);
                    self.join(vertex, Vertex::Truth(atom, mask == 2));
                }
            }
        }
    }

    /// Joins a vertex to the element that gets a value, and to the source of the value.
    fn source(
        &mut self,
        vertex: engine::Vertex,
        instance: InstanceId,
        number: u32,
        element: ElementId,
        source: Source,
    ) {
        match source {
            Source::Own(rebec) => {
                self.join(vertex, Vertex::Element(element));
                self.join(vertex, Vertex::Rebec(rebec));
            }
            Source::New(rebec, at) => {
                self.join(vertex, Vertex::Element(element));
                self.join(vertex, Vertex::New(instance, number, rebec, at));
            }
            Source::Value(value) => {
                if let Some(literal) = self.literal(element, value) {
                    self.join(vertex, literal);
                }
            }
            Source::Copy(from) => {
                let copy = self.copy(from, element);
                self.canvas.edge(vertex, copy);
            }
            Source::Term(term) => {
                self.join(vertex, Vertex::Element(element));
                let term = self.term(term);
                self.canvas.edge(vertex, term);
            }
        }
    }

    /// The literal that an element has a value, if its values are listed.
    pub(super) fn literal(&self, element: ElementId, value: Value) -> Option<Vertex> {
        let place = self.actors.space.values(element).binary_search(&value).ok()?;
        Some(Vertex::Literal(element, small(place)))
    }

    fn copy(&mut self, from: ElementId, to: ElementId) -> engine::Vertex {
        if let Some(known) = self.canvas.vertex(Vertex::Copy(from, to)) {
            return known;
        }
        let copy = self.add(Vertex::Copy(from, to), Colour::Copy);
        self.join(copy, Vertex::Element(to));
        let copied = self.add(Vertex::Copied(from, to), Colour::Copied);
        self.canvas.edge(copied, copy);
        self.join(copied, Vertex::Element(from));
        let values = self.actors.space.values(from).to_vec();
        for (number, value) in (0..).zip(values) {
            let Some(there) = self.literal(to, value) else { continue };
            let same = self.add(Vertex::Same(from, to, number), Colour::Same);
            self.canvas.edge(same, copy);
            self.join(same, Vertex::Literal(from, number));
            self.join(same, there);
        }
        copy
    }

    /// The vertex of a term, with the vertices of all its operands.
    fn term(&mut self, id: TermId) -> engine::Vertex {
        let mut pending = vec![id];
        while let Some(&next) = pending.last() {
            if self.vertex_of(next).is_some() {
                pending.pop();
                continue;
            }
            let Term::Apply(operator, operands) = self.actors.terms.get(next).clone() else {
                if let Term::Constant(value) = *self.actors.terms.get(next) {
                    self.add(Vertex::Term(next), Colour::Constant(value));
                }
                pending.pop();
                continue;
            };
            let missing: Vec<TermId> =
                operands.iter().copied().filter(|&operand| self.vertex_of(operand).is_none()).collect();
            if !missing.is_empty() {
                pending.extend(missing);
                continue;
            }
            pending.pop();
            self.apply(next, operator, &operands);
        }
        self.vertex_of(id).expect("just drawn")
    }

    fn vertex_of(&self, id: TermId) -> Option<engine::Vertex> {
        match self.actors.terms.get(id) {
            Term::Input(element) => self.canvas.vertex(Vertex::Element(*element)),
            Term::Own(rebec) => self.canvas.vertex(Vertex::Rebec(*rebec)),
            _ => self.canvas.vertex(Vertex::Term(id)),
        }
    }

    fn apply(&mut self, id: TermId, operator: Operator, operands: &[TermId]) {
        let is_double = operands.len() == 2 && operands[0] == operands[1];
        let vertex = self.add(Vertex::Term(id), Colour::Term(operator, is_double, self.heights[id.0 as usize]));
        for (place, &operand) in (0..).zip(operands) {
            let target = self.vertex_of(operand).expect("operands are drawn first");
            if operands.len() == 1 || operator.commutes() {
                self.canvas.edge(vertex, target);
            } else {
                let via = self.add(Vertex::Operand(id, place), Colour::Operand(place));
                self.canvas.edge(via, vertex);
                self.canvas.edge(via, target);
            }
        }
        let is_atom = matches!(
            operator,
            Operator::Faults
                | Operator::Same
                | Operator::Exceeds(_)
                | Operator::Binary(BinaryOp::Equal | BinaryOp::Less)
        );
        if is_atom {
            for truth in [false, true] {
                let side = self.add(Vertex::Truth(id, truth), Colour::Truth(truth));
                self.canvas.edge(side, vertex);
            }
        }
    }
}
