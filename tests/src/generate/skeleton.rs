//! Classes, their declarations, and their known rebecs: everything of a model except bodies and rebecs.
//!
//! A shape (ring, star, tree, random) decides the known rebecs of the first classes; further known rebecs, scalar
//! sets, variables, servers, inheritance and creation are drawn in addition. Message names have one signature in the
//! whole model, so that a message to `sender` is well-typed whichever rebec that is.

use super::spec::{Axis, ClassSpec, Form, KnownSpec, MemberKind, MemberSpec, ModelSpec, SetSpec, Sort, VariableSpec};
use crate::random::Rng;

/// Fresh names.
#[derive(Default)]
pub(super) struct Names(usize);

impl Names {
    pub(super) fn fresh(&mut self, prefix: &str) -> String {
        self.0 += 1;
        format!("{prefix}{}", self.0)
    }
}

/// The relation in which the first classes know each other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Shape {
    Ring,
    Star,
    Tree,
    Random,
}

/// A class that makes rebecs of another one, at most a few because of a counter.
#[derive(Clone, Debug)]
pub(super) struct Creation {
    pub(super) creator: String,
    pub(super) made: String,
    pub(super) counter: String,
}

/// Declarations without bodies.
pub(super) struct Skeleton {
    pub(super) spec: ModelSpec,
    pub(super) shape: Shape,
    pub(super) creations: Vec<Creation>,
}

struct Drawer<'a> {
    rng: &'a mut Rng,
    names: &'a mut Names,
    messages: Vec<(String, Vec<Sort>)>,
}

/// Draws the declarations of a model.
pub(super) fn draw(rng: &mut Rng, names: &mut Names) -> Skeleton {
    let shape = [Shape::Ring, Shape::Star, Shape::Tree, Shape::Random][rng.weighted(&[3, 3, 1, 4])];
    let count = if shape == Shape::Star { rng.between(2, 3) } else { 1 + rng.weighted(&[2, 5, 3]) };
    let class_names: Vec<String> = (0..count).map(|_| names.fresh("C")).collect();
    let environment = if rng.chance(8) { vec![(names.fresh("E"), 1 + i32::from(rng.chance(50)))] } else { Vec::new() };
    let features = if rng.chance(4) { vec![names.fresh("F")] } else { Vec::new() };
    let is_dialect_20 = rng.chance(50);
    let mut drawer = Drawer { rng, names, messages: Vec::new() };
    let mut classes: Vec<ClassSpec> = class_names.iter().map(|name| drawer.class(name)).collect();
    drawer.known(shape, &mut classes);
    for (at, class) in classes.iter_mut().enumerate() {
        drawer.variables(class, &class_names);
        drawer.members(class, &class_names, at == 0);
    }
    if drawer.rng.chance(18) {
        drawer.inheritance(&mut classes, &class_names, is_dialect_20);
    }
    let creations = if drawer.rng.chance(22) { drawer.creation(&mut classes) } else { Vec::new() };
    let spec = ModelSpec {
        is_dialect_20,
        environment,
        features,
        classes,
        rebecs: Vec::new(),
        definitions: Vec::new(),
        invariants: Vec::new(),
    };
    Skeleton { spec, shape, creations }
}

