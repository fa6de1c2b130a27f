//! Nets as lists of arcs, and the graphs of their markings.

use std::collections::BTreeMap;
use std::fmt::Write as _;

const MOST_STATES: usize = 400;

pub(super) struct Random(pub(super) u64);

impl Random {
    pub(super) fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).expect("31 bits") % n
    }
}

/// A net as lists of arcs.
pub(super) struct Arcs {
    pub(super) initial: Vec<i64>,
    /// For each transition the tokens that it takes and puts, by places.
    pub(super) steps: Vec<(Vec<i64>, Vec<i64>)>,
}

impl Arcs {
    pub(super) fn random(random: &mut Random) -> Arcs {
        let (places, steps) = (3 + random.below(4), 2 + random.below(5));
        let initial: Vec<i64> = (0..places).map(|_| i64::from(random.below(5) < 2)).collect();
        let mut side = |least: usize| {
            let mut arcs = vec![0; places];
            for _ in 0..least + random.below(2) {
                arcs[random.below(places)] += 1;
            }
            arcs
        };
        Arcs { steps: (0..steps).map(|_| (side(1), side(1))).collect(), initial }
    }

    pub(super) fn text(&self) -> String {
        const GRAMMAR: &str = "http://www.pnml.org/version-2009/grammar";
        let mut text =
            format!("<pnml xmlns=\"{GRAMMAR}/pnml\"><net id=\"n\" type=\"{GRAMMAR}/ptnet\"><page id=\"page\">");
        for (place, tokens) in self.initial.iter().enumerate() {
            let _ =
                write!(text, "<place id=\"p{place}\"><initialMarking><text>{tokens}</text></initialMarking></place>");
        }
        for (step, (takes, puts)) in self.steps.iter().enumerate() {
            let _ = write!(text, "<transition id=\"t{step}\"/>");
            for place in 0..takes.len() {
                for (weight, source, target) in [
                    (takes[place], format!("p{place}"), format!("t{step}")),
                    (puts[place], format!("t{step}"), format!("p{place}")),
                ] {
                    if weight > 0 {
                        let _ = write!(
                            text,
                            "<arc id=\"{source}-{target}\" source=\"{source}\" target=\"{target}\"><inscription><text>{weight}</text></inscription></arc>"
                        );
                    }
                }
            }
        }
        text + "</page></net></pnml>"
    }

    pub(super) fn is_enabled(&self, step: usize, marking: &[i64]) -> bool {
        marking.iter().zip(&self.steps[step].0).all(|(tokens, taken)| tokens >= taken)
    }
}

/// All markings with their successors; the initial one is the first.
pub(super) struct Graph {
    pub(super) markings: Vec<Vec<i64>>,
    pub(super) next: Vec<Vec<usize>>,
}

impl Graph {
    pub(super) fn of(arcs: &Arcs) -> Option<Graph> {
        let mut graph = Graph { markings: vec![arcs.initial.clone()], next: Vec::new() };
        let mut known = BTreeMap::from([(arcs.initial.clone(), 0)]);
        while graph.next.len() < graph.markings.len() {
            let marking = graph.markings[graph.next.len()].clone();
            let mut list = Vec::new();
            for (_, (takes, puts)) in arcs.steps.iter().enumerate().filter(|(step, _)| arcs.is_enabled(*step, &marking))
            {
                let next: Vec<i64> =
                    marking.iter().zip(takes).zip(puts).map(|((tokens, taken), put)| tokens - taken + put).collect();
                let fresh = graph.markings.len();
                let number = *known.entry(next.clone()).or_insert(fresh);
                if number == fresh {
                    graph.markings.push(next);
                }
                list.push(number);
            }
            graph.next.push(list);
            if graph.markings.len() > MOST_STATES {
                return None;
            }
        }
        Some(graph)
    }

    /// The least or greatest set that a step keeps, from nothing or everything.
    pub(super) fn fixed(&self, from: bool, step: impl Fn(usize, &[bool]) -> bool) -> Vec<bool> {
        let mut set = vec![from; self.next.len()];
        loop {
            let next: Vec<bool> = (0..set.len()).map(|state| step(state, &set)).collect();
            if next == set {
                return set;
            }
            set = next;
        }
    }
}
