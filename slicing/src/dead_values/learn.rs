//! Which variables are dead, and while which others have which values: generalised from a sample.
//!
//! A part of a variable stands for its cells at all indices. Its control is another part, of booleans or of an enumeration,
//! whose indices are among its own. Values of the control that the text does not name are taken together, so that
//! exchanging them changes nothing.

use frontend::murphi::interpret::{Cells, State};
use frontend::murphi::program::{self, Expr, ExprKind, Program, TypeId, TypeKind, VariableId};

use super::Wrong;
use super::sample::Sample;

/// The most parts of variables that are looked at.
const MOST_PARTS: usize = 256;
/// The most values of a control.
const MOST_VALUES: usize = 32;
/// The most conditions under which one part is forgotten.
const MOST_ROWS: usize = 3;

/// A step from a variable to a part of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Way {
    /// The field of a number.
    Field(usize),
    /// The element at an index.
    Index,
}

/// A simple part of a variable, at any indices.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Part {
    pub(super) variable: VariableId,
    pub(super) way: Vec<Way>,
    pub(super) of: TypeId,
    pub(super) indices: Vec<Index>,
    /// Its first cell.
    first: usize,
}

/// An index on the way to a part.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Index {
    pub(super) of: TypeId,
    /// The number of values.
    count: usize,
    /// The cells between one element and the next.
    stride: usize,
}

/// The condition under which a part is dead.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Control {
    pub(super) part: Part,
    /// For each index of the control, its number among those of the dead part.
    pub(super) at: Vec<usize>,
    /// The values at which the part is dead.
    pub(super) values: Vec<i32>,
}

/// A part that is dead, always or under a condition.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Row {
    pub(super) part: Part,
    pub(super) control: Option<Control>,
}

impl Row {
    /// The part and its condition, in the names of the text.
    pub fn text(&self, program: &Program) -> String {
        let indices: Vec<usize> = (0..self.part.indices.len()).collect();
        let part = self.part.text(program, &indices);
        match &self.control {
            None => part,
            Some(control) => {
                let value = |&value: &i32| program.types.value_text(control.part.of, value);
                let values: Vec<String> = control.values.iter().map(value).collect();
                format!("{part} while {} is {}", control.part.text(program, &control.at), values.join(" or "))
            }
        }
    }
}

impl Part {
    /// The place, with a letter for each index.
    fn text(&self, program: &Program, letters: &[usize]) -> String {
        let mut text = program.variable(self.variable).name.clone();
        let (mut of, mut letters) = (program.variable(self.variable).of, letters.iter());
        for way in &self.way {
            match (way, program.types.kind(of)) {
                (Way::Field(field), TypeKind::Record(fields)) => {
                    text = format!("{text}.{}", fields[*field].name);
                    of = fields[*field].of;
                }
                (Way::Index, TypeKind::Array { element, .. }) => {
                    let number = letters.next().copied().unwrap_or_default();
                    let letter = char::from(b"ijklmnopqrstuvwxyz"[number % 18]);
                    text = format!("{text}[{letter}]");
                    of = *element;
                }
                _ => unreachable!("ways fit their types"),
            }
        }
        text
    }

    /// The cells, each with the positions of its indices.
    pub(super) fn each(&self, visit: &mut dyn FnMut(usize, &[usize])) {
        debug_assert!(self.indices.iter().all(|index| index.count > 0), "an index has values");
        let mut at = vec![0; self.indices.len()];
        loop {
            visit(self.cell(&at), &at);
            let Some(next) = (0..at.len()).rev().find(|&next| at[next] + 1 < self.indices[next].count) else { return };
            at[next] += 1;
            at[next + 1..].fill(0);
        }
    }

    fn cell(&self, at: &[usize]) -> usize {
        self.first + self.indices.iter().zip(at).map(|(index, at)| index.stride * at).sum::<usize>()
    }
}

/// The parts that are dead in all states of a sample, with their conditions.
pub(super) fn rows(program: &Program, sample: &Sample<'_>, wrong: Wrong) -> Vec<Row> {
    let parts = parts(program);
    let kept = kept_types(program, wrong);
    let named = named_values(program);
    let controls: Vec<&Part> = parts.iter().filter(|part| is_control(program, part)).collect();
    let states: Vec<(&State, &Cells)> = sample.expanded().collect();
    let mut rows = Vec::new();
    for part in parts.iter().filter(|part| !kept[part.of.index()]) {
        limits::work(states.len() as u64);
        rows.extend(Learning { program, part, states: &states, named: &named }.rows(&controls));
    }
    rows
}

