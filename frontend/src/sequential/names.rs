//! Names for people: elements, values, states, steps and faults.

use super::interpret::{SeqFaultKind, SeqStep};
use super::{Domain, Expr, MAX_WHILE, Origin, Sequential, SortId, Typing, ValueKind, VariableId};

impl Sequential {
    /// A value of a sort for people: a number or the name of a member.
    pub fn value_name(&self, sort: SortId, value: i32) -> String {
        self.kind_value_name(self.kind_of(sort), value)
    }

    /// A value of a kind for people: a number, or the name of a member without the prefix that sets it apart from those
    /// of other enumerations.
    pub fn kind_value_name(&self, kind: ValueKind, value: i32) -> String {
        let Some(name) = self.member_name(kind, value) else { return value.to_string() };
        name.rsplit_once('.').map_or(name, |(_, last)| last).to_owned()
    }

    /// The whole name of a member of an enumeration; `None` for integers.
    pub(super) fn member_name(&self, kind: ValueKind, value: i32) -> Option<&str> {
        let ValueKind::Member(sort) = kind else { return None };
        match self.domain(sort) {
            Domain::Members(names) => names.get(usize::try_from(value).ok()?).map(String::as_str),
            Domain::Range { .. } | Domain::Numbers { .. } | Domain::Part { .. } => None,
        }
    }

    /// The variable and the values of the indices of an element of the state.
    ///
    /// # Panics
    /// If there is no such element.
    pub fn element(&self, element: usize) -> (VariableId, Vec<i32>) {
        debug_assert!(
            self.variables.is_sorted_by_key(|one| one.offset),
            "variables are ascending, for the search in them"
        );
        let behind = self.variables.partition_point(|variable| variable.offset <= element);
        let id = behind.checked_sub(1).expect("the state has this element");
        let variable = &self.variables[id];
        let mut rest = element - variable.offset;
        let mut indices = vec![0; variable.indices.len()];
        for (index, &sort) in indices.iter_mut().zip(&variable.indices).rev() {
            let domain = self.domain(sort);
            let step = i32::try_from(rest % domain.size()).expect("sorts are bounded");
            *index = domain.bounds().0 + step;
            rest /= domain.size();
        }
        assert!(rest == 0, "the state has no element {element}");
        (VariableId::from_index(id), indices)
    }

    /// The element of a variable at these indices; `None` if one of them is outside its sort.
    pub fn element_at(&self, id: VariableId, indices: &[i32]) -> Option<usize> {
        let variable = self.variable(id);
        debug_assert_eq!(variable.indices.len(), indices.len(), "an index for each dimension");
        let place = variable.indices.iter().zip(indices).try_fold(0, |place, (&sort, &index)| {
            let domain = self.domain(sort);
            let step = index.checked_sub(domain.bounds().0).filter(|_| domain.contains(index))?;
            Some(place * domain.size() + usize::try_from(step).ok()?)
        })?;
        Some(variable.offset + place)
    }

    /// The name of an element of the state, such as `busy`, `pc[3]` or `met[1][2]`.
    ///
    /// # Panics
    /// If there is no such element.
    pub fn element_name(&self, element: usize) -> String {
        let (id, indices) = self.element(element);
        let variable = self.variable(id);
        let mut name = variable.name.clone();
        for (&sort, index) in variable.indices.iter().zip(indices) {
            name.push_str(&format!("[{}]", self.value_name(sort, index)));
        }
        name
    }

    /// The value of an element of a state for people.
    ///
    /// # Panics
    /// If there is no such element.
    pub fn element_value(&self, element: usize, value: i32) -> String {
        self.value_name(self.variable(self.element(element).0).sort, value)
    }

    /// The label of a step: the event with its arguments, `get(2)`, or without arguments the event with the values of
    /// the summation variables, `enter(i=1)`. Summands with a label of their own show that.
    pub fn step_label(&self, step: &SeqStep) -> String {
        let summand = self.summand(step.summand);
        if let Some(label) = &summand.label {
            if self.origin == Origin::Promela {
                let pids: Vec<String> = step.parameters.iter().map(ToString::to_string).collect();
                return format!("proc {} {label}", pids.join(" and "));
            }
            return label.clone();
        }
        let parts: Vec<String> = if summand.arguments.is_empty() {
            debug_assert_eq!(
                summand.parameters.len(),
                step.parameters.len(),
                "an instance has a value for each parameter"
            );
            let named = summand.parameters.iter().zip(&step.parameters);
            named.map(|(p, &value)| format!("{}={}", p.name, self.value_name(p.sort, value))).collect()
        } else if step.arguments.is_empty() {
            Vec::new()
        } else {
            let kinds = summand.arguments.iter().map(|argument| self.argument_kind(argument, step));
            debug_assert_eq!(summand.arguments.len(), step.arguments.len(), "an event has a value for each argument");
            kinds.zip(&step.arguments).map(|(kind, &value)| self.kind_value_name(kind, value)).collect()
        };
        if parts.is_empty() { summand.event.clone() } else { format!("{}({})", summand.event, parts.join(", ")) }
    }

    /// The name of a step's event in traces: the label of the summand, or the event.
    pub fn event_name(&self, step: &SeqStep) -> &str {
        let summand = self.summand(step.summand);
        summand.label.as_ref().unwrap_or(&summand.event)
    }

    fn argument_kind(&self, argument: &Expr, step: &SeqStep) -> ValueKind {
        let parameters = &self.summand(step.summand).parameters;
        let mut typing = Typing::new(self, parameters.iter().map(|parameter| parameter.sort).collect());
        typing.values(argument).map_or(ValueKind::Integer, super::Values::kind)
    }

    /// The least and the greatest value of a sort.
    fn bounds_text(&self, sort: SortId) -> String {
        let (low, high) = self.domain(sort).bounds();
        format!("{} to {}", self.value_name(sort, low), self.value_name(sort, high))
    }

    /// The text of a fault.
    pub fn fault_text(&self, kind: &SeqFaultKind) -> String {
        match kind {
            SeqFaultKind::IndexOutOfRange { index, sort, variable } => {
                let value = self.value_name(*sort, *index);
                // Types of indices have names in the sequential language only.
                let array = variable.filter(|_| self.origin != Origin::Lpe);
                let name = array.map_or(&self.sort(*sort).name, |array| &self.variable(array).name);
                format!("the index {value} is outside of `{name}` ({})", self.bounds_text(*sort))
            }
            SeqFaultKind::OutsideDomain { variable, value } => {
                let variable = self.variable(*variable);
                let (sort, bounds) = (&self.sort(variable.sort).name, self.bounds_text(variable.sort));
                let value = self.value_name(variable.sort, *value);
                format!("the value {value} for `{}` is outside of `{sort}` ({bounds})", variable.name)
            }
            SeqFaultKind::DivisionByZero => "division by zero".into(),
            SeqFaultKind::ArithmeticOverflow => "a result does not fit into 32 bits".into(),
            SeqFaultKind::NoRoot => "there is no such root".into(),
            SeqFaultKind::Failed(text) => text.clone(),
            SeqFaultKind::Endless => format!("a `while` loop makes more than {MAX_WHILE} rounds"),
            SeqFaultKind::WorkExhausted => "it takes too long".into(),
        }
    }
}
