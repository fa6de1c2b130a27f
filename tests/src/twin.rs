//! Formulas on small models, the obvious way: the twin of the checker's search for runs.
//!
//! The state graph comes from the reference interpreter. Each state comes with a guess of the value of each temporal
//! part of the formula at the next state; an edge is a step that proves the guess right. A formula is violated if
//! some start from which it is false reaches a component on which every promise is kept and every rebec is treated
//! fairly. This search uses no automaton, no normal form, and no packed state.
//!
//! Complexity: states times two to the number of temporal operators.

use std::collections::{HashMap, HashSet};

use frontend::interpret::{Bounds, State, Stop, chosen, evaluate_in_state, starts, successors};
use frontend::model::{Expr, Formula, Model, Value};
use frontend::sequential::{self, Sequential};

/// The state graph of a model, with the runs that end.
#[derive(Debug)]
pub struct Graph<S = State> {
    states: Vec<S>,
    /// Successors with the rebec that moves, once for each that does; none: the run has ended.
    edges: Vec<Vec<(usize, Option<usize>)>>,
    /// The rebecs with a message.
    enabled: Vec<Vec<usize>>,
    initial: Vec<usize>,
    /// The number of processes.
    processes: usize,
}

/// The assumption about runs; the wrong ones are known to be wrong.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Assumed {
    /// No assumption.
    Nothing,
    /// Weak fairness.
    Weak,
    /// \[Mod06\] Fig. 2 taken literally: a cycle counts only where the last rebec has a message in one of its states.
    LastEnabled,
    /// Only moves are fair: a rebec without a message is owed a step, too.
    MovesOnly,
}

/// Whether a step that is chosen by its number is the one of that number in the list.
fn agree<S: PartialEq + std::fmt::Debug>(steps: &[S], chosen: impl Fn(&mut dyn FnMut(usize) -> usize) -> Option<S>) {
    for number in 0..steps.len().max(1) {
        let mut choose = |count: usize| {
            assert_eq!(count, steps.len(), "as many steps as in the list");
            number
        };
        assert_eq!(chosen(&mut choose).as_ref(), steps.get(number));
    }
}

/// The state graph; nothing if it has more states than `most` or a bound ends a step.
pub fn graph(model: &Model, bounds: &Bounds, most: usize) -> Option<Graph> {
    let mut graph = Graph::empty();
    let mut numbers: HashMap<State, usize> = HashMap::new();
    let mut number = |states: &mut Vec<State>, state: State| {
        *numbers.entry(state.clone()).or_insert_with(|| {
            states.push(state);
            states.len() - 1
        })
    };
    for start in starts(model, bounds) {
        match start.result {
            Ok(state) => graph.initial.push(number(&mut graph.states, state)),
            Err((_, Stop::Fault(_))) => {}
            Err((_, Stop::Limit(_))) => return None,
        }
    }
    let mut ended = Vec::new();
    let mut at = 0;
    while at < graph.states.len() {
        if graph.states.len() > most {
            return None;
        }
        let state = graph.states[at].clone();
        let steps = successors(model, bounds, &state);
        agree(&steps, |choose| chosen(model, bounds, &state, choose));
        let mut ends = steps.is_empty();
        let mut edges = Vec::new();
        for step in steps {
            match step.result {
                Ok(next) => edges.push((number(&mut graph.states, next), Some(step.rebec.index()))),
                Err(Stop::Fault(_)) => ends = true,
                Err(Stop::Limit(_)) => return None,
            }
        }
        graph.enabled.push(state.enabled().map(frontend::model::RebecId::index).collect());
        graph.edges.push(edges);
        ended.push(ends);
        at += 1;
    }
    graph.processes = graph.states.iter().map(|state| state.rebecs.len()).max().unwrap_or(0);
    graph.end(&ended);
    Some(graph)
}

/// The state graph of a sequential process, by the reference semantics; nothing if it has more states than `most`.
pub fn sequential_graph(model: &Sequential, most: usize) -> Option<Graph<Vec<i32>>> {
    let mut graph = Graph::empty();
    let mut numbers: HashMap<Vec<i32>, usize> = HashMap::new();
    let mut number = |states: &mut Vec<Vec<i32>>, state: Vec<i32>| {
        *numbers.entry(state.clone()).or_insert_with(|| {
            states.push(state);
            states.len() - 1
        })
    };
    for state in sequential::interpret::initial_states(model).take(most + 1) {
        graph.initial.push(number(&mut graph.states, state));
    }
    let mut ended = Vec::new();
    let mut at = 0;
    while at < graph.states.len() {
        if graph.states.len() > most {
            return None;
        }
        let steps = sequential::interpret::successors(model, &graph.states[at]);
        agree(&steps, |choose| sequential::interpret::chosen(model, &graph.states[at], choose));
        let mut ends = steps.is_empty();
        let (mut edges, mut enabled) = (Vec::new(), Vec::new());
        for step in steps {
            enabled.extend(model.able(&step).map(|process| process as usize));
            let movers = model.movers(&step);
            match step.result {
                Ok(next) => {
                    let next = number(&mut graph.states, next);
                    edges.extend(movers.iter().map(|&process| (next, Some(process as usize))));
                    edges.extend(movers.is_empty().then_some((next, None)));
                }
                Err(_) => ends = true,
            }
        }
        graph.processes = graph.processes.max(enabled.iter().map(|process| process + 1).max().unwrap_or(0));
        graph.enabled.push(enabled);
        graph.edges.push(edges);
        ended.push(ends);
        at += 1;
    }
    graph.end(&ended);
    Some(graph)
}