/// The simple parts of all variables outside of multisets.
fn parts(program: &Program) -> Vec<Part> {
    let mut list = Vec::new();
    for (number, variable) in program.variables.iter().enumerate() {
        let whole = Part {
            variable: VariableId::from_index(number),
            way: Vec::new(),
            of: variable.of,
            indices: Vec::new(),
            first: variable.offset,
        };
        inside(program, whole, &mut list);
    }
    let last = |part: &Part| part.cell(&part.indices.iter().map(|index| index.count - 1).collect::<Vec<usize>>());
    debug_assert!(list.iter().all(|part| last(part) < program.cells()), "parts have cells of the state");
    list.truncate(MOST_PARTS);
    list
}

fn inside(program: &Program, part: Part, list: &mut Vec<Part>) {
    match program.types.kind(part.of) {
        TypeKind::Multiset { .. } => {}
        TypeKind::Record(fields) => {
            for (number, field) in fields.iter().enumerate() {
                let way = part.way.iter().copied().chain([Way::Field(number)]).collect();
                inside(program, Part { way, of: field.of, first: part.first + field.offset, ..part.clone() }, list);
            }
        }
        TypeKind::Array { index, element } => {
            let own = Index { of: *index, count: program.types.count(*index), stride: program.types.cells(*element) };
            let way = part.way.iter().copied().chain([Way::Index]).collect();
            let indices = part.indices.iter().copied().chain([own]).collect();
            if own.count > 0 {
                inside(program, Part { way, of: *element, indices, ..part }, list);
            }
        }
        _ => list.push(part),
    }
}

/// Whether values of a part may be the condition of another one.
fn is_control(program: &Program, part: &Part) -> bool {
    match program.types.kind(part.of) {
        TypeKind::Boolean => true,
        TypeKind::Names(sorts) => {
            let is_named = matches!(sorts[..], [sort] if program.types.sort(sort).members.is_some());
            is_named && program.types.count(part.of) <= MOST_VALUES
        }
        _ => false,
    }
}

/// The types whose values are looked at without a fault where they are undefined, and those that they mix with, directly or not.
fn kept_types(program: &Program, wrong: Wrong) -> Vec<bool> {
    let types = &program.types;
    let ids: Vec<TypeId> = (0..types.list.len()).map(TypeId::from_index).collect();
    let mut kept = vec![false; ids.len()];
    each_expr(program, &mut |expr| match &expr.kind {
        ExprKind::IsUndefined(place) if !wrong.forgets_tested_values() => kept[place.of.index()] = true,
        ExprKind::Binary(_, left, right) if !types.is_simple(left.of) && !wrong.forgets_compared_values() => {
            kept[left.of.index()] = true;
            kept[right.of.index()] = true;
        }
        _ => {}
    });
    // The slots of multisets are sorted, which orders what is undefined, too.
    for kind in types.list.iter().map(|of| &of.kind) {
        if let TypeKind::Multiset { element, .. } = kind {
            kept[element.index()] |= !wrong.forgets_sorted_values();
        }
    }
    // Parts stand before wholes, and what mixes with a part of a type that is kept is kept, too.
    let mut changes = true;
    while std::mem::take(&mut changes) {
        for &id in &ids {
            let is_kept = kept[id.index()];
            let mut keep = |part: TypeId| changes |= !std::mem::replace(&mut kept[part.index()], true);
            match types.kind(id) {
                TypeKind::Array { element, .. } | TypeKind::Multiset { element, .. } if is_kept => keep(*element),
                TypeKind::Record(fields) if is_kept => fields.iter().for_each(|field| keep(field.of)),
                _ if is_kept && types.is_simple(id) => {
                    ids.iter()
                        .filter(|&&other| types.is_simple(other) && types.mix(id, other))
                        .for_each(|&id| keep(id));
                }
                _ => {}
            }
        }
    }
    kept
}

/// The values of enumerations that the text names, by the numbers of members.
fn named_values(program: &Program) -> Vec<i32> {
    let mut named = Vec::new();
    each_expr(program, &mut |expr| {
        if let ExprKind::Value(value) = expr.kind
            && matches!(program.types.kind(expr.of), TypeKind::Names(_))
        {
            named.push(value);
        }
    });
    named.sort_unstable();
    named.dedup();
    named
}

/// Visits all expressions of a program.
fn each_expr(program: &Program, visit: &mut dyn FnMut(&Expr)) {
    let mut part = |part: program::Part<'_>| {
        if let program::Part::Expr(expr) = part {
            visit(expr);
        }
    };
    program.texts().flat_map(|text| text.children()).for_each(|child| child.visit(&mut part));
}

/// The evidence of a sample about one part.
struct Learning<'a> {
    program: &'a Program,
    part: &'a Part,
    states: &'a [(&'a State, &'a Cells)],
    named: &'a [i32],
}

/// A row with the number of defined values that it forgets in the sample.
struct Gain {
    row: Row,
    count: usize,
}

