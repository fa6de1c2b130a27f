//! What the runs of one question share: the groups that were found, so that none is looked for twice with the same effort.
//!
//! A group is that of a model, given by its text, and of the properties that it fixes. A model of which no symmetry was found when nothing had to be kept
//! has none that keeps more, so that none is looked for.
//!
//! Soundness: a group is used only with the model and the properties that it was proved for.

use std::collections::VecDeque;

use symmetry::Strategy;

use crate::detection::Effort;
use crate::language::Language;
use crate::line::{Detected, detect_in_time};

/// The groups that the runs of one question keep: of a model, and of it with further starts or without invariants.
const MOST_GROUPS: usize = 3;

/// A group that was found.
struct Known<G> {
    /// The model and the properties that it is of, as text.
    of: String,
    group: G,
    /// Whether a whole detection may find more.
    is_cut_short: bool,
}

/// The state that the runs of one question share.
pub(crate) struct Found<L: Language> {
    /// The last groups that were found.
    groups: VecDeque<Known<L::Group>>,
    /// The models, as text, of which no symmetry was found when none had to keep a property. Symmetries that keep a property are among these.
    asymmetric: Vec<String>,
    /// Whether only `holds` is wanted, with a part of the time: no run of a slice is brought back.
    pub(crate) is_trial: bool,
    /// The effort of the detections from now on.
    pub(crate) effort: Effort,
}

impl<L: Language> Found<L> {
    pub(crate) fn whole() -> Found<L> {
        Found { groups: VecDeque::new(), asymmetric: Vec::new(), is_trial: false, effort: Effort::Whole }
    }

    /// What holds for other properties, too.
    pub(crate) fn for_others(&self) -> Found<L> {
        Found { asymmetric: self.asymmetric.clone(), ..Found::whole() }
    }

    /// The group of a model that fixes properties: looked for unless it is one of the last that were found.
    pub(crate) fn group(
        &mut self,
        model: &L,
        properties: &L::Properties,
        strategy: Strategy,
    ) -> Result<&L::Group, String> {
        // Printing stops where the time is up: then no group is known, and none is found.
        let text = limits::share(1, 3, || model.text()).unwrap_or_default();
        let of = if text.is_empty() { String::new() } else { format!("{text}\n{properties:?}") };
        let is_wanted = |known: &Known<L::Group>| {
            known.of == of && !of.is_empty() && (!known.is_cut_short || self.effort == Effort::Brief)
        };
        let known = self.groups.iter().position(is_wanted);
        let place = match known {
            Some(place) => place,
            None => {
                let Detected { group, is_cut_short, .. } = detect_in_time(model, properties, strategy, self.effort)?;
                let is_free = format!("{properties:?}") == format!("{:?}", L::Properties::default());
                if is_free && L::engine_group(&group).is_trivial() && !text.is_empty() {
                    self.asymmetric.push(text);
                }
                self.groups.truncate(MOST_GROUPS - 1);
                self.groups.push_front(Known { of, group, is_cut_short });
                0
            }
        };
        Ok(&self.groups[place].group)
    }

    /// Whether a model is known to have no symmetry, whatever has to be kept.
    pub(crate) fn is_asymmetric(&self, model: &L) -> bool {
        !self.asymmetric.is_empty()
            && limits::share(1, 3, || model.text()).is_ok_and(|text| self.asymmetric.contains(&text))
    }
}
