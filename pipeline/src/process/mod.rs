//! The stages of the line for sequential processes.

mod candidates;
mod detect;

use checker::{Control, GroupNames, InternalError, Question, Reductions, Refusal, Report};
use frontend::model::PropertyKind;
use frontend::sequential::print::{print, print_expression};
use frontend::sequential::spans::expression_without_spans;
use frontend::sequential::trace::Trace;
use frontend::sequential::{Expr, Formula, Options, Property, Sequential, conditions};
use frontend::source::Span;
use ltl::Automaton;
use num_bigint::BigUint;
use slicing::reduce::Abstracted;
use symmetry::Strategy;
use symmetry::sequential::{Names, ValidatedGroup};

use crate::detection::{Detection, Undetected};
use crate::language::Language;
use crate::line::{Error, Plan};
use crate::read::Reading;
use crate::slice::{self, Sliced, Slicing};

use candidates::Steps;

impl Language for Sequential {
    const NAME: &'static str = "lpe";
    const HAS_QUEUES: bool = false;

    type Properties = Vec<Property>;
    type Condition = Expr;
    type Trace = Trace;
    type Group = ValidatedGroup;

    fn has_processes(&self) -> bool {
        self.fair.is_some()
    }

    fn text(&self) -> String {
        print(self)
    }

    fn group(&self, properties: &Vec<Property>, strategy: Strategy) -> Result<ValidatedGroup, String> {
        if strategy != Strategy::Constraint {
            return Err(format!(
                "{strategy} reads the topology of Rebeca models, and the model is a sequential process"
            ));
        }
        let found = candidates::candidates(self, properties, Steps::default()).map_err(|large| large.to_string())?;
        Ok(detect::proved(self, properties, &found).group)
    }

    fn of_instances(group: &ValidatedGroup) -> &ValidatedGroup {
        group.of_instances()
    }

    fn detect(&self, properties: &Vec<Property>, strategy: Strategy) -> Result<Detection, Undetected> {
        detect::detect(self, properties, strategy)
    }

    fn shape(&self, group: &ValidatedGroup) -> (String, usize) {
        (Names::new(self, group).structure(group).to_string(), group.generators().len())
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
        question: &Question<Vec<Property>>,
        slicing: Slicing,
        _: &Abstracted,
        _: &mut dyn Control,
    ) -> Result<Sliced<'_, Self>, Error> {
        slice::of_process(self, question, slicing)
    }

    fn never_overflows(&self) -> bool {
        true
    }

    fn split(properties: &Vec<Property>) -> (Vec<Property>, Vec<Vec<Property>>) {
        let (formulas, others): (Vec<_>, Vec<_>) =
            properties.iter().cloned().partition(|property| matches!(property.kind, PropertyKind::Ltl(_)));
        (others, formulas.into_iter().map(|formula| vec![formula]).collect())
    }

    fn unfair_quotient(&self, question: &Question<Vec<Property>>, plan: Plan) -> Option<Refusal> {
        checker::unfair_quotient_of_process(self, question, plan.representative)
    }

    fn check(
        &self,
        question: &Question<Vec<Property>>,
        reductions: Reductions<'_, ValidatedGroup>,
        control: &mut dyn Control,
    ) -> Result<Report<Trace>, InternalError> {
        checker::sequential::check_reduced(self, question, reductions, control)
    }

    fn declared(properties: &Vec<Property>) -> Vec<(&str, Span)> {
        properties.iter().map(|property| (property.name.as_str(), property.span)).collect()
    }

    fn retain(properties: &mut Vec<Property>, wanted: &dyn Fn(&str) -> bool) {
        properties.retain(|property| wanted(&property.name));
    }

    fn formulas(properties: &Vec<Property>) -> Vec<(&str, &Formula)> {
        let formulas = properties.iter().filter_map(|property| match &property.kind {
            PropertyKind::Ltl(formula) => Some((property.name.as_str(), formula)),
            PropertyKind::Invariant(_) => None,
        });
        formulas.collect()
    }

    fn add(properties: &mut Vec<Property>, property: Property) {
        properties.push(property);
    }

    fn conditions(
        &self,
        text: &str,
        reading: &Reading,
        _: &Vec<Property>,
        wanted: &[&str],
    ) -> Vec<Result<Expr, String>> {
        conditions(text, &Options { constants: reading.constants.clone() }, wanted)
    }

    fn condition_text(&self, _: &Vec<Property>, condition: &Expr) -> String {
        let condition = expression_without_spans(condition);
        let mut propositions = self.propositions.iter();
        let known = propositions.find(|proposition| expression_without_spans(&proposition.value) == condition);
        known.map_or_else(|| print_expression(self, &condition, &[]), |proposition| proposition.name.clone())
    }

    fn violating(formula: &Formula) -> Option<(Automaton, Vec<Expr>)> {
        checker::sequential::violating(formula)
    }

    fn taken(trace: &Trace) -> usize {
        trace.steps.len()
    }
}
