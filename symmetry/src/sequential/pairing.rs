//! [`Pairing`]: one permutation of the labels and one of the processes for all instances.
//!
//! Instances of one kind differ at most by their labels and processes. A kind with only one instance determines the image of this
//! instance, and so the images of its labels and its process. Then kinds of several instances are paired. An instance whose labels and process have
//! known images is paired with the one that has these; else one is paired with an instance that has the same labels and process, else with
//! any that agrees. Each choice determines images of others.
//!
//! # Soundness
//!
//! A pairing is checked as it grows: no label and no process has two images or two originals. A failure proves nothing once a choice was
//! made; then the result is not certain.
//!
//! # Complexity
//!
//! O(labels) where images are determined or the same; each other choice looks at the instances that are left.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

use super::diagram::Dd;

/// A label: its condition with arguments that are the same in every image, and the other arguments.
pub(super) type Label = (Vec<Dd>, Vec<i32>);

/// An instance among those of one kind.
#[derive(Clone, Debug)]
pub(super) struct Member {
    pub(super) place: usize,
    /// Its labels, by their conditions and by arguments that are the same in every image.
    pub(super) labels: Vec<Label>,
    pub(super) process: Option<i32>,
}

/// An instance without a partner.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Unpaired {
    pub(super) place: usize,
    pub(super) what: &'static str,
    /// Whether there was no choice.
    pub(super) certain: bool,
}

/// A partial injective map.
#[derive(Debug)]
struct Partial<T> {
    images: FxHashMap<T, T>,
    originals: FxHashMap<T, T>,
}

impl<T> Default for Partial<T> {
    fn default() -> Self {
        Partial { images: FxHashMap::default(), originals: FxHashMap::default() }
    }
}

impl<T: Clone + Eq + std::hash::Hash> Partial<T> {
    /// Whether a pair agrees with the map; `None` if the map contains neither of the two.
    fn agrees(&self, from: &T, to: &T) -> Option<bool> {
        match (self.images.get(from), self.originals.get(to)) {
            (None, None) => None,
            (image, original) => Some(image == Some(to) && original == Some(from)),
        }
    }

    fn add(&mut self, from: &T, to: &T) -> Added {
        match self.agrees(from, to) {
            Some(true) => return Added::Known,
            Some(false) => return Added::Contradiction,
            None => {}
        }
        self.images.insert(from.clone(), to.clone());
        self.originals.insert(to.clone(), from.clone());
        debug_assert_eq!(self.images.len(), self.originals.len(), "the map is injective");
        Added::New
    }
}

/// The result of adding a pair to a map.
enum Added {
    New,
    Known,
    /// One of the two has another partner; the map is as before.
    Contradiction,
}

/// The images of labels of one event.
type Labels = Partial<Vec<i32>>;

/// Instances of one kind with their labels, and as many to pair them with.
#[derive(Debug)]
struct Kind {
    event: String,
    from: Vec<Member>,
    to: Vec<Member>,
}

/// The instances to be paired, and the maps so far.
#[derive(Default, Debug)]
pub(super) struct Pairing {
    /// For each event the labels.
    labels: FxHashMap<String, Labels>,
    processes: Partial<i32>,
    kinds: Vec<Kind>,
    chosen: bool,
}

/// What an instance has to agree with: its labels in their order, and its process.
type Key = (Vec<Label>, Option<i32>);

/// The instances of one kind while they are paired.
struct Round<'a> {
    from: &'a [Member],
    to: &'a [Member],
    is_paired: Vec<bool>,
    is_taken: Vec<bool>,
    /// For each key the instances that are left, the first one last.
    targets: FxHashMap<Key, Vec<usize>>,
    /// The instances with a label, and those of a process.
    with_label: FxHashMap<&'a [i32], Vec<usize>>,
    of_process: FxHashMap<i32, Vec<usize>>,
    /// Those whose images may be determined, and those that may be paired with the same labels and process; some of them are paired.
    determined: Vec<usize>,
    same: VecDeque<usize>,
}

