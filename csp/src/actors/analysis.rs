//! The values that each element may have: a least fixed point over all instances.
//!
//! The fixed point starts from the values of the initial states. The analysis walks each instance that receives a
//! message, with the values found so far, and adds the values that its paths write and send, until no value is new. A
//! machine integer that would have more than a few values becomes wide. Senders, travelling rebecs and flags therefore
//! get exactly the values that flow to them, on every route.
//!
//! An instance that cannot be walked is opaque: it may write any value to the variables of its rebec, and it may send
//! any message that it names, with any arguments, to any rebec that understands the message. The rebecs that it may
//! create may hold any values.
//!
//! Complexity: each element grows a bounded number of times, and each growth makes the analysis walk the instances that
//! read the element again.

use std::collections::BTreeSet;

use frontend::model::{Body, Class, ClassId, Dialect, Model, RebecId, Rvalue, ServerId, Sort, StmtKind, Value, Width};

use super::cube::Key;
use super::space::{Domain, ElementId, Holder, InstanceId, MAX_VALUES, Space};
use super::start::{Start, TooLarge};
use super::summary::{Source, source};
use super::term::Terms;
use super::walk::{Path, Task, Val, Walk};

/// The state of the analysis: the facts found so far about the instances of a model.
pub(super) struct Analysis<'m> {
    pub(super) space: Space<'m>,
    pub(super) terms: Terms,
    /// For each instance its paths, the reason why it is opaque, or `None` if it never runs.
    pub(super) paths: Vec<Option<Result<Vec<Path>, &'static str>>>,
}

/// The values that may be stored in an element.
enum Flowing {
    Values(Vec<Value>),
    /// Any machine integer.
    Anything,
}

struct Flow<'m> {
    space: Space<'m>,
    /// The number of values that a machine integer may have before it becomes wide.
    integers: usize,
    /// The instances that are to be walked again, each behind its cost: the number of paths of its last walk.
    dirty: BTreeSet<(usize, usize)>,
    costs: Vec<usize>,
    opaque: Vec<Option<&'static str>>,
}

/// Finds the values of all elements and walks all instances.
pub(super) fn analyse<'m>(model: &'m Model, start: &Start, integers: usize) -> Result<Analysis<'m>, TooLarge> {
    let space = Space::new(model);
    let count = space.instances.len();
    let mut flow = Flow { space, integers, dirty: BTreeSet::new(), costs: vec![0; count], opaque: vec![None; count] };
    flow.initial(start)?;
    let mut terms = Terms::default();
    // Instances with a cheap walk go first, so that long bodies see most values at once.
    while let Some((_, next)) = flow.dirty.pop_first() {
        limits::work(16);
        let instance = InstanceId(u32::try_from(next).expect("instances are bounded"));
        if !flow.space.is_live(instance) || flow.opaque[next].is_some() {
            continue;
        }
        match walk(&flow.space, &mut terms, instance) {
            Ok(paths) => {
                flow.costs[next] = paths.len();
                flow.absorb(instance, &paths)?;
            }
            Err(reason) => {
                flow.opaque[next] = Some(reason);
                flow.anything(instance)?;
            }
        }
    }
    let Flow { space, opaque, .. } = flow;
    let mut terms = Terms::default();
    let paths = space
        .all_instances()
        .map(|instance| match opaque[instance.index()] {
            Some(reason) => Some(Err(reason)),
            None => space.is_live(instance).then(|| walk(&space, &mut terms, instance)),
        })
        .collect();
    Ok(Analysis { space, terms, paths })
}

