//! [`Parametric`]: the summands in parametric form during the fixed point of the live values, and their forms once these are known.

use std::collections::BTreeSet;
use std::rc::Rc;

use frontend::sequential::{Sequential, SummandId};
use rustc_hash::FxHashSet;

use super::super::diagram::{Diagrams, Leaf};
use super::definitions::MAX_NAMED;
use super::{Definitions, Form};

/// The steps that one form may take.
const BUDGET: u64 = 1 << 24;
/// The steps that all forms may take together, each time that they are built.
const WHOLE_BUDGET: u64 = 1 << 26;

/// An element with values that may be written to it.
type Written = (usize, Vec<i32>);

/// Summands with the pseudo-elements of their parameters.
pub(in super::super) struct Parametric {
    /// Each with the pseudo-element of its first parameter.
    summands: Vec<(SummandId, usize)>,
    /// The values of each parameter, ascending.
    domains: Vec<Rc<[i32]>>,
    /// The elements that each summand reads.
    reads: Vec<FxHashSet<usize>>,
    /// The forms that were built last.
    pub(in super::super) forms: Vec<Form>,
    pub(in super::super) definitions: Definitions,
}

impl Parametric {
    pub(in super::super) fn new(model: &Sequential, chosen: impl Iterator<Item = SummandId>) -> Parametric {
        let (mut summands, mut domains) = (Vec::new(), Vec::new());
        for id in chosen {
            summands.push((id, model.state_len() + domains.len()));
            let parameters = &model.summand(id).parameters;
            domains.extend(parameters.iter().map(|parameter| model.domain(parameter.sort).values().collect()));
        }
        let reads = vec![FxHashSet::default(); summands.len()];
        Parametric { summands, domains, reads, forms: Vec::new(), definitions: Definitions::default() }
    }

    /// The values of each parameter.
    pub(in super::super) fn domains(&self) -> impl Iterator<Item = Rc<[i32]>> + '_ {
        self.domains.iter().map(Rc::clone)
    }

    /// The order of the tests: parameters first, then named values, then elements, so that an array is tested at a known index.
    pub(in super::super) fn rank(&self, elements: Vec<u32>) -> Vec<u32> {
        let first = u32::try_from(self.domains.len()).expect("the number of parameters is bounded");
        let behind = if first == 0 { 0 } else { first + MAX_NAMED };
        elements.into_iter().map(|rank| rank + behind).chain(0..first).collect()
    }

    /// Builds the forms of all summands, or of those that read one of some elements, in a new store; returns the values that they may
    /// write. `None` if a form is too large; its summand is opaque from then on.
    pub(in super::super) fn evaluate(
        &mut self,
        model: &Sequential,
        diagrams: &mut Diagrams,
        grown: Option<&FxHashSet<usize>>,
        opaque: &mut BTreeSet<SummandId>,
    ) -> Option<Vec<Written>> {
        let first_rank = u32::try_from(self.domains.len()).expect("the number of parameters is bounded");
        self.definitions = Definitions::new(first_rank);
        self.forms.clear();
        let mut written = Vec::new();
        let mut budget = WHOLE_BUDGET;
        for (&(id, first), read) in self.summands.iter().zip(&mut self.reads) {
            if grown.is_some_and(|grown| read.is_disjoint(grown)) {
                continue;
            }
            let own = BUDGET.min(budget);
            diagrams.begin(own);
            let form;
            (form, *read) = Form::new(model, diagrams, &mut self.definitions, id, first);
            budget -= own - diagrams.left();
            let parameters = &model.summand(id).parameters;
            if diagrams.exhausted() || parameters.iter().any(|parameter| csp::is_wide(model.domain(parameter.sort))) {
                opaque.insert(id);
                return None;
            }
            for &(element, value) in &form.outputs {
                let values = diagrams.leaves(value).into_iter();
                let values = values.filter_map(|leaf| if let Leaf::Value(value) = leaf { Some(value) } else { None });
                written.push((element, values.collect()));
            }
            self.forms.push(form);
        }
        Some(written)
    }
}
