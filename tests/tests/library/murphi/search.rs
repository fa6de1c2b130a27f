//! All states of a model, breadth-first, by the interpreter of its tree, and what they answer.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::rc::Rc;

use frontend::murphi::syntax::ast::{
    Alias, Body, Expr, File, Item, Property, PropertyKind, Rule, RuleKind, Stmt, StmtKind,
};

use super::machine::{Checked, Machine, Meaning, Stop, Wrong};
use super::value::{Simple, Value};

/// A state: the values of the variables, in order.
type State = Vec<Value>;

/// What is found out about a question.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Finding {
    /// Whether it is violated.
    pub(super) is_violated: bool,
    /// The steps of a shortest run to a violation, if a run shows one.
    pub(super) steps: Option<u64>,
}

/// What a whole search found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Found {
    pub(super) states: u64,
    /// The enabled instances with a successor.
    pub(super) transitions: u64,
    pub(super) deadlocks: u64,
    /// By the name of the question.
    pub(super) answers: BTreeMap<String, Finding>,
}

/// A part of the model inside of its rulesets, aliases and choices.
#[derive(Clone, Copy)]
enum Leaf<'t> {
    Rule(Option<&'t Expr>, &'t Body),
    Start(&'t Body),
    Property(&'t Property),
}

/// Which parts are visited.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wanted {
    Rules,
    Starts,
    Assumptions,
    Properties,
}

impl Wanted {
    fn is(self, leaf: &Leaf<'_>) -> bool {
        match leaf {
            Leaf::Rule(..) => self == Wanted::Rules,
            Leaf::Start(_) => self == Wanted::Starts,
            Leaf::Property(property) if property.kind == PropertyKind::Assume => self == Wanted::Assumptions,
            Leaf::Property(_) => self == Wanted::Properties,
        }
    }
}

/// A step: the state after it, or its fault; `None` where it is no step.
type Step = Option<Result<State, Stop>>;

/// What to do with an instance of a part: its values, and a fault of an alias or a choice around it.
type Visit<'v, 't> = dyn FnMut(&mut Machine<'t>, Leaf<'t>, &[Simple], Checked<()>) + 'v;

/// A model that is searched.
struct Search<'t> {
    machine: Machine<'t>,
    rules: Vec<&'t Rule>,
    has_assumptions: bool,
}

