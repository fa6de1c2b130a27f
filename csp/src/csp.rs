//! [`Csp`]: a sequential model as constraints on the literals of its state.
//!
//! A literal is the statement that an element of the state has a value. Each instance of a summand has its own constraints, which belong
//! to it only: its guard, its fault condition, its label (event and arguments), and for each element that it may change and each value
//! the condition under which the element has that value afterwards. Elements without an output keep their values. The initial states are
//! one constraint. Each atom of a property is one too.
//!
//! Conditions are functions of the state, whatever constraint refers to them: equal ones are shared.
//!
//! # Invariants
//!
//! [`verify()`] lists the broken invariants: a condition follows its operands; cubes name live values of elements, ascending; operands of
//! `NoneOf` are cubes; every id and every literal exists.
//!
//! # Source
//!
//! \[Zha13\] IV-B. Deviation: instances replace parameters as variables, so that array reads and writes name elements and need no frame
//! equations; partial assignments (cubes) replace complete ones.

use std::fmt::Write as _;

use frontend::sequential::{Sequential, SummandId, VariableId};

pub use crate::condition::{Atom, Condition, ConditionId, Datum, Term, TermId};

/// A sequential model as constraints.
#[derive(Default, Clone, PartialEq, Eq, Debug)]
pub struct Csp {
    /// The elements of the state.
    pub elements: Vec<Element>,
    /// The conditions; operands precede the conditions that contain them.
    pub conditions: Vec<Condition>,
    /// The terms over wide elements; operands precede the terms that contain them.
    pub terms: Vec<Term>,
    /// The atoms of conditions over terms: cubes name them by numbers that follow those of the elements.
    pub atoms: Vec<Atom>,
    /// Further initial states, with one value per element.
    pub starts: Vec<Vec<i32>>,
    /// The labels of transitions.
    pub labels: Vec<Label>,
    /// Where instances stand for several: the labels with an argument by which the summand indexes an array, and that index.
    pub indexed: Vec<Indexed>,
    /// The instances that may be enabled or fault.
    pub instances: Vec<Instance>,
    /// The atoms of the properties. A symmetry must keep each of them.
    pub claims: Vec<Claim>,
    /// The parts that are too large to be represented: symmetries map them only to themselves.
    pub opaque: Vec<Opaque>,
    /// The summands of which no instance is ever enabled or faults.
    pub dead: Vec<SummandId>,
    /// The parts with a condition outside the bounds of canonical forms: its text may hide a symmetry.
    pub as_written: Vec<Part>,
}

/// A part of the model that is not represented.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Opaque {
    /// The part itself.
    pub part: Part,
    /// The elements of the variables that it names, ascending: their literals are mapped only to themselves.
    pub elements: Vec<usize>,
}

/// A part of a model.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Part {
    /// All instances of a summand.
    Summand(SummandId),
    /// An atom of a property.
    Atom(String, usize),
}

impl Part {
    /// A readable name of the part.
    pub fn name(&self, model: &Sequential) -> String {
        match self {
            Part::Summand(id) => format!("summand {} `{}`", id.0, model.summand(*id).event),
            Part::Atom(property, atom) => format!("atom {atom} of `{property}`"),
        }
    }
}

/// An element of the state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Element {
    /// The number of values of its sort.
    pub size: usize,
    /// Its live values, ascending: see [`crate::ground`].
    pub values: Vec<i32>,
    /// Its initial value; `None` for any value.
    pub initial: Option<i32>,
    /// The bounds of a wide element, which has no live values of its own.
    pub wide: Option<(i32, i32)>,
}

/// An event with values for its arguments.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Label {
    /// The name of the event.
    pub event: String,
    /// Its arguments; `None` for those that are computed from wide elements.
    pub arguments: Vec<Option<i32>>,
}

impl Label {
    /// An event with these arguments.
    pub(crate) fn of(event: &str, arguments: &[Datum]) -> Label {
        let arguments = arguments.iter().map(|&datum| if let Datum::Value(value) = datum { Some(value) } else { None });
        Label { event: event.to_owned(), arguments: arguments.collect() }
    }
}

/// An index of an array that is an argument of a label.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Indexed {
    /// The label.
    pub label: usize,
    /// The array.
    pub variable: VariableId,
    /// The dimension of the array.
    pub dimension: usize,
    /// The index.
    pub value: i32,
}

/// A summand with values for its parameters.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Instance {
    /// The summand.
    pub summand: SummandId,
    /// The values of its parameters; none where it represents several.
    pub parameters: Vec<i32>,
    /// The condition under which it is enabled.
    pub guard: ConditionId,
    /// The condition under which it faults: in its guard, or where it is enabled.
    pub fault: ConditionId,
    /// Its labels, each with its condition; `None` if there are too many to list: then a symmetry maps the instance only to itself.
    pub labels: Option<Vec<(usize, ConditionId)>>,
    /// For each label the terms that distinguish it: its arguments that are computed from wide elements.
    pub label_terms: Vec<Vec<TermId>>,
    /// The process of weak fairness it belongs to.
    pub process: Option<i32>,
    /// The changes of elements.
    pub outputs: Vec<Output>,
    /// The elements with one live value that the evaluation of the instance reads, ascending: they have no influence, and move with the
    /// instance.
    pub constants: Vec<usize>,
}

