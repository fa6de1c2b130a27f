//! [`Orbits`]: the combinations of summands and values for their parameters that known symmetries map to each other.
//!
//! One combination of each orbit is evaluated; the instances of the others are images of its instance. So the cost of the constraints is that of the orbits, and
//! the images of what is drawn are drawn alike. Where images along different ways disagree, all instances of an orbit are evaluated: which elements with one value an
//! evaluation reads and writes depends on the order of values, since it stops where constants decide.
//!
//! # Soundness
//!
//! The symmetries are proved by the caller. Nothing is proved by what is made of them: every candidate of the graph has a proof of its own.
//!
//! # Invariants
//!
//! Each combination is in one orbit, behind the one of which it is the image. The images that are requested to find orbits are at most [`MAX_IMAGES`]: beyond that, some
//! orbits are in several parts.
//!
//! # Source
//!
//! Orbits by breadth-first search from a representative, as in Schreier trees.

use frontend::sequential::SummandId;
use rustc_hash::FxHashMap;

use super::{Builder, Candidate, Whole};
use crate::condition::{ConditionId, Datum, Images, TermId};
use crate::csp::{Instance, Label, Output};
use crate::project::Literals;

/// The most images of combinations that are requested to find the orbits.
const MAX_IMAGES: usize = 1 << 20;

/// A symmetry of a process that is proved.
pub trait Symmetry {
    /// The image of an instance.
    fn instance(&self, summand: SummandId, parameters: &[i32]) -> (SummandId, Vec<i32>);
    /// The image of a value of an argument of the event of a summand, by the place of the argument.
    fn argument(&self, summand: SummandId, place: usize, value: i32) -> i32;
}

/// A symmetry with the literals that it moves.
pub struct Known<'a> {
    /// The symmetry.
    pub symmetry: &'a dyn Symmetry,
    /// The permutation of the points of [`Literals`]; of literals that are not live it may be any.
    pub literals: &'a engine::SparsePermutation,
}

impl Known<'_> {
    /// The literals that move, with their images.
    pub(super) fn moved<'k>(
        &'k self,
        literals: &'k Literals,
    ) -> impl Iterator<Item = ((usize, i32), (usize, i32))> + 'k {
        let pairs = self.literals.pairs().iter();
        pairs.map(|&(point, image)| (literals.literal(point), literals.literal(image)))
    }

    /// The images under the symmetry.
    pub(super) fn images(&self, literals: &Literals) -> Images {
        Images::of(self.moved(literals))
    }
}

/// A combination in an orbit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Member {
    /// Its place in the list of combinations.
    pub(super) place: usize,
    /// The place of that of which it is the image, and the number of the symmetry; `None` for the first of its orbit.
    pub(super) image_of: Option<(usize, usize)>,
}

/// The combinations by orbits under known symmetries.
pub(super) struct Orbits<'k> {
    pub(super) members: Vec<Member>,
    pub(super) known: &'k [Known<'k>],
}

/// What is known of the instance of a combination.
#[derive(Clone, Debug)]
pub(super) enum Made {
    /// It was not evaluated, or its summand is too large.
    Nothing,
    /// It is never enabled and never faults.
    Never,
    /// The instance.
    Instance(Instance),
}

impl<'k> Orbits<'k> {
    /// The orbits of a list of combinations.
    pub(super) fn new(candidates: &[Candidate], known: &'k [Known<'k>]) -> Orbits<'k> {
        let places: FxHashMap<&Candidate, usize> = candidates.iter().zip(0..).collect();
        let mut members: Vec<Member> = Vec::with_capacity(candidates.len());
        let mut is_met = vec![false; candidates.len()];
        let mut left = MAX_IMAGES;
        let (mut next, mut first) = (0, 0);
        while members.len() < candidates.len() {
            if next == members.len() {
                first += is_met[first..].iter().position(|is_met| !is_met).expect("some combination is left");
                is_met[first] = true;
                members.push(Member { place: first, image_of: None });
            }
            let place = members[next].place;
            next += 1;
            left = left.saturating_sub(known.len());
            if left == 0 {
                continue;
            }
            limits::work(4 * known.len() as u64);
            for (number, known) in known.iter().enumerate() {
                let Candidate { summand, parameters } = &candidates[place];
                let (summand, parameters) = known.symmetry.instance(*summand, parameters);
                let Some(&image) = places.get(&Candidate { summand, parameters }) else { continue };
                if !std::mem::replace(&mut is_met[image], true) {
                    members.push(Member { place: image, image_of: Some((place, number)) });
                }
            }
        }
        Orbits { members, known }
    }

    /// Those of the combinations with these places; an orbit is there as a whole or not at all.
    pub(super) fn filtered(self, is_there: &[bool]) -> Orbits<'k> {
        Orbits { members: self.members.into_iter().filter(|member| is_there[member.place]).collect(), ..self }
    }

    /// The orbits, one by one, each with its first combination first.
    pub(super) fn each(&self) -> impl Iterator<Item = &[Member]> {
        self.members.chunk_by(|_, next| next.image_of.is_some())
    }

    /// The places of the first combinations of all orbits.
    pub(super) fn firsts(&self) -> Vec<usize> {
        self.members.iter().filter(|member| member.image_of.is_none()).map(|member| member.place).collect()
    }
}

