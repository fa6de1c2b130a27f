//! [`Vertex`]: the meaning of a vertex of the graph, and its readable name.

use frontend::sequential::{Sequential, SortId, VariableId};

use crate::csp::{ConditionId, Csp, Datum, TermId};

/// The meaning of a vertex.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Vertex {
    /// An element of the state.
    Element(usize),
    /// The fact that an element has a value.
    Literal {
        /// The element.
        element: usize,
        /// The value.
        value: i32,
    },
    /// A dimension of a variable.
    Dimension(VariableId, usize),
    /// A value of an index in a dimension of a variable.
    Index {
        /// The variable.
        variable: VariableId,
        /// The dimension.
        dimension: usize,
        /// The value.
        value: i32,
    },
    /// A value of a sort as an argument of events.
    Argument(SortId, i32),
    /// The initial states.
    Initial,
    /// One of several initial states.
    Start(usize),
    /// A condition.
    Condition(ConditionId),
    /// A label of transitions.
    Label(usize),
    /// A process of weak fairness.
    Process(i32),
    /// An instance of a summand.
    Instance(usize),
    /// An instance that has a label under a condition.
    Labelled {
        /// The instance.
        instance: usize,
        /// The label.
        label: usize,
    },
    /// An instance that has a label with arguments that are computed from wide elements.
    LabelTerms {
        /// The instance.
        instance: usize,
        /// The number of the label among its labels.
        number: usize,
    },
    /// A value of wide elements.
    Constant(i32),
    /// A term over wide elements, or a wide element itself.
    Term(TermId),
    /// The left operand of a term that is not commutative.
    Left(TermId),
    /// An atom over terms.
    Atom(usize),
    /// The left operand of an atom.
    AtomLeft(usize),
    /// The truth value of an atom.
    Answer {
        /// The atom.
        atom: usize,
        /// The truth value.
        holds: bool,
    },
    /// An instance that makes a literal true, or gives a wide element a value.
    Output {
        /// The instance.
        instance: usize,
        /// The element.
        element: usize,
        /// The value.
        value: Datum,
    },
    /// The fault of an instance.
    Fault(usize),
    /// The truth of an atom of a property.
    Claim(usize),
    /// The fault of an atom of a property.
    ClaimFault(usize),
}

impl Vertex {
    /// A readable name.
    pub fn name(self, model: &Sequential, csp: &Csp) -> String {
        let instance = |place: usize| csp.instances[place].name(model);
        let label = |place: usize| {
            let arguments = csp.labels[place].arguments.iter();
            let arguments: Vec<String> =
                arguments.map(|value| value.map_or_else(|| "..".to_owned(), |value| value.to_string())).collect();
            format!("{}({})", csp.labels[place].event, arguments.join(", "))
        };
        let literal = |element: usize, value: i32| {
            format!("{}={}", model.element_name(element), model.element_value(element, value))
        };
        let claim = |place: usize| format!("{}.{}", csp.claims[place].property, csp.claims[place].atom);
        match self {
            Vertex::Element(element) => model.element_name(element),
            Vertex::Literal { element, value } => literal(element, value),
            Vertex::Dimension(variable, dimension) => format!("{} {dimension}", model.variable(variable).name),
            Vertex::Index { variable, dimension, value } => {
                let variable = model.variable(variable);
                format!("{} {dimension}={}", variable.name, model.value_name(variable.indices[dimension], value))
            }
            Vertex::Argument(sort, value) => format!("{} {}", model.sort(sort).name, model.value_name(sort, value)),
            Vertex::Initial => "initial".into(),
            Vertex::Start(number) => format!("initial {}", number + 1),
            Vertex::Condition(id) => format!("c{}", id.0),
            Vertex::Label(place) => format!("label {}", label(place)),
            Vertex::Process(value) => format!("process {value}"),
            Vertex::Instance(place) => instance(place),
            Vertex::Labelled { instance: place, label: at } => format!("{}: label {}", instance(place), label(at)),
            Vertex::LabelTerms { instance: place, number } => format!("{}: label {number}", instance(place)),
            Vertex::Output { instance: place, element, value } => {
                let name = match value {
                    Datum::Value(value) => literal(element, value),
                    Datum::Term(term) => format!("{} := {}", model.element_name(element), csp.print_term(model, term)),
                };
                format!("{}: {name}", instance(place))
            }
            Vertex::Constant(value) => value.to_string(),
            Vertex::Term(term) => csp.print_term(model, term),
            Vertex::Left(term) => format!("left of {}", csp.print_term(model, term)),
            Vertex::Atom(atom) => csp.print_atom(model, atom),
            Vertex::AtomLeft(atom) => format!("left of {}", csp.print_atom(model, atom)),
            Vertex::Answer { atom, holds } => format!("{}: {holds}", csp.print_atom(model, atom)),
            Vertex::Fault(place) => format!("{}: fault", instance(place)),
            Vertex::Claim(place) => format!("claim {}", claim(place)),
            Vertex::ClaimFault(place) => format!("claim {}: fault", claim(place)),
        }
    }
}
