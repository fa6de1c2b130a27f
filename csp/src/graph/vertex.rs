//! [`Vertex`]: what a vertex of the graph stands for, and its name for people.

use frontend::sequential::{Sequential, SortId, VariableId};

use crate::csp::{ConditionId, Csp};

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
    /// An instance making a literal true.
    Output {
        /// The instance.
        instance: usize,
        /// The element.
        element: usize,
        /// The value.
        value: i32,
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
            let arguments: Vec<String> = csp.labels[place].arguments.iter().map(i32::to_string).collect();
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
            Vertex::Condition(id) => format!("c{}", id.0),
            Vertex::Label(place) => format!("label {}", label(place)),
            Vertex::Process(value) => format!("process {value}"),
            Vertex::Instance(place) => instance(place),
            Vertex::Labelled { instance: place, label: at } => format!("{}: label {}", instance(place), label(at)),
            Vertex::Output { instance: place, element, value } => {
                format!("{}: {}", instance(place), literal(element, value))
            }
            Vertex::Fault(place) => format!("{}: fault", instance(place)),
            Vertex::Claim(place) => format!("claim {}", claim(place)),
            Vertex::ClaimFault(place) => format!("claim {}: fault", claim(place)),
        }
    }
}
