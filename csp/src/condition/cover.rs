//! The canonical cover of a small function: all its prime cubes, or all those of its complement.
//!
//! A cube is a product of value sets. The algorithm starts from the universe and removes the rows where the function is false, one by
//! one ([`Layout::without`]); it drops every cube that another one contains. The maximal cubes inside the function remain. A permutation of
//! elements or values permutes the primes, so both the set of primes and the choice of the side are the same for a function and for its
//! image.
//!
//! # Complexity
//!
//! At most [`MAX_ROWS`] rows. `x != y` over eight values each has the most primes met in practice, 254, and its complement has eight.

use rustc_hash::FxHashMap;

use super::packed::Layout;

/// The most rows of a function that is tabulated.
pub(super) const MAX_ROWS: usize = 64;

/// A product of value sets: for each dimension the bits of its values.
pub(super) type Cube = Vec<u64>;

/// Cubes whose union is a function, or its complement.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Cover {
    pub(super) cubes: Vec<Cube>,
    pub(super) complemented: bool,
}

/// The primes of a function and those of its complement.
type Sides = [Vec<Cube>; 2];

/// The primes computed so far: many functions have the same table.
#[derive(Default, Debug)]
pub(super) struct Covers(FxHashMap<(Vec<usize>, u64), Sides>);

impl Covers {
    /// The primes of the function with this table over dimensions of these sizes (the last varies fastest), and those of its complement.
    pub(super) fn sides(&mut self, sizes: &[usize], table: u64) -> &Sides {
        let sides = || [primes(sizes, table), primes(sizes, !table)];
        self.0.entry((sizes.to_vec(), table)).or_insert_with(sides)
    }

    /// The cover of the function with this table.
    pub(super) fn cover(&mut self, sizes: &[usize], table: u64) -> Cover {
        let [positive, negative] = self.sides(sizes, table);
        lighter(sizes, Some(positive), Some(negative)).expect("there are both sides")
    }
}

/// The lighter of two covers: the primes of a function, and those of its complement, as far as either exists.
pub(super) fn lighter(sizes: &[usize], positive: Option<&Vec<Cube>>, negative: Option<&Vec<Cube>>) -> Option<Cover> {
    let weight = |cubes: &[Cube]| (cubes.len(), cubes.iter().map(|cube| literals(sizes, cube)).sum::<usize>());
    let complemented = match (positive, negative) {
        (Some(positive), Some(negative)) => weight(negative) < weight(positive),
        _ => positive.is_none(),
    };
    let cubes = if complemented { negative } else { positive };
    Some(Cover { cubes: cubes?.clone(), complemented })
}

/// The bits of all values of a dimension.
pub(super) fn full(size: usize) -> u64 {
    if size >= 64 { u64::MAX } else { (1 << size) - 1 }
}

/// The number of dimensions that a cube restricts.
pub(super) fn literals(sizes: &[usize], cube: &Cube) -> usize {
    sizes.iter().zip(cube).filter(|&(&size, &set)| set != full(size)).count()
}

/// The maximal cubes inside a function.
pub(super) fn primes(sizes: &[usize], table: u64) -> Vec<Cube> {
    let layout = Layout::new(sizes);
    let mut cubes = vec![layout.universe()];
    let rows: usize = sizes.iter().product();
    assert!(rows <= MAX_ROWS, "a table has a bit for each row");
    for row in (0..rows).filter(|row| table >> row & 1 == 0) {
        cubes = layout.without(cubes, &layout.pack(&point(sizes, row)));
    }
    let mut cubes: Vec<Cube> = cubes.iter().map(|cube| layout.unpack(cube)).collect();
    cubes.sort_unstable();
    debug_assert!(
        (0..rows).all(|row| {
            let point = point(sizes, row);
            cubes.iter().any(|cube| inside(&point, cube)) == (table >> row & 1 == 1)
        }),
        "the primes are a cover of the function"
    );
    cubes
}

/// The values of a row.
fn coordinates(sizes: &[usize], mut row: usize) -> Vec<usize> {
    let mut point = vec![0; sizes.len()];
    for (value, &size) in point.iter_mut().zip(sizes).rev() {
        *value = row % size;
        row /= size;
    }
    debug_assert_eq!(row, 0, "the row is one of the table");
    point
}

/// The cube of one row.
pub(super) fn point(sizes: &[usize], row: usize) -> Cube {
    coordinates(sizes, row).into_iter().map(|value| 1 << value).collect()
}

/// Whether two cubes have a point in common.
pub(super) fn meet(one: &Cube, other: &Cube) -> bool {
    one.iter().zip(other).all(|(one, other)| one & other != 0)
}

/// Whether all of a cube lies in another.
pub(super) fn inside(cube: &Cube, other: &Cube) -> bool {
    cube.iter().zip(other).all(|(set, wide)| set & !wide == 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn covers_of_known_functions() {
        // x or y over bits: the complement is one cube. Rows 00, 01, 10, 11.
        let mut covers = Covers::default();
        assert_eq!(covers.cover(&[2, 2], 0b1110), Cover { cubes: vec![vec![1, 1]], complemented: true });
        // x = y over three values: three cubes, where x != y has six.
        assert_eq!(covers.cover(&[3, 3], 0b100_010_001).cubes.len(), 3);
        assert_eq!(primes(&[3, 3], !0b100_010_001).len(), 6);
        assert_eq!(primes(&[2], 0b11), vec![vec![3]]);
        assert_eq!(primes(&[2], 0), Vec::<Cube>::new());
    }

    #[test]
    fn primes_are_exactly_the_function() {
        let sizes = [2, 3, 2];
        for table in 0..1u64 << 12 {
            let cubes = primes(&sizes, table);
            let rows = (0..12).filter(|&row| cubes.iter().any(|cube| inside(&point(&sizes, row), cube)));
            assert_eq!(rows.fold(0, |bits, row| bits | 1 << row), table);
        }
    }
}
