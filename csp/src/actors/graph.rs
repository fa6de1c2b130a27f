//! [`ActorGraph`]: the graph whose automorphisms are symmetries of a Rebeca model, and what each vertex stands for.
//!
//! Rebecs are joined to their elements and instances, instances to the elements of their message, elements to one literal for each
//! value they may have; a literal that is a rebec is joined to the rebec. What never changes is not drawn: known rebecs, and
//! variables with one value, stand in the summaries as what they are. An instance is joined to one vertex for each effect;
//! an effect to its cubes, and these to literals and to atoms that are true or false; to its writes, and these to
//! the literal that becomes true, to a copy, or to a term; and to one vertex for each receiver, which is joined to the rebec and
//! to its messages, coloured by their place in the order. A copy joins two elements, told apart, and the literals of one value.
//! A term is joined to its operands, through vertices for the places where these matter. Starts, and atoms of properties by colour, are
//! joined to what they name.
//!
//! An opaque instance is joined through one vertex a position to every element and known rebec of its rebec. These elements,
//! and the messages it may send, have colours of their own that tell positions, values and servers.
//!
//! # Soundness
//!
//! By construction an automorphism maps summaries to summaries, starts to starts and each atom to itself; see the module page.
//! Everything but literals, elements, instances and rebecs is determined by its neighbours.
//!
//! # Invariants
//!
//! Every vertex stands for something else; edges join vertices that exist ([`ActorGraph::verify`]).

use engine::{Graph, GraphBuilder};
use frontend::interpret::FaultClass;
use frontend::model::{ClassId, RebecId, ServerId, Sort, Value};
use rustc_hash::{FxHashMap, FxHashSet};

use super::analysis::{named, rebecs};
use super::cube::{Cube, Key};
use super::space::{ElementId, Holder, InstanceId};
use super::start::LocalStart;
use super::summary::{Case, Effect, Source};
use super::term::{Operator, Term, TermId};
use super::{Actors, Summary};

/// What a vertex stands for. Numbers count within what stands before them.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Vertex {
    /// `null`.
    Null,
    /// A rebec of `main`.
    Rebec(RebecId),
    /// An element that has several values or is wide.
    Element(ElementId),
    /// An element has the value of this number.
    Literal(ElementId, u32),
    /// A rebec with a server that something sends to.
    Instance(InstanceId),
    /// An effect of an instance.
    Effect(InstanceId, u32),
    /// A cube of the condition of an effect.
    Cube(InstanceId, u32, u32),
    /// A variable that an effect changes.
    Write(InstanceId, u32, u32),
    /// What an effect sends to one receiver.
    Sends(InstanceId, u32, u32),
    /// One of these messages.
    Message(InstanceId, u32, u32, u32),
    /// An argument of it.
    Argument(InstanceId, u32, u32, u32, u32),
    /// Something takes over the value of an element.
    Copy(ElementId, ElementId),
    /// The element that is copied.
    Copied(ElementId, ElementId),
    /// A value of it.
    Same(ElementId, ElementId, u32),
    /// A term.
    Term(TermId),
    /// A place for an operand.
    Operand(TermId, u32),
    /// The truth of an atom.
    Truth(TermId, bool),
    /// A position that an opaque instance sees.
    Slot(InstanceId, u32),
    /// What a rebec may start with.
    Start(RebecId, u32),
    /// A first value of a wide element, or a message in a first queue.
    StartItem(RebecId, u32, u32),
    /// An argument of such a message.
    StartArgument(RebecId, u32, u32, u32),
    /// An initial state, if these are no product.
    State(u32),
    /// An invariant or atom.
    Claim(u32),
    /// A cube of where it holds, or where it faults.
    ClaimCube(u32, bool, u32),
}

