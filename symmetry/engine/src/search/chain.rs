//! The stabiliser chain of a path, level by level from the leaf up.
//!
//! At level `k` all generators found so far fix the base points before `k`; union-find joins their orbits. The search tries every vertex
//! of the target cell that is not yet in the orbit of the base point, one per orbit: either an automorphism maps the base point to it, or
//! no vertex of that orbit is an image. When the level is done, the orbit of its base point is exact, and the order of the group is the
//! product of the orbits.
//!
//! # Complexity
//!
//! At most one search for an image per generator and refuted orbit.

use num_bigint::BigUint;
use rustc_hash::FxHashSet;

use crate::graph::Graph;
use crate::partition::{Partition, Refiner, Trace};
use crate::union_find::UnionFind;

use super::difference::Difference;
use super::experiments::CREDIT;
use super::images::{Certify, Goal, PRUNED};
use super::known::Known;
use super::{Budget, ImageSearch, Level, Outcome, Path};

/// The number of nodes, in addition to one path per choice, before another path is tried.
#[derive(Clone, Copy, Debug)]
struct Patience {
    first: u64,
    /// At least so many for the first carefully chosen path.
    careful: u64,
}

const PATIENCE: Patience = Patience { first: 256, careful: 1 << 11 };
/// The factor by which patience grows from one path to the next.
const PATIENCE_GROWTH: u64 = 4;

/// A path with the state in which it was recorded.
pub(crate) struct RecordedPath {
    pub(crate) path: Path,
    pub(crate) trace: Trace,
    /// That of the path after the levels before `open`.
    pub(crate) partition: Partition,
    pub(crate) refiner: Refiner,
    /// The number of levels that are not done: the first ones.
    open: usize,
    /// Vertices of the last open level that are no images of its base point.
    refuted: Vec<u32>,
}

impl RecordedPath {
    /// Records the first path of a graph under an equitable partition by its colours.
    pub(crate) fn new(graph: &Graph) -> Self {
        let mut partition = Partition::by_colours(graph.colours());
        let mut refiner = Refiner::new(graph.len());
        let mut trace = Trace::default();
        let path = Path::descend(graph, &mut partition, &mut refiner, &mut trace);
        let open = path.levels.len();
        Self { path, trace, partition, refiner, open, refuted: Vec::new() }
    }

    /// As [`Self::new`], with a careful choice. `None` when the budget ran out.
    pub(crate) fn with_care(graph: &Graph, budget: &mut Budget) -> Option<Self> {
        let mut partition = Partition::by_colours(graph.colours());
        let mut refiner = Refiner::new(graph.len());
        let mut trace = Trace::default();
        let path = Path::descend_carefully(graph, &mut partition, &mut refiner, &mut trace, budget)?;
        let open = path.levels.len();
        Some(Self { path, trace, partition, refiner, open, refuted: Vec::new() })
    }
}

/// Finds strong generators along the path, those candidates that `certify` accepts; afterwards the orbit of every level is exact.
///
/// A path whose images are hard to find or to refute is left for a carefully chosen one, and that one for the first again, each with more
/// patience: so the cost is that of the better one, up to a factor. The generators found so far are kept, and so are the levels of a path
/// that are done: the orbit of such a level does not depend on the other path.
///
/// Returns `false` when the budget ran out: the orbits are lower bounds then.
pub(crate) fn search_stabilisers(
    graph: &Graph,
    recorded: &mut RecordedPath,
    budget: &mut Budget,
    certify: Certify<'_>,
) -> bool {
    search_patiently(graph, recorded, PATIENCE, budget, certify)
}

/// As [`search_stabilisers`], with this patience.
fn search_patiently(
    graph: &Graph,
    recorded: &mut RecordedPath,
    Patience { first, careful }: Patience,
    budget: &mut Budget,
    certify: Certify<'_>,
) -> bool {
    let mut found = Vec::new();
    let mut patience = first;
    let mut other: Option<RecordedPath> = None;
    loop {
        match search_along(graph, recorded, &mut found, patience, budget, certify) {
            End::Complete => return true,
            End::Unknown => return false,
            End::Hard => {}
        }
        let next = other.take().or_else(|| RecordedPath::with_care(graph, budget));
        let Some(next) = next else { return false };
        other = Some(std::mem::replace(recorded, next));
        patience = patience.saturating_mul(PATIENCE_GROWTH).max(careful);
    }
}

