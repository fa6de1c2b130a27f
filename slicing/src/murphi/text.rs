//! The text of a slice: the tree of the text of a model without the removed parts.
//!
//! Rules, properties and statements are found by their places. Variables and procedures stay where something that stays names
//! them, so that the text can be read again; constants and types stay.

use frontend::murphi::print::print;
use frontend::murphi::program::{Child, Stmt};
use frontend::murphi::syntax::ast::{Body, Branch, Case, Declaration, DeclarationKind, File, Item, Rule, RuleKind};
use frontend::murphi::syntax::ast::{Stmt as Written, StmtKind};
use frontend::source::Span;
use rustc_hash::FxHashSet;

use super::MurphiSlice;

/// The places of the parts that stay.
type Places = FxHashSet<Span>;

impl MurphiSlice {
    /// The tree of the text of the original without the removed parts.
    #[must_use]
    pub fn tree(&self, original: File) -> File {
        let (mut kept, mut names) = (Vec::new(), FxHashSet::default());
        let places = self.places();
        // Everything is declared before it is used.
        for item in original.items.into_iter().rev() {
            let Some(item) = without_removed(item, &places).and_then(|item| if_named(item, &names)) else { continue };
            let file = File { items: vec![item] };
            let text = print(&file);
            names.extend(text.split(|c: char| c != '_' && !c.is_ascii_alphanumeric()).map(str::to_owned));
            kept.extend(file.items);
        }
        kept.reverse();
        File { items: kept }
    }

    fn places(&self) -> Places {
        let model = &self.model;
        let rules = || model.rules.iter().chain(&model.starts);
        let bodies = rules().map(|rule| &rule.body).chain(model.procedures.iter().map(|procedure| &procedure.body));
        let mut places: Places = rules().map(|rule| rule.span).chain(self.properties.iter().copied()).collect();
        bodies.for_each(|body| add(body, &mut places));
        places
    }
}

fn add(body: &[Stmt], places: &mut Places) {
    for stmt in body {
        places.insert(stmt.span);
        for child in stmt.children() {
            if let Child::Body(inner) = child {
                add(inner, places);
            }
        }
    }
}

fn without_removed(item: Item, places: &Places) -> Option<Item> {
    match item {
        Item::Rule(rule) => staying(rule, places).map(Item::Rule),
        Item::Procedure(mut procedure) => {
            procedure.body = body(procedure.body, places);
            Some(Item::Procedure(procedure))
        }
        item @ Item::Declaration(_) => Some(item),
    }
}

/// An item without variables and procedures that have none of these names.
fn if_named(item: Item, names: &FxHashSet<String>) -> Option<Item> {
    match item {
        Item::Declaration(Declaration { names: mut declared, kind: kind @ DeclarationKind::Variable(_), span }) => {
            declared.retain(|name| names.contains(&name.text));
            (!declared.is_empty()).then_some(Item::Declaration(Declaration { names: declared, kind, span }))
        }
        Item::Procedure(procedure) => names.contains(&procedure.name.text).then_some(Item::Procedure(procedure)),
        item => Some(item),
    }
}

/// A rule that stays, or a nest with one.
fn staying(Rule { kind, span }: Rule, places: &Places) -> Option<Rule> {
    let inside =
        |rules: Vec<Rule>| -> Vec<Rule> { rules.into_iter().filter_map(|rule| staying(rule, places)).collect() };
    let nest = |rules: Vec<Rule>, around: &dyn Fn(Vec<Rule>) -> RuleKind| {
        let rules = inside(rules);
        (!rules.is_empty()).then(|| around(rules))
    };
    let is_kept = places.contains(&span);
    let kind = match kind {
        RuleKind::Simple(name, guard, own) => is_kept.then(|| RuleKind::Simple(name, guard, body(own, places))),
        RuleKind::Start(name, own) => is_kept.then(|| RuleKind::Start(name, body(own, places))),
        RuleKind::Property(property) => is_kept.then_some(RuleKind::Property(property)),
        RuleKind::Ruleset(binders, rules) => nest(rules, &|rules| RuleKind::Ruleset(binders.clone(), rules)),
        RuleKind::Alias(aliases, rules) => nest(rules, &|rules| RuleKind::Alias(aliases.clone(), rules)),
        RuleKind::Choose(slots, rules) => nest(rules, &|rules| RuleKind::Choose(slots.clone(), rules)),
    };
    Some(Rule { kind: kind?, span })
}

fn body(Body { declarations, statements: list }: Body, places: &Places) -> Body {
    Body { declarations, statements: statements(list, places) }
}

fn statements(list: Vec<Written>, places: &Places) -> Vec<Written> {
    let inside = |list: Vec<Written>| statements(list, places);
    let kept = list.into_iter().filter(|stmt| places.contains(&stmt.span)).map(|Written { kind, span }| {
        let kind = match kind {
            StmtKind::If(branches, otherwise) => {
                let branch = |of: Branch| Branch { body: inside(of.body), ..of };
                StmtKind::If(branches.into_iter().map(branch).collect(), otherwise.map(inside))
            }
            StmtKind::Switch(subject, cases, otherwise) => {
                let case = |of: Case| Case { body: inside(of.body), ..of };
                StmtKind::Switch(subject, cases.into_iter().map(case).collect(), otherwise.map(inside))
            }
            StmtKind::For(binders, list) => StmtKind::For(binders, inside(list)),
            StmtKind::While(condition, list) => StmtKind::While(condition, inside(list)),
            StmtKind::Alias(aliases, list) => StmtKind::Alias(aliases, inside(list)),
            other => other,
        };
        Written { kind, span }
    });
    kept.collect()
}