impl<'a> Round<'a> {
    fn new(from: &'a [Member], to: &'a [Member]) -> Round<'a> {
        let mut targets: FxHashMap<Key, Vec<usize>> = FxHashMap::default();
        for (place, target) in to.iter().enumerate().rev() {
            targets.entry((target.labels.clone(), target.process)).or_default().push(place);
        }
        let (mut with_label, mut of_process) = (FxHashMap::<&[i32], Vec<usize>>::default(), FxHashMap::default());
        for (place, member) in from.iter().enumerate() {
            limits::work(1 + member.labels.len() as u64);
            member.labels.iter().for_each(|(_, label)| with_label.entry(label).or_default().push(place));
            if let Some(process) = member.process {
                of_process.entry(process).or_insert_with(Vec::new).push(place);
            }
        }
        let (is_paired, is_taken) = (vec![false; from.len()], vec![false; to.len()]);
        let (determined, same) = ((0..from.len()).rev().collect(), (0..from.len()).collect());
        Round { from, to, is_paired, is_taken, targets, with_label, of_process, determined, same }
    }

    /// The first instance that is left with this key.
    fn target(&self, key: &Key) -> Option<usize> {
        self.targets.get(key).and_then(|places| places.last()).copied()
    }

    /// Looks again at instances since an image was determined.
    fn look_again(&mut self, places: &[usize]) {
        limits::work(places.len() as u64);
        self.determined.extend(places.iter().rev());
        self.same.extend(places);
    }

    fn take(&mut self, place: usize, target: usize) {
        assert!(!self.is_paired[place] && !self.is_taken[target], "an instance has one partner");
        self.is_paired[place] = true;
        self.is_taken[target] = true;
        let key = (self.to[target].labels.clone(), self.to[target].process);
        let places = self.targets.get_mut(&key).expect("each target is one of its key");
        match places.last() {
            Some(&last) if last == target => {
                places.pop();
            }
            _ => places.retain(|&other| other != target),
        }
    }
}

impl Pairing {
    /// The instances of one kind.
    pub(super) fn add(&mut self, event: &str, from: Vec<Member>, to: Vec<Member>) {
        assert_eq!(from.len(), to.len(), "as many images as originals");
        self.kinds.push(Kind { event: event.to_owned(), from, to });
    }

    /// Pairs all instances; returns the processes of the instances with their images, ascending.
    pub(super) fn solve(mut self) -> Result<Vec<(i32, i32)>, Unpaired> {
        let mut kinds = std::mem::take(&mut self.kinds);
        kinds.sort_by_key(|kind| kind.from.len());
        for kind in kinds {
            let mut labels = self.labels.remove(&kind.event).unwrap_or_default();
            self.pair(&mut labels, &mut Round::new(&kind.from, &kind.to))?;
            self.labels.insert(kind.event, labels);
        }
        let mut processes: Vec<(i32, i32)> = self.processes.images.into_iter().collect();
        processes.sort_unstable();
        Ok(processes)
    }

    fn pair(&mut self, labels: &mut Labels, round: &mut Round<'_>) -> Result<(), Unpaired> {
        let (mut first, mut left) = (0, round.from.len());
        while left > 0 {
            let determined = self.determined(labels, round)?;
            let (place, target) = match determined {
                Some(determined) => determined,
                None => {
                    self.chosen |= left > 1;
                    while round.is_paired[first] {
                        first += 1;
                    }
                    match self.same(labels, round) {
                        Some(same) => same,
                        None => (first, self.any_target(labels, round, first)?),
                    }
                }
            };
            self.note(labels, round, place, target)?;
            left -= 1;
        }
        Ok(())
    }

    /// The labels of an instance and its process with their images, and whether all of these are known; unknown ones stay.
    fn image(&self, labels: &Labels, member: &Member) -> (Key, bool) {
        limits::work(1 + member.labels.len() as u64);
        let mut is_known = true;
        let of = |(when, label): &Label| {
            let image = labels.images.get(label);
            is_known &= image.is_some();
            (when.clone(), image.unwrap_or(label).clone())
        };
        let images = member.labels.iter().map(of).collect();
        let process = member.process.map(|process| {
            let image = self.processes.images.get(&process);
            is_known &= image.is_some();
            *image.unwrap_or(&process)
        });
        ((images, process), is_known)
    }

    /// An instance whose labels and process have known images, with the one that has these.
    fn determined(&self, labels: &Labels, round: &mut Round<'_>) -> Result<Option<(usize, usize)>, Unpaired> {
        while let Some(place) = round.determined.pop() {
            let (key, is_known) = self.image(labels, &round.from[place]);
            if is_known && !round.is_paired[place] {
                let target = round.target(&key).ok_or_else(|| self.unpaired(&round.from[place], "event arguments"))?;
                return Ok(Some((place, target)));
            }
        }
        Ok(None)
    }

