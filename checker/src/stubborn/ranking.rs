//! The cycle proviso: a rank of states that every step of a reduced expansion has to lower.
//!
//! Each value of some elements has a number, and elements belong to levels. The rank of a state is, level by level,
//! the sum of the numbers of its values; ranks are compared lexicographically. A state is expanded by some of its
//! steps only if each of them lowers the rank; so every cycle of the reduced graph has a step that does not lower it,
//! and that step leaves a state that is expanded in full. The rank depends on the state only, whatever the order of
//! the search.
//!
//! With a group, numbers are those of orbits of literals and levels are orbits of elements. So a state and its images
//! have the same rank, and the argument holds for the quotient: its steps lead to representatives of the same rank.
//!
//! Method: the effects of instances on an element of few values give a graph of its values. From a root, values are
//! numbered as a depth-first search leaves them: only edges back to a value that is being visited do not lower the
//! number. Of all roots the best one is taken; levels are ordered so that as many instances as possible lower the
//! rank, the best level first. This is a guess: only the comparison of ranks is needed for soundness.
//!
//! Source: the sticky transitions of Kurshan, Levin, Minea, Peled and Yenigun (1998), with values instead of control
//! locations.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::facts::bits;
use super::independence::{Independence, Part};

/// No level: an element whose values have no numbers.
pub(crate) const NO_LEVEL: u32 = u32::MAX;

/// Literals and elements as orbits under a group, or each as a separate orbit.
#[derive(Clone, Debug)]
pub(crate) struct Orbits {
    /// By element and value, counted from the least: the orbit of the literal. Empty for elements of many values.
    pub(crate) literals: Vec<Vec<u32>>,
    /// By element: the orbit of the element.
    pub(crate) elements: Vec<u32>,
}

/// The numbers.
#[derive(Clone, Debug)]
pub(crate) struct Ranking {
    /// By element: its level, the first one compared first.
    pub(crate) levels: Vec<u32>,
    /// By element and value.
    numbers: Vec<Box<[i32]>>,
    /// By instance the elements with a level that it writes, each with the level, ascending by level.
    pub(crate) written: Vec<Box<[(u32, usize)]>>,
}

/// The known effect of an instance on the rank within a level.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Effect {
    Nothing,
    Lowers,
    Else,
}

impl Ranking {
    /// Chooses numbers. `initial` gives the first values of elements; `uses` gives the value of each instance.
    pub(crate) fn new(
        independence: &Independence,
        orbits: &Orbits,
        initial: &[Option<usize>],
        uses: &[u64],
    ) -> Ranking {
        let parts = &independence.parts;
        let count = orbits.elements.len();
        let mut ranking = Ranking {
            levels: vec![NO_LEVEL; count],
            numbers: orbits.literals.iter().map(|values| vec![0; values.len()].into()).collect(),
            written: Vec::new(),
        };
        let mut classes: Vec<(u32, Vec<usize>)> = Vec::new();
        for (element, &orbit) in orbits.elements.iter().enumerate().filter(|(at, _)| !orbits.literals[*at].is_empty()) {
            match classes.binary_search_by_key(&orbit, |class| class.0) {
                Ok(at) => classes[at].1.push(element),
                Err(at) => classes.insert(at, (orbit, vec![element])),
            }
        }
        let trackers = trackers(parts, count);
        let mut effects: Vec<Vec<(usize, Effect)>> = Vec::with_capacity(classes.len());
        for (_, class) in &classes {
            let mut own: Vec<usize> = class.iter().flat_map(|&element| trackers[element].iter().copied()).collect();
            own.sort_unstable();
            own.dedup();
            number(&mut ranking, parts, &own, orbits, initial, uses, class);
            effects.push(ranking.effects(parts, &own, class));
        }
        assert_eq!(effects.len(), classes.len(), "every class has its effects");
        assert_eq!(uses.len(), parts.len(), "every instance has its use");
        for (level, best) in (0..).zip(order(&effects, uses)) {
            classes[best].1.iter().for_each(|&element| ranking.levels[element] = level);
        }
        let written = parts.iter().map(|part| {
            let level = |&element: &usize| (ranking.levels[element], element);
            let mut written: Vec<_> = part.writes.iter().map(level).filter(|&(level, _)| level != NO_LEVEL).collect();
            written.sort_unstable();
            written.into()
        });
        ranking.written = written.collect();
        ranking
    }

