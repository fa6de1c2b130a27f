//! Instances split by the values of a few elements: one instance for each of their values, in which they are known.
//!
//! A process whose step copies a counter, or uses it as an index, writes other values in other states: `level[p] := j[p]`. With `j[p]` known its
//! body is a patch, and what its guard reads at that index is one element, which can be looked up with others. The elements by which an instance
//! is split are those in its indices and those that its body reads; it is split where they have few values together and the body of most
//! of the parts then always writes the same.
//!
//! Soundness: the conditions on the elements exclude each other, one of them is true in each state, and none can fault; so one of the
//! instances is tried in each state, with the guard and the body of the whole (`compile`: what is known holds there). They follow each other, so the order of steps stays.
//!
//! Complexity: at most [`MOST_VALUES`] compilations of an instance of at most [`MOST_WEIGHT`] parts for each of [`ROUNDS`], of at most
//! [`MOST_TRIES`] instances in vain. They take nothing from the budget of the compiler.

use frontend::sequential::{BinaryOp, SummandId};

use super::body::{Action, Instance, Parameters};
use super::code::Code;
use super::compile::Compiler;
use super::ground::instance;
use super::program::constant_write;

/// The most combinations of values by which an instance is split.
const MOST_VALUES: usize = 16;

/// The most parts of an instance that is split.
const MOST_WEIGHT: usize = 400;

/// With an element known the body may read others.
const ROUNDS: usize = 3;

/// The most instances that are compiled in parts without being split.
pub(super) const MOST_TRIES: usize = 1 << 9;

/// The instances for a choice of parameters, which are in scope.
pub(super) fn instances<'m>(compiler: &mut Compiler<'m>, id: SummandId, chosen: &[i32]) -> Vec<Instance<'m>> {
    assert!(compiler.known.is_empty(), "no element is known before an instance is compiled");
    let make = |compiler: &mut Compiler<'m>| instance(compiler, id, Parameters::Values(chosen.into()));
    let Some(whole) = make(compiler) else { return Vec::new() };
    if compiler.tries == 0 {
        return vec![whole];
    }
    let budget = compiler.budget;
    let parts = parts(compiler, &whole, make);
    compiler.budget = budget;
    match parts {
        Parts::Split(parts) => {
            compiler.splits -= parts.len();
            parts
        }
        Parts::Whole { is_tried } => {
            compiler.tries -= usize::from(is_tried);
            vec![whole]
        }
    }
}

/// What becomes of an instance.
enum Parts<'m> {
    /// It is split.
    Split(Vec<Instance<'m>>),
    /// It stays whole, after parts were compiled or without.
    Whole {
        /// Whether parts were compiled.
        is_tried: bool,
    },
}

/// The parts of an instance, if it is to be split.
fn parts<'m>(
    compiler: &mut Compiler<'m>,
    whole: &Instance<'m>,
    make: impl Fn(&mut Compiler<'m>) -> Option<Instance<'m>>,
) -> Parts<'m> {
    let mut is_tried = false;
    let (mut elements, len) = (Vec::new(), compiler.model.state_len());
    let mut seen = Used::of(whole, len);
    for _ in 0..ROUNDS {
        if seen.weight > MOST_WEIGHT {
            break;
        }
        elements.append(&mut seen.elements);
        elements.sort_unstable();
        elements.dedup();
        let is_fit = |values: &Vec<Vec<i32>>| values.len() > 1 && values.len() <= compiler.splits;
        let Some(values) = combinations(compiler, &elements).filter(is_fit) else { break };
        is_tried = true;
        let mut parts = Vec::new();
        for values in values {
            compiler.known = elements.iter().copied().zip(values.iter().copied()).collect();
            let part = make(compiler);
            compiler.known.clear();
            let is = elements.iter().zip(values).map(|(&element, value)| Code::Test(element, BinaryOp::Equal, value));
            parts.extend(part.map(|part| Instance { shared: is.chain(part.shared).collect(), ..part }));
        }
        let is_patch = |part: &Instance<'_>| {
            part.arguments.is_empty() && part.body.iter().all(|one| constant_write(one).is_some())
        };
        if parts.iter().filter(|part| !is_patch(part)).count() * 4 <= parts.len() {
            return Parts::Split(parts);
        }
        let rest = parts.iter().find(|part| !is_patch(part)).expect("one of them is no patch");
        seen = Used::of(rest, len);
        if seen.elements.is_empty() {
            break;
        }
    }
    Parts::Whole { is_tried }
}

/// All combinations of values of elements; nothing where they are too many.
fn combinations(compiler: &Compiler<'_>, elements: &[usize]) -> Option<Vec<Vec<i32>>> {
    let mut all = vec![Vec::new()];
    for &element in elements {
        let model = compiler.model;
        let at = model.variables.partition_point(|variable| variable.offset <= element) - 1;
        let domain = model.domain(model.variables[at].sort);
        if domain.size().saturating_mul(all.len()) > MOST_VALUES {
            return None;
        }
        let with =
            |values: &Vec<i32>| domain.values().map(|value| [&values[..], &[value]].concat()).collect::<Vec<_>>();
        all = all.iter().flat_map(with).collect();
    }
    Some(all)
}

/// The elements that stand in indices, or that a body reads.
struct Used {
    elements: Vec<usize>,
    weight: usize,
    /// Elements from here on are locals.
    len: usize,
}

impl Used {
    fn of(instance: &Instance<'_>, len: usize) -> Used {
        let mut used = Used { elements: Vec::new(), weight: 0, len };
        let guard = instance.shared.iter().chain([&instance.guard]);
        guard.for_each(|code| used.code(code, false));
        instance.arguments.iter().for_each(|code| used.code(code, true));
        used.actions(&instance.body);
        used
    }

    fn actions(&mut self, actions: &[Action<'_>]) {
        for action in actions {
            self.weight += 1;
            match action {
                Action::Assign { target, value, .. } => {
                    target.indices().for_each(|index| self.code(index, true));
                    self.code(value, true);
                }
                Action::If(condition, then, otherwise) => {
                    self.code(condition, true);
                    self.actions(then);
                    self.actions(otherwise);
                }
                Action::Fill { value, .. } => self.code(value, true),
                Action::While(condition, body) => {
                    self.code(condition, true);
                    self.actions(body);
                }
                Action::Fail | Action::Note(_) => {}
            }
        }
    }

    /// Adds the elements of a code: those in indices, or all of them.
    fn code(&mut self, code: &Code<'_>, all: bool) {
        self.weight += 1;
        if let Code::Element(element) | Code::Test(element, ..) = code
            && all
            && *element < self.len
        {
            self.elements.push(*element);
        }
        let all = all || matches!(code, Code::Read(_) | Code::Lookup(..));
        code.parts().into_iter().for_each(|part| self.code(part, all));
    }
}
