//! [`Terms`]: texts each of which exists once, and their images under other names for variables.
//!
//! # Invariants
//!
//! Two texts have the same number if and only if they begin with the same numbers and have the same parts, in some order where it has no meaning.
//! The parts of a text have smaller numbers than the text.
//!
//! # Complexity
//!
//! The image of a text takes time linear in its parts, and that of a text that is part of others is found once for all of them.

use frontend::sequential::VariableId;
use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashMap};

use super::names::Names;
use super::written::number;

/// The number of a text.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct TextId(u32);

impl TextId {
    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

/// The number of what texts begin with; the last bit says whether the order of the parts has no meaning.
type Beginning = u32;

/// The beginning of the name of a variable, whose number follows.
const VARIABLE: Beginning = 0;

/// A text.
#[derive(Clone, Copy)]
pub(super) enum Text<'t> {
    Variable(VariableId),
    Term { beginning: Beginning, parts: &'t [u32] },
}

/// The texts of one process.
#[derive(Default)]
pub(super) struct Terms {
    beginnings: IndexSet<Vec<u32>, FxBuildHasher>,
    /// The beginning of each text with the numbers of its parts, or of the variable.
    texts: IndexSet<Box<[u32]>, FxBuildHasher>,
}

/// The images of texts under one renaming, as far as they were asked for.
pub(super) struct Images<'t> {
    terms: &'t Terms,
    names: &'t Names,
    known: FxHashMap<TextId, Option<TextId>>,
}

impl Terms {
    /// The name of a variable.
    pub(super) fn variable(&mut self, id: VariableId) -> TextId {
        self.add(&[VARIABLE, number(id.index())])
    }

    /// The text that begins with these numbers and has these parts.
    pub(super) fn term(&mut self, beginning: Vec<u32>, parts: &[TextId], commutes: bool) -> TextId {
        debug_assert!(parts.iter().all(|part| part.index() < self.texts.len()), "the parts of a text are texts");
        let (place, _) = self.beginnings.insert_full(beginning);
        let beginning = 2 * (number(place) + 1) + u32::from(commutes);
        let mut text: Vec<u32> = [beginning].into_iter().chain(parts.iter().map(|part| part.0)).collect();
        if commutes {
            text[1..].sort_unstable();
        }
        self.add(&text)
    }

    fn add(&mut self, text: &[u32]) -> TextId {
        let place = self.texts.get_index_of(text).unwrap_or_else(|| self.texts.insert_full(text.into()).0);
        TextId(number(place))
    }

    /// The text with a number.
    pub(super) fn text(&self, id: TextId) -> Text<'_> {
        match &self.texts[id.index()][..] {
            &[VARIABLE, variable] => Text::Variable(VariableId::from_index(variable as usize)),
            [beginning, parts @ ..] => Text::Term { beginning: *beginning, parts },
            [] => unreachable!("a text has a beginning"),
        }
    }

    /// The parts of a text, in their order where it has a meaning.
    pub(super) fn parts(&self, id: TextId) -> impl Iterator<Item = TextId> + Clone {
        let parts = match self.text(id) {
            Text::Variable(_) => &[],
            Text::Term { parts, .. } => parts,
        };
        parts.iter().map(|&part| TextId(part))
    }

    /// The numbers with which a text begins, and whether the order of its parts has no meaning; none of the name of a variable.
    pub(super) fn beginning(&self, id: TextId) -> Option<(&[u32], bool)> {
        match self.text(id) {
            Text::Variable(_) => None,
            Text::Term { beginning, .. } => Some((&self.beginnings[beginning as usize / 2 - 1], commutes(beginning))),
        }
    }

    /// The number of texts.
    pub(super) fn len(&self) -> usize {
        self.texts.len()
    }

    /// The images of texts with other names for variables.
    pub(super) fn images<'t>(&'t self, names: &'t Names) -> Images<'t> {
        Images { terms: self, names, known: FxHashMap::default() }
    }
}

/// Whether the order of the parts of a text has no meaning.
pub(super) fn commutes(beginning: Beginning) -> bool {
    beginning % 2 == 1
}