    /// The effects of instances on the rank within the elements of a class; instances without an effect are left out.
    fn effects(&self, parts: &[Part], own: &[usize], class: &[usize]) -> Vec<(usize, Effect)> {
        let effect = |part: &Part| {
            let tracks = part.tracks.iter().filter(|track| class.binary_search(&track.element).is_ok());
            tracks.fold(Effect::Nothing, |effect, track| {
                let numbers = &self.numbers[track.element];
                let pairs = track.after.iter().enumerate();
                let pairs = pairs.flat_map(|(from, &after)| bits(after).map(move |to| (numbers[from], numbers[to])));
                let pairs: Vec<(i32, i32)> = pairs.collect();
                let own = if pairs.iter().all(|(from, to)| from == to) {
                    Effect::Nothing
                } else if pairs.iter().all(|(from, to)| to < from) {
                    Effect::Lowers
                } else {
                    Effect::Else
                };
                match (effect, own) {
                    (Effect::Nothing, own) => own,
                    (effect, Effect::Nothing) => effect,
                    (Effect::Lowers, Effect::Lowers) => Effect::Lowers,
                    _ => Effect::Else,
                }
            })
        };
        let all = own.iter().map(|&at| (at, effect(&parts[at])));
        all.filter(|&(_, effect)| effect != Effect::Nothing).collect()
    }

    /// The change of the number of an element from one value to another, both counted from the least.
    #[inline]
    pub(crate) fn change(&self, element: usize, before: usize, after: usize) -> i64 {
        i64::from(self.numbers[element][after]) - i64::from(self.numbers[element][before])
    }
}

/// By element the instances that may change it in a known way.
fn trackers(parts: &[Part], elements: usize) -> Vec<Vec<usize>> {
    let mut trackers = vec![Vec::new(); elements];
    for (at, part) in parts.iter().enumerate() {
        part.tracks.iter().for_each(|track| trackers[track.element].push(at));
    }
    trackers
}

/// The classes in the order of their levels: of those that let an instance lower the rank that no level before
/// decides about, the one of the greatest value, the first of several.
fn order(effects: &[Vec<(usize, Effect)>], uses: &[u64]) -> Vec<usize> {
    let mut open: Vec<bool> = uses.iter().map(|&uses| uses > 0).collect();
    let mut touching: Vec<Vec<usize>> = vec![Vec::new(); uses.len()];
    for (class, effects) in effects.iter().enumerate() {
        effects.iter().for_each(|&(at, _)| touching[at].push(class));
    }
    let score = |class: usize, open: &[bool]| {
        let (mut lowered, mut lost) = (0u64, 0u64);
        for &(at, effect) in effects[class].iter().filter(|&&(at, _)| open[at]) {
            if effect == Effect::Lowers { lowered += uses[at] } else { lost += uses[at] }
        }
        (lowered > 0).then(|| i128::from(lowered) - 2 * i128::from(lost))
    };
    let mut now: Vec<Option<i128>> = (0..effects.len()).map(|class| score(class, &open)).collect();
    let first = now.iter().enumerate().filter_map(|(class, score)| score.map(|score| (score, Reverse(class))));
    // A class whose value has changed since it was queued is passed over: it was queued again.
    let mut waiting: BinaryHeap<(i128, Reverse<usize>)> = first.collect();
    let mut chosen = Vec::new();
    while let Some((known, Reverse(best))) = waiting.pop() {
        if now[best] != Some(known) {
            continue;
        }
        chosen.push(best);
        now[best] = None;
        let closed: Vec<usize> = effects[best].iter().map(|&(at, _)| at).filter(|&at| open[at]).collect();
        closed.iter().for_each(|&at| open[at] = false);
        for &class in closed.iter().flat_map(|&at| &touching[at]).filter(|&&class| class != best) {
            let (before, after) = (now[class], score(class, &open));
            if before.is_some() && before != after {
                now[class] = after;
                waiting.extend(after.map(|score| (score, Reverse(class))));
            }
        }
    }
    chosen
}

