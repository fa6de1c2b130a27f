//! Declarations: symbols, records and variables as variables of the sequential form, channels as arrays.
//!
//! A variable of a record is one variable per field. Locals of a proctype have the number of the process as their first
//! index. A buffered channel is its length and one array per field of its messages; slots behind the length are 0. A
//! value of a channel variable is the number of a channel, from 1 on; 0 is none.

use super::super::syntax::ast::{Channel, Expr, ExprKind, Initial, Part, Place, Type, Variable};
use super::{Lowering, Refused};
use crate::diagnostics::codes;
use crate::sequential::{Domain, SortId, Variable as Stored, VariableId};
use crate::source::Span;

/// The most elements of an array or slots of a channel.
pub(super) const MAX_SIZE: i64 = 1 << 12;

/// The most values of a message: SPIN reads 200 and fails for 300.
const MAX_FIELDS: usize = 255;

/// The deepest nesting of records.
pub(super) const MAX_RECORDS: usize = 16;

/// A scalar variable, or all elements of one field.
#[derive(Clone, Debug)]
pub(super) struct Leaf {
    pub variable: VariableId,
    pub of: Type,
    /// For each name of the place, the number of its elements.
    pub sizes: Vec<Option<i64>>,
    /// The channels that it names, if it always names the same.
    pub group: Option<usize>,
    /// The proctype that it is local to.
    pub owner: Option<usize>,
}

impl Leaf {
    /// Whether it is an array whose declaration says that its elements are bits.
    pub(super) fn is_array_of_bits(&self) -> bool {
        self.sizes.last().is_some_and(Option::is_some) && matches!(self.of, Type::Bit | Type::Bool)
    }
}

/// The channels of one declaration.
#[derive(Clone, Debug)]
pub(super) struct Group {
    /// The full name of its variable.
    pub name: String,
    pub capacity: i64,
    /// The types of the fields, records taken apart.
    pub types: Vec<Type>,
    pub len: VariableId,
    pub fields: Vec<VariableId>,
    /// The sorts of the indices, the process first for a local.
    pub indices: Vec<SortId>,
    /// The number of its first channel.
    pub base: i32,
    /// The number of its channels.
    pub size: i32,
    pub owner: Option<usize>,
}

/// The value of a slot that holds no message: none that names a process, so that it keeps no process out of a symmetry. Other slots
/// are told apart by the length of their channel, so that states stay one to one.
pub(super) fn free(of: &Type) -> i32 {
    if matches!(of, Type::Byte | Type::Pid) { -1 } else { 0 }
}

