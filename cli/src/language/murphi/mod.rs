//! Murphi: a typed program under the commands.

use checker::murphi::explore_graph;
use checker::{Limit, Limits};
use frontend::murphi::interpret::{
    Cell, Deadlock, Fault, FaultKind, Part, Step, cell_text, changes, is_deadlock, parts, starts, successors,
};
use frontend::murphi::program::{Claim, ClaimKind, Class, Header, Program, Rule, RuleId};
use frontend::murphi::trace::Trace;
use frontend::source::{Source, Span};
use ltl::Properties as _;
use serde_json::{Map, Value as Json, json};

use super::rerun::{first_difference, same_choices};
use super::{Asked, MOST_STARTS, Presented, TraceStyle};
use crate::language::pictures::NamedGraph;
use crate::language::state_space::StateSpace;
use crate::paint::clean;
use crate::trace_file::{
    ChangeFile, ChoiceFile, FaultFile, LocationFile, StartChoices, StartFile, StepFile, TraceFile, VALUE,
};

/// The rule of a step behind a start, or the start state of a start.
fn rule_of<'p>(program: &'p Program, step: &Step, is_start: bool) -> &'p Rule {
    let rules = if is_start { &program.starts } else { &program.rules };
    &rules[step.rule.index()]
}

/// The starts, or one that says that there is none.
fn some_starts(program: &Program) -> Vec<Step> {
    let mut starts = starts(program);
    if starts.is_empty() {
        let fault = Fault { kind: FaultKind::NoStart, span: Span::NONE };
        starts.push(Step {
            rule: RuleId(0),
            values: Vec::new(),
            covers: Vec::new(),
            marks: Vec::new(),
            result: Err(fault),
        });
    }
    starts
}

/// The value of a part as JSON: an integer, a condition or the name of a member, and `null` where it is undefined; a slot of a
/// multiset is `true` where it is used.
fn value_json(program: &Program, part: &Part, cell: Cell) -> Json {
    match (part.of, cell) {
        (None, cell) => json!(cell.is_some()),
        (Some(_), None) => Json::Null,
        (Some(of), Some(value)) => match program.types.class(of) {
            Class::Boolean => json!(value != 0),
            Class::Integer => json!(value),
            Class::Names | Class::Compound => json!(cell_text(program, part, cell)),
        },
    }
}

/// The rulesets and choices with their values, as JSON.
fn choices_json(program: &Program, step: &Step, is_start: bool) -> Vec<ChoiceFile> {
    let rule = rule_of(program, step, is_start);
    let choice = |(name, value): (&str, String)| ChoiceFile {
        name: Some(name.to_owned()),
        value: value.parse::<i32>().map_or_else(|_| json!(value), |value| json!(value)),
        option: None,
        line: None,
        column: None,
    };
    program.parameters(&rule.header, &rule.frame, &step.values).into_iter().map(choice).collect()
}

/// The value of the outermost ruleset around the rule of a step: the part of the system that moves.
fn mover(program: &Program, step: &Step) -> Option<String> {
    let rule = rule_of(program, step, false);
    let chosen = rule.header.iter().filter(|construct| matches!(construct, Header::For(_) | Header::Choose(_)));
    let (construct, &value) = chosen.zip(&step.values).find(|(construct, _)| matches!(construct, Header::For(_)))?;
    let Header::For(binder) = construct else { return None };
    let local = rule.frame.local(binder.local);
    let text = program.types.value_text(local.of, value);
    Some(if text.parse::<i32>().is_ok() { format!("{} {text}", local.name) } else { text })
}

/// The text of a claim: the whole property of the model, or what stands behind the name of a formula or question in a file of its own.
fn claim_text(claim: &Claim, text: &Source, other: Option<&Source>) -> String {
    let words = |text: &str| text.split_whitespace().collect::<Vec<&str>>().join(" ");
    match other {
        Some(other) if claim.span.is_none() || matches!(claim.kind, ClaimKind::Ltl(_)) => {
            words(&entry(&other.text, &claim.name))
        }
        _ => words(text.slice(claim.span)),
    }
}

