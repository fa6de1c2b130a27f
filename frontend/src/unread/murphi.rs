//! Variables, locals, parameters and fields of Murphi models that are never read.
//!
//! A field is read if it is read in any record of its type, or a value with such a record in it is compared, shown, passed or returned. Copies of
//! whole values between variables are assignments of each field to itself. Values of rulesets, loops and quantifiers are not reported, nor are aliases and parameters
//! that stand for variables; what is read through these counts as read. The read of a variable in an assignment counts where the
//! variable may be undefined: where no start state assigns any of it, or `undefine` is said of a part. Of fields this is not known, and not asked.

use std::collections::{BTreeMap, BTreeSet};

use super::{Unread, UnreadKind, Uses, is_exempt};
use crate::murphi::program::{
    Argument, Base, BinderValues, Binding, Bound, Child, Class, Expr, ExprKind, Frame, Header, LocalKind, Owner, Place,
    Program, Step, Stmt, StmtKind, Text, TypeId, TypeKind, Variable,
};
use crate::source::Span;

/// A variable of the state, a local, or a field of a record type.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Key {
    Variable(usize),
    Local(Owner, usize),
    Field(TypeId, usize),
}

/// A declaration that is reported if it is never read.
struct Declared {
    key: Key,
    kind: UnreadKind,
    span: Span,
    name: String,
}

/// What a walk knows and finds.
struct Walk<'p> {
    program: &'p Program,
    uses: Uses<Key>,
    /// The frame of the statements.
    owner: Owner,
    frame: &'p Frame,
    /// The variables and locals that hold a value before their first read, as far as the text shows.
    defined: BTreeSet<Key>,
    undefined: BTreeSet<Key>,
}

/// What the model, its properties and its formulas never read, in the order of the text.
pub fn of_murphi(program: &Program) -> Vec<Unread> {
    static NONE: Frame = Frame { locals: Vec::new(), cells: 0 };
    let (defined, undefined) = (BTreeSet::new(), BTreeSet::new());
    let mut walk = Walk { program, uses: Uses::new(), owner: Owner::Procedure(0), frame: &NONE, defined, undefined };
    walk.definitions();
    walk.all();
    let declared = walk.declared();
    declared.iter().filter(|one| is_exempt(&one.name)).for_each(|one| walk.uses.read(one.key));
    walk.uses.close();
    let names: BTreeMap<Key, &str> = declared.iter().map(|one| (one.key, one.name.as_str())).collect();
    let name = |key: Key| names.get(&key).copied().unwrap_or_default().to_owned();
    let unread = |Declared { key, kind, span, name: own }: &Declared| {
        let instead = walk.uses.instead(*key, name).filter(|_| !span.is_none())?;
        Some(Unread { span: *span, kind: *kind, name: own.clone(), instead })
    };
    let mut found: Vec<Unread> = declared.iter().filter_map(unread).collect();
    found.sort();
    found.dedup();
    found
}

impl<'p> Walk<'p> {
    /// What is reported if it is never read.
    fn declared(&self) -> Vec<Declared> {
        let program = self.program;
        let variable = |(number, own): (usize, &Variable)| Declared {
            key: Key::Variable(number),
            kind: UnreadKind::Variable,
            span: own.span,
            name: own.name.clone(),
        };
        let mut all: Vec<Declared> = program.variables.iter().enumerate().map(variable).collect();
        for Text { owner, frame, .. } in program.texts() {
            let parameters = match owner {
                Owner::Procedure(number) => program.procedures[number].parameters,
                _ => 0,
            };
            for (number, local) in frame.locals.iter().enumerate() {
                let kind = match local.kind {
                    LocalKind::Variable => UnreadKind::Local,
                    LocalKind::Value if number < parameters => UnreadKind::Parameter,
                    _ => continue,
                };
                let key = Key::Local(owner, number);
                all.push(Declared { key, kind, span: local.span, name: local.name.clone() });
            }
        }
        for field in &program.fields {
            let record = &program.types.list[field.record.index()];
            let TypeKind::Record(fields) = &record.kind else { continue };
            let own = &fields[field.number].name;
            let name = if record.name.is_empty() { own.clone() } else { format!("{}.{own}", record.name) };
            let key = Key::Field(field.record, field.number);
            all.push(Declared { key, kind: UnreadKind::Field, span: field.span, name });
        }
        all
    }