/// What vertices of one colour have in common.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Colour {
    Null,
    Rebec(ClassId),
    Element(Sort, bool),
    Sender,
    Feature(u32),
    /// An element of an opaque part: its position.
    Positioned(Sort, u32),
    /// An element that an opaque claim reads.
    Fixed(ElementId),
    Literal,
    Undefined,
    Pinned(Value),
    FixedLiteral(ElementId, u32),
    /// The sorts of the parameters, in any order.
    Instance(Vec<Sort>),
    Server(ServerId),
    Opaque(ServerId),
    Runs,
    Faults(FaultClass),
    Cube,
    Write,
    Sends,
    Count(u32),
    Message(u32),
    Argument,
    Copy,
    Copied,
    Same,
    Constant(i32),
    Term(Operator, bool, u32),
    Operand(u32),
    Truth(bool),
    Slot(u32),
    Start,
    StartWide(i32),
    Queued(u32),
    StartArgument,
    State,
    Claim(u32),
    ClaimCube(bool),
}

/// What the graph leaves out: known-wrong variants for tests.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Switches {
    /// Tests of the sender are left out.
    pub ignores_senders: bool,
    /// Faults are left out.
    pub ignores_faults: bool,
    /// Messages to one receiver have no order.
    pub ignores_order: bool,
    /// Conditions hang on the instance, not on the effect.
    pub shares_conditions: bool,
}

/// A graph with what its vertices stand for.
#[derive(Clone, Debug)]
pub struct ActorGraph {
    /// The graph.
    pub graph: Graph,
    /// What each vertex stands for.
    pub vertices: Vec<Vertex>,
    index: FxHashMap<Vertex, u32>,
}

impl ActorGraph {
    /// Draws a model given as constraints.
    pub fn new(actors: &Actors<'_>) -> ActorGraph {
        ActorGraph::with(actors, Switches::default())
    }

    /// As [`ActorGraph::new`], leaving out what the switches say.
    pub fn with(actors: &Actors<'_>, switches: Switches) -> ActorGraph {
        let mut drawing = Drawing::new(actors, switches);
        drawing.state();
        for instance in actors.space.all_instances() {
            drawing.instance(instance);
        }
        drawing.starts();
        drawing.claims();
        let graph = drawing.builder.build().expect("edges join different vertices that exist");
        ActorGraph { graph, vertices: drawing.vertices, index: drawing.index }
    }

    /// The vertex that stands for something, if there is one.
    pub fn vertex(&self, vertex: Vertex) -> Option<u32> {
        self.index.get(&vertex).copied()
    }

    /// Lists what is broken; nothing is right.
    pub fn verify(&self, actors: &Actors<'_>) -> Vec<String> {
        let mut problems = Vec::new();
        if self.graph.len() != self.vertices.len() {
            problems.push(format!("{} vertices, {} of them known", self.graph.len(), self.vertices.len()));
        }
        let different: FxHashSet<Vertex> = self.vertices.iter().copied().collect();
        if different.len() != self.vertices.len() {
            problems.push("two vertices stand for the same".into());
        }
        for (vertex, &meaning) in (0..).zip(&self.vertices) {
            let owner = match meaning {
                Vertex::Literal(element, _) => Vertex::Element(element),
                Vertex::Instance(instance) => Vertex::Rebec(actors.space.meaning(instance).0),
                Vertex::Effect(instance, _) => Vertex::Instance(instance),
                _ => continue,
            };
            if self.vertex(owner).is_none_or(|owner| !self.graph.has_edge(owner, vertex)) {
                problems.push(format!("{meaning:?} has no owner"));
            }
        }
        problems
    }
}

struct Drawing<'a, 'm> {
    actors: &'a Actors<'m>,
    switches: Switches,
    builder: GraphBuilder,
    vertices: Vec<Vertex>,
    index: FxHashMap<Vertex, u32>,
    colours: FxHashMap<Colour, u32>,
    /// Elements whose position and values are told.
    positioned: FxHashMap<ElementId, u32>,
    /// Instances whose server is told.
    named: FxHashSet<InstanceId>,
    fixed: FxHashSet<ElementId>,
    heights: Vec<u32>,
}

