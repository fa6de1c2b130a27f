//! Simple types as sorts: `undefined` is one more value, the members of unions are members of one enumeration.
//!
//! Enumerations and scalar sets that some union joins are one enumeration of the process. Its first member is `undefined`
//! where a place of such a type may have no value. Of a range, the integer below its least value is `undefined`.

use rustc_hash::FxHashMap;

use super::build::{int, member};
use super::{Names, Refused};
use crate::murphi::program::{Program, TypeId, TypeKind};
use crate::sequential::{Domain, Expr, Sequential, Sort, SortId, TableId, ValueKind};
use crate::source::Span;

/// The most values of a table that checks a value by a look-up; for a larger sort the text has a comparison.
const MAX_IDENTITY: usize = 1 << 12;

/// The values of a simple type as values of the process.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Hull {
    /// The enumeration; `None` for integers.
    pub(super) of: Option<SortId>,
    pub(super) low: i32,
    pub(super) high: i32,
    /// Whether all values between the bounds belong to the type.
    pub(super) exact: bool,
}

/// The sorts of a model.
pub(super) struct Sorts {
    /// The enumeration of each sort of the model, and the index of its first member there.
    homes: Vec<(SortId, i32)>,
    /// The enumerations that have `undefined` as their first member.
    partial: Vec<SortId>,
    known: FxHashMap<(Option<SortId>, i32, i32), SortId>,
    /// The tables with one index, by its sort.
    tables: FxHashMap<SortId, Vec<TableId>>,
}

impl Sorts {
    /// Declares the enumerations; those of types that may be undefined have a member for that.
    pub(super) fn new(program: &Program, out: &mut Sequential, names: &mut Names, undefined: &[TypeId]) -> Sorts {
        let count = program.types.sorts.len();
        let mut home: Vec<usize> = (0..count).collect();
        for of in &program.types.list {
            if let TypeKind::Names(sorts) = &of.kind {
                let first = sorts.iter().map(|sort| home[sort.index()]).min().unwrap_or(0);
                let joined: Vec<usize> = sorts.iter().map(|sort| home[sort.index()]).collect();
                home.iter_mut().filter(|home| joined.contains(home)).for_each(|home| *home = first);
            }
        }
        let mut sorts = Sorts {
            homes: vec![(SortId(0), 0); count],
            partial: Vec::new(),
            known: FxHashMap::default(),
            tables: FxHashMap::default(),
        };
        let is_partial = |class: usize| {
            undefined
                .iter()
                .any(|&of| matches!(program.types.kind(of), TypeKind::Names(list) if home[list[0].index()] == class))
        };
        for class in 0..count {
            if home[class] == class {
                sorts.declare(program, out, names, &home, class, is_partial(class));
            }
        }
        assert!(sorts.homes.iter().all(|&(sort, _)| sort != Sequential::BOOL), "every enumeration has a sort");
        sorts
    }

    fn declare(
        &mut self,
        program: &Program,
        out: &mut Sequential,
        names: &mut Names,
        home: &[usize],
        class: usize,
        is_partial: bool,
    ) {
        let id = SortId::from_index(out.sorts.len());
        let own = &program.types.sorts[class];
        let whole = names.fresh(&[own.name.as_str(), "Names"]);
        let mut members = Vec::new();
        if is_partial {
            members.push(format!("{whole}.undefined"));
            self.partial.push(id);
        }
        for (number, sort) in program.types.sorts.iter().enumerate().filter(|&(number, _)| home[number] == class) {
            self.homes[number] = (id, i32::try_from(members.len()).expect("names are bounded"));
            match &sort.members {
                Some(list) => members.extend(list.iter().map(|name| names.fresh(&[name]))),
                None => {
                    let name = if sort.name.is_empty() { &whole } else { &sort.name };
                    members.extend((1..=sort.size).map(|number| names.fresh(&[&format!("{name}_{number}")])));
                }
            }
        }
        let high = i32::try_from(members.len()).expect("names are bounded") - 1;
        self.known.insert((Some(id), 0, high), id);
        out.sorts.push(Sort { name: whole, domain: Domain::Members(members), span: Span::NONE });
    }

    /// The values of a simple type.
    pub(super) fn hull(&self, program: &Program, of: TypeId) -> Hull {
        match program.types.kind(of) {
            TypeKind::Boolean => Hull { of: None, low: 0, high: 1, exact: true },
            TypeKind::Range { low, high } => Hull { of: None, low: *low, high: *high, exact: true },
            TypeKind::Names(_) => {
                let runs = self.runs(program, of);
                let (low, high) =
                    runs.iter().fold((i32::MAX, i32::MIN), |(low, high), run| (low.min(run.0), high.max(run.1)));
                let values: i32 = runs.iter().map(|run| run.1 - run.0 + 1).sum();
                debug_assert!(low <= high, "a type has values");
                Hull { of: self.enumeration(program, of), low, high, exact: values == high - low + 1 }
            }
            _ => panic!("values of a type that is not simple"),
        }
    }