    /// An instance, with the one that has the same labels and process but for those whose images are known.
    fn same(&self, labels: &Labels, round: &mut Round<'_>) -> Option<(usize, usize)> {
        while let Some(place) = round.same.pop_front() {
            let member = &round.from[place];
            if !round.is_paired[place]
                && let Some(target) = round.target(&self.image(labels, member).0)
                && self.fits(labels, member, &round.to[target]).is_ok()
            {
                return Some((place, target));
            }
        }
        None
    }

    /// The first instance that is left and agrees with a member.
    fn any_target(&self, labels: &Labels, round: &Round<'_>, place: usize) -> Result<usize, Unpaired> {
        let member = &round.from[place];
        let mut what = "event arguments";
        for target in (0..round.to.len()).filter(|&target| !round.is_taken[target]) {
            limits::work(1 + member.labels.len() as u64);
            match self.fits(labels, member, &round.to[target]) {
                Ok(()) => return Ok(target),
                Err(why) => what = why,
            }
        }
        Err(self.unpaired(member, what))
    }

    fn unpaired(&self, member: &Member, what: &'static str) -> Unpaired {
        Unpaired { place: member.place, what, certain: !self.chosen }
    }

    /// Notes a pair with the images of its labels and its process.
    fn note(
        &mut self,
        labels: &mut Labels,
        round: &mut Round<'_>,
        place: usize,
        target: usize,
    ) -> Result<(), Unpaired> {
        let (member, other) = (&round.from[place], &round.to[target]);
        round.take(place, target);
        assert_eq!(member.labels.len(), other.labels.len(), "partners have as many labels");
        assert_eq!(member.process.is_some(), other.process.is_some(), "partners have both a process or none");
        for ((_, from), (_, to)) in member.labels.iter().zip(&other.labels) {
            match labels.add(from, to) {
                Added::New => {
                    let places = round.with_label.remove(&from[..]).unwrap_or_default();
                    round.look_again(&places);
                }
                Added::Known => {}
                Added::Contradiction => return Err(self.unpaired(member, "event arguments")),
            }
        }
        if let (Some(from), Some(to)) = (member.process, other.process) {
            match self.processes.add(&from, &to) {
                Added::New => {
                    let places = round.of_process.remove(&from).unwrap_or_default();
                    round.look_again(&places);
                }
                Added::Known => {}
                Added::Contradiction => return Err(self.unpaired(member, "process of weak fairness")),
            }
        }
        Ok(())
    }

