//! Document to [`Net`]: one place per place and colour, one transition per transition and binding of its variables.
//!
//! Places keep their ids, with the colour behind it as in `Fork(3)`. Bindings whose input places can never all have tokens, even if no
//! token were ever taken, never fire: they are left out ([`markable`](super::markable)). Where there would be too many places, so are the
//! colours that no token of a place can have. Where there would be too many transitions, bindings that differ in an exchange of variables and
//! are the same step have one.

use rustc_hash::FxHashMap;

use super::document::{Document, Domain, Place, Term, Transition, joined};
use super::markable::{Arcs, Colour, Markable, Most, Slots, Values, Wrong, markable, slots_and_arcs};
use super::net::{self, Net};
use crate::diagnostics::{Code, Diagnostic, Diagnostics, codes};
use crate::sequential::MAX_ELEMENTS;
use crate::source::Span;

/// The net of a document; nothing if it has a fault, which is reported.
pub(super) fn unfold(document: &Document, sink: &mut Diagnostics) -> Option<Net> {
    unfold_with(document, Most::default(), Wrong::default(), sink)
}

/// As [`unfold`], with bindings looked for so far, and known faults.
pub(super) fn unfold_with(document: &Document, most: Most, wrong: Wrong, sink: &mut Diagnostics) -> Option<Net> {
    let mut unfolding = Unfolding { document, net: Net::default(), numbers: Vec::new() };
    match unfolding.all(most, wrong) {
        Ok(()) => Some(unfolding.net),
        Err(Fault { code, span, message, help }) => {
            sink.push(Diagnostic::error(code, span, message).help(help));
            None
        }
    }
}

/// A net that cannot be unfolded.
pub(super) struct Fault {
    code: Code,
    span: Span,
    message: String,
    help: &'static str,
}

impl Fault {
    /// It is too large.
    pub(super) fn large(span: Span, message: String) -> Fault {
        Fault { code: codes::PNML_TOO_LARGE, span, message, help: "check a smaller instance" }
    }

    /// Whether the net is too large.
    pub(super) fn is_large(&self) -> bool {
        self.code == codes::PNML_TOO_LARGE
    }
}

/// The tokens of a multiset, ascending.
///
/// # Errors
/// A value lies outside of the sort, or occurs a negative number of times.
pub(super) fn tokens(
    document: &Document,
    term: &Term,
    sort: &Domain,
    binding: &[Colour],
) -> Result<Vec<(Colour, i32)>, Fault> {
    let mut tokens = Vec::new();
    for (colour, number) in joined(document.evaluate(term, binding)) {
        let fault = |message: String| Fault {
            code: codes::PNML_SORT,
            span: term.span,
            message,
            help: "let every value lie in the sort of the place, and take no more from a multiset than it has",
        };
        if number == 0 {
            continue;
        }
        let Some(number) = i32::try_from(number).ok().filter(|&number| number > 0) else {
            let message = match number {
                ..0 => "more of a value is taken away than there is".to_owned(),
                _ => format!("a value occurs {number} times"),
            };
            return Err(fault(message));
        };
        assert_eq!(colour.len(), sort.len(), "a colour has a value for each part of its sort");
        if !sort.iter().zip(&colour).all(|(&base, value)| document.sorts.values(base).contains(value)) {
            return Err(fault("a value lies outside of the sort of the place".to_owned()));
        }
        tokens.push((colour, number));
    }
    debug_assert!(tokens.is_sorted_by(|one, next| one.0 < next.0), "colours are ascending, each once");
    Ok(tokens)
}

struct Unfolding<'d> {
    document: &'d Document,
    net: Net,
    /// For each place of the document its places by colour.
    numbers: Vec<FxHashMap<Colour, usize>>,
}

impl<'d> Unfolding<'d> {
    fn all(&mut self, most: Most, wrong: Wrong) -> Result<(), Fault> {
        let document = self.document;
        let Markable { colours, bindings, is_folded } = markable(document, most, wrong)?;
        assert_eq!(colours.len(), document.places.len(), "every place has its colours");
        assert_eq!(bindings.len(), document.transitions.len(), "every transition has its bindings");
        self.net.is_folded = is_folded;
        let size = |place: &Place| {
            place.sort.iter().fold(1usize, |size, &base| size.saturating_mul(document.sorts.size(base)))
        };
        let all = document.places.iter().fold(0usize, |sum, place| sum.saturating_add(size(place)));
        for (place, markable) in document.places.iter().zip(colours) {
            let colours = if all > MAX_ELEMENTS { markable } else { document.colours(&place.sort) };
            self.place(place, colours)?;
        }
        for (transition, bindings) in document.transitions.iter().zip(bindings) {
            self.transition(transition, bindings)?;
        }
        self.net.leave_out_dead();
        assert!(self.net.is_well_formed(), "the unfolded net is well formed");
        for (alias, id) in &document.aliases {
            let is_known = self.net.place_ids.contains_key(id) || self.net.transition_ids.contains_key(id);
            assert!(is_known, "a reference stands for a node of the net");
            if let Some(places) = self.net.place_ids.get(id).cloned() {
                self.net.place_ids.insert(alias.clone(), places);
            } else if let Some(transitions) = self.net.transition_ids.get(id).cloned() {
                self.net.transition_ids.insert(alias.clone(), transitions);
            }
        }
        Ok(())
    }