    /// The values of a simple type in its order, as runs from a least to a greatest one.
    pub(super) fn runs(&self, program: &Program, of: TypeId) -> Vec<(i32, i32)> {
        let runs = program.types.values(of).into_iter();
        runs.map(|run| (self.code(program, of, *run.start()), self.code(program, of, *run.end()))).collect()
    }

    fn enumeration(&self, program: &Program, of: TypeId) -> Option<SortId> {
        match program.types.kind(of) {
            TypeKind::Names(sorts) => Some(self.homes[sorts[0].index()].0),
            _ => None,
        }
    }

    /// The value of the process for a value of a simple type.
    pub(super) fn code(&self, program: &Program, of: TypeId, value: i32) -> i32 {
        match program.types.kind(of) {
            TypeKind::Names(_) => {
                let sorts = &program.types.sorts;
                let number = sorts.iter().position(|sort| sort.contains(value)).expect("the value is a member");
                self.homes[number].1 + (value - sorts[number].first)
            }
            _ => value,
        }
    }

    /// A value of the process as an expression.
    pub(super) fn literal(&self, program: &Program, of: TypeId, code: i32) -> Expr {
        self.enumeration(program, of).map_or_else(|| int(code), |sort| member(sort, code))
    }

    /// The value that represents `undefined`.
    pub(super) fn undefined(&self, program: &Program, of: TypeId) -> Result<i32, Refused> {
        match self.enumeration(program, of) {
            Some(sort) if self.partial.contains(&sort) => Ok(0),
            Some(_) => Err(Refused::new("`undefined` in this place", Span::NONE)),
            None => {
                let hull = self.hull(program, of);
                let beside = hull.low.checked_sub(1).or_else(|| hull.high.checked_add(1));
                beside.ok_or_else(|| Refused::new("an undefined variable of all integers", Span::NONE))
            }
        }
    }

    /// The sort of all values between the bounds of a type, with `undefined` where that is needed.
    pub(super) fn sort(
        &mut self,
        program: &Program,
        out: &mut Sequential,
        names: &mut Names,
        of: TypeId,
        is_partial: bool,
    ) -> Result<SortId, Refused> {
        let hull = self.hull(program, of);
        let (mut low, mut high) = (hull.low, hull.high);
        if is_partial {
            let beside = self.undefined(program, of)?;
            (low, high) = (low.min(beside), high.max(beside));
        }
        let name = &program.types.list[of.index()].name;
        let wanted = if is_partial && !name.is_empty() { format!("{name}_or_undefined") } else { name.clone() };
        Ok(self.interval(out, names, Hull { low, high, ..hull }, &wanted))
    }

    /// The sort of the values between two bounds.
    pub(super) fn interval(&mut self, out: &mut Sequential, names: &mut Names, hull: Hull, name: &str) -> SortId {
        let Hull { of, low, high, .. } = hull;
        assert!(low <= high, "an interval has values");
        if of.is_none() && (low, high) == (0, 1) {
            return Sequential::BOOL;
        }
        if let Some(&known) = self.known.get(&(of, low, high)) {
            return known;
        }
        let shown = |value: i32| if value < 0 { format!("m{}", value.unsigned_abs()) } else { value.to_string() };
        let name = names.fresh(&[name, &format!("From{}to{}", shown(low), shown(high))]);
        let domain = of.map_or(Domain::Range { low, high }, |of| Domain::Part { of, low, high });
        let id = out.add_sort(name, domain, Span::NONE);
        self.known.insert((of, low, high), id);
        id
    }

    /// A table with each value of a sort at itself: a look-up outside of the sort faults. `None` for a sort of more than
    /// [`MAX_IDENTITY`] values.
    pub(super) fn identity(&mut self, out: &mut Sequential, names: &mut Names, sort: SortId) -> Option<TableId> {
        let values: Vec<i32> = out.domain(sort).values().take(MAX_IDENTITY + 1).collect();
        let name = format!("defined_{}", out.sort(sort).name);
        (values.len() <= MAX_IDENTITY).then(|| self.table(out, names, sort, out.kind_of(sort), values, &name))
    }

    /// A table of the values of an enumeration that are in one of these runs.
    pub(super) fn members(
        &mut self,
        out: &mut Sequential,
        names: &mut Names,
        of: SortId,
        runs: &[(i32, i32)],
        name: &str,
    ) -> TableId {
        let is_member = |value: i32| runs.iter().any(|&(low, high)| (low..=high).contains(&value));
        let values = out.domain(of).values().map(|value| i32::from(is_member(value)));
        self.table(out, names, of, ValueKind::Integer, values.collect(), &format!("is_{name}"))
    }

    /// A table with one index, which is declared once.
    fn table(
        &mut self,
        out: &mut Sequential,
        names: &mut Names,
        index: SortId,
        kind: ValueKind,
        values: Vec<i32>,
        name: &str,
    ) -> TableId {
        limits::work(values.len() as u64);
        let is_same = |id: &TableId| out.table(*id).kind == kind && out.table(*id).values == values;
        let known = self.tables.entry(index).or_default();
        if let Some(&known) = known.iter().find(|id| is_same(id)) {
            return known;
        }
        let id = out.add_table(names.fresh(&[name]), vec![index], (kind, values), Span::NONE);
        known.push(id);
        id
    }
}
