//! Petri nets: PNML, `.pnml`, place/transition nets and symmetric nets of the grammar of 2009.
//!
//! [`read()`] reads a document and unfolds its net; [`parse`] brings the net into the sequential form: a place is a variable, a transition a
//! summand. There is no noun of its own behind the net: all later stages are those of [`sequential`](crate::sequential).
//!
//! The passes, in order: XML to elements, elements to the document with its sorts and terms, unfolding, bounds on the places by the
//! structure of the net, a search for a place that grows without bound, lowering. Formulas of the Model Checking Contest become properties.
//!
//! Source: ISO/IEC 15909-2, and the rules of the Model Checking Contest for formulas. `docs/semantics.md` pins the choices.

mod bounds;
mod document;
mod exact;
mod formulas;
mod growth;
mod lower;
mod markable;
mod net;
mod structure;
#[cfg(test)]
mod tests;
mod unfold;
mod xml;

use std::cell::OnceCell;

use crate::diagnostics::{Diagnostic, Diagnostics, codes};
use crate::sequential::verify::is_well_formed;
use crate::sequential::{Expr, Options, Parsed, Property, Sequential};
use crate::source::Span;

pub use formulas::{Asked, Time};
pub use net::{Net, Place, Transition};
pub use structure::{Structure, structure};

/// A net as it was read.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The net, unfolded.
    pub net: Net,
    /// An upper bound on the tokens of each place, where one is known.
    pub bounds: Vec<Option<i32>>,
    /// A place that grows without bound, if a run was found that shows one.
    pub unbounded: Option<usize>,
    /// The process, once it was asked for.
    model: OnceCell<Sequential>,
}

impl Loaded {
    /// The process of the net: made when it is first asked for, as it takes some ten times the memory of the net.
    pub fn model(&self) -> &Sequential {
        self.model.get_or_init(|| process(&self.net, &self.bounds))
    }
}

/// Reads a net that may have places without bound; nothing if the text has an error, which is reported.
pub fn read(text: &str, sink: &mut Diagnostics) -> Option<Loaded> {
    let mut own = Diagnostics::new();
    let loaded = read_with_remarks(text, &mut own);
    own.list.retain(|diagnostic| diagnostic.code != codes::PNML_UNBOUNDED);
    own.list.into_iter().for_each(|diagnostic| sink.push(diagnostic));
    loaded
}

/// As [`read()`]; a place that grows is reported too.
fn read_with_remarks(text: &str, sink: &mut Diagnostics) -> Option<Loaded> {
    let net = unfolded(text, sink)?;
    let bounds = bounds::bounds(&net);
    let holds = |(bound, place): (&Option<i32>, &Place)| bound.is_none_or(|bound| place.initial <= bound);
    assert!(bounds.len() == net.places.len() && bounds.iter().zip(&net.places).all(holds), "bounds hold at the start");
    let growth = growth::growth(&net, &bounds);
    assert!(growth.iter().all(|growth| bounds[growth.place].is_none()), "a place that grows has no bound");
    if let Some(growth) = &growth {
        let place = &net.places[growth.place];
        let names: Vec<String> =
            growth.steps.iter().map(|&step| format!("`{}`", net.transitions[step].label)).collect();
        let shown = if names.len() <= 8 { names.join(", ") } else { format!("{}, ..", names[..8].join(", ")) };
        let message = format!("place `{}` grows without bound", place.name);
        let diagnostic = Diagnostic::error(codes::PNML_UNBOUNDED, place.span, message);
        sink.push(diagnostic.help(format!("a run repeats these {} steps for ever: {shown}", names.len())));
    }
    if net.is_folded {
        let message = "there are too many transitions: one stands for all that differ in an exchange of variables only";
        let help = "verdicts and states are the same; the number of transitions counts each of them once";
        sink.push(Diagnostic::notice(codes::PNML_FOLDED, Span::NONE, message).help(help));
    }
    Some(Loaded { net, bounds, unbounded: growth.map(|growth| growth.place), model: OnceCell::new() })
}