/// The end of a search along a path.
#[derive(PartialEq, Eq)]
enum End {
    Complete,
    /// The budget ran out.
    Unknown,
    /// The patience is exhausted.
    Hard,
}

/// Finds strong generators along the open levels of one path, in addition to known automorphisms.
fn search_along(
    graph: &Graph,
    recorded: &mut RecordedPath,
    known: &mut Vec<Vec<(u32, u32)>>,
    patience: u64,
    budget: &mut Budget,
    certify: Certify<'_>,
) -> End {
    let RecordedPath { path, trace, partition, refiner, open, refuted } = recorded;
    assert!(*open < path.levels.len() || partition.is_discrete(), "a path ends at a leaf");
    let places = places(path, known);
    let done = path.levels[*open..].iter().map(|level| level.orbit).collect();
    let of_path = std::mem::replace(partition, Partition::by_colours(&[]));
    let goal = Goal::Automorphism(Difference::new(graph.len()));
    let search = ImageSearch { graph, goal, path, trace, partition: of_path, refiner, credit: CREDIT, last: 0 };
    let orbits = UnionFind::new(graph.len());
    let mut climb = Climb {
        search,
        orbits,
        known,
        places,
        fixing: Vec::new(),
        done,
        refused: vec![0; graph.len()],
        wasted: 0,
        patience,
    };
    let mut end = End::Complete;
    while *open > 0 && end == End::Complete {
        end = climb.level(*open - 1, refuted, budget, certify);
        if end == End::Complete {
            *open -= 1;
            refuted.clear();
        }
    }
    *partition = climb.search.partition;
    end
}

/// A search along a path, from the last open level up.
struct Climb<'a> {
    search: ImageSearch<'a>,
    /// Of the known automorphisms that fix the base points before the level.
    orbits: UnionFind,
    known: &'a mut Vec<Vec<(u32, u32)>>,
    /// See [`places`]; those of the levels that were begun are taken out.
    places: Vec<(usize, usize)>,
    /// The numbers of the known automorphisms that fix the base points before the level.
    fixing: Vec<usize>,
    /// The orbits of the levels that are done.
    done: Vec<u32>,
    /// By root of an orbit, the last level at which it was refuted, counted from the end.
    refused: Vec<u64>,
    /// Nodes beyond those that images take.
    wasted: u64,
    patience: u64,
}

