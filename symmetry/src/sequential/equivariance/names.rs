//! [`Renaming`]: a permutation of whole variables that the text proves, because it says the same with other names.
//!
//! Values and indices stay. Variables that change places have the same values, indices and initial values, and the summands written with the
//! new names ([`super::terms`]) are those of the process in some order. This proves what no permutation of values can say, such as an exchange
//! of two clusters of scalar variables, or of places of a net, however many values they have.
//!
//! # Soundness
//!
//! A process with other names for its variables has the images of the states and steps of the process. If it is the same process up to what
//! has no meaning, then the renaming is an automorphism: each instance is mapped to one with the same parameters, so that processes of weak
//! fairness stay too.
//!
//! # Complexity
//!
//! O(n log n) once for a text of n terms; for a candidate the text of the summands that name what moves.

use csp::Literals;
use csp::ground::Symmetry;
use engine::SparsePermutation;
use frontend::sequential::interpret::State;
use frontend::sequential::{Expr, Sequential, SummandId, VariableId};
use rustc_hash::{FxHashMap, FxHashSet};

use super::drawing;
use super::images::{View, keeps_starts};
use super::terms::{Terms, TextId};
use super::tries::Action;
use super::uses::Wrong;
use super::written::{Vocabulary, Writer};

/// Variables that move, with their images.
pub(super) type Names = FxHashMap<VariableId, VariableId>;

/// The texts of one process and of conditions on its states.
pub(super) struct Texts<'m> {
    model: &'m Sequential,
    vocabulary: Vocabulary<'m>,
    terms: Terms,
    /// The text of each summand.
    summands: Vec<TextId>,
    /// The text of each condition.
    conditions: Vec<TextId>,
    /// For each variable the summands that name it, ascending.
    users: Vec<Vec<SummandId>>,
    wrong: Wrong,
}

/// A permutation of variables that was proved.
pub(super) struct Renaming {
    names: Names,
    /// The summands that name a variable that moves, ascending, each with its image.
    summands: Vec<(SummandId, SummandId)>,
}

impl<'m> Texts<'m> {
    pub(super) fn new(model: &'m Sequential, conditions: &[&Expr], wrong: Wrong) -> Texts<'m> {
        let (vocabulary, mut terms) = (Vocabulary::new(model, wrong), Terms::default());
        let mut writer = Writer::new(&vocabulary, &mut terms);
        let summands = model.summands.iter().map(|summand| writer.summand(summand)).collect();
        let conditions = conditions.iter().map(|condition| writer.condition(condition)).collect();
        let mut users = vec![Vec::new(); model.variables.len()];
        for (number, summand) in model.summands.iter().enumerate() {
            let named = summand.named().into_iter().filter(|id| id.index() < model.variables.len());
            named.for_each(|id| users[id.index()].push(SummandId::from_index(number)));
        }
        Texts { model, vocabulary, terms, summands, conditions, users, wrong }
    }

    /// The proof that a permutation of literals renames variables, and that the process stays the same; `None` if it is not proved.
    pub(super) fn prove(&self, view: &View<'_>, permutation: &SparsePermutation) -> Option<Renaming> {
        let names = self.names(view, permutation)?;
        let mut affected: Vec<SummandId> = names.keys().flat_map(|id| &self.users[id.index()]).copied().collect();
        affected.sort_unstable();
        affected.dedup();
        // By text, the summands that have it.
        let mut places: FxHashMap<TextId, Vec<SummandId>> = FxHashMap::default();
        affected.iter().rev().for_each(|&id| places.entry(self.summands[id.index()]).or_default().push(id));
        let mut texts = self.terms.images(&names);
        let image = |id: SummandId| {
            let images = places.get_mut(&texts.image(self.summands[id.index()])?)?;
            Some((id, if self.wrong.renamed_summands_repeat() { *images.last()? } else { images.pop()? }))
        };
        let summands = affected.iter().copied().map(image).collect::<Option<Vec<_>>>()?;
        assert_eq!(summands.len(), affected.len(), "each summand that names what moves has an image of its own");
        let renaming = Renaming { names, summands };
        (renaming.keeps_initial(self.model) || self.wrong.renamed_starts_differ()).then_some(renaming)
    }

    /// Permutations of literals that rename variables as the text of the process and of its conditions suggests.
    pub(super) fn proposals(&self, literals: &Literals) -> impl Iterator<Item = SparsePermutation> {
        let found = drawing::renamings(self.model, &self.vocabulary, &self.terms, &self.summands, &self.conditions);
        found.into_iter().map(|names| permutation(self.model, literals, &names))
    }

    /// Whether the conditions say the same with other names.
    pub(super) fn keep(&self, renaming: &Renaming) -> bool {
        let mut texts = self.terms.images(&renaming.names);
        self.conditions.iter().all(|&condition| texts.image(condition) == Some(condition))
    }

    /// The permutation of variables that a permutation of literals is on live literals, each with its values and indices.
    fn names(&self, view: &View<'_>, permutation: &SparsePermutation) -> Option<Names> {
        let model = self.model;
        let mut elements: Vec<usize> = permutation.support().map(|point| view.literals.literal(point).0).collect();
        elements.dedup();
        let mut names: FxHashMap<VariableId, (VariableId, usize)> = FxHashMap::default();
        for element in elements {
            let target = self.target(view, permutation, element)?;
            if target == element {
                continue;
            }
            let ((id, _), (image, _)) = (model.element(element), model.element(target));
            limits::work(1);
            let offset = element - model.variable(id).offset;
            if image == id || target - model.variable(image).offset != offset {
                return None;
            }
            let (known, count) = names.entry(id).or_insert((image, 0));
            if *known != image {
                return None;
            }
            *count += 1;
        }
        let is_whole =
            |(id, (_, count)): (&VariableId, &(VariableId, usize))| *count == model.len_of(model.variable(*id));
        let images: FxHashSet<VariableId> = names.values().map(|&(image, _)| image).collect();
        let is_permutation = images.len() == names.len() && images.iter().all(|image| names.contains_key(image));
        let are_alike = || names.iter().all(|(&id, &(image, _))| self.vocabulary.are_alike(id, image));
        let is_renaming = is_permutation && names.iter().all(is_whole) && are_alike();
        is_renaming.then(|| names.into_iter().map(|(id, (image, _))| (id, image)).collect())
    }

    /// The element to which an element goes with all its live values; `None` if some value goes elsewhere, or becomes another one.
    fn target(&self, view: &View<'_>, permutation: &SparsePermutation, element: usize) -> Option<usize> {
        let (id, _) = self.model.element(element);
        let low = self.model.domain(self.model.variable(id).sort).bounds().0;
        let image = |value: i32| view.literals.literal(permutation.image(view.literals.point(element, value)));
        if view.literals.is_wide(element) {
            let (target, _) = image(low);
            return view.literals.fit(element, target).then_some(target);
        }
        let mut targets = view.live.of(id).iter().map(|&value| (image(value), value));
        let ((target, result), value) = targets.next()?;
        let is_same = |((other, result), value): ((usize, i32), i32)| other == target && result == value;
        (result == value && targets.all(is_same)).then_some(target)
    }
}

impl Renaming {
    /// Whether the image of each initial state is initial.
    fn keeps_initial(&self, model: &Sequential) -> bool {
        let is_same =
            |(&id, &image): (&VariableId, &VariableId)| model.variable(id).initial == model.variable(image).initial;
        keeps_starts(model, self.names.iter().all(is_same), |start| self.apply(model, start))
    }