impl Images<'_> {
    /// The text with the new names; `None` if it is none of the texts of the process.
    pub(super) fn image(&mut self, id: TextId) -> Option<TextId> {
        if let Some(&known) = self.known.get(&id) {
            return known;
        }
        limits::work(1);
        let image = match self.terms.text(id) {
            Text::Variable(variable) => match self.names.get(&variable) {
                Some(image) => self.find(&[VARIABLE, number(image.index())]),
                None => Some(id),
            },
            Text::Term { beginning, parts } => self.of_term(beginning, parts),
        };
        self.known.insert(id, image);
        image
    }

    fn of_term(&mut self, beginning: Beginning, parts: &[u32]) -> Option<TextId> {
        let mut text = Vec::with_capacity(1 + parts.len());
        text.push(beginning);
        for &part in parts {
            text.push(self.image(TextId(part))?.0);
        }
        if commutes(beginning) {
            text[1..].sort_unstable();
        }
        self.find(&text)
    }

    fn find(&self, text: &[u32]) -> Option<TextId> {
        self.terms.texts.get_index_of(text).map(|place| TextId(number(place)))
    }
}

#[cfg(test)]
mod tests {
    use frontend::diagnostics::Diagnostics;
    use frontend::sequential::{Property, Sequential, VariableId};

    use super::super::uses::Wrong;
    use super::super::written::{Vocabulary, Writer};
    use super::{Names, Terms, TextId};
    use crate::sequential::tests::names::{PAIRS, Texts, image};

    fn written(model: &Sequential, terms: &mut Terms) -> Vec<TextId> {
        let vocabulary = Vocabulary::new(model, Wrong::default());
        let mut writer = Writer::new(&vocabulary, terms);
        let summands: Vec<TextId> = model.summands.iter().map(|summand| writer.summand(summand)).collect();
        let atoms = model.properties.iter().flat_map(Property::atoms);
        summands.into_iter().chain(atoms.map(|atom| writer.condition(atom)).collect::<Vec<_>>()).collect()
    }

    #[test]
    fn an_image_is_what_is_written_with_the_other_names() {
        let parse = |text: &str| {
            let mut sink = Diagnostics::new();
            let parsed = frontend::sequential::parse(text, &Default::default(), &mut sink);
            parsed.model.filter(|_| !sink.has_errors())
        };
        let (mut texts, mut known, mut unknown) = (Texts::new(5), 0, 0);
        for _ in 0..500 {
            let text = texts.text();
            let (head, rest) = text.split_once(") = ").expect("a process has a body");
            let (body, rest) = rest.split_once("; init").expect("a process has a start");
            let (start, claim) = rest.split_once("assert").expect("a process has a claim");
            let moved = |text: &str| text.split(' ').map(image).collect::<Vec<_>>().join(" ");
            let renamed = format!("{head}) = {}; init{start}assert{}", moved(body), moved(&claim.replace(';', " ;")));
            let (Some(own), Some(other)) = (parse(&text), parse(&renamed)) else { continue };
            let id = |name: &str| {
                let place = own.variables.iter().position(|variable| variable.name == name);
                VariableId::from_index(place.expect("a variable"))
            };
            let pairs = PAIRS.iter().flat_map(|&(one, two)| [(id(one), id(two)), (id(two), id(one))]);
            let names: Names = pairs.collect();
            let mut terms = Terms::default();
            let own = written(&own, &mut terms);
            let before = terms.len();
            let images: Vec<Option<TextId>> = {
                let mut images = terms.images(&names);
                own.iter().map(|&text| images.image(text)).collect()
            };
            for (image, other) in images.into_iter().zip(written(&other, &mut terms)) {
                // A text that is written for the first time is none of the process.
                let other = Some(other).filter(|other| other.index() < before);
                assert_eq!(image, other, "{text}\n{renamed}");
                *if other.is_some() { &mut known } else { &mut unknown } += 1;
            }
        }
        assert!(known >= 300 && unknown >= 300, "{known} {unknown}");
    }
}