impl Learning<'_> {
    /// The conditions under which the part is dead, the one that forgets most first.
    fn rows(&self, controls: &[&Part]) -> Vec<Row> {
        let mut rows: Vec<Row> = Vec::new();
        let has_dead = |rows: &[Row]| self.tally(rows, &mut |_, _, is_live| !is_live) > 0;
        while rows.len() < MOST_ROWS && has_dead(&rows) {
            let always = self.always(&rows);
            let own = controls.iter().filter(|control| **control != self.part);
            let found = own.flat_map(|control| self.ways(control)).filter_map(|control| self.under(control, &rows));
            let best = always.into_iter().chain(found).max_by_key(|gain| (gain.count, gain.row.control.is_none()));
            let Some(best) = best.filter(|gain| gain.count > 0) else { break };
            rows.push(best.row);
        }
        rows
    }

    /// The number of defined values that no row forgets and that a test selects.
    fn tally(&self, rows: &[Row], test: &mut dyn FnMut(&State, &[usize], bool) -> bool) -> usize {
        let mut count = 0;
        for (state, live) in self.states {
            self.part.each(&mut |cell, at| {
                let is_forgotten = || rows.iter().any(|row| row.is_dead(state, at));
                if state[cell].is_some() && !is_forgotten() && test(state, at, live.contains(cell)) {
                    count += 1;
                }
            });
        }
        count
    }

    fn always(&self, rows: &[Row]) -> Option<Gain> {
        let mut is_ever_live = false;
        for (_, live) in self.states {
            self.part.each(&mut |cell, _| is_ever_live |= live.contains(cell));
        }
        let count = self.tally(rows, &mut |_, _, _| true);
        (!is_ever_live).then(|| Gain { row: Row { part: self.part.clone(), control: None }, count })
    }

    /// The control with each choice of its indices among those of the part, in order.
    fn ways(&self, control: &Part) -> Vec<Control> {
        let mut ways: Vec<Vec<usize>> = vec![Vec::new()];
        for index in &control.indices {
            let longer = |way: &Vec<usize>| {
                let first = way.last().map_or(0, |last| last + 1);
                let fits = (first..self.part.indices.len()).filter(|&at| self.part.indices[at].of == index.of);
                fits.map(|at| way.iter().copied().chain([at]).collect()).collect::<Vec<Vec<usize>>>()
            };
            ways = ways.iter().flat_map(longer).collect();
        }
        ways.into_iter().map(|at| Control { part: control.clone(), at, values: Vec::new() }).collect()
    }

    /// The values of a control at which the part is dead.
    fn under(&self, control: Control, rows: &[Row]) -> Option<Gain> {
        let types = &self.program.types;
        let values: Vec<i32> = types.values(control.part.of).into_iter().flatten().collect();
        let mut is_live = vec![false; values.len()];
        let mut is_seen = vec![false; values.len()];
        let mut is_open = false;
        for (state, live) in self.states {
            self.part.each(&mut |cell, at| match control.value(state, at) {
                Some(value) => {
                    let number = types.position(control.part.of, value).expect("a value of its type");
                    is_live[number] |= live.contains(cell);
                    is_seen[number] = true;
                }
                None => is_open = true,
            });
        }
        if is_open {
            return None;
        }
        let is_boolean = matches!(types.kind(control.part.of), TypeKind::Boolean);
        let is_named = |value: i32| is_boolean || self.named.binary_search(&value).is_ok();
        // Of values without a name, all are dead or none.
        let any = |of: &[bool]| values.iter().zip(of).any(|(&value, is)| *is && !is_named(value));
        let unnamed = any(&is_seen) && !any(&is_live);
        let is_dead = |&number: &usize| match is_named(values[number]) {
            true => is_seen[number] && !is_live[number],
            false => unnamed,
        };
        let dead = (0..values.len()).filter(is_dead).map(|number| values[number]).collect();
        let control = Control { values: dead, ..control };
        let count = self.tally(rows, &mut |state, at, _| control.is_dead(state, at));
        Some(Gain { row: Row { part: self.part.clone(), control: Some(control) }, count })
    }
}

impl Control {
    fn value(&self, state: &State, at: &[usize]) -> Option<i32> {
        debug_assert_eq!(self.at.len(), self.part.indices.len(), "every index of the control is one of the part");
        let own: Vec<usize> = self.at.iter().map(|&number| at[number]).collect();
        state[self.part.cell(&own)]
    }

    fn is_dead(&self, state: &State, at: &[usize]) -> bool {
        self.value(state, at).is_some_and(|value| self.values.contains(&value))
    }
}

impl Row {
    /// Whether the part is dead in a state at the positions of its indices.
    pub(super) fn is_dead(&self, state: &State, at: &[usize]) -> bool {
        self.control.as_ref().is_none_or(|control| control.is_dead(state, at))
    }
}