/// The output of an instance: if the instance is enabled and does not fault, `element` has `value` afterwards if and only if `when`
/// holds before.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Output {
    /// The element.
    pub element: usize,
    /// The value, a live one; for a wide element any value or a term.
    pub value: Datum,
    /// The condition.
    pub when: ConditionId,
}

/// An atom of a property.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Claim {
    /// The name of the property.
    pub property: String,
    /// The number of the atom in the property, from left to right; 0 for an assertion as a whole.
    pub atom: usize,
    /// The condition under which it holds.
    pub holds: ConditionId,
    /// The condition under which its evaluation faults.
    pub faults: ConditionId,
}

impl Csp {
    /// The atom over terms that the number of an element in a cube denotes.
    pub fn atom_of(&self, element: usize) -> Option<usize> {
        element.checked_sub(self.elements.len())
    }

    /// The condition of an id.
    pub fn condition(&self, id: ConditionId) -> &Condition {
        &self.conditions[id.index()]
    }

    /// The constraints as readable text: elements, conditions, instances, atoms.
    pub fn print(&self, model: &Sequential) -> String {
        let mut out = String::new();
        for (place, element) in self.elements.iter().enumerate() {
            if let Some((low, high)) = element.wide {
                let initial = element.initial.map_or("*".into(), |value| model.element_value(place, value));
                let _ = writeln!(out, "element {} = {initial} of {low}..{high}", model.element_name(place));
                continue;
            }
            let values: Vec<String> = element.values.iter().map(|&value| model.element_value(place, value)).collect();
            let initial = element.initial.map_or("*".into(), |value| model.element_value(place, value));
            let _ = writeln!(out, "element {} = {initial} of {}", model.element_name(place), values.join(" "));
        }
        for (place, condition) in self.conditions.iter().enumerate() {
            let _ = writeln!(out, "c{place} = {}", self.print_condition(model, condition));
        }
        for instance in &self.instances {
            self.print_instance(model, instance, &mut out);
        }
        for claim in &self.claims {
            let Claim { property, atom, holds, faults } = claim;
            let _ = writeln!(out, "claim {property}.{atom} = c{}, faults c{}", holds.0, faults.0);
        }
        for &summand in &self.dead {
            let _ = writeln!(out, "dead {}#{}", model.summand(summand).event, summand.0);
        }
        for opaque in &self.opaque {
            let _ = writeln!(out, "opaque {}", opaque.part.name(model));
        }
        for part in &self.as_written {
            let _ = writeln!(out, "as written {}", part.name(model));
        }
        out
    }

    fn print_instance(&self, model: &Sequential, instance: &Instance, out: &mut String) {
        let _ = writeln!(
            out,
            "instance {}: guard c{}, faults c{}",
            instance.name(model),
            instance.guard.0,
            instance.fault.0
        );
        for output in &instance.outputs {
            let value = match output.value {
                Datum::Value(value) => model.element_value(output.element, value),
                Datum::Term(term) => self.print_term(model, term),
            };
            let _ = writeln!(out, "  {}' = {value} if c{}", model.element_name(output.element), output.when.0);
        }
        for (&(label, when), label_terms) in instance.labels.iter().flatten().zip(&instance.label_terms) {
            let (label, mut label_terms) = (&self.labels[label], label_terms.iter());
            let argument = |value: &Option<i32>| match value {
                Some(value) => value.to_string(),
                None => label_terms.next().map_or_else(String::new, |&term| self.print_term(model, term)),
            };
            let arguments: Vec<String> = label.arguments.iter().map(argument).collect();
            let _ = writeln!(out, "  label {}({}) if c{}", label.event, arguments.join(", "), when.0);
        }
    }

    fn print_condition(&self, model: &Sequential, condition: &Condition) -> String {
        let list = |name: &str, operands: &[ConditionId]| {
            let operands: Vec<String> = operands.iter().map(|operand| format!("c{}", operand.0)).collect();
            format!("{name}({})", operands.join(", "))
        };
        match condition {
            Condition::False => "false".into(),
            Condition::True => "true".into(),
            Condition::All(operands) => list("all", operands),
            Condition::Any(operands) => list("any", operands),
            Condition::NoneOf(operands) => list("none", operands),
            Condition::Cube(tests) => {
                let tests: Vec<String> = tests
                    .iter()
                    .map(|(element, values)| {
                        if let Some(atom) = self.atom_of(*element) {
                            let no = if values == &[0] { "no " } else { "" };
                            return format!("{no}{}", self.print_atom(model, atom));
                        }
                        let values: Vec<String> =
                            values.iter().map(|&value| model.element_value(*element, value)).collect();
                        format!("{}={}", model.element_name(*element), values.join("|"))
                    })
                    .collect();
                format!("cube({})", tests.join(", "))
            }
        }
    }