impl Climb<'_> {
    /// Finds the orbit of the base point of a level under the automorphisms that fix the base points before it. `refuted` are vertices
    /// that are not in it.
    fn level(&mut self, at: usize, refuted: &mut Vec<u32>, budget: &mut Budget, certify: Certify<'_>) -> End {
        let Level { target, base, mark, .. } = self.search.path.levels[at];
        let deeper = (self.search.path.levels.len() - at) as u64;
        self.search.undo_to(mark);
        debug_assert_eq!(self.search.partition.cell_of(base), target, "the base point is in the target cell");
        self.fix_bases(at);
        refuted.iter().for_each(|&v| self.refuse(v, deeper));
        for choice in self.search.partition.cell(target).to_vec() {
            let root = self.orbits.find(choice);
            if root == self.orbits.find(base) || self.refused[root as usize] == deeper {
                continue;
            }
            let before = budget.nodes();
            match self.image(at, choice, budget, certify) {
                Outcome::Found(pairs) => {
                    debug_assert!(pairs.contains(&(base, choice)), "the base point is mapped to the choice");
                    self.fixing.push(self.known.len());
                    self.known.push(pairs);
                    self.join(self.known.len() - 1);
                    refuted.iter().for_each(|&v| self.refuse(v, deeper));
                }
                Outcome::Absent => {
                    refuted.push(choice);
                    self.refuse(choice, deeper);
                }
                Outcome::Hard => return End::Hard,
                Outcome::Unknown | Outcome::NeedsSiblings(_) => {
                    self.search.path.levels[at].orbit = self.orbits.size(base);
                    return End::Unknown;
                }
            }
            // An image takes at least one path to a leaf.
            self.wasted += (budget.nodes() - before).saturating_sub(deeper);
            if self.wasted > self.patience {
                return End::Hard;
            }
        }
        let orbit = self.orbits.size(base);
        self.search.path.levels[at].orbit = orbit;
        self.done.push(orbit);
        End::Complete
    }

    /// Marks the orbit of a vertex as refuted at the level above so many.
    fn refuse(&mut self, v: u32, deeper: u64) {
        let root = self.orbits.find(v);
        self.refused[root as usize] = deeper;
    }

    /// Takes the known automorphisms that fix the base points before a level.
    fn fix_bases(&mut self, at: usize) {
        while let Some((_, number)) = self.places.pop_if(|&mut (place, _)| place >= at) {
            self.join(number);
            self.fixing.push(number);
        }
    }

    /// Joins the orbits of a known automorphism.
    fn join(&mut self, number: usize) {
        for &(point, image) in &self.known[number] {
            self.orbits.union(point, image);
        }
    }

    /// Searches for an automorphism that fixes the base points before a level and maps the base point of the level to `choice`.
    fn image(&mut self, at: usize, choice: u32, budget: &mut Budget, certify: Certify<'_>) -> Outcome {
        let Self { search, orbits, known, fixing, done, wasted, patience, .. } = self;
        let (degree, levels, before) = (search.graph.len(), search.path.levels.len(), budget.nodes());
        let orbit = orbits.size(search.path.levels[at].base);
        let fixing = || fixing.iter().map(|&number| &known[number]);
        let symmetries = || {
            let order = done.iter().chain([&orbit]).map(|&orbit| BigUint::from(orbit)).product();
            Known::new(degree, fixing(), order)
        };
        loop {
            search.last = (budget.nodes() + (levels - at) as u64).saturating_add(patience.saturating_sub(*wasted));
            let deeper = match search.find(at, choice, &symmetries, budget, certify) {
                Outcome::NeedsSiblings(deeper) => deeper,
                outcome => return outcome,
            };
            // Another path may have shorter cells.
            let length = u64::from(search.path.levels[deeper].length);
            if !search.path.is_careful && *wasted + budget.nodes() - before + length > *patience {
                return Outcome::Hard;
            }
            let known = if length < u64::from(PRUNED) {
                Known::trivial(degree)
            } else {
                let bases: Vec<u32> = search.path.levels[..deeper].iter().map(|level| level.base).collect();
                Known::fixing_all(degree, fixing(), &bases)
            };
            if !search.learn_siblings(at, deeper, &known, budget) {
                return Outcome::Unknown;
            }
        }
    }
}

/// For each automorphism the first level whose base point it moves, or the number of levels, with the number of the automorphism;
/// ascending.
fn places(path: &Path, known: &[Vec<(u32, u32)>]) -> Vec<(usize, usize)> {
    let place = |pairs: &Vec<(u32, u32)>| {
        let moved: FxHashSet<u32> = pairs.iter().map(|&(point, _)| point).collect();
        path.levels.iter().position(|level| moved.contains(&level.base)).unwrap_or(path.levels.len())
    };
    let mut places: Vec<(usize, usize)> =
        known.iter().enumerate().map(|(number, pairs)| (place(pairs), number)).collect();
    places.sort_unstable();
    places
}

#[cfg(test)]
pub(crate) mod tests {
    use num_bigint::BigUint;

    use super::{Patience, RecordedPath, search_patiently};
    use crate::graph::{Graph, GraphBuilder, Vertex};
    use crate::group::RandomSource;
    use crate::partition::{Partition, Refiner, Trace};
    use crate::search::{Budget, Certifier};

    fn graph(n: u32, is_edge: impl Fn(u32, u32) -> bool) -> Graph {
        let mut builder = GraphBuilder::new();
        builder.add_vertices(n as usize, 0);
        for v in 0..n {
            (0..v).filter(|&u| is_edge(u, v)).for_each(|u| builder.add_edge(Vertex::new(u), Vertex::new(v)));
        }
        builder.build().expect("simple")
    }

    /// The graph of a Latin square: places that share a row, a column or a symbol.
    fn square(n: u32, symbol: impl Fn(u32, u32) -> u32) -> Graph {
        let lines = |v: u32| [v / n, n + v % n, 2 * n + symbol(v / n, v % n)];
        graph(n * n, |u, v| lines(u).iter().any(|line| lines(v).contains(line)))
    }

    /// Points and lines of the plane with a difference set.
    fn plane(v: u32, differences: &[u32]) -> Graph {
        graph(2 * v, |point, line| point < v && line >= v && differences.contains(&((line - point) % v)))
    }