impl Builder<'_> {
    /// The image of what is known of the combination of which another one is the image; nothing for the first of its orbit, or if there is none in these forms.
    pub(super) fn imaged(
        &mut self,
        member: Member,
        made: &[Made],
        whole: &Whole<'_>,
        known: &[Known<'_>],
        images: &mut [Images],
    ) -> Made {
        let Some((from, number)) = member.image_of else { return Made::Nothing };
        let Made::Instance(instance) = &made[from] else { return made[from].clone() };
        let of = &whole.candidates[member.place];
        let image = self.image(instance, of, known[number].symmetry, &mut images[number]);
        image.map_or(Made::Nothing, Made::Instance)
    }

    /// Whether the images of the instances of an orbit are its instances, whatever the way to them. The images that are compared are at most [`MAX_IMAGES`].
    pub(super) fn agree(
        &mut self,
        orbit: &[Member],
        made: &[Made],
        whole: &Whole<'_>,
        known: &[Known<'_>],
        images: &mut [Images],
    ) -> bool {
        let places: FxHashMap<&Candidate, usize> =
            orbit.iter().map(|member| (&whole.candidates[member.place], member.place)).collect();
        let pairs = orbit.iter().flat_map(|member| (0..known.len()).map(|number| (member.place, number)));
        for (place, number) in pairs.take(MAX_IMAGES) {
            let Made::Instance(instance) = &made[place] else { continue };
            let symmetry = known[number].symmetry;
            let (summand, parameters) = symmetry.instance(instance.summand, &instance.parameters);
            let target = Candidate { summand, parameters };
            let Some(&at) = places.get(&target) else { continue };
            limits::work(4 * (2 + instance.outputs.len()) as u64);
            match (self.image(instance, &target, symmetry, &mut images[number]), &made[at]) {
                (Some(image), Made::Instance(other)) if is_same(&image, other) => {}
                _ => return false,
            }
        }
        true
    }

    /// The image of an instance, which is that of a combination; `None` if it has no image in these forms.
    pub(super) fn image(
        &mut self,
        instance: &Instance,
        of: &Candidate,
        symmetry: &dyn Symmetry,
        images: &mut Images,
    ) -> Option<Instance> {
        let Instance { guard, fault, labels, label_terms, outputs, constants, .. } = instance;
        let own = labels.iter().flatten();
        let own = own.map(|&(label, when)| {
            let when = self.normaliser.image(when, images)?;
            Some((self.image_of_label(instance.summand, label, symmetry), when))
        });
        let own = own.collect::<Option<Vec<(usize, ConditionId)>>>()?;
        let terms = label_terms.iter().map(|list| self.terms(list, images)).collect::<Option<Vec<_>>>()?;
        let outputs = outputs.iter().map(|output| self.image_of_output(output, images));
        let mut outputs = outputs.collect::<Option<Vec<Output>>>()?;
        outputs.sort_by_key(|output| (output.element, output.value));
        let mut constants: Vec<usize> = constants.iter().map(|&element| images.element(element)).collect();
        constants.sort_unstable();
        Some(Instance {
            summand: of.summand,
            parameters: of.parameters.clone(),
            guard: self.normaliser.image(*guard, images)?,
            fault: self.normaliser.image(*fault, images)?,
            labels: labels.as_ref().map(|_| own),
            label_terms: terms,
            process: self.process(of),
            outputs,
            constants,
        })
    }

    fn image_of_label(&mut self, summand: SummandId, label: usize, symmetry: &dyn Symmetry) -> usize {
        let Label { event, arguments } = self.labels[label].clone();
        let arguments = arguments.into_iter().enumerate();
        let arguments = arguments.map(|(place, value)| Some(symmetry.argument(summand, place, value?))).collect();
        self.label(Label { event, arguments })
    }

    fn image_of_output(&mut self, output: &Output, images: &mut Images) -> Option<Output> {
        let when = self.normaliser.image(output.when, images)?;
        let wide = images.element(output.element);
        let (element, value) = match output.value {
            Datum::Term(term) => (wide, Datum::Term(self.normaliser.term(term, images)?)),
            value if self.lists[output.element].is_empty() => (wide, value),
            Datum::Value(value) => {
                let (element, value) = images.literal(output.element, value);
                self.lists[element].binary_search(&value).ok()?;
                (element, Datum::Value(value))
            }
        };
        Some(Output { element, value, when })
    }

    fn terms(&mut self, list: &[TermId], images: &mut Images) -> Option<Vec<TermId>> {
        list.iter().map(|&term| self.normaliser.term(term, images)).collect()
    }
}

/// Whether two instances are the same, with their labels and outputs in any order.
fn is_same(one: &Instance, other: &Instance) -> bool {
    let labels = |instance: &Instance| {
        let labels = instance.labels.iter().flatten().copied().zip(instance.label_terms.iter().cloned());
        let mut labels: Vec<((usize, ConditionId), Vec<TermId>)> = labels.collect();
        labels.sort_unstable();
        (instance.labels.is_some(), labels)
    };
    let outputs = |instance: &Instance| {
        let mut outputs = instance.outputs.clone();
        outputs.sort_by_key(|output| (output.element, output.value));
        outputs
    };
    let same = (one.guard, one.fault, one.process) == (other.guard, other.fault, other.process);
    same && outputs(one) == outputs(other) && one.constants == other.constants && labels(one) == labels(other)
}