impl<'t> Search<'t> {
    fn new(file: &'t File, wrong: Option<Wrong>) -> Search<'t> {
        let mut machine = Machine::new(wrong);
        let mut rules = Vec::new();
        for item in &file.items {
            match item {
                Item::Declaration(declaration) => machine.declare(declaration, true),
                Item::Procedure(procedure) => {
                    machine.globals.insert(&procedure.name.text, Meaning::Procedure(procedure));
                }
                Item::Rule(rule) => rules.push(rule),
            }
        }
        let mut search = Search { machine, rules, has_assumptions: false };
        search.has_assumptions = search.rules.iter().any(|rule| has_assumption(rule));
        search
    }

    /// Visits every instance of the wanted parts in a state.
    fn visit(&mut self, state: &State, wanted: Wanted, run: &mut Visit<'_, 't>) {
        self.machine.state.clone_from(state);
        for rule in self.rules.clone() {
            inside(&mut self.machine, rule, wanted, &mut Vec::new(), run);
        }
    }

    /// The steps of a state.
    fn steps(&mut self, state: &State, wanted: Wanted, covers: &mut dyn FnMut(&'t str)) -> Vec<Result<State, Stop>> {
        let mut list = Vec::new();
        self.visit(state, wanted, &mut |machine, leaf, _, header| {
            machine.covers.clear();
            let step = header.map_or_else(|stop| Some(Err(stop)), |()| fire(machine, leaf));
            if step.is_some() {
                list.push((step, std::mem::take(&mut machine.covers)));
            }
        });
        let mut steps = Vec::new();
        for (step, met) in list {
            let Some(step) = self.assumed(step) else { continue };
            met.into_iter().for_each(&mut *covers);
            steps.push(step);
        }
        steps
    }

    /// Leaves out a step into a state that is excluded.
    fn assumed(&mut self, step: Step) -> Step {
        let Some(Ok(state)) = step else { return step };
        if !self.has_assumptions || self.machine.is(Wrong::IgnoresAssumptions) {
            return Some(Ok(state));
        }
        let mut decided = None;
        self.visit(&state, Wanted::Assumptions, &mut |machine, leaf, _, header| {
            if decided.is_none() {
                decided = match header.and_then(|()| holds(machine, leaf)) {
                    Ok(true) => None,
                    Ok(false) | Err(Stop::Excluded) => Some(Stop::Excluded),
                    Err(stop) => Some(stop),
                };
            }
        });
        match decided {
            None => Some(Ok(state)),
            Some(Stop::Excluded) => None,
            Some(stop) => Some(Err(stop)),
        }
    }
}

fn has_assumption(rule: &Rule) -> bool {
    match &rule.kind {
        RuleKind::Property(property) => property.kind == PropertyKind::Assume,
        RuleKind::Ruleset(_, rules) | RuleKind::Alias(_, rules) | RuleKind::Choose(_, rules) => {
            rules.iter().any(has_assumption)
        }
        _ => false,
    }
}

/// Visits the instances inside of a construct; where an alias or a choice faults, one stands for all inside.
fn inside<'t>(
    machine: &mut Machine<'t>,
    rule: &'t Rule,
    wanted: Wanted,
    values: &mut Vec<Simple>,
    run: &mut Visit<'_, 't>,
) {
    let mark = machine.mark();
    let leaf = match &rule.kind {
        RuleKind::Simple(_, guard, body) => Leaf::Rule(guard.as_ref(), body),
        RuleKind::Start(_, body) => Leaf::Start(body),
        RuleKind::Property(property) => Leaf::Property(property),
        RuleKind::Ruleset(binders, rules) => {
            let all = machine.each::<()>(binders, &mut |machine| {
                let depth = values.len();
                values.extend(binders.iter().map(|binder| machine.value_of(&binder.name.text)));
                rules.iter().for_each(|rule| inside(machine, rule, wanted, values, run));
                values.truncate(depth);
                machine.renew();
                Ok(None)
            });
            assert_eq!(all, Ok(None), "rulesets have constant bounds");
            return;
        }
        RuleKind::Alias(aliases, rules) => {
            machine.renew();
            let bound = aliases.iter().try_for_each(|alias| machine.alias(alias));
            match bound {
                Ok(()) => rules.iter().for_each(|rule| inside(machine, rule, wanted, values, run)),
                Err(stop) => all_fault(machine, rules, wanted, values, stop, run),
            }
            machine.leave(mark);
            return;
        }
        RuleKind::Choose(list, rules) => return chosen(machine, (list, rules), wanted, values, run),
    };
    if wanted.is(&leaf) {
        machine.renew();
        run(machine, leaf, values, Ok(()));
    }
}

fn chosen<'t>(
    machine: &mut Machine<'t>,
    (list, rules): (&'t [Alias], &'t [Rule]),
    wanted: Wanted,
    values: &mut Vec<Simple>,
    run: &mut Visit<'_, 't>,
) {
    let Some((first, rest)) = list.split_first() else {
        rules.iter().for_each(|rule| inside(machine, rule, wanted, values, run));
        return;
    };
    let mark = machine.mark();
    let Ok(multiset) = machine.place(&first.value) else {
        machine.leave(mark);
        return all_fault(machine, rules, wanted, values, Stop::Error, run);
    };
    let mut former: Option<Value> = None;
    for slot in machine.used(&multiset) {
        if let (true, Value::Slots(slots)) = (machine.is(Wrong::MergesEqual), machine.at(&multiset).clone()) {
            if former == slots[slot] {
                continue;
            }
            former.clone_from(&slots[slot]);
        }
        machine.name(&first.name.text, Meaning::Slot(slot));
        values.push(Simple::Number(slot.try_into().expect("few slots")));
        chosen(machine, (rest, rules), wanted, values, run);
        values.pop();
        machine.leave(mark);
    }
}

/// Visits each part inside of a construct that faults.
fn all_fault<'t>(
    machine: &mut Machine<'t>,
    rules: &'t [Rule],
    wanted: Wanted,
    values: &[Simple],
    stop: Stop,
    run: &mut Visit<'_, 't>,
) {
    for rule in rules {
        let leaf = match &rule.kind {
            RuleKind::Simple(_, guard, body) => Leaf::Rule(guard.as_ref(), body),
            RuleKind::Start(_, body) => Leaf::Start(body),
            RuleKind::Property(property) => Leaf::Property(property),
            RuleKind::Ruleset(_, rules) | RuleKind::Alias(_, rules) | RuleKind::Choose(_, rules) => {
                all_fault(machine, rules, wanted, values, stop, run);
                continue;
            }
        };
        if wanted.is(&leaf) {
            run(machine, leaf, values, Err(stop));
        }
    }
}