impl Drawer<'_> {
    fn class(&mut self, name: &str) -> ClassSpec {
        ClassSpec {
            form: Form::Reactive,
            name: name.to_owned(),
            extends: None,
            implements: None,
            bound: 1 + self.rng.weighted(&[5, 38, 38, 19]),
            set: None,
            known: Vec::new(),
            variables: Vec::new(),
            members: Vec::new(),
        }
    }

    fn known(&mut self, shape: Shape, classes: &mut [ClassSpec]) {
        let all: Vec<String> = classes.iter().map(|class| class.name.clone()).collect();
        match shape {
            Shape::Ring => self.know(&mut classes[0], &all[0], false),
            Shape::Star => {
                if self.rng.chance(60) {
                    self.introduce_set(&mut classes[0], &all[1]);
                } else {
                    self.know(&mut classes[0], &all[1], false);
                    self.know(&mut classes[0], &all[1], false);
                }
                self.know(&mut classes[1], &all[0], false);
            }
            Shape::Tree => {
                for _ in 0..self.rng.between(2, 3) {
                    self.know(&mut classes[0], &all[0], false);
                }
            }
            Shape::Random => {}
        }
        for class in classes.iter_mut() {
            if class.set.is_none() && self.rng.chance(14) {
                let target = self.rng.pick(&all).clone();
                self.introduce_set(class, &target);
            }
            if class.set.is_some() && self.rng.chance(25) {
                let target = self.rng.pick(&all).clone();
                self.know(class, &target, true);
            }
            let few = class.known.is_empty();
            if self.rng.chance(if few { 80 } else { 20 }) {
                let target = self.rng.pick(&all).clone();
                self.know(class, &target, false);
            }
        }
    }

    fn know(&mut self, class: &mut ClassSpec, target: &str, is_grouped: bool) {
        class.known.push(KnownSpec { name: self.names.fresh("k"), class: target.to_owned(), is_grouped });
    }

    fn introduce_set(&mut self, class: &mut ClassSpec, target: &str) {
        let low = [1, 0, 2][self.rng.weighted(&[7, 2, 1])];
        let size = 1 + self.rng.weighted(&[1, 8, 3]);
        class.set = Some(SetSpec { name: self.names.fresh("s"), low, size });
        self.know(class, target, true);
    }

    fn sort(&mut self, classes: &[String]) -> Sort {
        match self.rng.weighted(&[36, 20, 8, 22, 14]) {
            0 => Sort::Bool,
            1 => Sort::Byte,
            2 => Sort::Short,
            3 => Sort::Int,
            _ => Sort::Rebec(self.rng.pick(classes).clone()),
        }
    }

    fn variables(&mut self, class: &mut ClassSpec, classes: &[String]) {
        for _ in 0..self.rng.weighted(&[1, 4, 4, 2]) {
            let sort = self.sort(classes);
            let axes = match self.rng.weighted(&[80, 16, 4]) {
                0 => Vec::new(),
                1 => vec![Axis::Array(self.rng.between(1, 3))],
                _ => vec![Axis::Array(2), Axis::Array(self.rng.between(1, 2))],
            };
            class.variables.push(VariableSpec { name: self.names.fresh("v"), sort, axes, is_counter: false });
        }
        let Some(set) = class.set.as_ref().map(|set| set.name.clone()) else { return };
        if self.rng.chance(70) {
            let (name, sort) = (self.names.fresh("v"), Sort::Scalar(set.clone()));
            class.variables.push(VariableSpec { name, sort, axes: Vec::new(), is_counter: false });
        }
        if self.rng.chance(60) {
            let sort = if self.rng.chance(60) { Sort::Bool } else { Sort::Byte };
            class.variables.push(VariableSpec {
                name: self.names.fresh("v"),
                sort,
                axes: vec![Axis::Set(set)],
                is_counter: false,
            });
        }
    }

    fn parameters(&mut self, weights: &[usize], classes: &[String]) -> Vec<(String, Sort)> {
        (0..self.rng.weighted(weights)).map(|_| (self.names.fresh("p"), self.sort(classes))).collect()
    }

    fn members(&mut self, class: &mut ClassSpec, classes: &[String], has_start: bool) {
        if has_start || self.rng.chance(80) {
            let parameters = self.parameters(&[65, 30, 5], classes);
            class.members.push(member(MemberKind::Start, "start", parameters));
        }
        for _ in 0..self.rng.between(1, 3) {
            let server = self.server(classes);
            if !class.members.iter().any(|member| member.name == server.name) {
                class.members.push(server);
            }
        }
        if self.rng.chance(35) {
            let result = [Some(Sort::Int), Some(Sort::Bool), None][self.rng.weighted(&[5, 4, 3])].clone();
            let result = if self.rng.chance(8) { Some(Sort::Rebec(class.name.clone())) } else { result };
            let parameters = self.parameters(&[3, 4, 2], classes);
            let name = self.names.fresh("f");
            class.members.push(member(MemberKind::Method(result), &name, parameters));
        }
    }

    /// A server with its own message, or with one that another class understands too.
    fn server(&mut self, classes: &[String]) -> MemberSpec {
        if !self.messages.is_empty() && self.rng.chance(25) {
            let (name, sorts) = self.rng.pick(&self.messages).clone();
            let parameters = sorts.into_iter().map(|sort| (self.names.fresh("p"), sort)).collect();
            return member(MemberKind::Server, &name, parameters);
        }
        let parameters = self.parameters(&[5, 4, 2], classes);
        let name = self.names.fresh("m");
        self.messages.push((name.clone(), parameters.iter().map(|(_, sort)| sort.clone()).collect()));
        member(MemberKind::Server, &name, parameters)
    }

    /// Gives a class a parent, children or an interface.
    fn inheritance(&mut self, classes: &mut Vec<ClassSpec>, names: &[String], is_dialect_20: bool) {
        let at = self.rng.below(classes.len());
        if self.rng.chance(30) {
            let mut interface = self.class("");
            interface.name = self.names.fresh("I");
            interface.form = Form::Interface;
            interface.members = classes[at].members.iter().filter(|m| m.kind == MemberKind::Server).cloned().collect();
            self.rename_parameters(&mut interface.members);
            classes[at].implements = Some(interface.name.clone());
            let general = Sort::Rebec(interface.name.clone());
            let user = self.rng.below(classes.len());
            classes[user].variables.push(VariableSpec {
                name: self.names.fresh("v"),
                sort: general,
                axes: Vec::new(),
                is_counter: false,
            });
            classes.insert(0, interface);
            return;
        }
        for _ in 0..self.rng.between(1, 2) {
            let mut child = self.class("");
            child.name = self.names.fresh("D");
            child.extends = Some(classes[at].name.clone());
            if self.rng.chance(40) {
                let name = self.names.fresh("v");
                child.variables.push(VariableSpec { name, sort: Sort::Bool, axes: Vec::new(), is_counter: false });
            }
            for inherited in &classes[at].members {
                let percent = if inherited.kind == MemberKind::Start { 30 } else { 50 };
                if self.rng.chance(percent) {
                    child.members.push(inherited.clone());
                }
            }
            self.rename_parameters(&mut child.members);
            if self.rng.chance(30) {
                let own = self.server(names);
                let is_new = |class: &ClassSpec| !class.members.iter().any(|member| member.name == own.name);
                if is_new(&child) && is_new(&classes[at]) {
                    child.members.push(own);
                }
            }
            classes.push(child);
        }
        // With dialect 2.0 an abstract class without rebecs may be the only one with `initial`: keep it concrete there.
        if !is_dialect_20 && self.rng.chance(35) {
            classes[at].form = Form::Abstract;
        }
    }

    fn rename_parameters(&mut self, members: &mut [MemberSpec]) {
        for (name, _) in members.iter_mut().flat_map(|member| &mut member.parameters) {
            *name = self.names.fresh("p");
        }
    }

    fn creation(&mut self, classes: &mut [ClassSpec]) -> Vec<Creation> {
        let concrete: Vec<usize> = (0..classes.len()).filter(|&at| classes[at].form == Form::Reactive).collect();
        let creator = *self.rng.pick(&concrete);
        let made = *self.rng.pick(&concrete);
        let counter = self.names.fresh("c");
        classes[creator].variables.push(VariableSpec {
            name: counter.clone(),
            sort: Sort::Byte,
            axes: Vec::new(),
            is_counter: true,
        });
        // A variable for the new rebec, so that it is sent to.
        classes[creator].variables.push(VariableSpec {
            name: self.names.fresh("v"),
            sort: Sort::Rebec(classes[made].name.clone()),
            axes: Vec::new(),
            is_counter: false,
        });
        vec![Creation { creator: classes[creator].name.clone(), made: classes[made].name.clone(), counter }]
    }
}

fn member(kind: MemberKind, name: &str, parameters: Vec<(String, Sort)>) -> MemberSpec {
    MemberSpec { kind, name: name.to_owned(), parameters, body: None }
}
