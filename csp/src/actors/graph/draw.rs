//! Drawing rebecs, elements, instances, opaque parts, initial states and atoms.

use frontend::interpret::FaultClass;
use frontend::model::{ClassId, RebecId, ServerId, Sort, Value};
use rustc_hash::{FxHashMap, FxHashSet};

use super::super::analysis::named;
use super::super::space::{ElementId, Holder, InstanceId};
use super::super::start::LocalStart;
use super::super::term::{Operator, Term, TermId};
use super::super::{Actors, Summary};
use super::{Switches, Vertex};
use crate::drawing::Canvas;

/// The property that vertices of one colour share.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum Colour {
    Null,
    Rebec(ClassId),
    StandIn(RebecId),
    StartRebec(RebecId),
    New(RebecId, u32),
    Made,
    MadeBefore(RebecId, u32),
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

pub(super) struct Drawing<'a, 'm> {
    pub(super) actors: &'a Actors<'m>,
    pub(super) switches: Switches,
    pub(super) canvas: Canvas<Vertex, Colour>,
    /// The elements whose colour fixes their position and their values.
    positioned: FxHashMap<ElementId, u32>,
    /// The instances whose colour fixes their server.
    named: FxHashSet<InstanceId>,
    fixed: FxHashSet<ElementId>,
    pub(super) heights: Vec<u32>,
}

pub(super) fn small(number: usize) -> u32 {
    u32::try_from(number).expect("bounded by the number of vertices")
}