/// All paths through the server of an instance.
fn walk(space: &Space<'_>, terms: &mut Terms, instance: InstanceId) -> Result<Vec<Path>, &'static str> {
    let (rebec, server) = space.meaning(instance);
    let body = &space.class(rebec).servers[server.index()].body;
    let mut walk = Walk::new(space, terms);
    let sender = walk.input(space.sender(instance));
    let arguments: Vec<Val> =
        (0..space.arity(instance)).map(|number| walk.input(space.parameter(instance, number))).collect();
    walk.paths(Task { rebec, body, sender, arguments: &arguments })
}

impl Flow<'_> {
    fn initial(&mut self, start: &Start) -> Result<(), TooLarge> {
        for local in start.locals.iter().flatten() {
            for (place, &value) in local.values.iter().enumerate() {
                self.add(self.space.state(local.rebec, place), self.space.abstracted(value))?;
            }
            for message in &local.queue {
                let instance = self.space.instance(local.rebec, message.server);
                self.add(self.space.sender(instance), self.space.abstracted(Value::Rebec(message.sender)))?;
                for (number, &value) in message.arguments.iter().enumerate() {
                    self.add(self.space.parameter(instance, number), self.space.abstracted(value))?;
                }
            }
        }
        Ok(())
    }

    /// Marks the readers of an element for another walk.
    fn touch(&mut self, element: ElementId) {
        match self.space.element(element).holder {
            Holder::Feature(_) => {}
            Holder::State(rebec, _) => {
                let servers = self.space.class(rebec).servers.len();
                limits::work(4 * servers as u64);
                for server in 0..servers {
                    self.walk_again(self.space.instance(rebec, ServerId::from_index(server)));
                }
            }
            Holder::Sender(instance) | Holder::Parameter(instance, _) => self.walk_again(instance),
        }
    }

    fn walk_again(&mut self, instance: InstanceId) {
        self.dirty.insert((self.costs[instance.index()], instance.index()));
    }

    fn widen(&mut self, element: ElementId, width: Width) {
        if !self.space.is_wide(element) {
            self.space.elements[element.index()].domain = Domain::Wide(width);
            self.touch(element);
        }
    }

    fn add(&mut self, element: ElementId, value: Value) -> Result<(), TooLarge> {
        let (sort, integers) = (self.space.element(element).sort, self.integers);
        let Domain::Values(values) = &mut self.space.elements[element.index()].domain else { return Ok(()) };
        let Err(place) = values.binary_search(&value) else { return Ok(()) };
        values.insert(place, value);
        let count = values.len();
        match sort {
            Sort::Int(width) if count > integers => self.widen(element, width),
            _ if count > MAX_VALUES => return Err(TooLarge("a variable has too many values")),
            _ => {}
        }
        self.touch(element);
        Ok(())
    }

    /// All values that a source may have on a path.
    fn flows(&self, path: &Path, from: Source) -> Flowing {
        match from {
            Source::Value(value) => Flowing::Values(vec![value]),
            Source::Term(_) => Flowing::Anything,
            Source::Own(rebec) | Source::New(rebec, _) => Flowing::Values(vec![Value::Rebec(rebec)]),
            Source::Copy(other) => {
                let mask = path.cube.get(&Key::Element(other)).copied().unwrap_or_else(|| self.space.full(other));
                let values = self.space.values(other).iter().enumerate();
                Flowing::Values(values.filter(|&(bit, _)| mask >> bit & 1 == 1).map(|(_, &value)| value).collect())
            }
        }
    }

    /// Adds the writes and the messages of the paths of an instance. It collects all of them before it adds any,
    /// because cubes refer to the values that the elements had when the paths were walked.
    fn absorb(&mut self, instance: InstanceId, paths: &[Path]) -> Result<(), TooLarge> {
        let (rebec, _) = self.space.meaning(instance);
        let mut found: Vec<(ElementId, Flowing)> = Vec::new();
        for path in paths.iter().filter(|path| path.fault.is_none()) {
            debug_assert_eq!(path.values.len(), self.space.class(rebec).elements(), "a path has every variable");
            for (place, &value) in path.values.iter().enumerate() {
                let element = self.space.state(rebec, place);
                if value != Val::Input(element) {
                    found.push((element, self.flows(path, source(&self.space, path, value))));
                }
            }
            for made in &path.made {
                for (place, &value) in made.values.iter().enumerate() {
                    let flowing = self.flows(path, source(&self.space, path, value));
                    found.push((self.space.state(made.rebec, place), flowing));
                }
            }
            for sent in &path.sent {
                let target = self.space.instance(sent.receiver.rebec(), sent.server);
                debug_assert_eq!(sent.arguments.len(), self.space.arity(target), "a message has every argument");
                found.push((self.space.sender(target), self.flows(path, source(&self.space, path, sent.sender))));
                for (number, &value) in sent.arguments.iter().enumerate() {
                    let flowing = self.flows(path, source(&self.space, path, value));
                    found.push((self.space.parameter(target, number), flowing));
                }
            }
        }
        for (element, flowing) in found {
            match (flowing, self.space.element(element).sort) {
                (Flowing::Values(values), _) => values.into_iter().try_for_each(|value| self.add(element, value))?,
                (Flowing::Anything, Sort::Int(width)) => self.widen(element, width),
                (Flowing::Anything, _) => return Err(TooLarge("an integer is stored as something else")),
            }
        }
        Ok(())
    }

    /// Adds the values that an opaque instance may write, send and create.
    fn anything(&mut self, instance: InstanceId) -> Result<(), TooLarge> {
        let (rebec, _) = self.space.meaning(instance);
        for place in 0..self.space.class(rebec).elements() {
            let element = self.space.state(rebec, place);
            if !self.space.element(element).is_known {
                self.all(element)?;
            }
        }
        let made = reach(&self.space, instance).1;
        for &made in &made {
            for place in 0..self.space.class(made).elements() {
                self.all(self.space.state(made, place))?;
            }
        }
        for target in named(&self.space, instance) {
            for &sender in made.iter().chain([&rebec]) {
                self.add(self.space.sender(target), Value::Rebec(sender))?;
            }
            for number in 0..self.space.arity(target) {
                self.all(self.space.parameter(target, number))?;
            }
        }
        Ok(())
    }

    fn all(&mut self, element: ElementId) -> Result<(), TooLarge> {
        match self.space.universe(self.space.element(element).sort) {
            Domain::Wide(width) => {
                self.widen(element, width);
                Ok(())
            }
            Domain::Values(values) => values.into_iter().try_for_each(|value| self.add(element, value)),
        }
    }
}