    fn all(&mut self) {
        for text in self.program.texts() {
            (self.owner, self.frame) = (text.owner, text.frame);
            self.header(text.header);
            text.condition.into_iter().for_each(|condition| self.reads(condition));
            self.body(text.body);
        }
    }

    fn header(&mut self, list: &[Header]) {
        for construct in list {
            match construct {
                Header::For(_) => {}
                Header::Alias(binding) => self.binding(binding),
                Header::Choose(slots) => self.place(&slots.multiset),
            }
        }
    }

    /// What an alias stands for is read through it.
    fn binding(&mut self, binding: &Binding) {
        match &binding.to {
            Bound::Place(place) => {
                place.indices().for_each(|index| self.reads(index));
                let alias = Key::Local(self.owner, binding.local.index());
                for key in self.path(place) {
                    self.uses.flow(key, alias);
                }
            }
            Bound::Value(value) => self.reads(value),
        }
    }

    fn base(&self, place: &Place) -> Key {
        match place.base {
            Base::Variable(id) => Key::Variable(id.index()),
            Base::Local(id) => Key::Local(self.owner, id.index()),
        }
    }

    /// The variable of a place and the fields on the way to the part, without what is inside of that.
    fn path(&self, place: &Place) -> Vec<Key> {
        let mut of = match place.base {
            Base::Variable(id) => self.program.variables[id.index()].of,
            Base::Local(id) => self.frame.locals[id.index()].of,
        };
        let mut path = vec![self.base(place)];
        for step in &place.steps {
            of = match (self.program.types.kind(of), step) {
                (TypeKind::Record(fields), Step::Field(number)) => {
                    path.push(Key::Field(of, *number));
                    fields[*number].of
                }
                (TypeKind::Array { element, .. } | TypeKind::Multiset { element, .. }, _) => *element,
                _ => of,
            };
        }
        assert_eq!(of, place.of, "the way to a part ends at its type");
        path
    }

    /// The fields inside of a type.
    fn inside(&self, of: TypeId, found: &mut BTreeSet<Key>) {
        limits::work(1);
        match self.program.types.kind(of) {
            TypeKind::Record(fields) => {
                for (number, field) in fields.iter().enumerate() {
                    if found.insert(Key::Field(of, number)) {
                        self.inside(field.of, found);
                    }
                }
            }
            TypeKind::Array { element, .. } | TypeKind::Multiset { element, .. } => self.inside(*element, found),
            _ => {}
        }
    }

    /// A read that counts, of a place and all inside of it.
    fn place(&mut self, place: &Place) {
        self.whole(place).into_iter().for_each(|key| self.uses.read(key));
    }

    /// The keys of a place and of all inside of it; its indices are read.
    fn whole(&mut self, place: &Place) -> BTreeSet<Key> {
        place.indices().for_each(|index| self.reads(index));
        let mut keys: BTreeSet<Key> = self.path(place).into_iter().collect();
        self.inside(place.of, &mut keys);
        keys
    }

    fn reads(&mut self, expr: &Expr) {
        limits::work(1);
        match &expr.kind {
            ExprKind::Read(place) | ExprKind::IsUndefined(place) => self.place(place),
            ExprKind::Call(procedure, arguments) => self.call(procedure.index(), arguments),
            _ => {
                for child in expr.children() {
                    self.child(child);
                }
            }
        }
    }

    fn child(&mut self, child: Child<'_>) {
        match child {
            Child::Expr(expr) => self.reads(expr),
            Child::Place(place) => self.place(place),
            Child::Body(body) => self.body(body),
        }
    }

    /// A parameter that stands for a variable shows what the procedure reads through it.
    fn call(&mut self, procedure: usize, arguments: &[Argument]) {
        for (number, argument) in arguments.iter().enumerate() {
            match argument {
                Argument::Value(value) => self.reads(value),
                Argument::Reference(place) => {
                    place.indices().for_each(|index| self.reads(index));
                    let parameter = Key::Local(Owner::Procedure(procedure), number);
                    for key in self.path(place) {
                        self.uses.write(key);
                        self.uses.flow(key, parameter);
                    }
                }
            }
        }
    }

    fn body(&mut self, body: &[Stmt]) {
        body.iter().for_each(|stmt| self.stmt(stmt));
    }

