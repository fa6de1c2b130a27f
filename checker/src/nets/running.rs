//! A marking whose enabled transitions are kept up by what changes.
//!
//! For each transition the number of places is known that have too few tokens for it. A place that changes is compared with the needs of
//! the transitions that take tokens there, and with nothing else.
//!
//! # Invariants
//!
//! `missing[t]` is the number of places with too few tokens for `t`, and one more for a transition that is known never to fire; `enabled`
//! are those with 0, and `at[t]` is the place of `t` in it, or [`NOWHERE`].

use frontend::pnml::{Net, Transition};

/// A transition that is not enabled has this place.
const NOWHERE: u32 = u32::MAX;

/// The arcs of a net by places.
#[derive(Clone, Debug)]
pub(super) struct Incidence<'n> {
    /// The net.
    pub(super) net: &'n Net,
    /// For each place the transitions that need tokens there, with their number.
    pub(super) needed: Vec<Vec<(i32, u32)>>,
    /// For each place the transitions that put more there than they take.
    pub(super) raising: Vec<Vec<u32>>,
    /// For each place the transitions that take more than they put.
    pub(super) lowering: Vec<Vec<u32>>,
}

fn narrow(number: usize) -> u32 {
    u32::try_from(number).expect("transitions have 32 bits")
}

impl<'n> Incidence<'n> {
    /// The arcs of a net.
    pub(super) fn new(net: &'n Net) -> Incidence<'n> {
        let none = || vec![Vec::new(); net.places.len()];
        let (mut raising, mut lowering) = (none(), none());
        let mut needed = vec![Vec::new(); net.places.len()];
        for (at, transition) in net.transitions.iter().enumerate() {
            limits::work(transition.inputs.len() as u64 + transition.changes.len() as u64);
            assert!(
                transition.changes.is_sorted_by(|(one, _), (next, _)| one < next),
                "changes ascend by their places"
            );
            for &(place, number) in &transition.inputs {
                needed[place].push((number, narrow(at)));
            }
            for &(place, change) in &transition.changes {
                let list = if change > 0 { &mut raising } else { &mut lowering };
                list[place].push(narrow(at));
            }
        }
        Incidence { net, needed, raising, lowering }
    }

    /// A transition.
    pub(super) fn transition(&self, at: u32) -> &'n Transition {
        &self.net.transitions[at as usize]
    }
}

/// A marking with its enabled transitions.
#[derive(Clone, Debug)]
pub(super) struct Running {
    /// The tokens of each place.
    pub(super) tokens: Vec<i32>,
    missing: Vec<u32>,
    /// The enabled transitions, in no order.
    pub(super) enabled: Vec<u32>,
    at: Vec<u32>,
}

impl Running {
    /// The initial marking.
    pub(super) fn new(arcs: &Incidence<'_>) -> Running {
        let net = arcs.net;
        let of = |transition: &Transition| {
            let lacks = |&&(place, number): &&(usize, i32)| net.places[place].initial < number;
            narrow(transition.inputs.iter().filter(lacks).count())
        };
        let missing: Vec<u32> = net.transitions.iter().map(of).collect();
        let mut running =
            Running { tokens: net.initial(), at: vec![NOWHERE; missing.len()], enabled: Vec::new(), missing };
        for at in 0..running.missing.len() {
            if running.missing[at] == 0 {
                running.enable(narrow(at));
            }
        }
        running
    }

    fn enable(&mut self, transition: u32) {
        self.at[transition as usize] = narrow(self.enabled.len());
        self.enabled.push(transition);
    }

    fn disable(&mut self, transition: u32) {
        let place = self.at[transition as usize];
        self.at[transition as usize] = NOWHERE;
        self.enabled.swap_remove(place as usize);
        if let Some(&moved) = self.enabled.get(place as usize) {
            self.at[moved as usize] = place;
        }
    }

    /// Whether a transition is enabled.
    pub(super) fn is_enabled(&self, transition: u32) -> bool {
        self.missing[transition as usize] == 0
    }

    /// Gives a place another number of tokens.
    pub(super) fn set(&mut self, arcs: &Incidence<'_>, place: usize, tokens: i32) {
        let before = std::mem::replace(&mut self.tokens[place], tokens);
        for &(number, transition) in &arcs.needed[place] {
            match (before >= number, tokens >= number) {
                (false, true) => {
                    self.missing[transition as usize] -= 1;
                    if self.missing[transition as usize] == 0 {
                        self.enable(transition);
                    }
                }
                (true, false) => {
                    if self.missing[transition as usize] == 0 {
                        self.disable(transition);
                    }
                    self.missing[transition as usize] += 1;
                }
                _ => {}
            }
        }
    }

    /// Fires an enabled transition; returns whether the numbers of tokens fit.
    pub(super) fn fire(&mut self, arcs: &Incidence<'_>, transition: u32) -> bool {
        debug_assert!(self.is_enabled(transition), "only enabled transitions fire");
        let changes = &arcs.transition(transition).changes;
        if changes.iter().any(|&(place, change)| self.tokens[place].checked_add(change).is_none()) {
            return false;
        }
        for &(place, change) in changes {
            self.set(arcs, place, self.tokens[place] + change);
        }
        true
    }
}
