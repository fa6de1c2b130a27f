//! A Promela tree as a process in sequential form.
//!
//! Every proctype has a range of process numbers that it may have, its *slots*. The control point and the locals of its
//! processes are arrays over them; the point `gone` marks a slot that holds no process of this proctype. A basic
//! statement is one summand with the number of its process as parameter, a rendezvous one with two. Inside of an
//! atomic sequence the variable of [`Sequential::hold`] has the number of the process, and only it moves.
//!
//! Soundness: states and steps are those of SPIN without reductions, one to one; `docs/semantics.md` has the list.

mod channels;
mod chosen;
mod claims;
mod control;
mod counted;
mod declare;
mod evaluated;
mod expressions;
mod finish;
mod fresh;
mod hidden;
mod lives;
mod merge;
mod narrow;
mod never;
mod processes;
mod reached;
mod remote;
mod rendezvous;
mod resets;
mod steps;
mod targets;
mod temporaries;
mod unset;
mod usage;
mod wrapping;

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use super::flow::{Flow, Point};
use super::include::{Mark, marks};
use super::labels::labels;
use super::scope::{self, Locals, Words};
use super::syntax::ast::{File, Initial, Name, Process, Type, Variable};
use crate::diagnostics::{Code, Diagnostic, Diagnostics, codes};
use crate::sequential::from_actors::build::{equal, int, member, read};
use crate::sequential::from_actors::names::Names;
use crate::sequential::verify::is_well_formed;
use crate::sequential::{Expr, Origin, Sequential, SortId, Summand, VariableId};
use crate::source::Span;

use declare::{Group, Leaf};
use processes::Slots;
use usage::Usage;

/// A fault was reported.
#[derive(Clone, Copy, Debug)]
pub(super) struct Refused;

/// The surroundings of an expression.
#[derive(Clone, Debug)]
pub(super) struct Context {
    /// The proctype whose locals are in scope.
    process: Option<usize>,
    /// The number of the process.
    pid: Option<Expr>,
    /// The sorts of the binders around it.
    scope: Vec<SortId>,
    /// Whether the value of `timeout` is being computed.
    in_timeout: bool,
}

/// The state of the lowering.
pub(super) struct Lowering<'a> {
    sink: &'a mut Diagnostics,
    text: &'a str,
    /// The places behind the ends of lines.
    lines: Vec<usize>,
    /// The lines that come from other texts.
    marks: Vec<Mark>,
    model: Sequential,
    names: Names,
    sort_names: Names,
    symbols: BTreeMap<String, i32>,
    records: BTreeMap<String, Vec<Variable>>,
    processes: Vec<Process>,
    locals: Vec<Locals>,
    slots: Vec<Slots>,
    /// The most processes at a time.
    room: i32,
    /// The number of channels.
    channels: i32,
    next_channel: i32,
    /// The sort of the numbers of channels, where some variable may have none.
    numbers: Option<SortId>,
    groups: Vec<Group>,
    /// The groups whose channels are values of variables.
    taken: BTreeSet<usize>,
    leaves: BTreeMap<(Option<usize>, String), Leaf>,
    /// The types of variables, records included.
    declared: BTreeMap<(Option<usize>, String), Type>,
    /// The channel variables that are assigned.
    assigned: BTreeSet<(Option<usize>, String)>,
    /// The channel variables that always denote a channel.
    always_set: BTreeSet<(Option<usize>, String)>,
    /// The hidden variables that nothing reads.
    forgotten: BTreeSet<String>,
    /// The arrays of bits that hold other values than 0 and 1.
    bytes: BTreeSet<(Option<usize>, String)>,
    initials: Vec<(Option<usize>, String, Initial)>,
    /// The proctypes and labels of `P@label`.
    labels: BTreeSet<(String, String)>,
    flows: Vec<Flow>,
    /// For each proctype the variable of control points, and the member of each point.
    controls: Vec<(VariableId, SortId, BTreeMap<Point, i32>)>,
    /// `_nr_pr`, if it can change.
    count: Option<VariableId>,
    /// `_last`, if the text names it.
    last: Option<VariableId>,
    hold: Option<VariableId>,
    /// For each `d_step` of each proctype where its paths meet.
    common: BTreeMap<(usize, u32), Rc<merge::Common>>,
    /// The proctypes whose locals have their first values whenever a process is at its first point, as far as is known.
    fresh: BTreeSet<usize>,
    /// The points that bodies of `d_step` may still go through.
    points_left: usize,
    /// For each summand the control points of its processes.
    sources: Vec<Vec<(usize, Point)>>,
    /// The locals that hold another value where they are set back.
    freed: Vec<resets::Freed>,
    /// The name of the parameters of summands.
    parameters: (String, String),
    /// The names of quantified variables by their depth.
    binders: Vec<String>,
    wrong: Wrong,
}

