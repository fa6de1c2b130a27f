//! [`Claim`]: a property of a model under a name that no other has, and the names of steps.

use ltl::{Formula, Says};
use rustc_hash::FxHashSet;

use super::{CoverId, Frame, Header, Program, Rule, TypeKind};
use crate::murphi::syntax::ast::PropertyKind;
use crate::source::Span;

/// The names of checks that every model has, which no property takes.
pub(in crate::murphi) const BUILT_IN: [&str; 4] = ["deadlock", "overflow", "error", "assertion"];

/// The name of the line of a property file that says which states may end.
pub(in crate::murphi) const END: &str = "ends";

/// A property under a name of its own. Assumptions are none: they belong to the steps.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Claim {
    /// Its name.
    pub name: String,
    /// Its kind.
    pub kind: ClaimKind,
    /// The text.
    pub span: Span,
}

/// The kinds of claims, each with the number of its property in the program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ClaimKind {
    /// Every instance holds in every state.
    Invariant(usize),
    /// Some instance holds in some state.
    Cover(usize),
    /// From every state, each instance can be reached again.
    Liveness(usize),
    /// A `cover` statement is met.
    Met(CoverId),
    /// A state without steps, or all of whose steps stay, is no deadlock where it holds. It asks nothing itself.
    End(usize),
    /// A formula holds on every run; its conditions are properties by number.
    Ltl(Formula<usize>),
}

impl ltl::Property for Claim {
    type Condition = usize;
    type Place = Span;

    fn name(&self) -> &str {
        &self.name
    }

    fn place(&self) -> Span {
        self.span
    }

    fn says(&self) -> Says<'_, usize> {
        match &self.kind {
            ClaimKind::Invariant(property) => Says::Invariant(property),
            ClaimKind::Ltl(formula) => Says::Formula(formula),
            ClaimKind::End(property) => Says::End(property),
            ClaimKind::Cover(_) | ClaimKind::Met(_) => Says::Cover,
            ClaimKind::Liveness(_) => Says::Recovery,
        }
    }
}

impl ClaimKind {
    /// Whether all states answer it together, and no state by itself.
    pub fn is_of_graph(&self) -> bool {
        matches!(self, ClaimKind::Cover(_) | ClaimKind::Liveness(_) | ClaimKind::Met(_))
    }

    /// Whether the claim is about the property of a number.
    pub fn is_about(&self, property: usize) -> bool {
        match self {
            ClaimKind::Invariant(own) | ClaimKind::Cover(own) | ClaimKind::Liveness(own) | ClaimKind::End(own) => {
                *own == property
            }
            ClaimKind::Met(_) => false,
            ClaimKind::Ltl(formula) => formula.atoms().contains(&&property),
        }
    }
}

impl Program {
    /// The properties, in the order of the text, those in bodies last.
    pub fn claims(&self) -> Vec<Claim> {
        let declared = self.properties.iter().enumerate().filter_map(|(index, property)| {
            let (kind, word) = match property.kind {
                PropertyKind::Assume | PropertyKind::Atom => return None,
                PropertyKind::Assert | PropertyKind::Invariant => (ClaimKind::Invariant(index), "invariant"),
                PropertyKind::End => (ClaimKind::End(index), END),
                PropertyKind::Cover => (ClaimKind::Cover(index), "cover"),
                PropertyKind::Liveness => (ClaimKind::Liveness(index), "liveness"),
            };
            Some((kind, if property.name.is_empty() { word } else { &property.name }, property.span))
        });
        let met = self.covers.iter().enumerate().map(|(index, cover)| {
            let name = if cover.name.is_empty() { "cover" } else { &cover.name };
            (ClaimKind::Met(CoverId::from_index(index)), name, cover.span)
        });
        let mut taken: FxHashSet<String> = BUILT_IN.iter().map(|&name| name.to_owned()).collect();
        let formulas =
            self.formulas.iter().map(|one| (ClaimKind::Ltl(one.formula.clone()), one.name.as_str(), Span::NONE));
        let claims = declared.chain(met).chain(formulas).map(|(kind, name, span)| {
            let numbered = (2..).map(|number| format!("{name} {number}"));
            let mut names = std::iter::once(name.to_owned()).chain(numbered);
            let free = names.find(|name| taken.insert(name.clone())).expect("one of the names is free");
            Claim { name: free, kind, span }
        });
        claims.collect()
    }

    /// A rule, or a start state, with the values of its rulesets and the slots of its choices: `send(n=node_1)`.
    pub fn label(&self, rule: &Rule, values: &[i32]) -> String {
        let name = &rule.name;
        let values = self.parameters(&rule.header, &rule.frame, values);
        if values.is_empty() {
            return name.clone();
        }
        let listed: Vec<String> = values.into_iter().map(|(name, value)| format!("{name}={value}")).collect();
        format!("{name}({})", listed.join(", "))
    }

    /// The names of rulesets and choices with their values, outermost first; as many as there are values.
    pub fn parameters<'p>(&self, header: &[Header], frame: &'p Frame, values: &[i32]) -> Vec<(&'p str, String)> {
        let locals = header.iter().filter_map(|construct| match construct {
            Header::For(binder) => Some(binder.local),
            Header::Choose(slots) => Some(slots.slot),
            Header::Alias(_) => None,
        });
        let named = locals.zip(values).map(|(id, &value)| {
            let local = frame.local(id);
            let text = match self.types.kind(local.of) {
                TypeKind::Multiset { .. } => value.to_string(),
                _ => self.types.value_text(local.of, value),
            };
            (local.name.as_str(), text)
        });
        named.collect()
    }
}