    /// The permutation of the literals of the variables.
    pub(super) fn permutation(&self, model: &Sequential, literals: &Literals) -> SparsePermutation {
        permutation(model, literals, &self.names)
    }
}

/// The permutation of the literals of variables, whose values and indices are the same.
fn permutation(model: &Sequential, literals: &Literals, names: &Names) -> SparsePermutation {
    let mut pairs = Vec::new();
    for (&id, &image) in names {
        let (own, other) = (model.variable(id), model.variable(image));
        let domain = model.domain(own.sort);
        for offset in 0..model.len_of(own) {
            let (element, target) = (own.offset + offset, other.offset + offset);
            let pair = |value: i32| (literals.point(element, value), literals.point(target, value));
            match literals.is_wide(element) {
                true => pairs.push(pair(domain.bounds().0)),
                false => pairs.extend(domain.values().map(pair)),
            }
        }
    }
    limits::work(pairs.len() as u64);
    SparsePermutation::from_pairs(pairs).expect("variables are permuted, each with all its literals")
}

impl Action for Renaming {
    fn apply(&self, model: &Sequential, state: &State) -> State {
        let mut image = state.clone();
        for (&id, &name) in &self.names {
            let (own, other) = (model.variable(id), model.variable(name));
            let len = model.len_of(own);
            image[other.offset..other.offset + len].copy_from_slice(&state[own.offset..own.offset + len]);
        }
        image
    }

    fn summand(&self, model: &Sequential, number: usize) -> SummandId {
        match self.summands.len() {
            0 => SummandId::from_index(number % model.summands.len()),
            count => self.summands[number % count].0,
        }
    }
}

impl Symmetry for Renaming {
    fn instance(&self, summand: SummandId, parameters: &[i32]) -> (SummandId, Vec<i32>) {
        let image = self.summands.binary_search_by_key(&summand, |&(own, _)| own);
        (image.map_or(summand, |place| self.summands[place].1), parameters.to_vec())
    }

    fn argument(&self, _: SummandId, _: usize, value: i32) -> i32 {
        value
    }
}
