//! The start states of a program as a list, in place of the text that gives them.
//!
//! A start such as `for n: node do owner := n; end` leaves one of the nodes in `owner`. Its text tells all nodes apart; the list of the
//! start states tells apart only this one. And without any starts, the group is that of the steps: it may move the start states, whose images [`with_images`] lists.
//!
//! # Soundness
//!
//! The permutations of the parts of a block map the list to itself as a set. Starts that fault are not listed.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use frontend::murphi::interpret::{State, starts};
use frontend::murphi::program::{
    Argument, Base, Binder, BinderValues, Binding, Child, Claim, Header, Part, Place, Program, Rule, Stmt, StmtKind,
};

use super::action::{Cells, Renaming, cells, image};
use super::group::ValidatedGroup;
use super::roles::Roles;
use super::uses::Block;

/// The most starts, with their images.
const MOST_STARTS: usize = 1 << 10;

mutants::mutants! {
    /// Known-wrong variants. Only tests set any of them, to show that they are caught.
    pub(super) struct Wrong {
        /// The parts of a block are not compared on the list.
        forgets_list,
    }
}

/// Whether the starts are few enough to be listed.
pub(super) fn are_few(program: &Program) -> bool {
    let count = |rule: &Rule| {
        rule.header.iter().fold(1usize, |count, construct| match construct {
            Header::For(Binder { values: BinderValues::Type(of), .. }) => {
                count.saturating_mul(program.types.count(*of))
            }
            Header::For(Binder { values: BinderValues::Steps(steps), .. }) => {
                count.saturating_mul(steps.constant_rounds().unwrap_or(usize::MAX))
            }
            Header::Choose(_) => usize::MAX,
            Header::Alias(_) => count,
        })
    };
    program.starts.iter().map(count).fold(program.further.len(), usize::saturating_add) <= MOST_STARTS
}

/// The start states, if they are few and none of them faults.
pub(super) fn listed(program: &Program) -> Option<BTreeSet<State>> {
    if !are_few(program) {
        return None;
    }
    starts(program).into_iter().map(|start| start.result.ok()).collect()
}

/// The program without its starts.
pub(super) fn without(program: &Program) -> Program {
    Program { starts: Vec::new(), further: Vec::new(), ..program.clone() }
}

/// The parts of a block whose permutations map a list of states to itself.
pub(super) fn split(
    program: &Program,
    roles: &Roles,
    block: &Block,
    list: &BTreeSet<State>,
    wrong: Wrong,
) -> Vec<Block> {
    let keeps = |pairs: BTreeMap<i32, i32>| {
        let renaming = Renaming::from([(block.class, pairs)]);
        let cells = cells(program, roles, &renaming);
        limits::work((cells.from.len() * list.len()) as u64);
        wrong.forgets_list() || list.iter().all(|state| list.contains(&image(program, &cells, &renaming, state)))
    };
    if block.is_ring {
        return if block.generators().into_iter().all(keeps) { vec![block.clone()] } else { Vec::new() };
    }
    // To change places with one value and with another is to let these change places.
    let mut parts: Vec<Vec<i32>> = Vec::new();
    for &value in &block.values {
        let own = parts.iter().position(|part| keeps(BTreeMap::from([(part[0], value), (value, part[0])])));
        match own {
            Some(own) => parts[own].push(value),
            None => parts.push(vec![value]),
        }
    }
    parts.retain(|values| values.len() > 1);
    parts.into_iter().map(|values| Block { values, ..block.clone() }).collect()
}

/// Start states with their images.
pub struct Images {
    /// The start states, their images behind them.
    pub states: Vec<State>,
    /// The generators.
    generators: Vec<(Renaming, Cells)>,
    /// For each image the state before it, and the generator that leads from there to it.
    from: Vec<Option<(usize, usize)>>,
}

impl Images {
    /// The images of start states under exchanges of values in a group; `None` if a start faults, or there are too many.
    #[must_use]
    pub fn new(program: &Program, group: &ValidatedGroup) -> Option<Images> {
        let states: Vec<State> = listed(program)?.into_iter().collect();
        let renamings = group.blocks().iter().flat_map(|proved| {
            let of_class = |pairs| Renaming::from([(proved.block.class, pairs)]);
            proved.block.generators().into_iter().map(of_class)
        });
        let generators: Vec<(Renaming, Cells)> =
            renamings.map(|renaming| (renaming.clone(), cells(program, group.roles(), &renaming))).collect();
        let from = vec![None; states.len()];
        Images { states, generators, from }.closed(program)
    }

