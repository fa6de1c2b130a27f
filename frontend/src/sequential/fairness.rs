//! The processes of weak fairness: who takes a step.
//!
//! A process either is a value of the sort that the text declares as processes, and fairness is assumed unless one says otherwise; or it has a
//! number, as in Promela, and fairness is assumed where one asks for it. A rendezvous is a step of both of its processes.

use super::interpret::SeqStep;
use super::{Sequential, SummandId};

impl Sequential {
    /// Whether there are processes of which fairness can be assumed.
    pub fn has_processes(&self) -> bool {
        self.fair.is_some() || self.numbered.is_some()
    }

    /// The number of processes.
    pub fn process_count(&self) -> usize {
        match self.numbered {
            Some(count) => count as usize,
            None => self.fair.map_or(0, |sort| self.domain(sort).size()),
        }
    }

    /// The places of the parameters of a summand whose values are processes.
    pub fn fair_parameters(&self, summand: SummandId) -> std::ops::Range<usize> {
        let parameters = &self.summand(summand).parameters;
        let declared = || {
            let place = parameters.iter().position(|parameter| Some(parameter.sort) == self.fair);
            place.map_or(0..0, |place| place..place + 1)
        };
        if self.numbered.is_some() { 0..parameters.len() } else { declared() }
    }

    /// The parameter of a summand whose value is the process of an instance; none if no sort is declared as processes, or the summand has
    /// no parameter of that sort.
    pub fn fair_parameter(&self, summand: SummandId) -> Option<usize> {
        self.fair.and_then(|_| self.fair_parameters(summand).next())
    }

    /// The value that the process of number 0 has.
    pub fn first_process(&self) -> i32 {
        self.fair.map_or(0, |sort| self.domain(sort).bounds().0)
    }

    /// The processes of an instance, by number.
    ///
    /// # Panics
    /// If the parameters do not fit the summand.
    pub fn processes_of(&self, summand: SummandId, parameters: &[i32]) -> impl Iterator<Item = u32> {
        debug_assert_eq!(parameters.len(), self.summand(summand).parameters.len(), "a value for each parameter");
        let first = self.first_process();
        parameters[self.fair_parameters(summand)].iter().map(move |value| value.wrapping_sub(first).cast_unsigned())
    }

    /// The processes that have the first instance of a step: they can move.
    pub fn able(&self, step: &SeqStep) -> impl Iterator<Item = u32> {
        let first = step.parts.first().unwrap_or(step);
        self.processes_of(first.summand, &first.parameters)
    }

    /// The processes that move by a step, each once, ascending.
    pub fn movers(&self, step: &SeqStep) -> Vec<u32> {
        let inner = step.parts.iter().flat_map(|part| self.processes_of(part.summand, &part.parameters));
        let mut movers: Vec<u32> = self.able(step).chain(inner).collect();
        movers.sort_unstable();
        movers.dedup();
        let is_known = |&mover: &u32| usize::try_from(mover).is_ok_and(|mover| mover < self.process_count());
        debug_assert!(movers.iter().all(is_known), "a process of the model makes the step");
        movers
    }

    /// The name of a process.
    pub fn process_name(&self, process: u32) -> String {
        match self.fair {
            Some(sort) => self.value_name(sort, self.first_process().wrapping_add(process.cast_signed())),
            None => format!("proc {process}"),
        }
    }
}