/// Numbers the values of the elements of a class.
fn number(
    ranking: &mut Ranking,
    parts: &[Part],
    own: &[usize],
    orbits: &Orbits,
    initial: &[Option<usize>],
    uses: &[u64],
    class: &[usize],
) {
    let mut nodes: Vec<u32> = class.iter().flat_map(|&element| orbits.literals[element].iter().copied()).collect();
    nodes.sort_unstable();
    nodes.dedup();
    let node = |element: usize, value: usize| {
        nodes.binary_search(&orbits.literals[element][value]).expect("a literal of the class")
    };
    // Precisely known edges, with the gain if they lower the number.
    let mut edges: Vec<Vec<(usize, u64)>> = vec![Vec::new(); nodes.len()];
    for (part, uses) in own.iter().map(|&at| (&parts[at], uses[at])) {
        for track in part.tracks.iter().filter(|track| class.binary_search(&track.element).is_ok()) {
            for (from, &after) in track.after.iter().enumerate().filter(|(_, after)| after.count_ones() <= 2) {
                for to in bits(after) {
                    let (from, to) = (node(track.element, from), node(track.element, to));
                    match edges[from].iter_mut().find(|edge| edge.0 == to) {
                        Some(edge) => edge.1 += uses,
                        None => edges[from].push((to, uses)),
                    }
                }
            }
        }
    }
    for edges in &mut edges {
        edges.sort_unstable_by_key(|&(to, uses)| (Reverse(uses), to));
    }
    let first: Vec<usize> =
        class.iter().filter_map(|&element| initial[element].map(|value| node(element, value))).collect();
    let roots = first.iter().copied().chain(0..nodes.len());
    let mut best: Option<(u64, Vec<i32>)> = None;
    let mut seen = vec![false; nodes.len()];
    for root in roots {
        if std::mem::replace(&mut seen[root], true) {
            continue;
        }
        let numbers = finished(&edges, root);
        let gain = edges.iter().enumerate().flat_map(|(from, edges)| edges.iter().map(move |edge| (from, edge)));
        let gain = gain.filter(|(from, (to, _))| numbers[*to] < numbers[*from]).map(|(_, (_, uses))| uses).sum();
        if best.as_ref().is_none_or(|(most, _)| gain > *most) {
            best = Some((gain, numbers));
        }
    }
    let Some((_, numbers)) = best else { return };
    for &element in class {
        let values = 0..orbits.literals[element].len();
        ranking.numbers[element] = values.map(|value| numbers[node(element, value)]).collect();
    }
}

/// The order in which a depth-first search leaves nodes: the root first, then the nodes that are left.
fn finished(edges: &[Vec<(usize, u64)>], root: usize) -> Vec<i32> {
    let mut numbers = vec![-1; edges.len()];
    let mut entered = vec![false; edges.len()];
    let mut next = 0;
    for start in std::iter::once(root).chain(0..edges.len()) {
        if std::mem::replace(&mut entered[start], true) {
            continue;
        }
        let mut stack = vec![(start, 0)];
        while let Some((node, at)) = stack.pop() {
            if let Some(&(to, _)) = edges[node].get(at) {
                stack.push((node, at + 1));
                if !std::mem::replace(&mut entered[to], true) {
                    stack.push((to, 0));
                }
            } else {
                numbers[node] = next;
                next += 1;
            }
        }
    }
    assert!(!numbers.contains(&-1), "every value has a number");
    numbers
}