impl<'a, 'm> Drawing<'a, 'm> {
    pub(super) fn new(actors: &'a Actors<'m>, switches: Switches) -> Drawing<'a, 'm> {
        let space = &actors.space;
        let mut positioned = FxHashMap::default();
        let mut names = FxHashSet::default();
        for instance in space.all_instances() {
            let (rebec, _) = space.meaning(instance);
            let is_opaque = matches!(actors.summaries[instance.index()], Summary::Opaque(_));
            if !is_opaque && !space.is_created(rebec) {
                continue;
            }
            for place in 0..space.class(rebec).elements() {
                positioned.insert(space.state(rebec, place), small(place));
            }
            let sent = if is_opaque { named(space, instance) } else { Vec::new() };
            for target in sent.into_iter().chain([instance]) {
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
        Drawing { actors, switches, canvas: Canvas::default(), positioned, named: names, fixed, heights }
    }

    pub(super) fn add(&mut self, vertex: Vertex, colour: Colour) -> engine::Vertex {
        self.canvas.add(vertex, colour)
    }

    pub(super) fn join(&mut self, vertex: engine::Vertex, other: Vertex) {
        self.canvas.join(vertex, other);
    }

    /// Whether an element is drawn.
    pub(super) fn is_drawn(&self, element: ElementId) -> bool {
        let space = &self.actors.space;
        let is_passed = match space.element(element).holder {
            Holder::Parameter(..) => true,
            Holder::State(rebec, _) => space.is_created(rebec),
            Holder::Feature(_) | Holder::Sender(_) => false,
        };
        let passes = is_passed && matches!(space.constant(element), Some(Value::Rebec(_)));
        let may_change = !space.values(element).is_empty() && space.constant(element).is_none();
        passes || space.is_wide(element) || may_change
    }

    pub(super) fn state(&mut self) {
        let space = &self.actors.space;
        self.add(Vertex::Null, Colour::Null);
        for rebec in space.rebecs() {
            let class = Colour::Rebec(space.model.class_of(rebec));
            let colour = if space.is_created(rebec) { Colour::StandIn(rebec) } else { class };
            self.add(Vertex::Rebec(rebec), colour);
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
            self.canvas.edge(literal, vertex);
            match value {
                Value::Rebec(rebec) => self.join(literal, Vertex::Rebec(rebec)),
                Value::Null => self.join(literal, Vertex::Null),
                _ => {}
            }
        }
    }

    pub(super) fn instance(&mut self, instance: InstanceId) {
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

    /// Draws an opaque instance: every position of its rebec, and its known rebecs in order.
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

    pub(super) fn starts(&mut self) {
        let actors = self.actors;
        let created = actors.start.locals.iter().flatten().map(|local| local.rebec);
        let mut created: Vec<RebecId> = created.filter(|&rebec| actors.space.is_created(rebec)).collect();
        created.dedup();
        for rebec in created {
            let vertex = self.add(Vertex::StartRebec(rebec), Colour::StartRebec(rebec));
            self.join(vertex, Vertex::Rebec(actors.space.stand_in(rebec)));
        }
        for list in &actors.start.locals {
            for (number, local) in (0..).zip(list) {
                self.local(number, local);
            }
        }
        let Some(states) = &actors.start.states else { return };
        for (number, (features, locals)) in (0..).zip(states) {
            let state = self.add(Vertex::State(number), Colour::State);
            for (list, &local) in actors.start.locals.iter().zip(locals) {
                if let Some(local) = local {
                    self.join(state, Vertex::Start(list[local].rebec, small(local)));
                }
            }
            for (feature, &value) in features.iter().enumerate() {
                let element = actors.space.feature(feature);
                self.join(state, Vertex::Literal(element, u32::from(value)));
            }
        }
    }

    /// The vertex of a rebec that exists in the initial states.
    fn at_start(&self, rebec: RebecId) -> Vertex {
        if self.actors.space.is_created(rebec) { Vertex::StartRebec(rebec) } else { Vertex::Rebec(rebec) }
    }

    fn local(&mut self, number: u32, local: &LocalStart) {
        let space = &self.actors.space;
        let rebec = local.rebec;
        assert_eq!(local.values.len(), space.class(rebec).elements(), "a rebec starts with every variable");
        let start = self.add(Vertex::Start(rebec, number), Colour::Start);
        self.join(start, self.at_start(rebec));
        let mut items = 0;
        for (place, &value) in local.values.iter().enumerate() {
            let element = space.state(rebec, place);
            if !self.is_drawn(element) {
                continue;
            }
            if let Value::Rebec(held) = value
                && space.is_created(held)
            {
                let item = self.add(Vertex::StartItem(rebec, number, items), Colour::StartArgument);
                items += 1;
                self.canvas.edge(item, start);
                self.join(item, Vertex::Element(element));
                self.join(item, Vertex::StartRebec(held));
            } else if let Some(literal) = self.literal(element, value) {
                self.join(start, literal);
            } else if let Value::Int(value) = value {
                let item = self.add(Vertex::StartItem(rebec, number, items), Colour::StartWide(value));
                items += 1;
                self.canvas.edge(item, start);
                self.join(item, Vertex::Element(element));
            }
        }
        for (order, message) in (0..).zip(&local.queue) {
            let instance = space.instance(rebec, message.server);
            assert_eq!(message.arguments.len(), space.arity(instance), "a first message has every argument");
            let item = self.add(Vertex::StartItem(rebec, number, items), Colour::Queued(order));
            self.canvas.edge(item, start);
            self.join(item, Vertex::Instance(instance));
            if message.sender != rebec {
                self.join(item, self.at_start(message.sender));
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
                    self.canvas.edge(argument, item);
                    match self.literal(parameter, value) {
                        Some(literal) if !space.is_vague(value) => self.join(argument, literal),
                        _ => self.join(argument, Vertex::Element(parameter)),
                    }
                    if let Value::Rebec(held) = value
                        && space.is_created(held)
                    {
                        self.join(argument, Vertex::StartRebec(held));
                    }
                }
            }
            items += 1;
        }
    }

    pub(super) fn claims(&mut self) {
        let actors = self.actors;
        for (number, claim) in (0..).zip(&actors.claims) {
            let vertex = self.add(Vertex::Claim(number), Colour::Claim(number));
            let Ok(says) = &claim.says else { continue };
            for (cubes, faults) in says.iter().zip([false, true]) {
                for (place, cube) in (0..).zip(cubes) {
                    let meaning = Vertex::ClaimCube(number, faults, place);
                    let side = self.add(meaning, Colour::ClaimCube(faults));
                    self.canvas.edge(side, vertex);
                    self.cube(side, cube);
                }
            }
        }
    }
}
