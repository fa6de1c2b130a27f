//! \[Mod06\] Fig. 2: nested search with weak fairness, known to be wrong. M18, M19 and random models show that it misses fair runs.
//!
//! A second search starts at each accepting node that the first one leaves; it counts rebecs that move or have no
//! step, from 1 on, and looks for its seed when the count has passed the last one. Nodes are marked with the count,
//! once for all searches.
//!
//! The published search does not count a last rebec that has no step (M18). With that repaired, the marks that all
//! searches share still hide fair cycles: a search from a seed that is on none marks the nodes of another one's cycle
//! (M19). Where each search has its own marks nothing is missed, so that the sharing is wrong.

use std::collections::HashSet;

use frontend::model::{Formula, Model, PropertyKind};

use super::kept::Keeps;
use super::numbered;
use super::product::Product;
use super::runs::Runs;
use crate::actors::Space;
use crate::question::Question;
use explore::question::Limits;
use explore::report::Verdict;
use explore::search::{NoObserver, Clock, Search};
use crate::tests::Rng;
use crate::tests::fair_threads::{read, ring};
use ltl::{automaton, degeneralise};

/// The repaired part of the published search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Repaired {
    /// Nothing.
    Nothing,
    /// Rebecs without a step are counted, the last one too.
    Counting,
    /// And each search from a seed has its own marks.
    CountingAndMarks,
}

struct Modere<'p, 'a, 's, S: Runs> {
    product: &'p mut Product<'a, 's, S>,
    accepting: Vec<bool>,
    rebecs: u32,
    count: u32,
    seed: Option<u32>,
    cycle: bool,
    known: HashSet<(u32, u32)>,
    repaired: Repaired,
    /// Whether successors are visited from the last on: the missed runs depend on the order.
    backwards: bool,
}

impl<S: Runs> Modere<'_, '_, '_, S> {
    fn system(&mut self, now: u32) {
        if self.repaired != Repaired::Nothing {
            return self.system_repaired(now);
        }
        let steps = self.product.steps_again(now);
        let mut flag = None;
        for rebec in 1..=self.rebecs {
            let mut disabled = true;
            if self.count == rebec {
                self.count += 1;
                flag = flag.or(Some(rebec));
            }
            for step in steps.iter().filter(|step| step.mover == rebec - 1) {
                disabled = false;
                let (next, _) = self.product.node(step.state, step.place);
                self.specification(next);
                if self.cycle {
                    return;
                }
            }
            if flag.is_some() && !disabled && self.count == rebec + 1 {
                self.count -= 1;
            }
        }
        self.count = flag.unwrap_or(self.count);
    }

    /// The same with rebecs counted as they should be.
    fn system_repaired(&mut self, now: u32) {
        let mut steps = self.product.steps_again(now);
        if self.backwards {
            steps.reverse();
        }
        let before = self.count;
        let has_step = |count: u32| steps.iter().any(|step| step.mover == count - 1);
        while (1..=self.rebecs).contains(&self.count) && !has_step(self.count) {
            self.count += 1;
        }
        let counted = self.count;
        for step in &steps {
            self.count = counted + u32::from(counted > 0 && counted <= self.rebecs && step.mover == counted - 1);
            let (next, _) = self.product.node(step.state, step.place);
            self.specification(next);
            if self.cycle {
                return;
            }
        }
        self.count = before;
    }

    fn specification(&mut self, next: u32) {
        if self.count == self.rebecs + 1 && self.seed == Some(next) {
            self.cycle = true;
            return;
        }
        if !self.known.insert((next, self.count)) {
            return;
        }
        self.system(next);
        if !self.cycle && self.count == 0 && self.accepting[self.product.automaton_state(next)] {
            (self.seed, self.count) = (Some(next), 1);
            if self.repaired == Repaired::CountingAndMarks {
                self.known.retain(|&(_, count)| count == 0);
            }
            self.system(next);
            self.count = 0;
        }
    }
}

/// Whether Fig. 2 finds a fair run that violates the formula of the question.
fn finds(model: &Model, question: &Question, (repaired, backwards): (Repaired, bool)) -> bool {
    let PropertyKind::Ltl(formula) = &question.properties.properties[0].kind else { panic!("a formula") };
    let formula: &Formula = formula;
    let mut conditions = Vec::new();
    let violating = automaton(formula, false, &mut |condition| numbered::<Space<'_>>(&mut conditions, condition));
    let (violating, accepting) = degeneralise(&violating.expect("small"));
    let mut space = Space::new(model, &question.bounds, None, None);
    let atoms = conditions.iter().map(|condition| space.prepared(condition)).collect();
    let (mut blind, mut control, limits) = (NoObserver, (), Limits::default());
    let search = Search::new(&mut space, &mut blind, Clock::new(&mut control), &limits);
    let mut product = Product::new(search, &violating, atoms, Keeps::Nothing);
    product.search.start().expect("no limits");
    let rebecs = u32::try_from(model.instances.len()).expect("few");
    let known = HashSet::new();
    let starts = product.starts();
    let (count, seed, cycle) = (0, None, false);
    let mut modere =
        Modere { product: &mut product, accepting, rebecs, count, seed, cycle, known, repaired, backwards };
    for place in starts {
        let (start, _) = modere.product.node(0, place);
        modere.specification(start);
    }
    modere.cycle
}

#[test]
fn the_published_nested_search_misses_fair_runs() {
    let m18 = (
        include_str!("../../../fixtures/rebeca/soundness/m18_last_rebec_disabled.rebeca"),
        include_str!("../../../fixtures/rebeca/soundness/m18_last_rebec_disabled.property"),
    );
    let m19 = (
        include_str!("../../../fixtures/rebeca/soundness/m19b_marks_of_another_seed.rebeca"),
        include_str!("../../../fixtures/rebeca/soundness/m19b_marks_of_another_seed.property"),
    );
    let fixtures = [
        (m18, (Repaired::Nothing, false), (Repaired::Counting, false)),
        (m19, (Repaired::Counting, true), (Repaired::CountingAndMarks, true)),
    ];
    for ((text, properties), wrong, right) in fixtures {
        let (model, question) = read(text, properties);
        assert_eq!(crate::check(&model, &question, &mut ()).expect("confirmed").verdict, Verdict::Violated);
        assert!(!finds(&model, &question, wrong) && finds(&model, &question, right), "{text}");
    }
    let variants = [
        (Repaired::Nothing, false),
        (Repaired::Counting, false),
        (Repaired::Counting, true),
        (Repaired::CountingAndMarks, false),
        (Repaired::CountingAndMarks, true),
    ];
    let (mut found, mut missed) = ([0; 5], [0; 5]);
    for seed in 0..2_000 {
        let (text, properties) = ring(&mut Rng::new(seed));
        let (model, mut question) = read(&text, &properties);
        question.limits.max_states = Some(300);
        let verdict = crate::check(&model, &question, &mut ()).expect("confirmed").verdict;
        if verdict == Verdict::Inconclusive {
            continue;
        }
        for (at, variant) in variants.into_iter().enumerate() {
            let is_found = finds(&model, &question, variant);
            // The runs that it finds exist.
            assert!(verdict == Verdict::Violated || !is_found, "seed {seed}, {variant:?}\n{text}{properties}");
            found[at] += u32::from(is_found);
            missed[at] += u32::from(verdict == Verdict::Violated && !is_found);
        }
    }
    println!("{found:?} found, {missed:?} missed");
    assert!(found[0] > 50 && missed[0] > 10, "{found:?} {missed:?}");
    assert!(missed[1] + missed[2] > 0 && missed[3] + missed[4] == 0, "{missed:?}");
}