mutants::mutants! {
    /// Faults of a lowering, and other ways of doing the same, for tests.
    pub(super) struct Wrong {
        /// No `d_step` is one body: its statements are steps of the turn, which mean the same.
        steps_apart,
        /// A known value stays known where another element may be assigned.
        keeps_known,
        /// Behind a choice is known what was known before it.
        keeps_sides,
        /// The last option of a choice needs no condition.
        last_is_sure,
        /// A local may be read where it is set back.
        reads_free_values,
        /// No step leads back to the first point of a process.
        never_comes_back,
        /// Variables keep their types, which mean the same.
        keeps_types,
        /// The value of slots that hold nothing is computed with, which gives wider ranges and means the same.
        computes_with_nothing,
        /// What is computed of a variable that never holds anything has no value, and is never true.
        nothing_has_no_value,
        /// A hidden record that nothing reads stands for one field of a message.
        hidden_records_are_one_value,
        /// A received variable may choose the channel, which is looked up once.
        channels_are_chosen_once,
        /// A channel is there when its process is gone.
        channels_outlive_processes,
        /// The channels of a record are no values where the record is sent.
        forgets_channels_of_records,
        /// No value is cut to the bits of its type.
        cuts_nothing,
        /// Locals that hold other values between steps are taken from the state, too.
        forgets_temporaries,
        /// The values of variables are those of the start and of the first steps.
        one_round,
        /// A claim that comes to its closing brace, or to a label of an end, is not violated.
        forgets_ends_of_claims,
        /// A condition holds behind an assignment to what it reads.
        keeps_conditions,
        /// A result of more than 32 bits is a fault.
        faults_on_overflow,
        /// A local that is declared behind the head keeps its value when its declaration is passed again.
        keeps_locals,
        /// `else` is the negation of all options at its point, also of those behind the choice that it is part of.
        else_is_of_all_options,
        /// A process leaves its atomic sequence together with a rendezvous.
        leaves_with_meetings,
        /// An escape leaves a `d_step` in its midst.
        escapes_from_steps,
        /// A condition that escapes from a receive statement holds back a rendezvous.
        escapes_hold_back_receivers,
        /// The last statement of a sequence stays inside where a jump leads back.
        stays_on_jumps,
        /// A label before a jump stands at the point behind it.
        labels_share_points,
        /// Elements of arrays of bits are bits.
        cuts_elements,
        /// The only field of a message is a bit if its type is.
        cuts_only_fields,
        /// `timeout` can be executed by a process that has the turn.
        timeout_keeps_turns,
        /// A process that may not move because of `provided` can end, for `timeout`.
        ends_whatever_is_provided,
        /// `provided` holds a process back inside of a `d_step`.
        provided_inside_steps,
        /// Statements with fewer arguments than a message has fields do not fault.
        fewer_arguments,
        /// A rendezvous channel is full.
        meetings_are_full,
        /// A process that leaves its sequence by an escape keeps the turn.
        keeps_turns,
        /// Braces have the control point of their first statement.
        shares_points,
        /// A jump at the beginning of braces is no step.
        jumps_are_no_steps,
        /// A jump at the beginning of an escape is a step.
        escapes_by_jumps,
        /// What escapes from an escape escapes from all that the escape does.
        escapes_further,
        /// A process is made whether the evaluation comes to `run` or not.
        always_makes,
        /// Accept labels inside of atomic sequences are not seen.
        forgets_labels_inside,
        /// A name that is made up may be that of another variable.
        names_are_taken,
        /// All labels of a name are one, whatever the braces.
        labels_ignore_braces,
        /// The first process of a proctype has the lowest number that one may have.
        first_has_lowest_number,
        /// The number of a process is always one that processes of the proctype may have.
        numbers_are_right,
        /// Of an array in a message only the first element is sent and received.
        sends_first_elements,
        /// Channel variables always denote a channel.
        channels_are_set,
        /// Indices are within the arrays of rendezvous channels.
        channels_fit,
        /// The indices of hidden variables that nothing reads are not looked at.
        forgets_indices,
        /// The number of a process is within every array.
        trusts_numbers,
        /// Values that nothing takes are not computed.
        drops_values,
        /// A word that is met in braces is known in no other, those around it included.
        braces_know_all_words,
    }
}

