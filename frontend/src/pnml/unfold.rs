//! Document to [`Net`]: one place per place and colour, one transition per transition and binding of its variables.
//!
//! Places keep their ids, with the colour behind it as in `Fork(3)`. Bindings whose input places can never all have tokens, even if no
//! token were ever taken, never fire: they are left out ([`markable`](super::markable)). Where there would be too many places, so are the
//! colours that no token of a place can have.

use rustc_hash::FxHashMap;

use super::document::{Document, Domain, Place, Term, Transition, joined};
use super::markable::{Colour, Markable, Wrong, markable, variables};
use super::net::{self, Net};
use crate::diagnostics::{Code, Diagnostic, Diagnostics, codes};
use crate::sequential::MAX_ELEMENTS;
use crate::source::Span;

/// The net of a document; nothing if it has a fault, which is reported.
pub(super) fn unfold(document: &Document, sink: &mut Diagnostics) -> Option<Net> {
    unfold_with(document, Wrong::default(), sink)
}

/// As [`unfold`], with known faults.
pub(super) fn unfold_with(document: &Document, wrong: Wrong, sink: &mut Diagnostics) -> Option<Net> {
    let mut unfolding = Unfolding { document, net: Net::default(), numbers: Vec::new() };
    match unfolding.all(wrong) {
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
        if !sort.iter().zip(&colour).all(|(&base, value)| document.sorts.values(base).contains(value)) {
            return Err(fault("a value lies outside of the sort of the place".to_owned()));
        }
        tokens.push((colour, number));
    }
    Ok(tokens)
}

struct Unfolding<'d> {
    document: &'d Document,
    net: Net,
    /// For each place of the document its places by colour.
    numbers: Vec<FxHashMap<Colour, usize>>,
}

impl<'d> Unfolding<'d> {
    fn all(&mut self, wrong: Wrong) -> Result<(), Fault> {
        let document = self.document;
        let Markable { colours, bindings } = markable(document, wrong)?;
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
            let names = place.sort.iter().zip(colour).map(|(&base, &value)| document.sorts.name(base, value));
            let colour = is_coloured.then(|| names.collect::<Vec<String>>());
            self.net.add_place(&place.id.text, colour.as_deref(), place.id.span);
        }
        let numbers: FxHashMap<Colour, usize> = colours.into_iter().zip(first..).collect();
        if let Some(initial) = &place.initial {
            for (colour, number) in tokens(document, initial, &place.sort, &[])? {
                self.net.places[numbers[&colour]].initial = number;
            }
        }
        self.numbers.push(numbers);
        self.net.place_ids.insert(place.id.text.clone(), first..self.net.places.len());
        Ok(())
    }

    fn transition(&mut self, transition: &'d Transition, bindings: Vec<Vec<Colour>>) -> Result<(), Fault> {
        let variables = variables(transition);
        let from = self.net.transitions.len();
        let mut binding = vec![Vec::new(); self.document.variables.len()];
        for values in bindings {
            for (&variable, value) in variables.iter().zip(values) {
                binding[variable] = value;
            }
            self.bound(transition, &variables, &binding)?;
        }
        self.net.transition_ids.insert(transition.id.text.clone(), from..self.net.transitions.len());
        Ok(())
    }

    /// Adds the transition of a whole binding.
    fn bound(&mut self, transition: &Transition, variables: &[usize], binding: &[Colour]) -> Result<(), Fault> {
        let document = self.document;
        let mut inputs: FxHashMap<usize, i64> = FxHashMap::default();
        let mut changes: FxHashMap<usize, i64> = FxHashMap::default();
        for (arcs, sign) in [(&transition.inputs, -1), (&transition.outputs, 1)] {
            for (place, term) in arcs {
                let sort = &document.places[*place].sort;
                for (colour, number) in tokens(document, term, sort, binding)? {
                    let at = self.numbers[*place][&colour];
                    *changes.entry(at).or_default() += sign * i64::from(number);
                    if sign < 0 {
                        *inputs.entry(at).or_default() += i64::from(number);
                    }
                }
            }
        }
        let narrow = |list: FxHashMap<usize, i64>| {
            let mut narrow = Vec::with_capacity(list.len());
            for (at, number) in list.into_iter().filter(|&(_, number)| number != 0) {
                narrow.push((at, i32::try_from(number).ok()?));
            }
            narrow.sort_unstable();
            Some(narrow)
        };
        let (Some(inputs), Some(changes)) = (narrow(inputs), narrow(changes)) else {
            let message = "the weights of arcs have more than 31 bits together".to_owned();
            return Err(Fault::large(transition.id.span, message));
        };
        let value = |&variable: &usize| {
            let of = &document.variables[variable];
            let names = of.sort.iter().zip(&binding[variable]).map(|(&base, &value)| document.sorts.name(base, value));
            format!("{}={}", of.name, names.collect::<Vec<String>>().join(","))
        };
        let values: Vec<String> = variables.iter().map(value).collect();
        let id = &transition.id;
        let label = if values.is_empty() { id.text.clone() } else { format!("{}({})", id.text, values.join(", ")) };
        self.net.transitions.push(net::Transition { label, inputs, changes, span: id.span });
        Ok(())
    }
}