fn small(number: usize) -> u32 {
    u32::try_from(number).expect("bounded by the number of vertices")
}

impl<'a, 'm> Drawing<'a, 'm> {
    fn new(actors: &'a Actors<'m>, switches: Switches) -> Drawing<'a, 'm> {
        let space = &actors.space;
        let mut positioned = FxHashMap::default();
        let mut names = FxHashSet::default();
        for instance in space.all_instances() {
            if !matches!(actors.summaries[instance.index()], Summary::Opaque(_)) {
                continue;
            }
            let (rebec, _) = space.meaning(instance);
            for place in 0..space.class(rebec).elements() {
                positioned.insert(space.state(rebec, place), small(place));
            }
            for target in named(space, instance).into_iter().chain([instance]) {
                names.insert(target);
                for number in 0..space.arity(target) {
                    positioned.insert(space.parameter(target, number), small(number));
                }
            }
        }
        let fixed = actors.claims.iter().filter_map(|claim| claim.says.as_ref().err()).flatten().copied().collect();
        let mut heights: Vec<u32> = Vec::new();
        for place in 0..actors.terms.len() {
            let height = match actors.terms.get(TermId(small(place))) {
                Term::Apply(_, operands) => {
                    1 + operands.iter().map(|operand| heights[operand.0 as usize]).max().unwrap_or(0)
                }
                _ => 0,
            };
            heights.push(height);
        }
        Drawing {
            actors,
            switches,
            builder: GraphBuilder::new(),
            vertices: Vec::new(),
            index: FxHashMap::default(),
            colours: FxHashMap::default(),
            positioned,
            named: names,
            fixed,
            heights,
        }
    }