/// The instances whose messages an opaque instance may send: those that the bodies of its class name, and the
/// constructors of the classes that it creates.
pub fn named(space: &Space<'_>, instance: InstanceId) -> Vec<InstanceId> {
    let names = reach(space, instance).0;
    let is_named = |&target: &InstanceId| {
        let (rebec, server) = space.meaning(target);
        names.contains(&space.class(rebec).servers[server.index()].name.as_str())
    };
    space.all_instances().filter(is_named).collect()
}

/// The messages that the bodies of the class of an instance name, and the stand-ins of the rebecs that they create. The
/// constructors that these creations run count as bodies of the class.
fn reach<'m>(space: &Space<'m>, instance: InstanceId) -> (Vec<&'m str>, Vec<RebecId>) {
    let model = space.model;
    let class = space.class(space.meaning(instance).0);
    let (mut names, mut made): (Vec<&str>, Vec<RebecId>) = (Vec::new(), Vec::new());
    let methods = |class: &'m Class| class.methods.iter().map(|method| &method.body);
    let mut pending: Vec<&Body> = class.servers.iter().map(|server| &server.body).chain(methods(class)).collect();
    while let Some(body) = pending.pop() {
        let mut classes = Vec::new();
        mentions(body, &mut names, &mut classes);
        for class in classes {
            let stand_in = model.created(class, 0);
            if made.contains(&stand_in) {
                continue;
            }
            made.push(stand_in);
            let class = model.class(class);
            match model.dialect {
                Dialect::Rebeca20 => names.push("initial"),
                Dialect::Rebeca21 => {
                    pending.extend(class.constructor.iter().map(|made| &made.body).chain(methods(class)));
                }
            }
        }
    }
    (names, made)
}

/// The names of the messages that a body sends, and the classes that it instantiates.
fn mentions<'m>(body: &'m Body, names: &mut Vec<&'m str>, classes: &mut Vec<ClassId>) {
    let mut blocks = vec![&body.block];
    while let Some(block) = blocks.pop() {
        for stmt in block {
            match &stmt.kind {
                StmtKind::Send { message, .. } => names.push(message),
                StmtKind::Let { value: Some(Rvalue::New { class, .. }), .. }
                | StmtKind::Assign { value: Rvalue::New { class, .. }, .. }
                | StmtKind::Do(Rvalue::New { class, .. }) => classes.push(*class),
                _ => blocks.extend(stmt.blocks()),
            }
        }
    }
}

/// All rebecs of `main`.
pub(super) fn rebecs(model: &Model) -> impl Iterator<Item = RebecId> + use<> {
    (0..model.instances.len()).map(RebecId::from_index)
}
