//! Which summands a summand can only follow: those that write a value that its guard asks for and no state has at the start.
//!
//! A guard that is a conjunction with `x[..] = c` is true only in states where an element of `x` has the value `c`. If no initial state has that
//! value, some step wrote it before: a step of one of the summands that assign `c`, or what is no constant, to an element of `x`. Elements of
//! an array are not told apart. Control locations of processes are such values.
//!
//! Complexity: linear in the text, and in the sum of the lists, for which there is a bound.

use rustc_hash::FxHashMap;

use crate::sequential::{BinaryOp, Expr, ExprKind, Initial, Sequential, StmtKind, Summand, VariableId};

/// The most numbers in all lists; behind it summands are said to follow none.
const MOST: usize = 1 << 20;

/// The summands that write a variable.
#[derive(Default)]
struct Writers {
    /// A constant.
    constants: FxHashMap<i32, Vec<u32>>,
    /// Anything else.
    others: Vec<u32>,
}

/// For each summand, and each value that its guard asks for and that no state has at the start: the other summands that may write it.
pub(super) fn follows(model: &Sequential) -> Vec<Vec<Vec<u32>>> {
    let mut writers: FxHashMap<VariableId, Writers> = FxHashMap::default();
    for (number, summand) in (0..).zip(&model.summands) {
        for stmt in &summand.body {
            stmt.visit(&mut |stmt| {
                limits::work(1);
                let StmtKind::Assign(place, value) = &stmt.kind else { return };
                let writers = writers.entry(place.variable).or_default();
                let list = match constant(value) {
                    Some(value) => writers.constants.entry(value).or_default(),
                    None => &mut writers.others,
                };
                if list.last() != Some(&number) {
                    list.push(number);
                }
            });
        }
    }
    let mut room = MOST;
    let of = |(number, summand): (u32, &Summand)| {
        let mut conditions = Vec::new();
        for (variable, value) in asked(&summand.guard) {
            if may_be_initial(model, variable, value) {
                continue;
            }
            let before = writers.get(&variable);
            let lists = before.map(|writers| (writers.constants.get(&value), &writers.others));
            let mut list: Vec<u32> =
                lists.into_iter().flat_map(|(own, others)| own.into_iter().flatten().chain(others)).copied().collect();
            list.retain(|&other| other != number);
            list.sort_unstable();
            list.dedup();
            limits::work(list.len() as u64);
            let Some(left) = room.checked_sub(list.len()) else { break };
            room = left;
            conditions.push(list);
        }
        conditions
    };
    (0..).zip(&model.summands).map(of).collect()
}

/// The values that a guard asks for: its conjuncts that compare an element of a variable with a constant.
fn asked(guard: &Expr) -> Vec<(VariableId, i32)> {
    let conjuncts = match &guard.kind {
        ExprKind::And(list) => list.as_slice(),
        _ => std::slice::from_ref(guard),
    };
    let of = |conjunct: &Expr| {
        let ExprKind::Binary(BinaryOp::Equal, left, right) = &conjunct.kind else { return None };
        match (&left.kind, &right.kind) {
            (ExprKind::Read(place), _) => Some((place.variable, constant(right)?)),
            (_, ExprKind::Read(place)) => Some((place.variable, constant(left)?)),
            _ => None,
        }
    };
    conjuncts.iter().filter_map(of).collect()
}

fn constant(expr: &Expr) -> Option<i32> {
    match expr.kind {
        ExprKind::Int(value) => Some(value),
        ExprKind::Member(_, index) => i32::try_from(index).ok(),
        _ => None,
    }
}

/// Whether an element of a variable may have a value in a state at the start.
fn may_be_initial(model: &Sequential, variable: VariableId, value: i32) -> bool {
    let Some(variable) = model.variables.get(variable.index()) else { return true };
    let elements = variable.offset..variable.offset + model.len_of(variable);
    let at_start = match &variable.initial {
        Initial::Any => true,
        Initial::Values(values) => values.contains(&value),
    };
    at_start || model.starts.iter().any(|start| start[elements.clone()].contains(&value))
}