    fn place(&mut self, place: &Place, colours: Vec<Colour>) -> Result<(), Fault> {
        let document = self.document;
        if self.net.places.len() + colours.len() > MAX_ELEMENTS {
            return Err(Fault::large(place.id.span, format!("the net has more than {MAX_ELEMENTS} places")));
        }
        let first = self.net.places.len();
        let is_coloured = place.sort.iter().any(|&base| document.sorts.size(base) > 1);
        for colour in &colours {
            limits::work(4);
            let names = place.sort.iter().zip(colour).map(|(&base, &value)| document.sorts.name(base, value));
            let colour = is_coloured.then(|| names.collect::<Vec<String>>());
            self.net.add_place(&place.id.text, colour.as_deref(), place.id.span);
        }
        let numbers: FxHashMap<Colour, usize> = colours.into_iter().zip(first..).collect();
        assert_eq!(numbers.len(), self.net.places.len() - first, "every colour has a place");
        if let Some(initial) = &place.initial {
            for (colour, number) in tokens(document, initial, &place.sort, &[])? {
                self.net.places[numbers[&colour]].initial = number;
            }
        }
        self.numbers.push(numbers);
        self.net.place_ids.insert(place.id.text.clone(), first..self.net.places.len());
        Ok(())
    }

    fn transition(&mut self, transition: &'d Transition, bindings: Vec<Values>) -> Result<(), Fault> {
        let (slots, arcs) = slots_and_arcs(self.document, transition);
        let from = self.net.transitions.len();
        let mut binding = vec![Vec::new(); self.document.variables.len()];
        for values in bindings {
            slots.bind(&values, &mut binding);
            let [inputs, changes] = self.arcs(transition, &slots, &arcs, &values)?;
            let label = self.label(transition, &slots, &binding);
            limits::work((inputs.len() + changes.len() + label.len()) as u64);
            self.net.transitions.push(net::Transition { label, inputs, changes, span: transition.id.span });
        }
        self.net.transition_ids.insert(transition.id.text.clone(), from..self.net.transitions.len());
        Ok(())
    }

    /// The places with the tokens that a binding needs, and those that it changes with the differences.
    fn arcs(
        &self,
        transition: &Transition,
        slots: &Slots,
        arcs: &Arcs<'_>,
        values: &[i32],
    ) -> Result<[Vec<(usize, i32)>; 2], Fault> {
        let (mut inputs, mut changes) = (Vec::new(), Vec::new());
        for (list, sign) in [(&arcs.inputs, -1), (&arcs.outputs, 1)] {
            for arc in list {
                let numbers = &self.numbers[arc.place];
                let mut add = |colour: &[i32], number: i32| {
                    let at = numbers[colour];
                    changes.push((at, sign * i64::from(number)));
                    if sign < 0 {
                        inputs.push((at, i64::from(number)));
                    }
                    true
                };
                arc.tokens(self.document, slots, values, &mut add)?;
            }
        }
        let narrow = |mut list: Vec<(usize, i64)>| {
            list.sort_unstable_by_key(|&(at, _)| at);
            let mut narrow = Vec::with_capacity(list.len());
            for of_one in list.chunk_by(|one, other| one.0 == other.0) {
                let number: i64 = of_one.iter().map(|(_, number)| number).sum();
                if number != 0 {
                    narrow.push((of_one[0].0, i32::try_from(number).ok()?));
                }
            }
            Some(narrow)
        };
        let (Some(inputs), Some(changes)) = (narrow(inputs), narrow(changes)) else {
            let message = "the weights of arcs have more than 31 bits together".to_owned();
            return Err(Fault::large(transition.id.span, message));
        };
        Ok([inputs, changes])
    }

    /// The id of a transition, and the binding behind it.
    fn label(&self, transition: &Transition, slots: &Slots, binding: &[Colour]) -> String {
        let document = self.document;
        let value = |&variable: &usize| {
            let of = &document.variables[variable];
            let names = of.sort.iter().zip(&binding[variable]).map(|(&base, &value)| document.sorts.name(base, value));
            format!("{}={}", of.name, names.collect::<Vec<String>>().join(","))
        };
        let values: Vec<String> = slots.variables.iter().map(value).collect();
        let id = &transition.id.text;
        if values.is_empty() { id.clone() } else { format!("{id}({})", values.join(", ")) }
    }
}
