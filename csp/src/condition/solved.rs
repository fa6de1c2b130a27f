//! [`Encoded`]: a tree of a store as clauses, which finds points on either side of its function.
//!
//! The clauses have one variable per value of each element (or one for an element of two values), and one per node of the tree, which
//! holds if and only if the node does.

use rustc_hash::FxHashMap;
use sat::{Found, Literal, Session};

use super::cover::Cube;
use super::implicants::{Oracle, TooHard};
use super::{Cond, Conditions, Node};

/// The most nodes and operands of a tree that is encoded or tabulated.
pub(super) const MAX_TREE: usize = 1 << 14;

/// A condition as clauses.
#[derive(Debug)]
pub(super) struct Encoded {
    session: Session,
    sizes: Vec<usize>,
    values: Vec<Vec<Literal>>,
    root: Literal,
    /// The cost of one question: the size of the tree and of its domains.
    weight: usize,
    /// The work that may still be spent.
    work: usize,
}

impl Encoded {
    /// The clauses of a condition that reads these elements, all of them of at most 64 values.
    pub(super) fn new(store: &Conditions, cond: Cond, support: &[usize], work: usize) -> Result<Encoded, TooHard> {
        let mut session = Session::default();
        let sizes: Vec<usize> = support.iter().map(|&element| store.domain(element).len()).collect();
        let values: Vec<Vec<Literal>> = sizes.iter().map(|&size| one_of(&mut session, size)).collect();
        let mut tree = Tree { store, support, values: &values, session, nodes: FxHashMap::default(), size: 0 };
        let root = tree.node(cond)?;
        let (session, weight) = (tree.session, tree.size + sizes.iter().sum::<usize>());
        Ok(Encoded { session, sizes, values, root, weight, work })
    }
}

/// Variables for the values of an element.
fn one_of(session: &mut Session, size: usize) -> Vec<Literal> {
    if size == 2 {
        let one = session.variable();
        return vec![one.opposite(), one];
    }
    let list: Vec<Literal> = (0..size).map(|_| session.variable()).collect();
    session.one_of(&list);
    list
}

struct Tree<'a> {
    store: &'a Conditions,
    support: &'a [usize],
    values: &'a [Vec<Literal>],
    session: Session,
    nodes: FxHashMap<Cond, Literal>,
    size: usize,
}

impl Tree<'_> {
    fn node(&mut self, cond: Cond) -> Result<Literal, TooHard> {
        if let Some(&known) = self.nodes.get(&cond) {
            return Ok(known);
        }
        let (list, negated) = match self.store.node(cond) {
            Node::False => (Vec::new(), false),
            Node::True => (Vec::new(), true),
            Node::Test(element, allowed) => {
                let dimension = self.support.binary_search(element).expect("the support holds every element read");
                let domain = self.store.domain(*element);
                let values = domain.iter().zip(&self.values[dimension]);
                (values.filter(|(value, _)| allowed.binary_search(value).is_ok()).map(|(_, &one)| one).collect(), false)
            }
            Node::Or(list) => (list.iter().map(|&operand| self.node(operand)).collect::<Result<_, _>>()?, false),
            Node::And(list) => {
                let operands = list.iter().map(|&operand| Ok(self.node(operand)?.opposite()));
                (operands.collect::<Result<_, _>>()?, true)
            }
        };
        self.size += 1 + list.len();
        if self.size > MAX_TREE {
            return Err(TooHard);
        }
        let literal = match list[..] {
            [only] => only,
            _ => {
                let literal = self.session.variable();
                self.session.either(literal, &list);
                literal
            }
        };
        let literal = if negated { literal.opposite() } else { literal };
        self.nodes.insert(cond, literal);
        Ok(literal)
    }
}

impl Oracle for Encoded {
    fn sizes(&self) -> &[usize] {
        &self.sizes
    }

    fn point(&mut self, cube: &Cube, side: bool) -> Result<Option<Cube>, TooHard> {
        self.spend(self.weight)?;
        let mut assumed = vec![if side { self.root } else { self.root.opposite() }];
        for (list, set) in self.values.iter().zip(cube) {
            assumed.extend(
                list.iter().enumerate().filter(|(value, _)| set >> value & 1 == 0).map(|(_, one)| one.opposite()),
            );
        }
        match self.session.solve(&assumed) {
            Found::NotDecided => Err(TooHard),
            Found::Nothing => Ok(None),
            Found::Model(model) => {
                let holds = |literal: Literal| model[literal.variable()] == literal.is_positive();
                let value = |list: &Vec<Literal>| list.iter().position(|&literal| holds(literal)).map(|at| 1 << at);
                let point: Cube = self.values.iter().map(|list| value(list).expect("an element has a value")).collect();
                debug_assert!(point.iter().zip(cube).all(|(one, set)| one & set != 0), "the point lies in the cube");
                Ok(Some(point))
            }
        }
    }

    fn spend(&mut self, work: usize) -> Result<(), TooHard> {
        self.work = self.work.checked_sub(work).ok_or(TooHard)?;
        Ok(())
    }

    fn left(&self) -> usize {
        self.work
    }
}
