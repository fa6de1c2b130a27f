//! [`Vertex`]: what a vertex of the graph stands for, and its name for people.

use frontend::sequential::{Sequential, SortId, VariableId};

use crate::csp::{ConditionId, Csp, Datum, TermId};

/// What a vertex stands for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Vertex {
    /// An element of the state.
    Element(usize),
    /// An element having a value.
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
    /// An instance having a label under a condition.
    Labelled {
        /// The instance.
        instance: usize,
        /// The label.
        label: usize,
    },
    /// An instance having a label with arguments that are computed from wide elements.
    Told {
        /// The instance.
        instance: usize,
        /// Which of its labels.
        number: usize,
    },
    /// A parameter of an instance in parametric form.
    Parameter(usize),
    /// A parameter having a value.
    ParameterValue {
        /// The parameter.
        parameter: usize,
        /// The value.
        value: i32,
    },
    /// A parameter having any value but one.
    OtherThan {
        /// The parameter.
        parameter: usize,
        /// The value.
        value: i32,
    },
    /// What an argument of an event may be in parametric form.
    ArgumentValue(usize),
    /// Which argument of an event the value of an argument is of, by the first that is.
    ArgumentPlace(usize),
    /// An instance in parametric form having an argument under a condition.
    Given {
        /// The instance.
        instance: usize,
        /// The value of the argument.
        argument: usize,
    },
    /// A value of wide elements.
    Constant(i32),
    /// What is computed from wide elements, or the value of one.
    Term(TermId),
    /// The left operand of a term that is not commutative.
    Left(TermId),
    /// A question about terms.
    Atom(usize),
    /// The left operand of a question.
    AtomLeft(usize),
    /// A question having an answer.
    Answer {
        /// The question.
        atom: usize,
        /// The answer.
        holds: bool,
    },
    /// An instance making a literal true, or giving a wide element a value.
    Output {
        /// The instance.
        instance: usize,
        /// The element.
        element: usize,
        /// The value.
        value: Datum,
    },
    /// An instance faulting.
    Fault(usize),
    /// An atom of a property holding.
    Claim(usize),
    /// An atom of a property faulting.
    ClaimFault(usize),
}

impl Vertex {
    /// A name for people.
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
        let parameter = |place: usize, sign: &str, value: i32| {
            let parameter = &csp.parameters[place];
            format!("{}{sign}{}", parameter.name(model), model.value_name(parameter.sort, value))
        };
        let argument = |place: usize| {
            let argument = &csp.arguments[place];
            format!("argument {} of {} = {}", argument.place + 1, argument.event, argument.value)
        };
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
            Vertex::Told { instance: place, number } => format!("{}: label {number}", instance(place)),
            Vertex::Output { instance: place, element, value } => {
                let name = match value {
                    Datum::Value(value) => literal(element, value),
                    Datum::Term(term) => format!("{} := {}", model.element_name(element), csp.print_term(model, term)),
                };
                format!("{}: {name}", instance(place))
            }
            Vertex::Parameter(place) => csp.parameters[place].name(model),
            Vertex::ParameterValue { parameter: place, value } => parameter(place, "=", value),
            Vertex::OtherThan { parameter: place, value } => parameter(place, "!=", value),
            Vertex::ArgumentValue(place) => argument(place),
            Vertex::ArgumentPlace(place) => {
                format!("argument {} of {}", csp.arguments[place].place + 1, csp.arguments[place].event)
            }
            Vertex::Given { instance: place, argument: at } => format!("{}: {}", instance(place), argument(at)),
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