/// Fires an instance of a rule or start state, and takes the machine back to the state before.
fn fire<'t>(machine: &mut Machine<'t>, leaf: Leaf<'t>) -> Step {
    let (guard, body) = match leaf {
        Leaf::Rule(guard, body) => (guard, body),
        Leaf::Start(body) => (None, body),
        Leaf::Property(_) => panic!("a property is no step"),
    };
    let before = machine.state.clone();
    let outer = machine.outer();
    let fired = machine.is_met(guard).and_then(|enabled| {
        machine.renew();
        if enabled { machine.body(body).map(|_| true) } else { Ok(false) }
    });
    machine.back(outer);
    let mut after = std::mem::replace(&mut machine.state, before);
    match fired {
        Ok(false) | Err(Stop::Excluded) => None,
        Err(stop) => Some(Err(stop)),
        Ok(true) => {
            if !machine.is(Wrong::KeepsSlots) {
                after.iter_mut().for_each(Value::sort);
            }
            Some(Ok(after))
        }
    }
}

/// Whether an instance of a property holds.
fn holds<'t>(machine: &mut Machine<'t>, leaf: Leaf<'t>) -> Checked<bool> {
    let Leaf::Property(property) = leaf else { panic!("a property") };
    let outer = machine.outer();
    let truth = machine.truth(&property.condition);
    machine.back(outer);
    truth
}

/// Instances of `liveness` in the states: whether each holds there.
type Recoveries = BTreeMap<(String, Vec<Simple>), Vec<bool>>;

/// Explores a model; `None` if it has more than so many states.
pub(super) fn explore(file: &File, most: usize, wrong: Option<Wrong>) -> Option<Found> {
    let mut search = Search::new(file, wrong);
    let mut answers: BTreeMap<String, Finding> = BTreeMap::new();
    for name in ["deadlock", "stuck", "assertion", "error"] {
        answers.insert(name.to_owned(), Finding { is_violated: false, steps: None });
    }
    for (name, kind) in names(file) {
        // What is to be met is violated until it is.
        answers.insert(name, Finding { is_violated: kind == PropertyKind::Cover, steps: None });
    }
    let undefined: State = search.machine.types.iter().map(|of| of.filled(false)).collect();
    let mut numbers: HashMap<Rc<State>, usize> = HashMap::new();
    let mut list: Vec<(Rc<State>, u64)> = Vec::new();
    let mut edges: Vec<Vec<usize>> = Vec::new();
    let mut recoveries = Recoveries::new();
    let (mut transitions, mut deadlocks) = (0, 0);
    let mut waiting = VecDeque::new();
    let mut reach = |state: State, depth: u64, list: &mut Vec<(Rc<State>, u64)>, waiting: &mut VecDeque<usize>| {
        let state = Rc::new(state);
        let number = *numbers.entry(state.clone()).or_insert(list.len());
        if number == list.len() {
            list.push((state, depth));
            waiting.push_back(number);
        }
        number
    };
    let mut met = Vec::new();
    let starts = search.steps(&undefined, Wanted::Starts, &mut |cover| met.push(cover));
    for start in starts {
        match start {
            Ok(state) => drop(reach(state, 0, &mut list, &mut waiting)),
            Err(stop) => violate(&mut answers, of_fault(stop), Some(0)),
        }
    }
    while let Some(number) = waiting.pop_front() {
        if list.len() > most {
            return None;
        }
        let (state, depth) = list[number].clone();
        properties(&mut search, &state, number, depth, &mut answers, &mut recoveries);
        let mut next = Vec::new();
        let mut stays = true;
        let steps = search.steps(&state, Wanted::Rules, &mut |cover| met.push(cover));
        let is_stuck = steps.is_empty();
        for step in steps {
            match step {
                Ok(after) => {
                    transitions += 1;
                    stays &= after == *state;
                    next.push(reach(after, depth + 1, &mut list, &mut waiting));
                }
                Err(stop) => {
                    stays = false;
                    violate(&mut answers, of_fault(stop), Some(depth + 1));
                }
            }
        }
        if is_stuck {
            violate(&mut answers, "stuck", Some(depth));
        }
        if is_stuck || stays && !search.machine.is(Wrong::IsStuck) {
            deadlocks += 1;
            violate(&mut answers, "deadlock", Some(depth));
        }
        edges.push(next);
    }
    for cover in met {
        answers.insert(cover.to_owned(), Finding { is_violated: false, steps: None });
    }
    for ((name, _), truths) in recoveries {
        if !recovers(&edges, truths) {
            violate(&mut answers, &name, None);
        }
    }
    Some(Found { states: list.len() as u64, transitions, deadlocks, answers })
}