/// The sequential form of a text; `None` after a fault.
pub(super) fn lower(file: &File, text: &str, sink: &mut Diagnostics) -> Option<Sequential> {
    lower_wrong(file, text, Wrong::default(), sink)
}

/// As [`lower`], by a variant.
pub(super) fn lower_wrong(file: &File, text: &str, wrong: Wrong, sink: &mut Diagnostics) -> Option<Sequential> {
    let (mut bytes, known) = (BTreeSet::new(), sink.list.len());
    loop {
        let mut lowering = Lowering::new(file.processes.clone(), text, wrong, sink);
        lowering.bytes.clone_from(&bytes);
        let done = lowering.all(file);
        if done.is_err() || lowering.sink.has_errors() {
            return None;
        }
        if lowering.bytes == bytes {
            debug_assert!(is_well_formed(&lowering.model), "a lowered model is well formed");
            return Some(lowering.model);
        }
        assert!(lowering.bytes.len() > bytes.len(), "each round finds another array");
        bytes = lowering.bytes;
        sink.list.truncate(known);
    }
}

impl<'a> Lowering<'a> {
    fn new(mut processes: Vec<Process>, text: &'a str, wrong: Wrong, sink: &'a mut Diagnostics) -> Lowering<'a> {
        let words = if wrong.names_are_taken() { Words::default() } else { Words::of(text) };
        let keeps = wrong.keeps_locals();
        processes.iter_mut().for_each(|process| labels(&mut process.body, wrong, sink));
        let locals = processes.iter_mut().map(|process| scope::locals(process, &words, keeps, sink)).collect();
        Lowering {
            sink,
            text,
            lines: text.match_indices('\n').map(|(at, _)| at + 1).collect(),
            marks: marks(text),
            model: Sequential { origin: Origin::Promela, ..Sequential::empty("Promela") },
            names: Names::default(),
            sort_names: Names::default(),
            symbols: BTreeMap::new(),
            records: BTreeMap::new(),
            processes,
            locals,
            slots: Vec::new(),
            room: 0,
            channels: 0,
            next_channel: 1,
            numbers: None,
            groups: Vec::new(),
            taken: BTreeSet::new(),
            leaves: BTreeMap::new(),
            declared: BTreeMap::new(),
            assigned: BTreeSet::new(),
            always_set: BTreeSet::new(),
            forgotten: BTreeSet::new(),
            bytes: BTreeSet::new(),
            initials: Vec::new(),
            labels: BTreeSet::new(),
            flows: Vec::new(),
            controls: Vec::new(),
            count: None,
            last: None,
            hold: None,
            common: BTreeMap::new(),
            fresh: BTreeSet::new(),
            points_left: 0,
            sources: Vec::new(),
            freed: Vec::new(),
            parameters: Default::default(),
            binders: Vec::new(),
            wrong,
        }
    }

    fn refuse<T>(&mut self, code: Code, span: Span, message: &str) -> Result<T, Refused> {
        self.refuse_with(code, span, message, None)
    }

    fn refuse_with<T>(&mut self, code: Code, span: Span, message: &str, help: Option<String>) -> Result<T, Refused> {
        self.sink.push(Diagnostic::error(code, span, message).help_opt(help));
        Err(Refused)
    }

    fn all(&mut self, file: &File) -> Result<(), Refused> {
        self.sort_names.reserve(&["BOOL", "BIT"]);
        let parameters = ["p", "q"].map(|name| self.names.fresh(&[name, "pid"]));
        let [own, other] = parameters;
        self.parameters = (own, other);
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for symbols in &file.symbols {
            // Within a declaration the first symbol is the greatest; those of a later one are above it.
            let count = counts.entry(&symbols.set).or_default();
            for (number, symbol) in symbols.names.iter().enumerate() {
                let value = i32::try_from(*count + symbols.names.len() - number).unwrap_or(i32::MAX);
                if self.symbols.insert(symbol.text.clone(), value).is_some() {
                    let message = format!("the symbol `{}` is declared twice", symbol.text);
                    return self.refuse(codes::PROMELA_DUPLICATE, symbol.span, &message);
                }
            }
            *count += symbols.names.len();
        }
        for record in &file.records {
            self.records.insert(record.name.text.clone(), record.fields.clone());
        }
        self.processes_and_slots(file)?;
        assert_eq!(self.slots.len(), self.processes.len(), "every proctype has its slots");
        self.hidden(file);
        self.variables(file)?;
        self.control()?;
        assert_eq!(self.controls.len(), self.processes.len(), "every proctype has its control points");
        self.reached_summands()?;
        self.claims(file)?;
        self.resets()?;
        self.finish()?;
        if !self.wrong.keeps_types() {
            self.narrow();
            self.plain_operations();
            self.temporaries();
        }
        self.leave_out_results();
        if self.model.summands.is_empty() {
            self.model.summands.push(Summand::never_enabled(steps::EVENTS[0], Span::NONE));
        }
        Ok(())
    }

    /// The uses of variables by the processes and by the formulas.
    fn usages(&self, file: &File) -> (Vec<Usage>, Usage) {
        let of_process = |(process, locals): (&Process, &Locals)| {
            let mut usage = Usage::default();
            usage.variables(&locals.list);
            usage.process(&process.body);
            process.provided.iter().for_each(|condition| usage.expression(condition));
            usage
        };
        let mut outer = Usage::default();
        outer.variables(&file.globals);
        file.formulas.iter().for_each(|claim| outer.expression(&claim.formula));
        file.never.iter().for_each(|claim| outer.process(&claim.body));
        (self.processes.iter().zip(&self.locals).map(of_process).collect(), outer)
    }

    fn variables(&mut self, file: &File) -> Result<(), Refused> {
        let (usages, outer) = self.usages(file);
        for variable in &file.globals {
            self.declared.insert((None, variable.name.text.clone()), variable.of.clone());
        }
        for (number, usage) in usages.iter().enumerate() {
            for (list, counter) in &usage.lists {
                if self.is_channel(number, list) {
                    let name = Name { text: counter.clone(), span: list.span };
                    self.locals[number].list.push(Variable {
                        name,
                        of: Type::Byte,
                        size: None,
                        initial: None,
                        is_hidden: false,
                    });
                }
            }
            for variable in self.locals[number].list.clone() {
                self.declared.insert((Some(number), variable.name.text), variable.of);
            }
        }
        let owner = |lowering: &Self, number: usize, name: &str| {
            let root = name.split('.').next().unwrap_or(name).to_owned();
            lowering.declared.contains_key(&(Some(number), root)).then_some(number)
        };
        for (number, usage) in usages.iter().enumerate() {
            for name in &usage.assigned {
                self.assigned.insert((owner(self, number, name), name.clone()));
            }
        }
        if usages.iter().chain([&outer]).any(|usage| usage.names_last) {
            let sort = self.range(0, self.room - 1);
            self.last = Some(self.variable(&["_last"], sort, Vec::new(), Span::NONE));
        }
        self.labels = usages.iter().chain([&outer]).flat_map(|usage| usage.labels.iter().cloned()).collect();
        // Enough numbers for all channels: their sizes are known only later.
        self.channels = self.count_channels(file)?;
        for variable in &file.globals {
            self.declare(variable, None)?;
        }
        for number in 0..self.processes.len() {
            for variable in self.locals[number].list.clone() {
                self.declare(&variable, Some(number))?;
            }
        }
        assert!(self.next_channel - 1 <= self.channels, "every channel has its number");
        for (number, usage) in usages.iter().enumerate() {
            for name in &usage.valued {
                self.taken.extend(self.channels_of(owner(self, number, name), name));
            }
        }
        for name in &outer.valued {
            self.taken.extend(self.channels_of(None, name));
        }
        // The channels of variables that are assigned too.
        let fixed: BTreeSet<usize> = self.leaves.values().filter_map(|leaf| leaf.group).collect();
        self.taken.extend((0..self.groups.len()).filter(|group| !fixed.contains(group)));
        self.parameters_that_are_set();
        Ok(())
    }

    /// The channels of a variable, or of all fields of a record.
    fn channels_of(&self, owner: Option<usize>, name: &str) -> Vec<usize> {
        let has_fields = !self.wrong.forgets_channels_of_records();
        let is_part = |leaf: &str| {
            let behind = leaf.strip_prefix(name);
            behind.is_some_and(|behind| behind.is_empty() || has_fields && behind.starts_with('.'))
        };
        let own = self.leaves.iter().filter(|((of, leaf), _)| *of == owner && is_part(leaf));
        own.filter_map(|(_, leaf)| leaf.group).collect()
    }

    /// Whether the list of a `for` is a channel.
    fn is_channel(&self, process: usize, list: &super::syntax::ast::Place) -> bool {
        let name = &list.parts[0].name.text;
        let local = self.locals[process].list.iter().find(|local| local.name.text == *name);
        let of = local.map(|local| &local.of).or_else(|| self.declared.get(&(None, name.clone())));
        of == Some(&Type::Chan)
    }

    /// `_nr_pr`.
    fn process_count(&self) -> Expr {
        self.count.map_or_else(|| int(self.room), |count| read(count, Vec::new()))
    }

    /// Whether a process of a proctype is at a point.
    fn is_at(&self, process: usize, pid: Expr, point: Point) -> Expr {
        let (variable, sort, members) = &self.controls[process];
        match members.get(&point) {
            Some(&index) => equal(read(*variable, vec![pid]), member(*sort, index)),
            // It is never reached.
            None => int(0),
        }
    }

    /// The line of a place, from 1, in the text that it comes from.
    fn line(&self, span: Span) -> usize {
        let of = |at: usize| self.lines.partition_point(|&start| start <= at) + 1;
        let own = of(span.start as usize);
        self.mark(span).map_or(own, |mark| mark.line + own - of(mark.end))
    }

    /// The text that a place comes from, as it stands before a line: empty for the model itself.
    fn text_of(&self, span: Span) -> String {
        let name = self.mark(span).map_or("", |mark| &mark.name);
        if name.is_empty() { String::new() } else { format!("{name} ") }
    }

    fn mark(&self, span: Span) -> Option<&Mark> {
        self.marks[..self.marks.partition_point(|mark| mark.end <= span.start as usize)].last()
    }
}