    /// Two vertices per edge of a random cubic graph, joined by gadgets as Cai, Fürer and Immerman do; twisted once.
    fn twisted(random: &mut RandomSource, base: usize) -> Graph {
        let mut ends: Vec<usize> = (0..3 * base).map(|end| end / 3).collect();
        (1..ends.len()).for_each(|place| ends.swap(place, random.below(place + 1)));
        let edges: Vec<&[usize]> = ends.chunks(2).collect();
        let mut builder = GraphBuilder::new();
        let halves: Vec<[Vertex; 2]> = edges.iter().map(|_| [builder.add_vertex(0), builder.add_vertex(0)]).collect();
        for vertex in 0..base {
            let around: Vec<usize> = (0..edges.len()).filter(|&edge| edges[edge].contains(&vertex)).collect();
            for mask in (0..1_usize << around.len()).filter(|mask| mask.count_ones() % 2 == u32::from(vertex == 0)) {
                let middle = builder.add_vertex(1);
                for (bit, &edge) in around.iter().enumerate() {
                    builder.add_edge(middle, halves[edge][mask >> bit & 1]);
                }
            }
        }
        builder.build().expect("simple")
    }

    /// Graphs whose cells are no orbits, or whose orbits need several levels, with an equitable colouring.
    pub(crate) fn graphs() -> Vec<Graph> {
        let mut random = RandomSource::new(5);
        let mut graphs = vec![
            square(6, |row, column| (row + column) % 6),
            square(8, |row, column| (row + column) % 8),
            square(8, |row, column| row ^ column ^ u32::from(row < 2 && column < 2)),
            plane(13, &[0, 1, 3, 9]),
            plane(31, &[1, 5, 11, 24, 25, 27]),
            graph(16, |u, v| {
                let (row, column) = ((v / 4 + 4 - u / 4) % 4, (v % 4 + 4 - u % 4) % 4);
                [(0, 1), (0, 3), (1, 0), (3, 0), (1, 1), (3, 3)].contains(&(row, column))
            }),
        ];
        graphs.extend((0..4).map(|_| twisted(&mut random, 8)));
        graphs.extend((0..14).map(|_| twisted(&mut random, 16)));
        for graph in &mut graphs {
            let mut partition = Partition::by_colours(graph.colours());
            Refiner::new(graph.len()).refine_all(graph, &mut partition, &mut Trace::default());
            graph.set_colours(graph.vertices().map(|v| partition.cell_of(v)).collect());
        }
        graphs
    }

    /// The order that a search finds.
    fn order(graph: &Graph, patience: Patience) -> BigUint {
        let mut recorded = RecordedPath::new(graph);
        let mut certifier = Certifier::new(graph.len());
        let mut certify = |pairs: &[(u32, u32)]| certifier.is_automorphism(graph, pairs);
        assert!(search_patiently(graph, &mut recorded, patience, &mut Budget::unlimited(), &mut certify));
        recorded.path.levels.iter().map(|level| BigUint::from(level.orbit)).product()
    }

    /// Searches that leave their paths after a few nodes, and come back to them, find what patient ones find; a path of which a level is
    /// taken as done too early gives too small a group.
    #[test]
    fn impatient_searches_find_the_whole_group() {
        for (number, graph) in graphs().iter().enumerate() {
            for seed in 0..4 {
                let mut random = RandomSource::new(seed);
                let mut images: Vec<u32> = graph.vertices().collect();
                (1..images.len()).for_each(|place| images.swap(place, random.below(place + 1)));
                let graph = graph.relabelled(&images);
                let patient = order(&graph, Patience { first: u64::MAX, careful: u64::MAX });
                for (first, careful) in [(0, 1), (1, 1), (3, 5), (9, 2)] {
                    let impatient = order(&graph, Patience { first, careful });
                    assert_eq!(impatient, patient, "graph {number}, seed {seed}, patience {first} and {careful}");
                }
            }
        }
        let orders: Vec<BigUint> =
            graphs().iter().map(|graph| order(graph, Patience { first: 1, careful: 1 })).collect();
        let known = [432_u32, 1536, 0, 11_232, 744_000, 192].map(BigUint::from);
        assert!(orders.iter().zip(&known).enumerate().all(|(at, (a, b))| at == 2 || a == b), "{orders:?}");
    }
}
