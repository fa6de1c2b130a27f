//! The sorts of a symmetric net: declarations, and the flat form of products.
//!
//! A colour is a tuple of basic values, whatever the nesting of products in the text: a value of `dot` is 0, one of an enumeration the index
//! of its constant, one of a range the integer itself.

use rustc_hash::FxHashMap;

use super::{Reader, Variable};
use crate::diagnostics::{codes, every, sorted};
use crate::pnml::xml::Element;
use crate::source::Span;

/// The most basic parts of a product.
const MAX_PARTS: usize = 32;

/// The most values of a sort.
const MAX_COLOURS: usize = 1 << 20;

/// A basic sort.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(in crate::pnml) enum Base {
    /// The sort of tokens without colour.
    Dot,
    /// An enumeration: index into [`Sorts::enumerations`].
    Enumeration(usize),
    /// The integers from the first to the last.
    Range(i32, i32),
}

/// A sort as the list of its basic parts.
pub(in crate::pnml) type Domain = Vec<Base>;

/// An enumeration.
#[derive(Debug)]
pub(in crate::pnml) struct Enumeration {
    /// The names of its constants for people.
    pub(in crate::pnml) names: Vec<String>,
    /// Whether the constants have successors and predecessors.
    pub(in crate::pnml) is_cyclic: bool,
}

/// A name that stands for constants of an enumeration.
#[derive(Clone, Debug)]
pub(in crate::pnml) struct Constants {
    /// The enumeration.
    pub(in crate::pnml) of: usize,
    /// The values: one for a constant, all that a part of a partition has for the part.
    pub(in crate::pnml) values: Vec<i32>,
}

/// The declared sorts.
#[derive(Default, Debug)]
pub(in crate::pnml) struct Sorts {
    /// The enumerations, in order.
    pub(in crate::pnml) enumerations: Vec<Enumeration>,
    /// Sorts by their ids; nothing for those with a fault.
    named: FxHashMap<String, Option<Domain>>,
    /// Constants and parts of partitions by their ids.
    pub(super) constants: FxHashMap<String, Constants>,
}

impl Sorts {
    pub(super) fn new() -> Sorts {
        let mut sorts = Sorts::default();
        sorts.named.insert("dot".to_owned(), Some(vec![Base::Dot]));
        sorts
    }

    /// The values of a basic sort, ascending.
    pub(in crate::pnml) fn values(&self, base: Base) -> std::ops::RangeInclusive<i32> {
        match base {
            Base::Dot => 0..=0,
            Base::Enumeration(of) => 0..=i32::try_from(self.enumerations[of].names.len()).unwrap_or(i32::MAX) - 1,
            Base::Range(low, high) => low..=high,
        }
    }

    /// The number of values of a basic sort.
    pub(in crate::pnml) fn size(&self, base: Base) -> usize {
        let values = self.values(base);
        usize::try_from(i64::from(*values.end()) - i64::from(*values.start()) + 1).unwrap_or(0)
    }

    /// A value of a basic sort in words.
    pub(in crate::pnml) fn name(&self, base: Base, value: i32) -> String {
        match base {
            Base::Dot => "dot".to_owned(),
            Base::Range(..) => value.to_string(),
            Base::Enumeration(of) => self.enumerations[of].names[usize::try_from(value).unwrap_or(0)].clone(),
        }
    }
}