impl Lowering<'_> {
    /// The values of a type.
    pub(super) fn bounds(&self, of: &Type) -> (i32, i32) {
        match of {
            Type::Bit | Type::Bool => (0, 1),
            Type::Byte | Type::Pid | Type::Mtype => (0, 255),
            Type::Short => (-32768, 32767),
            Type::Unsigned(bits) => (0, i32::MAX >> (31 - (*bits).min(31))),
            Type::Chan => (0, self.channels),
            Type::Int | Type::Record(_) => (i32::MIN, i32::MAX),
        }
    }

    /// The sort of a range.
    pub(super) fn range(&mut self, low: i32, high: i32) -> SortId {
        assert!(low <= high, "a range of the lowering has values");
        self.domain(Domain::Range { low, high })
    }

    /// The sort of these values.
    pub(super) fn domain(&mut self, domain: Domain) -> SortId {
        let (low, high) = domain.bounds();
        let is_of_processes = |id: SortId| self.slots.iter().any(|slots| slots.sort == id);
        let mut known = (1..self.model.sorts.len()).map(SortId::from_index);
        if let Some(found) = known.find(|&id| self.model.domain(id).clone() == domain && !is_of_processes(id)) {
            return found;
        }
        let name = match (low, high) {
            (0, 255) => "BYTE".to_owned(),
            (-32768, 32767) => "SHORT".to_owned(),
            (i32::MIN, i32::MAX) => "INT".to_owned(),
            (0, high) => format!("UPTO{high}"),
            _ => format!("R{}_{}", low.unsigned_abs(), high.unsigned_abs()),
        };
        self.sort(&name, domain)
    }

    pub(super) fn sort(&mut self, name: &str, domain: Domain) -> SortId {
        let name = self.sort_names.fresh(&[name, &format!("{name}_")]);
        self.model.add_sort(name, domain, Span::NONE)
    }

    /// A new variable with these wishes for its name, 0 everywhere.
    pub(super) fn variable(&mut self, names: &[&str], sort: SortId, indices: Vec<SortId>, span: Span) -> VariableId {
        let name = self.names.fresh(names);
        self.model.variables.push(Stored { is_uniform: false, ..Stored::new(name, sort, indices, span) });
        VariableId::from_index(self.model.variables.len() - 1)
    }

    /// The value of a constant expression.
    pub(super) fn constant(&self, expr: &Expr) -> Option<i64> {
        use super::super::syntax::ast::{Binary, Unary};
        use crate::sequential::BinaryOp;
        match &expr.kind {
            ExprKind::Int(value) => Some(*value),
            ExprKind::Place(place) => match place.parts.as_slice() {
                [part] if part.index.is_none() => self.symbols.get(&part.name.text).copied().map(i64::from),
                _ => None,
            },
            ExprKind::Unary(Unary::Negate, inner) => Some(-self.constant(inner)?),
            ExprKind::Binary(Binary::On(op), left, right) => {
                let (left, right) = (self.constant(left)?, self.constant(right)?);
                match op {
                    BinaryOp::Add => left.checked_add(right),
                    BinaryOp::Subtract => left.checked_sub(right),
                    BinaryOp::Multiply => left.checked_mul(right),
                    BinaryOp::Quotient => left.checked_div(right),
                    BinaryOp::Remainder => left.checked_rem(right),
                    BinaryOp::ShiftLeft => left.checked_shl(u32::try_from(right).ok()?),
                    _ => None,
                }
            }
            ExprKind::Choice(condition, then, otherwise) => {
                self.constant(if self.constant(condition)? == 0 { otherwise } else { then })
            }
            _ => None,
        }
    }

    /// The value of a constant expression between two bounds.
    pub(super) fn size(&mut self, expr: &Expr, low: i64) -> Result<i64, Refused> {
        match self.constant(expr) {
            Some(value) if (low..=MAX_SIZE).contains(&value) => Ok(value),
            Some(value) => self.refuse(codes::PROMELA_SIZE, expr.span, &format!("the size {value} is out of bounds")),
            None => self.refuse(codes::PROMELA_SIZE, expr.span, "the size is no constant"),
        }
    }

    /// Declares a variable with all its fields; `process` is the sort of the processes that have it.
    pub(super) fn declare(&mut self, declared: &Variable, owner: Option<usize>) -> Result<(), Refused> {
        let mut path = vec![declared.clone()];
        self.declare_path(&mut path, owner)?;
        assert_eq!(path.len(), 1, "every field that was entered is left");
        Ok(())
    }

    /// Declares the last variable of a path of fields.
    fn declare_path(&mut self, path: &mut Vec<Variable>, owner: Option<usize>) -> Result<(), Refused> {
        let last = path.last().expect("a path has a name").clone();
        if path.len() > MAX_RECORDS {
            return self.refuse(codes::PROMELA_NESTING, last.name.span, "records are nested too deeply");
        }
        if let Type::Record(name) = &last.of {
            let fields = self.records.get(name).cloned().unwrap_or_default();
            if last.initial.is_some() {
                return self.refuse(codes::PROMELA_TYPE, last.name.span, "a record has no initial value");
            }
            for field in fields {
                path.push(field);
                self.declare_path(path, owner)?;
                path.pop();
            }
            return Ok(());
        }
        let names: Vec<&str> = path.iter().map(|variable| variable.name.text.as_str()).collect();
        let (plain, full) = (names.join("_"), names.join("."));
        if self.leaves.contains_key(&(owner, full.clone())) {
            let message = format!("`{full}` is declared twice");
            return self.refuse(codes::PROMELA_DUPLICATE, last.name.span, &message);
        }
        let of = if self.bytes.contains(&(owner, full.clone())) { Type::Byte } else { last.of.clone() };
        let mut sizes = Vec::new();
        let mut indices: Vec<SortId> = owner.map(|owner| self.slots[owner].sort).into_iter().collect();
        for variable in path.iter() {
            let size = match &variable.size {
                Some(size) => Some(self.size(size, 1)?),
                None => None,
            };
            if let Some(size) = size {
                let high = i32::try_from(size - 1).expect("sizes are bounded");
                indices.push(self.range(0, high));
            }
            sizes.push(size);
        }
        let prefixed = owner.map(|owner| format!("{}_{plain}", self.processes[owner].name.text));
        let names: Vec<&str> = prefixed.iter().map(String::as_str).chain([plain.as_str()]).collect();
        let span = last.name.span;
        let group = match &last.initial {
            Some(Initial::Channel(channel)) => {
                let group = self.group(channel, (&full, names[0]), &indices, owner)?;
                if !self.assigned.contains(&(owner, full.clone())) { Some(group) } else { None }
            }
            _ => None,
        };
        let variable = if group.is_some() {
            // It always names the same channels, and needs no value.
            VariableId(u32::MAX)
        } else {
            let (low, high) = self.bounds(&of);
            let sort = if of == Type::Bool { crate::sequential::Sequential::BOOL } else { self.range(low, high) };
            let wanted: Vec<&str> = if owner.is_some() { names[..1].to_vec() } else { names };
            self.variable(&wanted, sort, indices, span)
        };
        if let (None, Some(initial)) = (group, &last.initial) {
            self.initials.push((owner, full.clone(), initial.clone()));
        }
        self.leaves.insert((owner, full), Leaf { variable, of, sizes, group, owner });
        Ok(())
    }

    /// The types of the fields of messages, records and their arrays taken apart.
    fn flat(&mut self, types: &[Type], depth: usize, span: Span) -> Result<Vec<Type>, Refused> {
        let mut flat = Vec::new();
        for of in types {
            let Type::Record(name) = of else {
                flat.push(of.clone());
                continue;
            };
            if depth > MAX_RECORDS {
                return self.refuse(codes::PROMELA_NESTING, span, "records are nested too deeply");
            }
            for field in self.records.get(name).cloned().unwrap_or_default() {
                let elements = match &field.size {
                    Some(size) => self.size(size, 1)?,
                    None => 1,
                };
                if field.size.is_some() && matches!(field.of, Type::Record(_)) {
                    let message = "an array of records in a message is not supported, by SPIN neither";
                    return self.refuse(codes::PROMELA_UNSUPPORTED, span, message);
                }
                let of = self.flat(&[field.of], depth + 1, span)?;
                let all = usize::try_from(elements).expect("sizes are bounded").saturating_mul(of.len());
                if flat.len().saturating_add(all) > MAX_FIELDS {
                    let message = format!("a message of more than {MAX_FIELDS} values");
                    return self.refuse(codes::PROMELA_SIZE, span, &message);
                }
                (0..elements).for_each(|_| flat.extend(of.iter().cloned()));
            }
        }
        Ok(flat)
    }

    fn group(
        &mut self,
        channel: &Channel,
        (full, name): (&str, &str),
        indices: &[SortId],
        owner: Option<usize>,
    ) -> Result<usize, Refused> {
        let capacity = self.size(&channel.capacity, 0)?;
        let mut types = self.flat(&channel.fields, 0, channel.span)?;
        // SPIN keeps the only field of a message in a byte.
        if let [of @ (Type::Bit | Type::Bool)] = types.as_mut_slice()
            && !self.wrong.cuts_only_fields()
        {
            *of = Type::Byte;
        }
        let size: usize = indices.iter().map(|&sort| self.model.domain(sort).size()).product();
        let size = i32::try_from(size).expect("sizes are bounded");
        let (mut len, mut fields) = (VariableId(u32::MAX), Vec::new());
        if capacity > 0 {
            let high = i32::try_from(capacity).expect("sizes are bounded");
            let sort = self.range(0, high);
            len = self.variable(&[&format!("{name}_len")], sort, indices.to_vec(), channel.span);
            let slots = self.range(0, high - 1);
            for (number, of) in types.iter().enumerate() {
                let (low, high) = self.bounds(of);
                let sort = self.range(low.min(free(of)), high);
                let wanted =
                    if types.len() == 1 { format!("{name}_data") } else { format!("{name}_data{}", number + 1) };
                let all: Vec<SortId> = indices.iter().copied().chain([slots]).collect();
                fields.push(self.variable(&[&wanted], sort, all, channel.span));
            }
        }
        let base = self.next_channel;
        self.next_channel += size;
        let indices = indices.to_vec();
        let name = full.to_owned();
        self.groups.push(Group { name, capacity, types, len, fields, indices, base, size, owner });
        Ok(self.groups.len() - 1)
    }

    /// The leaf of a place: of the process, or else global.
    pub(super) fn leaf(&self, process: Option<usize>, place: &Place) -> Option<&Leaf> {
        let names: Vec<&str> = place.parts.iter().map(|part| part.name.text.as_str()).collect();
        let name = names.join(".");
        let own = process.and_then(|process| self.leaves.get(&(Some(process), name.clone())));
        own.or_else(|| self.leaves.get(&(None, name)))
    }

    /// The places of the fields of a record, the elements of arrays one by one, or the place itself.
    pub(super) fn parts(&self, process: Option<usize>, place: &Place) -> Vec<Place> {
        let names: Vec<&str> = place.parts.iter().map(|part| part.name.text.as_str()).collect();
        let fields = |owner: Option<usize>| -> Option<Vec<Variable>> {
            let mut of = self.declared.get(&(owner, names[0].to_owned()))?.clone();
            for name in &names[1..] {
                let Type::Record(record) = of else { return None };
                of = self.records.get(&record)?.iter().find(|field| field.name.text == *name)?.of.clone();
            }
            match of {
                Type::Record(record) => self.records.get(&record).cloned(),
                _ => None,
            }
        };
        let found = process.and_then(|process| fields(Some(process))).or_else(|| fields(None));
        let Some(found) = found else { return vec![place.clone()] };
        let field = |field: &Variable| {
            let size = field.size.as_ref().and_then(|size| self.constant(size));
            let elements = size.filter(|_| !self.wrong.sends_first_elements()).unwrap_or(1).clamp(1, MAX_SIZE);
            let element = |number: i64| {
                let index = Expr { kind: ExprKind::Int(number), span: place.span };
                let index = size.map(|_| Box::new(index));
                let mut inner = place.clone();
                inner.parts.push(Part { name: field.name.clone(), index });
                self.parts(process, &inner)
            };
            (0..elements).flat_map(element).collect::<Vec<_>>()
        };
        found.iter().flat_map(field).collect()
    }
}
