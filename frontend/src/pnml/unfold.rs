//! Document to [`Net`]: one place per place and colour, one transition per transition and binding of its variables.
//!
//! Places keep their ids, with the colour behind it as in `Fork(3)`. A transition whose input places can never all have tokens, even if no
//! token were ever taken, never fires: it is left out, but counts as a transition of the net.
//!
//! # Complexity
//!
//! Bindings are tried variable by variable, and a condition is evaluated as soon as its variables have values: at most [`MAX_TRIED`] bindings.

use rustc_hash::FxHashMap;

use super::document::{Document, Domain, Guard, Place, Term, Transition, joined};
use super::net::{self, Net};
use crate::diagnostics::{Code, Diagnostic, Diagnostics, codes};
use crate::sequential::MAX_ELEMENTS;
use crate::source::Span;

/// The most transitions of a net.
const MAX_TRANSITIONS: usize = 1 << 18;
/// The most bindings, whole or in part, that are tried for all transitions.
const MAX_TRIED: usize = 1 << 26;

/// The net of a document; nothing if it has a fault, which is reported.
pub(super) fn unfold(document: &Document, sink: &mut Diagnostics) -> Option<Net> {
    let mut unfolding = Unfolding { document, net: Net::default(), first: Vec::new(), tried: 0 };
    match unfolding.all() {
        Ok(()) => Some(unfolding.net),
        Err(Fault { code, span, message, help }) => {
            sink.push(Diagnostic::error(code, span, message).help(help));
            None
        }
    }
}

struct Fault {
    code: Code,
    span: Span,
    message: String,
    help: &'static str,
}

impl Fault {
    fn large(span: Span, message: String) -> Fault {
        Fault { code: codes::PNML_TOO_LARGE, span, message, help: "check a smaller instance" }
    }
}

struct Unfolding<'d> {
    document: &'d Document,
    net: Net,
    /// The first place of each coloured place.
    first: Vec<usize>,
    tried: usize,
}

impl<'d> Unfolding<'d> {
    fn all(&mut self) -> Result<(), Fault> {
        let document = self.document;
        for place in &document.places {
            self.place(place)?;
        }
        for transition in &document.transitions {
            self.transition(transition)?;
        }
        self.net.leave_out_dead();
        Ok(())
    }

    fn place(&mut self, place: &Place) -> Result<(), Fault> {
        let document = self.document;
        let colours = document.colours(&place.sort);
        if self.net.places.len() + colours.len() > MAX_ELEMENTS {
            return Err(Fault::large(place.id.span, format!("the net has more than {MAX_ELEMENTS} places")));
        }
        let first = self.net.places.len();
        self.first.push(first);
        let is_coloured = place.sort.iter().any(|&base| document.sorts.size(base) > 1);
        for colour in &colours {
            let names = place.sort.iter().zip(colour).map(|(&base, &value)| document.sorts.name(base, value));
            let colour = is_coloured.then(|| names.collect::<Vec<String>>());
            self.net.add_place(&place.id.text, colour.as_deref(), place.id.span);
        }
        if let Some(initial) = &place.initial {
            for (at, number) in self.tokens(initial, &place.sort, first, &[])? {
                self.net.places[at].initial = number;
            }
        }
        self.net.place_ids.insert(place.id.text.clone(), first..self.net.places.len());
        Ok(())
    }

