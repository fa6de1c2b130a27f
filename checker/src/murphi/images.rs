//! Images of states under proved exchanges of values, for invariants that the group of a quotient moves.
//!
//! The image is that of [`Exchanged::image`], multisets sorted again, with which a test compares it.

use std::collections::BTreeMap;

use ::symmetry::murphi::ValidatedGroup;
use ::symmetry::murphi::keeping::Exchanged;
use engine::SparsePermutation;
use explore::reductions::AtImages;
use frontend::murphi::interpret::{State, sort_multisets};
use frontend::murphi::program::{Program, TypeKind};

use super::code::UNDEFINED;

/// The images of the values from a first one on.
#[derive(Clone, Debug)]
struct Table {
    first: i32,
    images: Vec<i32>,
}

impl Table {
    /// The image of a value.
    #[inline]
    fn image(&self, value: i64) -> i64 {
        if value == UNDEFINED {
            return value;
        }
        let at = usize::try_from(value - i64::from(self.first)).ok();
        at.and_then(|at| self.images.get(at)).map_or(value, |&image| image.into())
    }
}

/// An exchange of values as it acts on states.
#[derive(Clone, Debug)]
pub(super) struct Image {
    /// The cell that moves to each cell.
    from: Vec<u32>,
    /// The table of each cell; behind the last where its values stay.
    table: Vec<usize>,
    tables: Vec<Table>,
    has_slots: bool,
}

/// The images at which invariants are checked that a group moves, by the names of the invariants.
///
/// # Panics
/// If one of the elements is none of the group, or does more than to exchange values.
pub(super) fn of(program: &Program, group: &ValidatedGroup, list: &[AtImages]) -> Vec<(String, Vec<Image>)> {
    let image = |element: &SparsePermutation| Image::new(program, group, element);
    list.iter().map(|at| (at.property.clone(), at.elements.iter().map(image).collect())).collect()
}

impl Image {
    fn new(program: &Program, group: &ValidatedGroup, element: &SparsePermutation) -> Image {
        let exchanged = Exchanged::new(program, group, element).expect("images are under the proved group");
        let classes: Vec<_> = exchanged.renaming.keys().copied().collect();
        let tables = classes.iter().map(|class| table(exchanged.renaming.get(class))).collect();
        let place = |class| classes.binary_search(class).unwrap_or(classes.len());
        let table = exchanged.cells.classes.iter().map(place).collect();
        let has_slots = program.types.list.iter().any(|of| matches!(of.kind, TypeKind::Multiset { .. }));
        let image = Image { from: exchanged.cells.from, table, tables, has_slots };
        assert_eq!(image.from.len(), program.cells(), "every cell has its image");
        assert_eq!(image.from.len(), image.table.len(), "every cell has its table");
        image
    }

    /// Writes the image of a state.
    pub(super) fn write(&self, program: &Program, state: &[i64], image: &mut Vec<i64>) {
        let cell = |(&from, &table): (&u32, &usize)| {
            let value = state[from as usize];
            self.tables.get(table).map_or(value, |table| table.image(value))
        };
        image.clear();
        image.extend(self.from.iter().zip(&self.table).map(cell));
        if self.has_slots {
            sort_multisets(program, image, UNDEFINED);
        }
    }

    /// The image of a state of the reference semantics.
    pub(super) fn of_state(&self, program: &Program, state: &State) -> State {
        let (state, mut image): (Vec<i64>, _) =
            (state.iter().copied().map(super::packing::value).collect(), Vec::new());
        self.write(program, &state, &mut image);
        image.into_iter().map(super::packing::cell).collect()
    }
}

/// The table of the images of some values; others stay.
fn table(images: Option<&BTreeMap<i32, i32>>) -> Table {
    let Some((&first, &last)) =
        images.and_then(|images| Some((images.first_key_value()?.0, images.last_key_value()?.0)))
    else {
        return Table { first: 0, images: Vec::new() };
    };
    let image = |value: i32| images.and_then(|images| images.get(&value)).copied().unwrap_or(value);
    Table { first, images: (first..=last).map(image).collect() }
}
