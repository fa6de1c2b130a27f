//! The stages of the line for Rebeca models.

mod detect;

use checker::{Control, GroupNames, InternalError, Question, Reductions, Refusal, Report};
use frontend::interpret::trace::Trace;
use frontend::lower::lower_condition;
use frontend::model::print::{print, print_condition};
use frontend::model::spans::expression_without_spans;
use frontend::model::{Expr, Formula, Model, Property, PropertyKind, PropertySet};
use frontend::source::Span;
use ltl::Automaton;
use num_bigint::BigUint;
use slicing::reduce::Abstracted;
use symmetry::{ChannelDiagram, Detector, KnownRebec, ScalarSets, Strategy, ValidatedGroup};

use crate::detection::{Detection, Undetected};
use crate::language::Language;
use crate::line::{Error, Plan};
use crate::read::Reading;
use crate::slice::{self, Sliced, Slicing};

impl Language for Model {
    const NAME: &'static str = "rebeca";
    const HAS_QUEUES: bool = true;

    type Properties = PropertySet;
    type Condition = Expr;
    type Trace = Trace;
    type Group = ValidatedGroup;

    fn has_processes(&self) -> bool {
        true
    }

    fn text(&self) -> String {
        print(self)
    }

    fn group(&self, properties: &PropertySet, strategy: Strategy) -> Result<ValidatedGroup, String> {
        let candidates = match strategy {
            Strategy::KnownRebec => KnownRebec.candidates(self),
            Strategy::ScalarSet => ScalarSets.candidates(self),
            Strategy::Constraint => symmetry::detect::constraint(self, properties).candidates,
            Strategy::ChannelDiagram => ChannelDiagram.candidates(self),
        };
        Ok(ValidatedGroup::new(self, properties, candidates))
    }

    fn detect(&self, properties: &PropertySet, strategy: Strategy) -> Result<Detection, Undetected> {
        Ok(detect::detect(self, properties, strategy))
    }

    fn shape(&self, group: &ValidatedGroup) -> (String, usize) {
        (symmetry::group::name(group.group()).to_string(), group.generators().len())
    }

    fn names(&self, group: &ValidatedGroup) -> GroupNames {
        detect::names(self, group)
    }

    fn generators(group: &ValidatedGroup) -> String {
        format!("{:?}", group.group().generators())
    }

    fn order(group: &ValidatedGroup) -> BigUint {
        group.order()
    }

    fn slice(
        &self,
        question: &Question<PropertySet>,
        slicing: Slicing,
        replace: &Abstracted,
        control: &mut dyn Control,
    ) -> Result<Sliced<'_, Self>, Error> {
        slice::of_actors(self, question, slicing, replace, control)
    }

    fn never_overflows(&self) -> bool {
        slicing::bounds::never_overflows(self)
    }

    fn split(properties: &PropertySet) -> (PropertySet, Vec<PropertySet>) {
        let (formulas, others): (Vec<_>, Vec<_>) =
            properties.properties.iter().cloned().partition(|property| matches!(property.kind, PropertyKind::Ltl(_)));
        let with = |list| PropertySet { definitions: properties.definitions.clone(), properties: list };
        (with(others), formulas.into_iter().map(|formula| with(vec![formula])).collect())
    }

    fn unfair_quotient(&self, question: &Question, plan: Plan) -> Option<Refusal> {
        let Plan { partial_order, overflow_excluded, .. } = plan;
        let combination = Reductions::<ValidatedGroup> { partial_order, overflow_excluded, ..Reductions::default() };
        checker::unfair_quotient(self, question, plan.representative, &combination)
    }

    fn check(
        &self,
        question: &Question,
        reductions: Reductions<'_>,
        control: &mut dyn Control,
    ) -> Result<Report, InternalError> {
        checker::check_reduced(self, question, reductions, control)
    }

    fn declared(properties: &PropertySet) -> Vec<(&str, Span)> {
        properties.properties.iter().map(|property| (property.name.as_str(), property.span)).collect()
    }

    fn retain(properties: &mut PropertySet, wanted: &dyn Fn(&str) -> bool) {
        properties.properties.retain(|property| wanted(&property.name));
    }

    fn formulas(properties: &PropertySet) -> Vec<(&str, &Formula)> {
        let formulas = properties.properties.iter().filter_map(|property| match &property.kind {
            PropertyKind::Ltl(formula) => Some((property.name.as_str(), formula)),
            PropertyKind::Invariant(_) => None,
        });
        formulas.collect()
    }

    fn add(properties: &mut PropertySet, property: Property) {
        properties.properties.push(property);
    }

    fn conditions(&self, _: &str, _: &Reading, properties: &PropertySet, wanted: &[&str]) -> Vec<Result<Expr, String>> {
        wanted.iter().map(|text| lower_condition(text, self, &properties.definitions)).collect()
    }

    fn condition_text(&self, properties: &PropertySet, condition: &Expr) -> String {
        let condition = expression_without_spans(condition);
        let mut definitions = properties.definitions.iter();
        let known = definitions.find(|definition| expression_without_spans(&definition.value) == condition);
        known.map_or_else(|| print_condition(self, &condition), |definition| definition.name.clone())
    }

    fn violating(formula: &Formula) -> Option<(Automaton, Vec<Expr>)> {
        checker::violating(formula)
    }

    fn taken(trace: &Trace) -> usize {
        trace.steps.len()
    }
}
