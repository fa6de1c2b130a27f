//! The parts of a model whose executions a search counts: what is a part in each language, its number, name and place.
//!
//! Outer parts come first, in the order of the language: message servers, rules, summands. Behind them come the parts inside of steps:
//! the arms of `if` and `switch`, the bodies of loops that may make no round, assertions, and the alternatives of choices. An interpreter says
//! which of those a step executes by [`Mark`]s, the statement and the way that control took there; [`Parts::number`] says which parts they
//! are. Nothing else knows what a part is.
//!
//! Statements at the same place are one part: what several classes inherit, for instance. A part inside of a step lies within others: those
//! around it in the text, or around the calls of its body. Code that runs elsewhere too, such as at the start, has no parts: a search that counts
//! steps does not see it run.
//!
//! Invariants: a mark is of one part; the number of an outer part is that of the language; no part has two numbers.

mod actors;
mod follows;
mod murphi;
mod process;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::source::Span;

/// The way that control takes at a statement.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Way {
    /// The statements behind the condition of an `if` that holds.
    Then,
    /// Those behind `else`.
    Else,
    /// An arm of a `switch`, or of an `if` with several conditions, by its number from 0.
    Arm(u32),
    /// A round of a loop.
    Round,
    /// An assertion is evaluated.
    Check,
    /// An alternative is chosen, by its number from 0.
    Option(u32),
}

/// A statement, or an alternative, and the way that control took there.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Mark {
    /// The statement; of an alternative itself.
    pub span: Span,
    /// The way.
    pub way: Way,
}

impl Mark {
    /// Adds a mark to those of a step, if it is new.
    pub(crate) fn note(marks: &mut Vec<Mark>, span: Span, way: Way) {
        push_new(marks, Mark { span, way });
    }
}

crate::named! {
    /// The kind of a part.
    pub enum PartKind {
        /// A message server of a reactive class.
        Server = "server",
        /// A rule of Murphi.
        Rule = "rule",
        /// A summand of the sequential language.
        Summand = "summand",
        /// A transition of DVE.
        Transition = "transition",
        /// A basic statement of Promela.
        Statement = "statement",
        /// An arm of an `if` or `switch`, or the body of a loop.
        Branch = "branch",
        /// An assertion inside of a step.
        Assertion = "assertion",
        /// An alternative of a choice inside of a step.
        Choice = "choice",
    }
}

impl PartKind {
    /// Whether such parts lie inside of steps.
    pub fn is_inside(self) -> bool {
        matches!(self, PartKind::Branch | PartKind::Assertion | PartKind::Choice)
    }
}

/// A part of a model.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Part {
    /// Its kind.
    pub kind: PartKind,
    /// Its name in the text, or the text itself; the keyword of a branch; empty for what has no name but its text.
    pub name: String,
    /// Its place.
    pub span: Span,
    /// For a part inside of steps: the statement that it belongs to, and the way that control takes there to it.
    pub mark: Option<Mark>,
    /// The assertions inside of it.
    pub assertions: Vec<Span>,
    /// For a part inside of steps: the parts that it lies within, ascending; one of them is executed where it is executed. None if no step calls
    /// its body.
    pub within: Vec<u32>,
    /// For a summand and what comes from one: conditions of its guard that no state meets at the start, each as the other parts that may bring it
    /// about, ascending: one of them is executed before.
    pub follows: Vec<Vec<u32>>,
    /// Whether it runs in the rounds over the values of a type, or in code that is called there: which rounds execute it may depend on their order.
    pub is_in_rounds: bool,
}

impl Part {
    /// A part that is not inside of steps.
    pub fn outer(kind: PartKind, name: String, span: Span) -> Part {
        Part {
            kind,
            name,
            span,
            mark: None,
            assertions: Vec::new(),
            within: Vec::new(),
            follows: Vec::new(),
            is_in_rounds: false,
        }
    }
}

/// The parts of a model.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Parts {
    /// The parts by number; `None` for one that has no place of its own in the text.
    pub list: Vec<Option<Part>>,
    numbers: FxHashMap<Mark, u32>,
}

impl Parts {
    /// The number of the part that a mark executes, if it is one.
    pub fn number(&self, mark: Mark) -> Option<u32> {
        self.numbers.get(&mark).copied()
    }

    /// The numbers of the parts that marks execute.
    pub fn numbers<'p>(&'p self, marks: &'p [Mark]) -> impl Iterator<Item = u32> + 'p {
        marks.iter().filter_map(|&mark| self.number(mark))
    }
}

/// Where a statement stands: directly in a part or in a body that is called, and whether rounds are made around it there.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Context {
    inside: Inside,
    is_in_rounds: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Inside {
    Part(u32),
    /// A method, constructor or procedure, by a number of the language.
    Body(usize),
}

impl Context {
    /// Directly in a part.
    fn of(part: u32) -> Context {
        Context { inside: Inside::Part(part), is_in_rounds: false }
    }

    /// At the beginning of a body that is called.
    fn body(number: usize) -> Context {
        Context { inside: Inside::Body(number), is_in_rounds: false }
    }

    /// In rounds over the values of a type.
    fn in_rounds(self) -> Context {
        Context { is_in_rounds: true, ..self }
    }
}

/// Numbers the parts of a model.
#[derive(Default)]
struct Builder {
    parts: Parts,
    /// Marks of code that does not run in steps alone.
    excluded: FxHashSet<Mark>,
    /// Where each part stands.
    contexts: FxHashMap<u32, Vec<Context>>,
    /// Where each body is called.
    calls: FxHashMap<usize, Vec<Context>>,
}

