//! \[Mod06\] Fig. 2 as it stands: nested search with weak fairness, known to be wrong. M18 and random models show that it misses fair runs.
//!
//! A second search starts at each accepting node that the first one leaves; it counts rebecs that move or have no step, from 1 on,
//! and looks for its seed when the count has passed the last one. Nodes are remembered with the count, once for all searches.

use std::collections::HashSet;

use frontend::model::{Formula, Model, PropertyKind};

use super::automaton::{automaton, degeneralise};
use super::numbered;
use super::product::{Blind, Product};
use super::runs::Runs;
use crate::actors::Space;
use crate::question::{Limits, Question};
use crate::report::Verdict;
use crate::search::{Pace, Search};
use crate::testing::Rng;
use crate::testing::fair_threads::{read, ring};

struct Modere<'p, 'a, 's, S: Runs> {
    product: &'p mut Product<'a, 's, S>,
    accepting: Vec<bool>,
    rebecs: u32,
    count: u32,
    seed: Option<u32>,
    cycle: bool,
    known: HashSet<(u32, u32)>,
}

impl<S: Runs> Modere<'_, '_, '_, S> {
    fn system(&mut self, now: u32) {
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
            self.system(next);
            self.count = 0;
        }
    }
}

/// Whether Fig. 2 finds a fair run that violates the formula asked.
fn finds(model: &Model, question: &Question) -> bool {
    let PropertyKind::Ltl(formula) = &question.properties.properties[0].kind else { panic!("a formula") };
    let formula: &Formula = formula;
    let mut conditions = Vec::new();
    let violating = automaton(formula, false, &mut |condition| numbered::<Space<'_>>(&mut conditions, condition));
    let (violating, accepting) = degeneralise(&violating.expect("small"));
    let mut space = Space::new(model, &question.bounds, None, None);
    let atoms = conditions.iter().map(|condition| space.prepared(condition)).collect();
    let (mut blind, mut control, limits) = (Blind, (), Limits::default());
    let search = Search::new(&mut space, &mut blind, Pace::new(&mut control, None), &limits);
    let mut product = Product::new(search, &violating, atoms);
    product.search.start().expect("no limits");
    let rebecs = u32::try_from(model.instances.len()).expect("few");
    let known = HashSet::new();
    let starts = product.starts();
    let mut modere = Modere { product: &mut product, accepting, rebecs, count: 0, seed: None, cycle: false, known };
    for place in starts {
        let (start, _) = modere.product.node(0, place);
        modere.specification(start);
    }
    modere.cycle
}

#[test]
fn the_published_nested_search_misses_fair_runs() {
    let text = include_str!("../../../fixtures/rebeca/soundness/m18_last_rebec_disabled.rebeca");
    let properties = include_str!("../../../fixtures/rebeca/soundness/m18_last_rebec_disabled.property");
    let (model, question) = read(text, properties);
    assert!(!finds(&model, &question));
    assert_eq!(crate::check(&model, &question, &mut ()).expect("confirmed").verdict, Verdict::Violated);
    let (mut found, mut missed) = (0, 0);
    for seed in 0..600 {
        let (text, properties) = ring(&mut Rng::new(seed));
        let (model, mut question) = read(&text, &properties);
        question.limits.max_states = Some(300);
        let verdict = crate::check(&model, &question, &mut ()).expect("confirmed").verdict;
        if verdict == Verdict::Inconclusive {
            continue;
        }
        let is_found = finds(&model, &question);
        // What it finds is there.
        assert!(verdict == Verdict::Violated || !is_found, "seed {seed}\n{text}{properties}");
        found += u32::from(is_found);
        missed += u32::from(verdict == Verdict::Violated && !is_found);
    }
    println!("{found} found, {missed} missed");
    assert!(found > 50 && missed > 10, "{found} {missed}");
}