    fn closed(mut self, program: &Program) -> Option<Images> {
        let mut known: BTreeSet<State> = self.states.iter().cloned().collect();
        let mut waiting: VecDeque<usize> = (0..self.states.len()).collect();
        while let Some(number) = waiting.pop_front() {
            for (place, (renaming, cells)) in self.generators.iter().enumerate() {
                limits::work(cells.from.len() as u64);
                let image = image(program, cells, renaming, &self.states[number]);
                if !known.insert(image.clone()) {
                    continue;
                }
                if self.states.len() == MOST_STARTS {
                    return None;
                }
                waiting.push_back(self.states.len());
                self.states.push(image);
                self.from.push(Some((number, place)));
            }
        }
        assert_eq!(self.states.len(), self.from.len(), "every state has a way");
        Some(self)
    }

    /// The renamings that take an image back to a start state, in this order; `None` if the state is neither.
    #[must_use]
    pub fn way_back(&self, program: &Program, roles: &Roles, state: &State) -> Option<Vec<(Renaming, Cells)>> {
        let mut number = self.states.iter().position(|own| own == state)?;
        let mut way = Vec::new();
        while let Some((before, generator)) = self.from[number] {
            let inverse = |images: &BTreeMap<i32, i32>| images.iter().map(|(&from, &to)| (to, from)).collect();
            let (renaming, _) = &self.generators[generator];
            let renaming: Renaming = renaming.iter().map(|(&class, images)| (class, inverse(images))).collect();
            let cells = cells(program, roles, &renaming);
            way.push((renaming, cells));
            assert!(before < number, "a state stands behind the one that leads to it");
            number = before;
        }
        let moved = |state: State, (renaming, cells): &(Renaming, Cells)| image(program, cells, renaming, &state);
        debug_assert_eq!(way.iter().fold(state.clone(), moved), self.states[number], "the way leads to a start state");
        Some(way)
    }
}

/// The program with the images of its start states under exchanges of values that keep its steps and these claims; `None` if there are no others, or
/// too many. Values in variables that no rule writes stay.
#[must_use]
pub fn with_images(program: &Program, claims: &[Claim]) -> Option<Program> {
    let own = listed(program)?;
    let group = ValidatedGroup::of(&without(program), claims, false);
    let written = written(program);
    let mut images = Images::new(program, &group)?;
    let stays = |(renaming, cells): &(Renaming, Cells)| {
        own.iter().all(|state| {
            let moved = image(program, cells, renaming, state);
            program.variables.iter().enumerate().all(|(number, variable)| {
                let cells = variable.offset..variable.offset + program.types.cells(variable.of);
                written.contains(&number) || moved[cells.clone()] == state[cells]
            })
        })
    };
    if !images.generators.iter().all(stays) {
        images.generators.retain(stays);
        images.states = own.iter().cloned().collect();
        images.from = vec![None; own.len()];
        images = images.closed(program)?;
    }
    assert!(own.iter().eq(&images.states[..own.len()]), "the start states come before their images");
    let further: Vec<State> = images.states.into_iter().skip(own.len()).collect();
    let mut wider = program.clone();
    wider.further.extend(further);
    (wider.further.len() > program.further.len()).then_some(wider)
}

/// The variables that rules and procedures may write, by number.
fn written(program: &Program) -> BTreeSet<usize> {
    let mut found = BTreeSet::new();
    let mut add = |place: &Place| {
        if let Base::Variable(id) = place.base {
            found.insert(id.index());
        }
    };
    let mut stmt = |stmt: &Stmt| match &stmt.kind {
        StmtKind::Assign(place, _)
        | StmtKind::Undefine(place)
        | StmtKind::Clear(place)
        | StmtKind::MultisetAdd(_, place)
        | StmtKind::MultisetRemove(_, place) => add(place),
        StmtKind::MultisetRemoveWhere(slots, _) => add(&slots.multiset),
        StmtKind::Alias(bindings, _) => bindings.iter().filter_map(Binding::place).for_each(&mut add),
        StmtKind::Call(_, arguments) => arguments.iter().for_each(|argument| {
            if let Argument::Reference(place) = argument {
                add(place);
            }
        }),
        _ => {}
    };
    for body in program.rules.iter().map(|rule| &rule.body).chain(program.procedures.iter().map(|one| &one.body)) {
        Child::Body(body).visit(&mut |part| {
            if let Part::Stmt(one) = part {
                stmt(one);
            }
        });
    }
    for header in program.rules.iter().flat_map(|rule| &rule.header) {
        if let Header::Alias(binding) = header {
            binding.place().into_iter().for_each(&mut add);
        }
    }
    found
}