    fn stmt(&mut self, stmt: &Stmt) {
        limits::work(1);
        match &stmt.kind {
            StmtKind::Assign(to, value) => self.assign(to, value),
            StmtKind::MultisetAdd(value, to) => self.assign(to, value),
            StmtKind::Undefine(to) | StmtKind::Clear(to) | StmtKind::MultisetRemove(_, to) => self.write(to),
            StmtKind::Alias(bindings, body) => {
                bindings.iter().for_each(|binding| self.binding(binding));
                self.body(body);
            }
            StmtKind::Call(procedure, arguments) => self.call(procedure.index(), arguments),
            StmtKind::MultisetRemoveWhere(slots, condition) => {
                self.write(&slots.multiset);
                self.reads(condition);
            }
            StmtKind::For(binder, body) => {
                if let BinderValues::Steps(steps) = &binder.values {
                    [&steps.from, &steps.to, &steps.by].into_iter().for_each(|bound| self.reads(bound));
                }
                self.body(body);
            }
            _ => stmt.children().into_iter().for_each(|child| self.child(child)),
        }
    }

    /// A write of a place and all inside of it. Through another name nothing is written but that: what it stands for is not known here.
    fn write(&mut self, to: &Place) {
        self.whole(to).into_iter().for_each(|key| self.uses.write(key));
    }

    fn assign(&mut self, to: &Place, value: &Expr) {
        self.write(to);
        let path = self.path(to);
        let through = matches!(to.base, Base::Local(id) if self.frame.locals[id.index()].kind.is_reference());
        let last = path.last().copied().filter(|key| matches!(key, Key::Field(..)) || !through);
        match last {
            Some(last) => self.flows(value, &path, last),
            // What a reference stands for may be read elsewhere. Its fields inside are those of the value.
            None => match &value.kind {
                ExprKind::Read(from) => {
                    from.indices().for_each(|index| self.reads(index));
                    self.path(from).into_iter().for_each(|key| self.uses.read(key));
                }
                _ => self.reads(value),
            },
        }
    }

    /// The reads of a value that is assigned to a place. Whole values are copied field by field.
    fn flows(&mut self, value: &Expr, path: &[Key], last: Key) {
        if let ExprKind::Read(from) = &value.kind {
            from.indices().for_each(|index| self.reads(index));
            for key in self.path(from) {
                // Where its value is undefined, the step faults. Whole values are copied with what is undefined in them.
                let is_whole = self.program.types.class(from.of) == Class::Compound;
                let may_fault = !is_whole && !matches!(key, Key::Field(..)) && !self.is_defined(key);
                match key {
                    key if may_fault => self.uses.read(key),
                    key if path.contains(&key) => self.uses.flow(key, key),
                    key => self.uses.flow(key, last),
                }
            }
            return;
        }
        if let ExprKind::Call(..) = &value.kind {
            return self.reads(value);
        }
        for child in value.children() {
            match child {
                Child::Expr(inner) => self.flows(inner, path, last),
                other => self.child(other),
            }
        }
    }

    /// Whether a variable or local of the current frame has a value, as far as its assignments show.
    fn is_defined(&self, key: Key) -> bool {
        let is_value = matches!(key, Key::Local(_, id) if self.frame.locals[id].kind != LocalKind::Variable);
        is_value || self.defined.contains(&key) && !self.undefined.contains(&key)
    }

    /// Finds the variables that the start states define, the locals that are assigned, and those that are undefined again.
    fn definitions(&mut self) {
        for Text { owner, frame, body, .. } in self.program.texts() {
            self.define(owner, frame, body, matches!(owner, Owner::Procedure(_) | Owner::Start(_)));
        }
    }

    fn define(&mut self, owner: Owner, frame: &'p Frame, body: &'p [Stmt], variables: bool) {
        (self.owner, self.frame) = (owner, frame);
        for stmt in body {
            limits::work(1);
            let to = match &stmt.kind {
                StmtKind::Assign(to, _) | StmtKind::Clear(to) | StmtKind::Undefine(to) => Some(to),
                _ => None,
            };
            if let Some(to) = to {
                let key = self.base(to);
                match &stmt.kind {
                    StmtKind::Undefine(_) => drop(self.undefined.insert(key)),
                    _ if variables || matches!(key, Key::Local(..)) => drop(self.defined.insert(key)),
                    _ => {}
                }
            }
            for child in stmt.children() {
                if let Child::Body(inner) = child {
                    self.define(owner, frame, inner, variables);
                }
            }
        }
    }
}
