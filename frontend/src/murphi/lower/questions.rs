//! Questions: invariants of another file over the names of a model.

use rustc_hash::FxHashSet;

use super::Lowering;
use crate::diagnostics::{Diagnostic, codes};
use crate::murphi::program::BUILT_IN;
use crate::murphi::syntax::ast::{File, Item, PropertyKind, Rule, RuleKind};
use crate::source::Span;

impl Lowering<'_> {
    /// Adds the invariants of a file of questions to the properties of the program.
    pub(super) fn questions(&mut self, questions: &File) {
        let first = self.program.properties.len();
        for item in &questions.items {
            match item {
                Item::Rule(rule) if is_question(rule) => self.rule(rule),
                Item::Rule(Rule { span, .. }) => self.no_question(*span),
                Item::Declaration(_) | Item::Procedure(_) => self.no_question(Span::NONE),
            }
        }
        let mut taken: FxHashSet<&str> = BUILT_IN.into_iter().collect();
        let mut twice = Vec::new();
        for property in &mut self.program.properties[first..] {
            if !taken.insert(&property.name) {
                twice.push((property.name.clone(), property.span));
            }
            // Its place is one of another text.
            property.span = Span::NONE;
        }
        for (name, span) in twice {
            let message = format!("there already is a question or a built-in property `{name}`");
            let diagnostic = Diagnostic::error(codes::DUPLICATE_PROPERTY, span, message);
            self.sink.push(diagnostic.help("choose another name"));
        }
    }

    fn no_question(&mut self, span: Span) {
        let help = "write `invariant \"name\" condition;` or lines `name: condition`";
        self.error(codes::MURPHI_QUESTION, span, "a file of questions has invariants only", help);
    }
}

/// Whether a rule is an invariant with a name, or a nest of such invariants.
fn is_question(rule: &Rule) -> bool {
    match &rule.kind {
        RuleKind::Property(property) => property.kind == PropertyKind::Invariant && property.name.is_some(),
        RuleKind::Ruleset(_, rules) | RuleKind::Alias(_, rules) => rules.iter().all(is_question),
        RuleKind::Simple(..) | RuleKind::Start(..) | RuleKind::Choose(..) => false,
    }
}