    /// An atom as readable text.
    pub(crate) fn print_atom(&self, model: &Sequential, atom: usize) -> String {
        match self.atoms[atom] {
            Atom::Equal(left, right) => {
                format!("{} = {}", self.print_term(model, left), self.print_term(model, right))
            }
            Atom::Less(left, right) => format!("{} < {}", self.print_term(model, left), self.print_term(model, right)),
            Atom::Fault(term) => format!("fault of {}", self.print_term(model, term)),
        }
    }

    /// A term as readable text.
    pub(crate) fn print_term(&self, model: &Sequential, term: TermId) -> String {
        match self.terms[term.index()] {
            Term::Value(value) => value.to_string(),
            Term::Element(element) => model.element_name(element),
            Term::Bits(inner) => format!("popcount({})", self.print_term(model, inner)),
            Term::Binary(op, left, right) => {
                format!("({} {} {})", self.print_term(model, left), op.symbol(), self.print_term(model, right))
            }
        }
    }
}

impl Instance {
    /// A readable name: the event, the number of the summand, and the values of the parameters, where they have one.
    pub fn name(&self, model: &Sequential) -> String {
        let summand = model.summand(self.summand);
        let named = summand.parameters.iter().zip(&self.parameters);
        let values: Vec<String> =
            named.map(|(p, &value)| format!("{}={}", p.name, model.value_name(p.sort, value))).collect();
        format!("{}#{}({})", summand.event, self.summand.0, values.join(", "))
    }
}

/// Lists the broken invariants; an empty list means that the constraints are valid.
pub fn verify(csp: &Csp) -> Vec<String> {
    let mut problems = Vec::new();
    let mut require = |right: bool, problem: String| {
        if !right {
            problems.push(problem);
        }
    };
    let live = |element: usize, value: i32| {
        let atom = csp.atom_of(element);
        csp.elements.get(element).is_some_and(|element| element.values.binary_search(&value).is_ok())
            || atom.is_some_and(|atom| atom < csp.atoms.len() && (value == 0 || value == 1))
    };
    let fits = |output: &Output| match (output.value, csp.elements.get(output.element).and_then(|one| one.wide)) {
        (Datum::Value(value), None) => live(output.element, value),
        (Datum::Value(value), Some((low, high))) => low <= value && value <= high,
        (Datum::Term(term), wide) => wide.is_some() && term.index() < csp.terms.len(),
    };
    let known = |id: ConditionId| id.index() < csp.conditions.len();
    for (place, element) in csp.elements.iter().enumerate() {
        let ascending = element.values.windows(2).all(|pair| pair[0] < pair[1]);
        require(
            ascending && element.values.is_empty() == element.wide.is_some(),
            format!("element {place}: values out of order"),
        );
        require(
            element.initial.is_none_or(|value| element.wide.is_some() || live(place, value)),
            format!("element {place}: initial value not live"),
        );
        require(element.values.len() <= element.size, format!("element {place}: more values than its sort has"));
    }
    for (place, condition) in csp.conditions.iter().enumerate() {
        let before = condition.operands().iter().all(|operand| operand.index() < place);
        require(before, format!("condition {place}: operands after it"));
        let right = match condition {
            Condition::False => place == 0,
            Condition::True => place == 1,
            Condition::All(list) | Condition::Any(list) => list.len() > 1,
            Condition::NoneOf(list) => {
                list.iter().all(|operand| matches!(csp.conditions.get(operand.index()), Some(Condition::Cube(_))))
            }
            Condition::Cube(tests) => {
                !tests.is_empty()
                    && tests.windows(2).all(|pair| pair[0].0 < pair[1].0)
                    && tests.iter().all(|(element, values)| {
                        !values.is_empty() && values.iter().all(|&value| live(*element, value))
                    })
            }
        };
        require(right, format!("condition {place}: malformed"));
    }
    for (place, instance) in csp.instances.iter().enumerate() {
        require(known(instance.guard) && known(instance.fault), format!("instance {place}: unknown condition"));
        let outputs = instance.outputs.iter().all(|output| known(output.when) && fits(output));
        require(outputs, format!("instance {place}: unknown output"));
        let labels = instance.labels.iter().flatten().all(|&(label, when)| label < csp.labels.len() && known(when));
        require(labels, format!("instance {place}: unknown label"));
        let listed = instance.labels.as_ref().map_or(0, Vec::len) == instance.label_terms.len();
        require(listed, format!("instance {place}: labels without terms"));
        let constant = |&element: &usize| csp.elements.get(element).is_some_and(|element| element.values.len() == 1);
        require(instance.constants.iter().all(constant), format!("instance {place}: not a constant"));
    }
    for (place, instance) in csp.instances.iter().enumerate() {
        let dead = instance.guard == ConditionId::FALSE && instance.fault == ConditionId::FALSE;
        require(!dead, format!("instance {place}: never enabled, and not said to be dead"));
    }
    let pinned = csp.opaque.iter().all(|opaque| opaque.elements.iter().all(|&element| element < csp.elements.len()));
    require(pinned, "an opaque part names an unknown element".into());
    let claims = csp.claims.iter().all(|claim| known(claim.holds) && known(claim.faults));
    require(claims, "a claim names an unknown condition".into());
    problems
}