impl<S: Clone> Graph<S> {
    fn empty() -> Graph<S> {
        Graph { states: Vec::new(), edges: Vec::new(), enabled: Vec::new(), initial: Vec::new(), processes: 0 }
    }

    /// A run that has ended continues in a copy of its last state that only repeats itself.
    fn end(&mut self, ended: &[bool]) {
        for at in (0..ended.len()).filter(|&at| ended[at]) {
            let copy = self.states.len();
            self.states.push(self.states[at].clone());
            self.edges[at].push((copy, None));
            self.edges.push(vec![(copy, None)]);
            self.enabled.push(Vec::new());
        }
    }
}

/// The truths of the subformulas at a state, operands before operators.
struct Parts<'f, A> {
    list: Vec<&'f Formula<A>>,
    /// The operands of each.
    operands: Vec<Vec<usize>>,
    /// The temporal ones.
    temporal: Vec<usize>,
}

impl<'f, A> Parts<'f, A> {
    fn new(formula: &'f Formula<A>) -> Parts<'f, A> {
        let mut parts = Parts { list: Vec::new(), operands: Vec::new(), temporal: Vec::new() };
        parts.add(formula);
        parts
    }

    fn add(&mut self, formula: &'f Formula<A>) -> usize {
        let operands = formula.operands().into_iter().map(|operand| self.add(operand)).collect();
        self.list.push(formula);
        self.operands.push(operands);
        let is_temporal = !matches!(
            formula,
            Formula::Atom(_) | Formula::Not(_) | Formula::And(_) | Formula::Or(_) | Formula::Implies(..)
        );
        if is_temporal {
            self.temporal.push(self.list.len() - 1);
        }
        self.list.len() - 1
    }

    /// The truths, given those of atoms and, for temporal parts, the guesses about the next state.
    fn truths(&self, atom: &dyn Fn(&A) -> Option<bool>, guesses: usize) -> Option<Vec<bool>> {
        let mut truths: Vec<bool> = Vec::with_capacity(self.list.len());
        for (at, formula) in self.list.iter().enumerate() {
            let operand = |index: usize| truths[self.operands[at][index]];
            let all = || self.operands[at].iter().map(|&operand| truths[operand]);
            let guess = self.temporal.iter().position(|&part| part == at).is_some_and(|bit| guesses >> bit & 1 == 1);
            let truth = match formula {
                Formula::Atom(condition) => atom(condition)?,
                Formula::Not(_) => !operand(0),
                Formula::And(_) => all().all(|truth| truth),
                Formula::Or(_) => all().any(|truth| truth),
                Formula::Implies(..) => !operand(0) || operand(1),
                Formula::Next(_) => guess,
                Formula::Finally(_) => operand(0) || guess,
                Formula::Globally(_) => operand(0) && guess,
                Formula::Until(..) | Formula::WeakUntil(..) => operand(1) || operand(0) && guess,
                Formula::Release(..) => operand(1) && (operand(0) || guess),
                // This search has no automaton.
                Formula::Accepted(..) | Formula::Quantified(..) => return None,
            };
            truths.push(truth);
        }
        Some(truths)
    }

    /// The value of a temporal part at the next state for which the guess is right: `X f` guesses about `f`.
    fn guessed(&self, bit: usize) -> usize {
        let part = self.temporal[bit];
        if matches!(self.list[part], Formula::Next(_)) { self.operands[part][0] } else { part }
    }

    /// Whether a temporal part has no debt where the truths are these.
    fn is_kept(&self, bit: usize, truths: &[bool]) -> bool {
        let part = self.temporal[bit];
        let operand = |index: usize| truths[self.operands[part][index]];
        match self.list[part] {
            Formula::Finally(_) => !truths[part] || operand(0),
            Formula::Until(..) => !truths[part] || operand(1),
            Formula::Globally(_) => truths[part] || !operand(0),
            Formula::Release(..) => truths[part] || !operand(1),
            Formula::WeakUntil(..) => truths[part] || !operand(0) && !operand(1),
            _ => true,
        }
    }
}

/// Whether some run violates a formula; nothing if a condition has no value in some state, or the formula is large.
pub fn is_violated(model: &Model, graph: &Graph, formula: &Formula, assumed: Assumed) -> Option<bool> {
    let value = |state: &State, condition: &Expr| match evaluate_in_state(model, state, condition) {
        Ok(Value::Bool(value)) => Some(value),
        _ => None,
    };
    is_violated_where(graph, formula, &value, assumed)
}

/// As [`is_violated`], with the values of conditions in states.
pub fn is_violated_where<S, A>(
    graph: &Graph<S>,
    formula: &Formula<A>,
    value: &dyn Fn(&S, &A) -> Option<bool>,
    assumed: Assumed,
) -> Option<bool> {
    let parts = Parts::new(formula);
    let bits = parts.temporal.len();
    if bits > 6 {
        return None;
    }
    let width = 1usize << bits;
    let mut truths = Vec::with_capacity(graph.states.len() * width);
    for state in &graph.states {
        let atom = |condition: &A| value(state, condition);
        for guesses in 0..width {
            truths.push(parts.truths(&atom, guesses)?);
        }
    }
    let mut product: Vec<Vec<(usize, Option<usize>)>> = vec![Vec::new(); truths.len()];
    for (from, edges) in graph.edges.iter().enumerate() {
        for guesses in 0..width {
            for &(to, mover) in edges {
                for next in 0..width {
                    let right = |bit: usize| truths[to * width + next][parts.guessed(bit)] == (guesses >> bit & 1 == 1);
                    if (0..bits).all(right) {
                        product[from * width + guesses].push((to * width + next, mover));
                    }
                }
            }
        }
    }
    let root = parts.list.len() - 1;
    let starts = graph.initial.iter().flat_map(|&state| (0..width).map(move |guesses| state * width + guesses));
    let mut reached = vec![false; truths.len()];
    let mut queue: Vec<usize> = starts.filter(|&node| !truths[node][root]).collect();
    queue.iter().for_each(|&node| reached[node] = true);
    while let Some(node) = queue.pop() {
        for &(next, _) in &product[node] {
            if !std::mem::replace(&mut reached[next], true) {
                queue.push(next);
            }
        }
    }
    let rebecs = graph.processes;
    let (product, component_of) = (&product, &components(&product));
    let mut members: HashMap<usize, Vec<usize>> = HashMap::new();
    for node in (0..truths.len()).filter(|&node| reached[node]) {
        members.entry(component_of[node]).or_default().push(node);
    }
    Some(members.values().any(|component| {
        let inner = |node: usize| {
            product[node].iter().filter(move |(to, _)| component_of[*to] == component_of[node]).map(|&(_, mover)| mover)
        };
        let edges: HashSet<Option<usize>> = component.iter().flat_map(|&node| inner(node)).collect();
        let kept = |bit: usize| component.iter().any(|&node| parts.is_kept(bit, &truths[node]));
        let has_ended = edges.contains(&None);
        let idle = |rebec: usize| component.iter().any(|node| !graph.enabled[node / width].contains(&rebec));
        let fair = |rebec: usize| match assumed {
            Assumed::Nothing => true,
            Assumed::Weak | Assumed::LastEnabled => idle(rebec) || edges.contains(&Some(rebec)),
            Assumed::MovesOnly => has_ended || edges.contains(&Some(rebec)),
        };
        let last = |rebec: usize| component.iter().any(|node| graph.enabled[node / width].contains(&rebec));
        !edges.is_empty()
            && (0..bits).all(kept)
            && (0..rebecs).all(fair)
            && (assumed != Assumed::LastEnabled || has_ended || last(rebecs - 1))
    }))
}

/// The strongly connected component of each node: two depth-first searches, the second one backwards.
fn components(edges: &[Vec<(usize, Option<usize>)>]) -> Vec<usize> {
    let mut finished = Vec::with_capacity(edges.len());
    let mut seen = vec![false; edges.len()];
    for root in 0..edges.len() {
        let mut stack = vec![(root, 0)];
        while let Some((node, at)) = stack.pop() {
            if at == 0 && std::mem::replace(&mut seen[node], true) {
                continue;
            }
            match edges[node].get(at) {
                Some(&(to, _)) => stack.extend([(node, at + 1), (to, 0)]),
                None => finished.push(node),
            }
        }
    }
    let mut back = vec![Vec::new(); edges.len()];
    for (from, list) in edges.iter().enumerate() {
        list.iter().for_each(|&(to, _)| back[to].push(from));
    }
    let mut component = vec![usize::MAX; edges.len()];
    for &root in finished.iter().rev() {
        let mut stack = vec![root];
        while let Some(node) = stack.pop() {
            if component[node] == usize::MAX {
                component[node] = root;
                stack.extend(&back[node]);
            }
        }
    }
    component
}