    /// Whether an instance agrees with another one as its image.
    fn fits(&self, labels: &Labels, from: &Member, to: &Member) -> Result<(), &'static str> {
        let is_label =
            |((when, from), (other, to)): (&Label, &Label)| when == other && labels.agrees(from, to) != Some(false);
        if from.labels.len() != to.labels.len() || !from.labels.iter().zip(&to.labels).all(is_label) {
            return Err("event arguments");
        }
        match (from.process, to.process) {
            (None, None) => Ok(()),
            (Some(from), Some(to)) if self.processes.agrees(&from, &to) != Some(false) => Ok(()),
            _ => Err("process of weak fairness"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn member(place: usize, label: [i32; 2], process: Option<i32>) -> Member {
        Member { place, labels: vec![(Vec::new(), label.to_vec())], process }
    }

    fn solve(kinds: Vec<(Vec<Member>, Vec<Member>)>) -> Result<Vec<(i32, i32)>, Unpaired> {
        let mut pairing = Pairing::default();
        kinds.into_iter().for_each(|(from, to)| pairing.add("e", from, to));
        pairing.solve()
    }

    #[test]
    fn instances_that_differ_by_their_labels_are_paired_in_a_time_that_grows_with_their_number() {
        let kinds: [fn(usize, i32) -> Member; 2] = [
            |place, label| member(place, [label, 0], None),
            |place, _| Member { place, labels: Vec::new(), process: None },
        ];
        for of in kinds {
            let all: Vec<Member> = (0..50_000).zip(0..).map(|(place, label)| of(place, label)).collect();
            let found = limits::Watch::unlimited().at_most(1 << 20).run(|| solve(vec![(all.clone(), all)]));
            assert_eq!(found.expect("little work"), Ok(Vec::new()));
        }
    }

    /// A kind of one instance determines an image, and this one those of others.
    #[test]
    fn images_that_are_determined_determine_others() {
        let single = (vec![member(0, [0, 0], Some(0))], vec![member(1, [1, 0], Some(1))]);
        let from = vec![member(2, [7, 0], Some(2)), member(3, [0, 0], Some(2)), member(4, [8, 0], Some(0))];
        let to = vec![member(5, [7, 0], Some(3)), member(6, [1, 0], Some(3)), member(7, [8, 0], Some(1))];
        assert_eq!(solve(vec![(from, to), single]), Ok(vec![(0, 1), (2, 3)]));
    }

    fn random(seed: &mut u64, bound: u64) -> i32 {
        *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        i32::try_from((*seed >> 33) % bound).expect("a small number")
    }

    /// Whether the pairs of some instances, in this order, give each label and each process one image and one original.
    fn agree(from: &[Member], to: &[&Member]) -> bool {
        let (mut labels, mut processes) = (Labels::default(), Partial::default());
        from.iter().zip(to).all(|(from, to)| {
            let is_label = |((when, from), (other, to)): (&Label, &Label)| {
                when == other && !matches!(labels.add(from, to), Added::Contradiction)
            };
            from.labels.len() == to.labels.len()
                && from.labels.iter().zip(&to.labels).all(is_label)
                && match (from.process, to.process) {
                    (Some(from), Some(to)) => !matches!(processes.add(&from, &to), Added::Contradiction),
                    (from, to) => from == to,
                }
        })
    }

    /// Whether some order of the images agrees.
    fn any_agrees(from: &[Member], to: &[Member]) -> bool {
        fn go<'t>(from: &[Member], to: &'t [Member], chosen: &mut Vec<&'t Member>) -> bool {
            if chosen.len() == from.len() {
                return agree(from, chosen);
            }
            to.iter().any(|next| {
                if chosen.iter().any(|one| one.place == next.place) {
                    return false;
                }
                chosen.push(next);
                let found = go(from, to, chosen);
                chosen.pop();
                found
            })
        }
        go(from, to, &mut Vec::new())
    }

    /// What is paired has a pairing by trying all of them, and what certainly has none has none; instances are paired with themselves.
    #[test]
    fn pairings_agree_with_a_trial_of_all() {
        let (mut seed, mut paired, mut refused) = (1, 0, 0);
        for _ in 0..3_000 {
            let mut members = |first: usize| -> Vec<Member> {
                let of = |place| {
                    let count = random(&mut seed, 3);
                    let labels = (0..count).map(|_| (Vec::new(), vec![random(&mut seed, 3)])).collect();
                    let process = Some(random(&mut seed, 4)).filter(|&process| process < 2);
                    Member { place: first + place, labels, process }
                };
                (0..4).map(of).collect()
            };
            let (from, mut to) = (members(0), members(4));
            if random(&mut seed, 2) == 0 {
                // The images of the instances, one of them perhaps with another label.
                to = from.iter().rev().cloned().collect();
                for (member, place) in to.iter_mut().zip(4..) {
                    member.place = place;
                    member.process = member.process.map(|process| 1 - process);
                    member.labels.iter_mut().for_each(|(_, label)| label[0] = (label[0] + 1) % 3);
                }
                if let Some((_, label)) = to[0].labels.first_mut().filter(|_| random(&mut seed, 2) == 0) {
                    label[0] = random(&mut seed, 3);
                }
            }
            assert!(solve(vec![(from.clone(), from.clone())]).is_ok(), "{from:?}");
            let exists = any_agrees(&from, &to);
            match solve(vec![(from.clone(), to.clone())]) {
                Ok(_) => assert!(exists, "{from:?} {to:?}"),
                Err(unpaired) => assert!(!exists || !unpaired.certain, "{from:?} {to:?}"),
            }
            paired += usize::from(exists);
            refused += usize::from(!exists);
        }
        assert!(paired > 500 && refused > 500, "{paired} {refused}");
    }

    #[test]
    fn a_label_has_one_image() {
        let twice = |place, first: i32, second: i32| {
            let labels = vec![(Vec::new(), vec![first]), (Vec::new(), vec![second])];
            Member { place, labels, process: None }
        };
        let found = solve(vec![(vec![twice(0, 1, 1)], vec![twice(1, 2, 3)])]);
        assert_eq!(found, Err(Unpaired { place: 0, what: "event arguments", certain: true }));
        let found = solve(vec![(vec![twice(0, 2, 3)], vec![twice(1, 1, 1)])]);
        assert_eq!(found, Err(Unpaired { place: 0, what: "event arguments", certain: true }));
    }
}