/// The text behind a name and a colon, with the lines after it that begin with a blank.
fn entry(text: &str, name: &str) -> String {
    let mut lines = text.lines().skip_while(|line| {
        let head = line.split_once(':').map_or("", |(head, _)| head);
        head.trim().trim_matches('"') != name
    });
    let first = lines.next().and_then(|line| line.split_once(':')).map_or("", |(_, rest)| rest);
    let more = lines.take_while(|line| line.starts_with([' ', '\t']));
    std::iter::once(first).chain(more).collect::<Vec<&str>>().join(" ").trim_end_matches(';').to_owned()
}

/// The rule or start state with the values of its rulesets.
fn headline(style: &TraceStyle<'_, Program>, step: &Step, is_start: bool) -> String {
    let rule = rule_of(style.model, step, is_start);
    style.paint.bold(&clean(&style.model.label(rule, &step.values)))
}

/// The message of a fault and its place.
fn reason(style: &TraceStyle<'_, Program>, fault: &Fault) -> Vec<String> {
    vec![style.fault(&fault.kind.text(&style.model.types), fault.span)]
}

impl Presented for Program {
    const BUILT_IN: &'static [&'static str] = &["deadlock", "assertion", "error"];
    const PROPOSITIONS: &'static str = "nothing yet";
    const DEADLOCK: &'static str = "no step leads to another state";
    const NO_STEP: &'static str = "no rule is enabled";

    fn ends(&self) -> Option<&'static str> {
        Some("`ends: condition` in the property file")
    }

    fn size(&self) -> (Option<usize>, usize) {
        (None, self.cells())
    }

    fn state_space(&self, max_states: u64) -> Result<StateSpace, Option<Limit>> {
        let graph = explore_graph(self, &Limits { max_states: Some(max_states), ..Limits::default() });
        StateSpace::labelled(graph, |state| {
            let steps = successors(self, state).into_iter().filter(|step| step.result.is_ok());
            steps.map(|step| self.label(self.rule(step.rule), &step.values)).collect()
        })
    }

    fn coloured(&self, _: &Vec<Claim>) -> Option<NamedGraph> {
        None
    }

    fn starts(&self) -> Vec<Step> {
        let mut starts = some_starts(self);
        starts.truncate(MOST_STARTS);
        starts
    }

    fn steps(&self, state: &Vec<Cell>) -> Vec<Step> {
        successors(self, state)
    }

    fn chosen(&self, state: &Vec<Cell>, choose: impl FnOnce(usize) -> usize) -> Option<Step> {
        let mut steps = successors(self, state);
        (!steps.is_empty()).then(|| steps.swap_remove(choose(steps.len())))
    }

    fn are_alike(a: &Step, b: &Step) -> bool {
        a == b
    }

    fn is_deadlock(&self, state: &Vec<Cell>) -> bool {
        // A state without any step is a deadlock of both kinds.
        is_deadlock(state, &successors(self, state), Deadlock::Stuttering)
    }

    fn recorded_start(&self, recorded: &TraceFile) -> Result<Step, String> {
        let described = recorded.start.constructors.first();
        let fits = |start: &Step| {
            let same_rule = described.is_none_or(|described| {
                rule_of(self, start, true).name == described.rebec
                    && same_choices(&described.choices, &choices_json(self, start, true))
            });
            let same_end = match (&start.result, &recorded.start.state) {
                (Ok(state), Some(wanted)) => first_difference(&self.state_json(state), wanted).is_none(),
                (Ok(_), None) => recorded.fault.is_none() || !recorded.steps.is_empty(),
                (Err(fault), wanted) => {
                    let message = recorded.fault.as_ref().map(|fault| &fault.message);
                    let is_same = |message: &String| message.is_empty() || *message == fault.kind.text(&self.types);
                    wanted.is_none() && recorded.steps.is_empty() && message.is_some_and(is_same)
                }
            };
            same_rule && same_end
        };
        starts(self).into_iter().find(fits).ok_or_else(|| "the model does not start in this way".to_owned())
    }

    fn recorded_steps(&self, state: &Vec<Cell>, recorded: &StepFile) -> Result<Vec<Step>, String> {
        let mut steps = successors(self, state);
        steps.retain(|step| {
            rule_of(self, step, false).name == recorded.event
                && same_choices(&recorded.choices, &choices_json(self, step, false))
        });
        if steps.is_empty() { Err(format!("`{}` is not enabled with these values", recorded.event)) } else { Ok(steps) }
    }

    fn fault(&self, step: &Step) -> Option<String> {
        step.result.as_ref().err().map(|fault| fault.kind.text(&self.types))
    }

    fn asked(&self, text: &Source, other: Option<&Source>, claims: &Vec<Claim>) -> Asked {
        let properties = claims.answered().map(|claim| (claim.name.clone(), claim_text(claim, text, other))).collect();
        Asked { properties, definitions: Vec::new() }
    }

    fn start_json(&self, _: &Source, start: &Step) -> StartFile {
        let choices = choices_json(self, start, true);
        StartFile {
            constructors: vec![StartChoices { rebec: rule_of(self, start, true).name.clone(), choices }],
            state: start.result.as_ref().ok().map(|start| self.state_json(start)),
            ..StartFile::default()
        }
    }

    fn step_json(&self, source: &Source, before: &Vec<Cell>, step: &Step) -> StepFile {
        limits::work(before.len() as u64);
        let parts = parts(self);
        let after = step.result.as_ref().unwrap_or(before);
        let differ = parts.iter().zip(before.iter().zip(after)).filter(|(_, (from, to))| from != to);
        let change = |(part, (&from, &to)): (&Part, (&Cell, &Cell))| ChangeFile::Variable {
            rebec: None,
            variable: part.name.clone(),
            from: value_json(self, part, from),
            to: value_json(self, part, to),
        };
        let rule = rule_of(self, step, false);
        StepFile {
            processes: mover(self, step).into_iter().collect(),
            event: rule.name.clone(),
            choices: choices_json(self, step, false),
            changes: differ.map(change).collect(),
            location: LocationFile::of(source, rule.span),
            ..StepFile::default()
        }
    }

    fn state_json(&self, state: &Vec<Cell>) -> Json {
        limits::work(VALUE * state.len() as u64);
        let values = parts(self).into_iter().zip(state).map(|(part, &cell)| {
            let value = value_json(self, &part, cell);
            (part.name, value)
        });
        Json::Object(values.collect::<Map<_, _>>())
    }

    fn fault_json(&self, source: &Source, trace: &Trace) -> Option<FaultFile> {
        let (step, fault) = trace.stop()?;
        let event = rule_of(self, step, trace.steps.is_empty()).name.clone();
        Some(FaultFile::new(source, None, Some(event), fault.kind.text(&self.types), fault.span))
    }

    fn choices_text(style: &TraceStyle<'_, Program>, start: &Step) -> String {
        headline(style, start, true)
    }

    fn start_text(style: &TraceStyle<'_, Program>, start: &Step) -> String {
        format!("  {}", headline(style, start, true))
    }

    fn start_lines(style: &TraceStyle<'_, Program>, start: &Step) -> Vec<String> {
        start.result.as_ref().map_or_else(|fault| reason(style, fault), |state| Self::state_lines(style, state))
    }

    fn step_text(style: &TraceStyle<'_, Program>, step: &Step, _: usize) -> String {
        headline(style, step, false)
    }

    fn step_lines(style: &TraceStyle<'_, Program>, before: &Vec<Cell>, step: &Step) -> Vec<String> {
        limits::work(before.len() as u64);
        let after = match &step.result {
            Ok(after) => after,
            Err(fault) => return reason(style, fault),
        };
        let lines = changes(style.model, before, after).into_iter();
        lines.map(|change| format!("{}: {} -> {}", change.name, change.before, change.after)).collect()
    }

    fn state_lines(style: &TraceStyle<'_, Program>, state: &Vec<Cell>) -> Vec<String> {
        limits::work(VALUE * state.len() as u64);
        let parts = parts(style.model);
        let defined = parts.iter().zip(state).filter(|(_, cell)| cell.is_some());
        defined.map(|(part, &cell)| format!("{} = {}", part.name, cell_text(style.model, part, cell))).collect()
    }
}