/// A part inside of steps as it is met.
struct Met {
    kind: PartKind,
    name: String,
    mark: Mark,
    place: Span,
}

/// Statements that control reaches by a way.
struct Branch {
    span: Span,
    way: Way,
    name: String,
}

impl Builder {
    /// The parts, outer ones so far.
    fn new(list: Vec<Option<Part>>, excluded: FxHashSet<Mark>) -> Builder {
        let parts = Parts { list, numbers: FxHashMap::default() };
        Builder { parts, excluded, contexts: FxHashMap::default(), calls: FxHashMap::default() }
    }

    /// Meets a part; returns where statements inside of it stand.
    fn meet(&mut self, met: Met, context: Context) -> Context {
        limits::work(1);
        let Met { kind, name, mark, place } = met;
        if place.is_none() || mark.span.is_none() || self.excluded.contains(&mark) {
            return context;
        }
        let next = u32::try_from(self.parts.list.len()).expect("parts are bounded by the text");
        let number = *self.parts.numbers.entry(mark).or_insert(next);
        if number == next {
            self.parts.list.push(Some(Part { mark: Some(mark), ..Part::outer(kind, name, place) }));
        }
        push_new(self.contexts.entry(number).or_default(), context);
        debug_assert!((number as usize) < self.parts.list.len(), "a part has its number");
        if kind == PartKind::Assertion {
            self.note_assertion(context, place);
        }
        Context { inside: Inside::Part(number), is_in_rounds: context.is_in_rounds }
    }

    /// Meets a branch with statements at these places, which is a part if there are any; returns where they stand.
    fn branch(&mut self, branch: Branch, places: impl Iterator<Item = Span>, context: Context) -> Context {
        let Branch { span, way, name } = branch;
        let place = places.fold(Span::NONE, Span::to);
        self.meet(Met { kind: PartKind::Branch, name, mark: Mark { span, way }, place }, context)
    }

    /// Notes an assertion at the parts around it in the text.
    fn note_assertion(&mut self, context: Context, place: Span) {
        let mut open = vec![context.inside];
        while let Some(inside) = open.pop() {
            let Inside::Part(number) = inside else { continue };
            if let Some(part) = &mut self.parts.list[number as usize] {
                push_new(&mut part.assertions, place);
            }
            open.extend(self.contexts.get(&number).into_iter().flatten().map(|context| context.inside));
        }
    }

    /// Meets a call of a body.
    fn call(&mut self, body: usize, context: Context) {
        limits::work(1);
        push_new(self.calls.entry(body).or_default(), context);
    }

    /// The parts, with what they lie within.
    fn finish(mut self) -> Parts {
        let bodies: FxHashSet<usize> = self.calls.keys().copied().collect();
        let around: FxHashMap<usize, Around> = bodies.into_iter().map(|body| (body, self.around(body))).collect();
        let count = self.parts.list.len();
        let has = |(mark, &number): (&Mark, &u32)| {
            self.parts.list[number as usize].as_ref().is_some_and(|part| part.mark == Some(*mark))
        };
        debug_assert!(self.parts.numbers.iter().all(has), "the number of a mark is that of its part");
        for (number, contexts) in std::mem::take(&mut self.contexts) {
            let Some(part) = &mut self.parts.list[number as usize] else { continue };
            for Context { inside, is_in_rounds } in contexts {
                part.is_in_rounds |= is_in_rounds;
                match inside {
                    Inside::Part(outer) => part.within.push(outer),
                    Inside::Body(body) => {
                        let Some(around) = around.get(&body) else { continue };
                        part.within.extend(&around.parts);
                        part.is_in_rounds |= around.is_in_rounds;
                    }
                }
            }
            part.within.sort_unstable();
            part.within.dedup();
            debug_assert!(part.within.last().is_none_or(|&last| (last as usize) < count), "a part lies within parts");
        }
        self.spread_rounds();
        self.parts
    }

    /// What lies within a part that runs in rounds runs in rounds.
    fn spread_rounds(&mut self) {
        let list = &mut self.parts.list;
        loop {
            let in_rounds: Vec<bool> =
                list.iter().map(|part| part.as_ref().is_some_and(|part| part.is_in_rounds)).collect();
            let mut is_over = true;
            for part in list.iter_mut().flatten().filter(|part| !part.is_in_rounds) {
                limits::work(1);
                part.is_in_rounds = part.within.iter().any(|&outer| in_rounds[outer as usize]);
                is_over &= !part.is_in_rounds;
            }
            if is_over {
                return;
            }
        }
    }

    /// What stands around the calls of a body, through bodies that call each other.
    fn around(&self, body: usize) -> Around {
        let (mut found, mut seen, mut open) = (Around::default(), FxHashSet::from_iter([body]), vec![body]);
        while let Some(body) = open.pop() {
            for &Context { inside, is_in_rounds } in self.calls.get(&body).into_iter().flatten() {
                limits::work(1);
                found.is_in_rounds |= is_in_rounds;
                match inside {
                    Inside::Part(part) => found.parts.push(part),
                    Inside::Body(caller) => {
                        if seen.insert(caller) {
                            open.push(caller);
                        }
                    }
                }
            }
        }
        found.parts.sort_unstable();
        found.parts.dedup();
        found
    }
}

/// What stands around the calls of a body.
#[derive(Default)]
struct Around {
    parts: Vec<u32>,
    is_in_rounds: bool,
}

fn push_new<T: PartialEq>(list: &mut Vec<T>, item: T) {
    if !list.contains(&item) {
        list.push(item);
    }
}