impl Reader<'_> {
    /// The declarations of a net, in the order in which they may refer to each other.
    pub(super) fn declarations(&mut self, net: &Element) {
        let mut parts = Vec::new();
        let mut pages = vec![net];
        while let Some(page) = pages.pop() {
            pages.extend(page.all("page"));
            for declaration in page.all("declaration") {
                let lists = declaration.all("structure").flat_map(|structure| structure.all("declarations"));
                parts.extend(lists.flat_map(|list| &list.children));
            }
        }
        // A sort is declared before the products and partitions of it, or behind them.
        let mut open: Vec<&Element> = parts.iter().copied().filter(|part| part.name == "namedsort").collect();
        loop {
            let (ready, waiting): (Vec<&Element>, Vec<&Element>) = open.iter().partition(|sort| self.is_ready(sort));
            // Sorts that wait for nothing that comes are reported where they are read.
            let is_stuck = ready.is_empty();
            let next = if is_stuck { &waiting } else { &ready };
            next.iter().for_each(|sort| self.named_sort(sort));
            if is_stuck || waiting.is_empty() {
                break;
            }
            open = waiting;
        }
        for part in parts {
            match part.name.as_str() {
                "partition" => self.partition(part),
                "variabledecl" => self.variable(part),
                "namedsort" => {}
                other => {
                    let message = format!("a declaration `{other}` is not supported");
                    let help = "declare sorts, partitions and variables";
                    self.error(codes::PNML_UNSUPPORTED, part.span, message, help);
                }
            }
        }
    }

    /// Whether all sorts that a declaration refers to are known.
    fn is_ready(&self, declaration: &Element) -> bool {
        let mut open = vec![declaration];
        while let Some(element) = open.pop() {
            let used = element.attribute("declaration").filter(|_| element.name == "usersort");
            if used.is_some_and(|used| !self.document.sorts.named.contains_key(used)) {
                return false;
            }
            open.extend(&element.children);
        }
        true
    }

    fn named_sort(&mut self, element: &Element) {
        let Some(id) = self.attribute(element, "id") else { return };
        let sort = match element.children.first() {
            Some(structure) => self.sort(structure),
            None => self.missing(element, "sort"),
        };
        let sorts = &mut self.document.sorts.named;
        if sorts.contains_key(&id) && sorts.get(&id) != Some(&sort) {
            let message = format!("the id `{id}` is used twice");
            self.error(codes::PNML_DUPLICATE, element.span, message, "rename one of the sorts");
            return;
        }
        sorts.insert(id, sort);
    }

    /// A sort that is not too large.
    pub(super) fn sort(&mut self, element: &Element) -> Option<Domain> {
        let sort = self.sort_of_any_size(element)?;
        let sizes = sort.iter().map(|&base| self.document.sorts.size(base));
        let size = sizes.fold(1usize, usize::saturating_mul);
        if size > MAX_COLOURS {
            let message = format!("the sort has more than {MAX_COLOURS} values");
            return self.refuse(codes::PNML_TOO_LARGE, element.span, message, "check a smaller instance");
        }
        Some(sort)
    }

    fn sort_of_any_size(&mut self, element: &Element) -> Option<Domain> {
        match element.name.as_str() {
            "dot" => Some(vec![Base::Dot]),
            "usersort" => {
                let id = self.attribute(element, "declaration")?;
                if let Some(known) = self.document.sorts.named.get(&id) {
                    return known.clone();
                }
                let known: Vec<String> = self.document.sorts.named.keys().cloned().collect();
                self.unknown("sort", &id, element.span, &sorted(&known))
            }
            "productsort" => {
                let whole = every(element.children.iter().map(|part| self.sort(part)))?.concat();
                if whole.is_empty() || whole.len() > MAX_PARTS {
                    let message = format!("the product has {} basic parts", whole.len());
                    let help = format!("products have 1 to {MAX_PARTS} basic parts");
                    return self.refuse(codes::PNML_TOO_LARGE, element.span, message, help);
                }
                Some(whole)
            }
            "finiteintrange" => {
                let (low, high) = self.range(element)?;
                Some(vec![Base::Range(low, high)])
            }
            "finiteenumeration" | "cyclicenumeration" => self.enumeration(element),
            other => {
                let message = format!("sorts of kind `{other}` are not supported");
                let help = "symmetric nets have `dot`, enumerations, ranges of integers and products";
                self.refuse(codes::PNML_UNSUPPORTED, element.span, message, help)
            }
        }
    }

    /// The bounds of a range.
    pub(super) fn range(&mut self, element: &Element) -> Option<(i32, i32)> {
        let (low, high) = (self.attribute(element, "start")?, self.attribute(element, "end")?);
        let (low, high) = (self.integer(&low, element.span)?, self.integer(&high, element.span)?);
        if low > high {
            let message = "the range is empty";
            return self.refuse(codes::PNML_MALFORMED, element.span, message, "let `start` be at most `end`");
        }
        Some((low, high))
    }

    /// An integer of 32 bits.
    pub(super) fn integer(&mut self, text: &str, span: Span) -> Option<i32> {
        let number = text.parse::<i32>().ok();
        if number.is_none() {
            let message = format!("`{text}` is no integer of 32 bits");
            self.error(codes::PNML_MALFORMED, span, message, "write it in decimal digits");
        }
        number
    }

    fn enumeration(&mut self, element: &Element) -> Option<Domain> {
        // Constants are known only once all of them have ids, so that none names a sort that there is not.
        let mut ids = Vec::new();
        for constant in element.all("feconstant") {
            ids.push((self.attribute(constant, "id")?, constant));
        }
        if ids.is_empty() {
            return self.missing(element, "constant");
        }
        let of = self.document.sorts.enumerations.len();
        let own = |constant: &Element| constant.attribute("name").filter(|name| !name.is_empty()).map(str::to_owned);
        let names = ids.iter().map(|(id, constant)| own(constant).unwrap_or_else(|| id.clone())).collect();
        let is_cyclic = element.name == "cyclicenumeration";
        self.document.sorts.enumerations.push(Enumeration { names, is_cyclic });
        for (value, (id, constant)) in (0..).zip(ids) {
            self.constants(&id, Constants { of, values: vec![value] }, constant.span);
        }
        Some(vec![Base::Enumeration(of)])
    }

    fn constants(&mut self, id: &str, constants: Constants, span: Span) {
        if self.document.sorts.constants.insert(id.to_owned(), constants).is_some() {
            let message = format!("the id `{id}` is used twice");
            self.error(codes::PNML_DUPLICATE, span, message, "rename one of the constants");
        }
    }

    /// A partition: each part is a name for all its constants.
    fn partition(&mut self, element: &Element) {
        let sort = element.child("usersort").and_then(|sort| self.sort(sort));
        let Some([Base::Enumeration(of)]) = sort.as_deref() else {
            let help = "name an enumeration by `usersort`";
            self.error(codes::PNML_MALFORMED, element.span, "the partition is not one of an enumeration", help);
            return;
        };
        let of = *of;
        for part in element.all("partitionelement") {
            let Some(id) = self.attribute(part, "id") else { continue };
            let mut values = Vec::new();
            for constant in part.all("useroperator") {
                let Some(name) = self.attribute(constant, "declaration") else { continue };
                match self.document.sorts.constants.get(&name) {
                    Some(known) if known.of == of => values.extend(&known.values),
                    _ => self.unknown("constant of the sort", &name, constant.span, &[]).unwrap_or_default(),
                }
            }
            self.constants(&id, Constants { of, values }, part.span);
        }
    }

    fn variable(&mut self, element: &Element) {
        let Some(id) = self.attribute(element, "id") else { return };
        let Some(structure) = element.children.iter().find(|child| child.name != "name") else {
            self.missing::<()>(element, "sort");
            return;
        };
        let Some(sort) = self.sort(structure) else { return };
        let name = element.attribute("name").filter(|name| !name.is_empty()).unwrap_or(&id).to_owned();
        self.document.variables.push(Variable { name, sort });
        if self.variables.insert(id.clone(), self.document.variables.len() - 1).is_some() {
            let message = format!("the id `{id}` is used twice");
            self.error(codes::PNML_DUPLICATE, element.span, message, "rename one of the variables");
        }
    }
}
