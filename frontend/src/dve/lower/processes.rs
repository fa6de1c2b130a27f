//! Processes: their states, local declarations and assertions.

use rustc_hash::FxHashMap;

use super::declarations::Wanted;
use super::{Control, Lowering, Meaning, Process, Scope};
use crate::diagnostics::{Diagnostic, codes};
use crate::dve::syntax::ast::{self, Name, System};
use crate::sequential::{Domain, Expr, ExprKind, MAX_TYPE_SIZE, Property, PropertyKind, SortId};

impl<'a> Lowering<'a> {
    /// Declares all processes: first their names, so that each may name each other.
    pub(super) fn declare_processes(&mut self, system: &System) {
        let file = self.file;
        for (number, tree) in file.processes.iter().enumerate() {
            self.declare(&tree.name, Meaning::Process(number), None);
            let (names, committed) = (Scope::default(), Vec::new());
            self.processes.push(Process { tree, names, control: None, committed });
        }
        if file.processes.is_empty() {
            let diagnostic = Diagnostic::error(codes::DVE_MISSING, system.span, "the text has no process");
            self.sink.push(diagnostic.help("write `process P { state s; init s; trans s -> s {}; }`"));
        }
        let mut sorts = FxHashMap::default();
        for number in 0..self.processes.len() {
            self.states(number, system, &mut sorts);
            self.declarations(&file.processes[number].declarations, Some(number));
        }
    }

    /// Declares the states of a process.
    fn states(&mut self, number: usize, system: &System, sorts: &mut FxHashMap<Vec<&'a str>, SortId>) {
        let tree = self.processes[number].tree;
        for (state, name) in (0..).zip(&tree.states) {
            self.declare(name, Meaning::State(state), Some(number));
        }
        let Some(init) = &tree.init else {
            let message = format!("`{}` has no initial state", tree.name.text);
            self.error(codes::DVE_MISSING, tree.name.span, message, "write `state s; init s;`");
            return;
        };
        let initial = self.state(init, number);
        let committed: Vec<Option<i32>> = tree.commit.iter().map(|name| self.state(name, number)).collect();
        self.processes[number].committed = committed.into_iter().flatten().collect();
        if system.property.as_ref().is_some_and(|property| property.text == tree.name.text) {
            return;
        }
        if let Some(first) = tree.accept.first() {
            let message = format!("`{}` is not the property: its accepting states have no meaning", tree.name.text);
            let help = format!("write `system async property {};`, or leave `accept` out", tree.name.text);
            self.sink.push(Diagnostic::notice(codes::DVE_ACCEPT_IGNORED, first.span, message).help(help));
        }
        if tree.states.len() > MAX_TYPE_SIZE {
            return self.too_large(tree.name.span, &format!("a process has at most {MAX_TYPE_SIZE} states"));
        }
        let list: Vec<&str> = tree.states.iter().map(|name| name.text.as_str()).collect();
        let sort = sorts.get(&list).copied().unwrap_or_else(|| {
            let members = list.iter().map(|state| self.member(tree, state)).collect();
            self.sort(format!("{}.states", tree.name.text), Domain::Members(members), tree.name.span)
        });
        sorts.insert(list, sort);
        let variable = self.variable(Wanted {
            name: format!("{}.state", tree.name.text),
            sort,
            index: None,
            values: vec![initial.unwrap_or(0)],
            span: tree.name.span,
            initial_span: init.span,
        });
        self.processes[number].control = Some(Control { variable, sort });
    }

    /// The name of a state in the result: with its process where other states, variables or constants have the same.
    fn member(&self, own: &ast::Process, state: &str) -> String {
        let is_alike = |names: &[Name]| {
            names.len() == own.states.len() && names.iter().zip(&own.states).all(|(a, b)| a.text == b.text)
        };
        let others = self.file.processes.iter().filter(|process| !is_alike(&process.states));
        let is_shared = others.flat_map(|process| &process.states).any(|name| name.text == state);
        if is_shared || self.globals.contains_key(state) {
            format!("{}.{state}", own.name.text)
        } else {
            state.to_owned()
        }
    }

    /// Conditions that hold in the states of processes.
    pub(super) fn assertions(&mut self) {
        for number in 0..self.processes.len() {
            let tree = self.processes[number].tree;
            let mut seen: FxHashMap<&str, usize> = FxHashMap::default();
            for assert in &tree.asserts {
                let (state, condition) =
                    (self.state(&assert.state, number), self.condition(&assert.condition, Some(number)));
                let count = seen.entry(&assert.state.text).or_default();
                *count += 1;
                let base = format!("{}.{}", tree.name.text, assert.state.text);
                let name = if *count == 1 { base } else { format!("{base}.{count}") };
                let span = assert.condition.span;
                let Some((state, condition)) = state.zip(condition) else { continue };
                let Some(at) = self.in_state(number, state, span) else { continue };
                let kind = ExprKind::Implies(Box::new(at), Box::new(condition));
                let kind = PropertyKind::Invariant(Expr::new(kind, span));
                self.model.properties.push(Property { name, kind, span: assert.state.span });
            }
        }
    }
}