/// The net of a text.
fn unfolded(text: &str, sink: &mut Diagnostics) -> Option<Net> {
    let mut own = Diagnostics::new();
    let root = xml::read(text, &mut own);
    let document = root.map(|root| document::read(&root, &mut own));
    let net = if own.has_errors() { None } else { document.and_then(|document| unfold::unfold(&document, &mut own)) };
    own.sort();
    sink.append(own);
    net
}

/// Reads a text. Diagnostics go to the sink; there is a model if and only if none of them is an error. A net has no constants to override.
pub fn parse(text: &str, options: &Options, sink: &mut Diagnostics) -> Parsed {
    let mut own = Diagnostics::new();
    let loaded = read_with_remarks(text, &mut own).filter(|_| !own.has_errors());
    let model = loaded.map(|loaded| process(&loaded.net, &loaded.bounds));
    debug_assert!(model.iter().all(is_well_formed), "the process of a net is well formed");
    sink.append(own);
    let unused = options.constants.iter().map(|(name, _)| name.clone()).collect();
    Parsed { model, unused, constants: Vec::new() }
}

/// The process of a net with bounds on its places: a variable for each place, a summand for each transition that the bounds let fire.
pub fn process(net: &Net, bounds: &[Option<i32>]) -> Sequential {
    lower::lower(net, bounds, lower::Wrong::default())
}

/// The condition that no transition of a net is enabled.
pub fn dead(net: &Net) -> Expr {
    formulas::dead(net)
}

/// The conditions that texts mean for the process of a net, such as `` `Fork(3)` >= 1 ``; for each text that means none, the reason.
pub fn conditions(model: &Sequential, wanted: &[&str]) -> Vec<Result<Expr, String>> {
    crate::sequential::conditions(&crate::sequential::print::print(model), &Options::default(), wanted)
}

/// The questions of a file of formulas about a net, of a kind of time if it is known. Faults of the formulas go to the sink.
pub fn questions(net: &Net, formulas: &str, time: Option<Time>, sink: &mut Diagnostics) -> Vec<Asked> {
    formulas::read(formulas, net, time, formulas::Wrong::default(), sink)
}

/// The ids of the formulas of a file, which need no net.
pub fn ids_of_questions(formulas: &str) -> Vec<String> {
    formulas::ids(formulas)
}

/// Replaces comparisons in properties of the process of a net whose sums may leave 32 bits by others that have the same value where sums have no
/// limit.
pub fn exact(model: &Sequential, properties: &mut [Property]) {
    exact::exact(model, properties, exact::Wrong::default());
}

/// The properties of a file of formulas for a net that was read from a text without errors, with its process. Faults of the formulas go to the
/// sink.
pub fn parse_formulas(model: &Sequential, text: &str, formulas: &str, sink: &mut Diagnostics) -> Vec<Property> {
    let Some(net) = unfolded(text, &mut Diagnostics::new()) else { return Vec::new() };
    let mut properties = Vec::new();
    for asked in questions(&net, formulas, None, sink) {
        match asked {
            Asked::Property(property) => properties.push(property),
            Asked::Bound { name, .. } => {
                let message = format!("`{name}` asks for a number, not for a verdict");
                let help = "the numbers of tokens that places reach are answered by `mcc`";
                sink.push(Diagnostic::error(codes::PNML_UNSUPPORTED, Span::NONE, message).help(help));
            }
        }
    }
    exact(model, &mut properties);
    properties
}

/// The number of tokens of these places together.
pub fn tokens_of(places: std::ops::Range<usize>) -> Expr {
    formulas::sum(places.map(|place| lower::tokens(place, Span::NONE)).collect())
}

/// The condition that one of these transitions is enabled; nothing if none of them ever is.
pub fn fireable(net: &Net, transitions: std::ops::Range<usize>) -> Option<Expr> {
    let enabled: Vec<Expr> =
        net.transitions[transitions].iter().map(|transition| lower::enabled(transition, Span::NONE)).collect();
    (!enabled.is_empty()).then(|| formulas::flat(enabled, false))
}