fn of_fault(stop: Stop) -> &'static str {
    if stop == Stop::Assertion { "assertion" } else { "error" }
}

fn violate(answers: &mut BTreeMap<String, Finding>, name: &str, steps: Option<u64>) {
    let finding = answers.get_mut(name).expect("a question");
    // The search is breadth-first, but a fault is a step later than its state.
    let steps = [finding.steps, steps].into_iter().flatten().min();
    *finding = Finding { is_violated: true, steps };
}

/// The properties of a state.
fn properties(
    search: &mut Search<'_>,
    state: &State,
    number: usize,
    depth: u64,
    answers: &mut BTreeMap<String, Finding>,
    recoveries: &mut Recoveries,
) {
    search.visit(state, Wanted::Properties, &mut |machine, leaf, values, header| {
        let Leaf::Property(property) = leaf else { panic!("a property") };
        let name = &property.name.as_ref().expect("properties of random models have names").text;
        let truth = header.and_then(|()| holds(machine, leaf));
        match (property.kind, truth) {
            // A condition that is excluded says nothing.
            (_, Err(Stop::Excluded)) => {}
            (_, Err(_)) => violate(answers, name, Some(depth)),
            (PropertyKind::Liveness, Ok(truth)) => {
                let truths = recoveries.entry((name.clone(), values.to_vec())).or_default();
                truths.resize(number + 1, false);
                truths[number] = truth;
            }
            (PropertyKind::Cover, Ok(true)) => {
                // Where it has no value it is violated, met or not.
                let finding = answers.get_mut(name).expect("a question");
                finding.is_violated = finding.steps.is_some();
            }
            (PropertyKind::Cover, Ok(false)) | (_, Ok(true)) => {}
            (_, Ok(false)) => violate(answers, name, Some(depth)),
        }
    });
}

/// Whether a state with the truth is reached from every state.
fn recovers(edges: &[Vec<usize>], mut truths: Vec<bool>) -> bool {
    truths.resize(edges.len(), false);
    loop {
        let mut more = false;
        for (number, next) in edges.iter().enumerate() {
            if !truths[number] && next.iter().any(|&next| truths[next]) {
                truths[number] = true;
                more = true;
            }
        }
        if !more {
            return truths.into_iter().all(|truth| truth);
        }
    }
}

/// The names of the properties, those in bodies included, with their kinds.
fn names(file: &File) -> Vec<(String, PropertyKind)> {
    let mut list = Vec::new();
    for item in &file.items {
        match item {
            Item::Rule(rule) => within(rule, &mut list),
            Item::Procedure(procedure) => covers(&procedure.body.statements, &mut list),
            Item::Declaration(_) => {}
        }
    }
    list
}

fn within(rule: &Rule, list: &mut Vec<(String, PropertyKind)>) {
    match &rule.kind {
        RuleKind::Property(property) if property.kind != PropertyKind::Assume => list.push(named(property)),
        RuleKind::Property(_) => {}
        RuleKind::Simple(_, _, body) | RuleKind::Start(_, body) => covers(&body.statements, list),
        RuleKind::Ruleset(_, rules) | RuleKind::Alias(_, rules) | RuleKind::Choose(_, rules) => {
            rules.iter().for_each(|rule| within(rule, list));
        }
    }
}

fn named(property: &Property) -> (String, PropertyKind) {
    (property.name.as_ref().map_or(String::new(), |name| name.text.clone()), property.kind)
}

/// The `cover` statements of a body.
fn covers(body: &[Stmt], list: &mut Vec<(String, PropertyKind)>) {
    for stmt in body {
        match &stmt.kind {
            StmtKind::Property(property) if property.kind == PropertyKind::Cover => list.push(named(property)),
            StmtKind::If(branches, otherwise) => {
                branches.iter().for_each(|branch| covers(&branch.body, list));
                otherwise.iter().for_each(|body| covers(body, list));
            }
            StmtKind::Switch(_, cases, otherwise) => {
                cases.iter().for_each(|case| covers(&case.body, list));
                otherwise.iter().for_each(|body| covers(body, list));
            }
            StmtKind::For(_, body) | StmtKind::While(_, body) | StmtKind::Alias(_, body) => covers(body, list),
            _ => {}
        }
    }
}