    fn add(&mut self, vertex: Vertex, colour: Colour) -> u32 {
        let next = small(self.colours.len());
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

    /// Whether an element is drawn.
    fn is_drawn(&self, element: ElementId) -> bool {
        let space = &self.actors.space;
        let passes = matches!(space.constant(element), Some(Value::Rebec(_)))
            && matches!(space.element(element).holder, Holder::Parameter(..));
        passes || space.is_wide(element) || space.values(element).len() > 1
    }

    fn state(&mut self) {
        let space = &self.actors.space;
        self.add(Vertex::Null, Colour::Null);
        for rebec in rebecs(space.model) {
            self.add(Vertex::Rebec(rebec), Colour::Rebec(space.model.class_of(rebec)));
        }
        for instance in space.all_instances().filter(|&instance| space.is_live(instance)) {
            let (rebec, server) = space.meaning(instance);
            let colour = match self.actors.summaries[instance.index()] {
                Summary::Opaque(_) => Colour::Opaque(server),
                _ if self.named.contains(&instance) => Colour::Server(server),
                _ => {
                    let mut sorts: Vec<Sort> = (0..space.arity(instance))
                        .map(|number| space.element(space.parameter(instance, number)).sort)
                        .collect();
                    sorts.sort_unstable();
                    Colour::Instance(sorts)
                }
            };
            let vertex = self.add(Vertex::Instance(instance), colour);
            self.join(vertex, Vertex::Rebec(rebec));
        }
        for element in space.all_elements().filter(|&element| self.is_drawn(element)).collect::<Vec<_>>() {
            self.element(element);
        }
    }

    fn element(&mut self, id: ElementId) {
        let space = &self.actors.space;
        let element = space.element(id);
        let (colour, owner) = match element.holder {
            Holder::Feature(feature) => (Colour::Feature(feature), None),
            Holder::State(rebec, _) => (Colour::Element(element.sort, space.is_wide(id)), Some(Vertex::Rebec(rebec))),
            Holder::Sender(instance) => (Colour::Sender, Some(Vertex::Instance(instance))),
            Holder::Parameter(instance, _) => {
                (Colour::Element(element.sort, space.is_wide(id)), Some(Vertex::Instance(instance)))
            }
        };
        let position = self.positioned.get(&id).copied();
        let is_fixed = self.fixed.contains(&id);
        let colour = match position {
            _ if is_fixed => Colour::Fixed(id),
            Some(position) => Colour::Positioned(element.sort, position),
            None => colour,
        };
        let vertex = self.add(Vertex::Element(id), colour);
        if let Some(owner) = owner {
            self.join(vertex, owner);
        }
        let is_pinned = position.is_some() || matches!(element.holder, Holder::Feature(_));
        for (number, &value) in (0..).zip(space.values(id)) {
            let colour = match value {
                _ if is_fixed => Colour::FixedLiteral(id, number),
                Value::Rebec(_) | Value::Null => Colour::Literal,
                Value::Undefined => Colour::Undefined,
                _ if is_pinned => Colour::Pinned(value),
                _ => Colour::Literal,
            };
            let literal = self.add(Vertex::Literal(id, number), colour);
            self.builder.add_edge(literal, vertex);
            match value {
                Value::Rebec(rebec) => self.join(literal, Vertex::Rebec(rebec)),
                Value::Null => self.join(literal, Vertex::Null),
                _ => {}
            }
        }
    }

    fn instance(&mut self, instance: InstanceId) {
        let actors = self.actors;
        match &actors.summaries[instance.index()] {
            Summary::Dead => {}
            Summary::Opaque(_) => self.opaque(instance),
            Summary::Cases(cases) => {
                for (number, case) in (0..).zip(cases) {
                    self.case(instance, number, case);
                }
            }
        }
    }

    /// Every position of the rebec, and its known rebecs in order.
    fn opaque(&mut self, instance: InstanceId) {
        let space = &self.actors.space;
        let (rebec, _) = space.meaning(instance);
        for place in 0..space.class(rebec).elements() {
            let element = space.state(rebec, place);
            let target = match space.constant(element) {
                Some(Value::Rebec(known)) => Vertex::Rebec(known),
                Some(Value::Null) => Vertex::Null,
                Some(_) => continue,
                None => Vertex::Element(element),
            };
            let slot = self.add(Vertex::Slot(instance, small(place)), Colour::Slot(small(place)));
            self.join(slot, Vertex::Instance(instance));
            self.join(slot, target);
        }
    }

    fn case(&mut self, instance: InstanceId, number: u32, case: &Case) {
        let effect = Vertex::Effect(instance, number);
        match &case.effect {
            Effect::Runs { writes, sends } => {
                let vertex = self.add(effect, Colour::Runs);
                self.join(vertex, Vertex::Instance(instance));
                for (place, &(element, source)) in (0..).zip(writes) {
                    let write = self.add(Vertex::Write(instance, number, place), Colour::Write);
                    self.builder.add_edge(write, vertex);
                    self.source(write, element, source);
                }
                for (place, (receiver, messages)) in (0..).zip(sends) {
                    let queue = self.add(Vertex::Sends(instance, number, place), Colour::Sends);
                    self.builder.add_edge(queue, vertex);
                    self.join(queue, Vertex::Rebec(*receiver));
                    for (at, message) in (0..).zip(messages) {
                        let order = if self.switches.ignores_order { 0 } else { at };
                        let sent =
                            self.add(Vertex::Message(instance, number, place, at), Colour::Message(order));
                        self.builder.add_edge(sent, queue);
                        let target = self.actors.space.instance(*receiver, message.server);
                        self.join(sent, Vertex::Instance(target));
                        for (position, &source) in message.arguments.iter().enumerate() {
                            let parameter = self.actors.space.parameter(target, position);
                            if self.is_drawn(parameter) {
                                let meaning = Vertex::Argument(instance, number, place, at, small(position));
                                let argument = self.add(meaning, Colour::Argument);
                                self.builder.add_edge(argument, sent);
                                self.source(argument, parameter, source);
                            }
                        }
                    }
                }
            }
            Effect::Faults { .. } if self.switches.ignores_faults => return,
            Effect::Faults { class, sent } => {
                let vertex = self.add(effect, Colour::Faults(*class));
                self.join(vertex, Vertex::Instance(instance));
                for (place, &(receiver, count)) in (0..).zip(sent) {
                    let queue = self.add(Vertex::Sends(instance, number, place), Colour::Count(count));
                    self.builder.add_edge(queue, vertex);
                    self.join(queue, Vertex::Rebec(receiver));
                }
            }
        }
        for (place, cube) in (0..).zip(&case.cubes) {
            let vertex = self.add(Vertex::Cube(instance, number, place), Colour::Cube);
            let owner = if self.switches.shares_conditions { Vertex::Instance(instance) } else { effect };
            self.join(vertex, owner);
            self.cube(vertex, cube);
        }
    }

    fn cube(&mut self, vertex: u32, cube: &Cube) {
        for &(key, mask) in cube {
            match key {
                Key::Element(element) => {
                    let is_sender = matches!(self.actors.space.element(element).holder, Holder::Sender(_));
                    if is_sender && self.switches.ignores_senders {
                        continue;
                    }
                    for number in (0..small(self.actors.space.values(element).len())).filter(|bit| mask >> bit & 1 == 1)
                    {
                        self.join(vertex, Vertex::Literal(element, number));
                    }
                }
                Key::Atom(atom) => {
                    self.term(atom);
                    self.join(vertex, Vertex::Truth(atom, mask == 2));
                }
            }
        }
    }

    /// Joins a vertex to the element that gets a value, and to where the value comes from.
    fn source(&mut self, vertex: u32, element: ElementId, source: Source) {
        match source {
            Source::Value(value) => {
                if let Some(literal) = self.literal(element, value) {
                    self.join(vertex, literal);
                }
            }
            Source::Copy(from) => {
                let copy = self.copy(from, element);
                self.builder.add_edge(vertex, copy);
            }
            Source::Term(term) => {
                self.join(vertex, Vertex::Element(element));
                let term = self.term(term);
                self.builder.add_edge(vertex, term);
            }
        }
    }

    /// The literal that an element has a value, if its values are listed.
    fn literal(&self, element: ElementId, value: Value) -> Option<Vertex> {
        let place = self.actors.space.values(element).binary_search(&value).ok()?;
        Some(Vertex::Literal(element, small(place)))
    }

    fn copy(&mut self, from: ElementId, to: ElementId) -> u32 {
        if let Some(&known) = self.index.get(&Vertex::Copy(from, to)) {
            return known;
        }
        let copy = self.add(Vertex::Copy(from, to), Colour::Copy);
        self.join(copy, Vertex::Element(to));
        let copied = self.add(Vertex::Copied(from, to), Colour::Copied);
        self.builder.add_edge(copied, copy);
        self.join(copied, Vertex::Element(from));
        let values = self.actors.space.values(from).to_vec();
        for (number, value) in (0..).zip(values) {
            let Some(there) = self.literal(to, value) else { continue };
            let same = self.add(Vertex::Same(from, to, number), Colour::Same);
            self.builder.add_edge(same, copy);
            self.join(same, Vertex::Literal(from, number));
            self.join(same, there);
        }
        copy
    }

    /// The vertex of a term, with all that it is made of.
    fn term(&mut self, id: TermId) -> u32 {
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

    fn vertex_of(&self, id: TermId) -> Option<u32> {
        match self.actors.terms.get(id) {
            Term::Input(element) => self.index.get(&Vertex::Element(*element)).copied(),
            _ => self.index.get(&Vertex::Term(id)).copied(),
        }
    }

    fn apply(&mut self, id: TermId, operator: Operator, operands: &[TermId]) {
        let is_double = operands.len() == 2 && operands[0] == operands[1];
        let vertex = self.add(Vertex::Term(id), Colour::Term(operator, is_double, self.heights[id.0 as usize]));
        for (place, &operand) in (0..).zip(operands) {
            let target = self.vertex_of(operand).expect("operands are drawn first");
            if operands.len() == 1 || operator.commutes() {
                self.builder.add_edge(vertex, target);
            } else {
                let via = self.add(Vertex::Operand(id, place), Colour::Operand(place));
                self.builder.add_edge(via, vertex);
                self.builder.add_edge(via, target);
            }
        }
        let is_atom = matches!(
            operator,
            Operator::Faults
                | Operator::Exceeds(_)
                | Operator::Binary(frontend::model::BinaryOp::Equal | frontend::model::BinaryOp::Less)
        );
        if is_atom {
            for truth in [false, true] {
                let side = self.add(Vertex::Truth(id, truth), Colour::Truth(truth));
                self.builder.add_edge(side, vertex);
            }
        }
    }

    fn starts(&mut self) {
        let actors = self.actors;
        for list in &actors.start.locals {
            for (number, local) in (0..).zip(list) {
                self.local(number, local);
            }
        }
        let Some(states) = &actors.start.states else { return };
        for (number, (features, locals)) in (0..).zip(states) {
            let state = self.add(Vertex::State(number), Colour::State);
            for (rebec, &local) in rebecs(actors.space.model).zip(locals) {
                self.join(state, Vertex::Start(rebec, small(local)));
            }
            for (feature, &value) in features.iter().enumerate() {
                let element = actors.space.feature(feature);
                self.join(state, Vertex::Literal(element, u32::from(value)));
            }
        }
    }

    fn local(&mut self, number: u32, local: &LocalStart) {
        let space = &self.actors.space;
        let rebec = local.rebec;
        let start = self.add(Vertex::Start(rebec, number), Colour::Start);
        self.join(start, Vertex::Rebec(rebec));
        let mut items = 0;
        for (place, &value) in local.values.iter().enumerate() {
            let element = space.state(rebec, place);
            if !self.is_drawn(element) {
                continue;
            }
            if let Some(literal) = self.literal(element, value) {
                self.join(start, literal);
            } else if let Value::Int(value) = value {
                let item = self.add(Vertex::StartItem(rebec, number, items), Colour::StartWide(value));
                items += 1;
                self.builder.add_edge(item, start);
                self.join(item, Vertex::Element(element));
            }
        }
        for (order, message) in (0..).zip(&local.queue) {
            let instance = space.instance(rebec, message.server);
            let item = self.add(Vertex::StartItem(rebec, number, items), Colour::Queued(order));
            self.builder.add_edge(item, start);
            self.join(item, Vertex::Instance(instance));
            if message.sender != rebec {
                self.join(item, Vertex::Rebec(message.sender));
            }
            for (place, &value) in message.arguments.iter().enumerate() {
                let parameter = space.parameter(instance, place);
                if self.is_drawn(parameter) {
                    let meaning = Vertex::StartArgument(rebec, number, items, small(place));
                    let colour = match value {
                        Value::Int(value) if space.is_wide(parameter) => Colour::StartWide(value),
                        _ => Colour::StartArgument,
                    };
                    let argument = self.add(meaning, colour);
                    self.builder.add_edge(argument, item);
                    match self.literal(parameter, value) {
                        Some(literal) => self.join(argument, literal),
                        None => self.join(argument, Vertex::Element(parameter)),
                    }
                }
            }
            items += 1;
        }
    }

    fn claims(&mut self) {
        let actors = self.actors;
        for (number, claim) in (0..).zip(&actors.claims) {
            let vertex = self.add(Vertex::Claim(number), Colour::Claim(number));
            let Ok(says) = &claim.says else { continue };
            for (cubes, faults) in says.iter().zip([false, true]) {
                for (place, cube) in (0..).zip(cubes) {
                    let meaning = Vertex::ClaimCube(number, faults, place);
                    let side = self.add(meaning, Colour::ClaimCube(faults));
                    self.builder.add_edge(side, vertex);
                    self.cube(side, cube);
                }
            }
        }
    }
}
