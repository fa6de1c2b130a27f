//! Refinement against its definition, and under other numbers of the vertices.

use super::grouping::Grouping;
use super::{Ignore, Partition, Refiner, Trace};
use crate::graph::{Graph, GraphBuilder, Vertex, index};
use crate::group::RandomSource;

/// A random graph: sparse, dense or with a few vertices next to most others.
fn random_graph(random: &mut RandomSource, seed: usize) -> Graph {
    let n = index(2 + random.below(60));
    let mut builder = GraphBuilder::new();
    (0..n).for_each(|_| _ = builder.add_vertex(index(random.below(1 + seed % 2))));
    let density = [2, 3, 20][seed % 3];
    for v in 0..n {
        for u in 0..v {
            if random.below(density) == 0 || (u < 2 && random.below(4) > 0) {
                builder.add_edge(Vertex::new(u), Vertex::new(v));
            }
        }
    }
    builder.build().expect("simple")
}

/// The cells by vertex, numbered in the order of first members: the coarsest equitable refinement by the definition.
fn naive(graph: &Graph, mut cells: Vec<u32>) -> Vec<u32> {
    loop {
        let key = |v: u32| {
            let mut around: Vec<u32> = graph.neighbours(v).iter().map(|&u| cells[u as usize]).collect();
            around.sort_unstable();
            (cells[v as usize], around)
        };
        let keys: Vec<(u32, Vec<u32>)> = graph.vertices().map(key).collect();
        let finer: Vec<u32> =
            keys.iter().map(|key| index(keys.iter().position(|other| other == key).expect("its own"))).collect();
        if finer == cells {
            return cells;
        }
        cells = finer;
    }
}

/// The cells by vertex, each with the number of its first member.
fn cells(partition: &Partition, graph: &Graph) -> Vec<u32> {
    let least = |v: u32| *partition.cell(partition.cell_of(v)).iter().min().expect("not empty");
    graph.vertices().map(least).collect()
}

/// The first cell of several vertices.
fn first_open(partition: &Partition) -> Option<u32> {
    partition.open_cells().next()
}

#[test]
fn a_path_is_refined_into_distances_from_its_ends() {
    let mut builder = GraphBuilder::new();
    builder.add_vertices(7, 0);
    for v in 0..6 {
        builder.add_edge(Vertex::new(v), Vertex::new(v + 1));
    }
    let graph = builder.build().expect("simple");
    let mut partition = Partition::by_colours(graph.colours());
    assert!(Refiner::new(7).refine_all(&graph, &mut partition, &mut Trace::default()));
    assert_eq!(partition.starts().count(), 4);
    for v in 0..7 {
        assert_eq!(partition.cell_of(v), partition.cell_of(6 - v));
    }
}

/// After colours, and after each of several individualised vertices; undone and repeated with other splitters' leftovers.
#[test]
fn refinement_is_the_coarsest_equitable_one() {
    for seed in 0..300 {
        let mut random = RandomSource::new(seed);
        let graph = random_graph(&mut random, usize::try_from(seed).expect("small"));
        let mut partition = Partition::by_colours(graph.colours());
        let mut refiner = Refiner::new(graph.len());
        refiner.refine_all(&graph, &mut partition, &mut Trace::default());
        let first =
            |colours: &[u32], v: u32| index(colours.iter().position(|&c| c == colours[v as usize]).expect("own"));
        let colours: Vec<u32> = graph.vertices().map(|v| first(graph.colours(), v)).collect();
        let mut expected = naive(&graph, colours);
        assert_eq!(cells(&partition, &graph), expected, "seed {seed}");
        while let Some(open) = first_open(&partition) {
            let vertex = partition.cell(open)[random.below(partition.length(open) as usize)];
            // A refinement that is refuted leaves nothing behind.
            let mark = partition.splits().len();
            let mut other = Trace::default();
            other.accept(1);
            other.compare_from(0);
            let start = partition.individualise(vertex);
            assert!(
                !refiner.refine_from(&graph, &mut partition, start, &mut other, &mut Ignore) || partition.is_discrete()
            );
            partition.undo_to(mark);
            let start = partition.individualise(vertex);
            refiner.refine_from(&graph, &mut partition, start, &mut Trace::default(), &mut Ignore);
            let least = index(expected.iter().position(|&cell| cell == expected[vertex as usize]).expect("own"));
            let next = (0..).zip(&expected).find(|&(v, &cell)| cell == least && v != vertex).expect("an open cell").0;
            let split: Vec<u32> = (0..)
                .zip(&expected)
                .map(|(v, &cell)| match cell {
                    _ if v == vertex => vertex,
                    cell if cell == least => next,
                    cell => cell,
                })
                .collect();
            expected = naive(&graph, split);
            assert_eq!(cells(&partition, &graph), expected, "seed {seed}, vertex {vertex}");
        }
    }
}

/// Images of a graph have the same words and the images of its cells in the same places.
#[test]
fn refinement_does_not_depend_on_numbers() {
    for seed in 0..300 {
        let mut random = RandomSource::new(seed);
        let graph = random_graph(&mut random, usize::try_from(seed).expect("small"));
        let mut images: Vec<u32> = graph.vertices().collect();
        (1..images.len()).for_each(|place| images.swap(place, random.below(place + 1)));
        let other = graph.relabelled(&images);
        let mut sides = [&graph, &other].map(|graph| (graph, Partition::by_colours(graph.colours()), Trace::default()));
        let mut refiner = Refiner::new(graph.len());
        for (graph, partition, trace) in &mut sides {
            refiner.refine_all(graph, partition, trace);
        }
        while let Some(open) = first_open(&sides[0].1) {
            let vertex = sides[0].1.cell(open)[random.below(sides[0].1.length(open) as usize)];
            for ((graph, partition, trace), vertex) in sides.iter_mut().zip([vertex, images[vertex as usize]]) {
                let start = partition.individualise(vertex);
                refiner.refine_from(graph, partition, start, trace, &mut Ignore);
            }
            let places = |v: &u32| sides[0].1.cell_of(*v) == sides[1].1.cell_of(images[*v as usize]);
            assert!(graph.vertices().all(|v| places(&v)), "seed {seed}");
        }
        let [left, right] = sides.map(|(_, _, trace)| trace.into_words());
        assert_eq!(left, right, "seed {seed}");
    }
}

#[test]
fn groups_are_those_of_a_sort() {
    let mut grouping = Grouping::default();
    for seed in 0..500 {
        let mut random = RandomSource::new(seed);
        let (long, span) = (1 + random.below(80), 1 + random.below(100));
        let counts: Vec<u32> = (0..long).map(|_| index(random.below(span))).collect();
        let mut slice: Vec<u32> = (0..index(long)).collect();
        let differ = grouping.group(&mut slice, &counts);
        assert_eq!(differ, counts.iter().any(|&count| count != counts[0]), "seed {seed}");
        if differ {
            let sorted: Vec<u32> = slice.iter().map(|&v| counts[v as usize]).collect();
            assert!(sorted.is_sorted(), "seed {seed}");
            let starts: Vec<u32> =
                (1..).zip(sorted.windows(2)).filter(|(_, w)| w[0] != w[1]).map(|(at, _)| at).collect();
            assert_eq!(grouping.starts(), starts, "seed {seed}");
        }
        slice.sort_unstable();
        assert!(slice.iter().copied().eq(0..index(long)), "seed {seed}");
    }
}