    /// The tokens of a multiset over the places of a coloured place, ascending.
    fn tokens(
        &self,
        term: &Term,
        sort: &Domain,
        first: usize,
        binding: &[Vec<i32>],
    ) -> Result<Vec<(usize, i32)>, Fault> {
        let mut tokens = Vec::new();
        for (colour, number) in joined(self.document.evaluate(term, binding)) {
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
                return Err(fault(format!("a value occurs {number} times")));
            };
            let index = sort.iter().zip(&colour).try_fold(0usize, |index, (&base, &value)| {
                let values = self.document.sorts.values(base);
                let place = usize::try_from(i64::from(value) - i64::from(*values.start())).ok()?;
                values.contains(&value).then_some(index * self.document.sorts.size(base) + place)
            });
            let Some(index) = index else {
                return Err(fault("a value lies outside of the sort of the place".to_owned()));
            };
            tokens.push((first + index, number));
        }
        Ok(tokens)
    }

    fn transition(&mut self, transition: &'d Transition) -> Result<(), Fault> {
        let document = self.document;
        let mut variables = Vec::new();
        transition.guard.variables(&mut variables);
        transition.inputs.iter().chain(&transition.outputs).for_each(|(_, term)| term.variables(&mut variables));
        variables.sort_unstable();
        variables.dedup();
        let conjuncts = match &transition.guard {
            Guard::All(list) => list.as_slice(),
            other => std::slice::from_ref(other),
        };
        // Each conjunct is evaluated once the last of its variables has a value.
        let mut due: Vec<Vec<&Guard>> = vec![Vec::new(); variables.len() + 1];
        for conjunct in conjuncts {
            let mut used = Vec::new();
            conjunct.variables(&mut used);
            let last = used.iter().filter_map(|used| variables.iter().position(|known| known == used)).max();
            due[last.map_or(0, |last| last + 1)].push(conjunct);
        }
        let values: Vec<Vec<Vec<i32>>> =
            variables.iter().map(|&variable| document.colours(&document.variables[variable].sort)).collect();
        let from = self.net.transitions.len();
        let mut choice =
            Choice { transition, variables, due, values, binding: vec![Vec::new(); document.variables.len()] };
        self.choose(&mut choice, 0)?;
        let made = from..self.net.transitions.len();
        self.net.transition_ids.insert(transition.id.text.clone(), made);
        Ok(())
    }

    /// Gives values to the remaining variables in every way.
    fn choose(&mut self, choice: &mut Choice<'d>, depth: usize) -> Result<(), Fault> {
        limits::work(1);
        self.tried += 1;
        if self.tried > MAX_TRIED {
            let message = format!("more than {MAX_TRIED} bindings of variables were tried");
            return Err(Fault::large(choice.transition.id.span, message));
        }
        if !choice.due[depth].iter().all(|guard| self.document.is_true(guard, &choice.binding)) {
            return Ok(());
        }
        let Some(&variable) = choice.variables.get(depth) else { return self.bound(choice) };
        for at in 0..choice.values[depth].len() {
            choice.binding[variable].clone_from(&choice.values[depth][at]);
            self.choose(choice, depth + 1)?;
        }
        Ok(())
    }

    /// Adds the transition of a whole binding.
    fn bound(&mut self, choice: &Choice<'d>) -> Result<(), Fault> {
        let (document, transition) = (self.document, choice.transition);
        if self.net.transitions.len() >= MAX_TRANSITIONS {
            let message = format!("the net has more than {MAX_TRANSITIONS} transitions");
            return Err(Fault::large(transition.id.span, message));
        }
        let mut inputs: FxHashMap<usize, i64> = FxHashMap::default();
        let mut changes: FxHashMap<usize, i64> = FxHashMap::default();
        for (arcs, sign) in [(&transition.inputs, -1), (&transition.outputs, 1)] {
            for (place, term) in arcs {
                let sort = &document.places[*place].sort;
                for (at, number) in self.tokens(term, sort, self.first[*place], &choice.binding)? {
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
            let names =
                of.sort.iter().zip(&choice.binding[variable]).map(|(&base, &value)| document.sorts.name(base, value));
            format!("{}={}", of.name, names.collect::<Vec<String>>().join(","))
        };
        let values: Vec<String> = choice.variables.iter().map(value).collect();
        let id = &transition.id;
        let label = if values.is_empty() { id.text.clone() } else { format!("{}({})", id.text, values.join(", ")) };
        self.net.transitions.push(net::Transition { label, inputs, changes, is_dead: false, span: id.span });
        Ok(())
    }
}

/// The bindings of a transition.
struct Choice<'d> {
    transition: &'d Transition,
    /// Its variables, in the order in which they get values.
    variables: Vec<usize>,
    /// The conditions to evaluate once so many variables have values.
    due: Vec<Vec<&'d Guard>>,
    /// The values of each of its variables.
    values: Vec<Vec<Vec<i32>>>,
    /// The values of all variables of the net; empty ones are not chosen.
    binding: Vec<Vec<i32>>,
}
