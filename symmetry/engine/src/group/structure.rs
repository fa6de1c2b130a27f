//! Names of groups: symmetric, alternating, cyclic and dihedral groups, products and wreath products of them.

use std::fmt;

use num_bigint::BigUint;

/// The isomorphism type of a permutation group, as far as it was recognised.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Structure {
    /// The group of one element.
    Trivial,
    /// All permutations of this number of points.
    Symmetric(usize),
    /// The even permutations of this number of points.
    Alternating(usize),
    /// The cyclic group of this order, at least three.
    Cyclic(usize),
    /// The dihedral group of twice this order.
    Dihedral(usize),
    /// A direct product of at least two groups, in ascending order.
    Product(Vec<Structure>),
    /// One copy of the first group per point on which the second one acts.
    Wreath(Box<Structure>, Box<Structure>),
    /// A group of this order that was not recognised.
    Unknown(BigUint),
}

impl Structure {
    /// The direct product of factors, without trivial ones and with products flattened.
    #[must_use]
    pub fn product(factors: Vec<Self>) -> Self {
        let mut flat = Vec::new();
        for factor in factors {
            match factor {
                Self::Trivial => {}
                Self::Product(inner) => flat.extend(inner),
                other => flat.push(other),
            }
        }
        flat.sort();
        match flat.len() {
            0 => Self::Trivial,
            1 => flat.swap_remove(0),
            _ => Self::Product(flat),
        }
    }

    /// Whether some part was not recognised.
    #[must_use]
    pub fn has_unknown(&self) -> bool {
        match self {
            Self::Unknown(_) => true,
            Self::Product(factors) => factors.iter().any(Self::has_unknown),
            Self::Wreath(inner, top) => inner.has_unknown() || top.has_unknown(),
            _ => false,
        }
    }

    /// Whether the name needs brackets inside another one.
    fn is_compound(&self) -> bool {
        matches!(self, Self::Product(_) | Self::Wreath(..))
    }

    fn fmt_inner(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_compound() { write!(out, "({self})") } else { write!(out, "{self}") }
    }
}

impl fmt::Display for Structure {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Trivial => write!(out, "1"),
            Self::Symmetric(n) => write!(out, "S{n}"),
            Self::Alternating(n) => write!(out, "A{n}"),
            Self::Cyclic(n) => write!(out, "C{n}"),
            Self::Dihedral(n) => write!(out, "D{n}"),
            Self::Unknown(order) => write!(out, "G({order})"),
            Self::Wreath(inner, top) => {
                inner.fmt_inner(out)?;
                write!(out, " wr ")?;
                top.fmt_inner(out)
            }
            Self::Product(factors) => {
                for (place, equal) in factors.chunk_by(|a, b| a == b).enumerate() {
                    if place > 0 {
                        write!(out, " x ")?;
                    }
                    match &equal[0] {
                        wreath @ Self::Wreath(..) => wreath.fmt_inner(out)?,
                        other => write!(out, "{other}")?,
                    }
                    if equal.len() > 1 {
                        write!(out, "^{}", equal.len())?;
                    }
                }
                Ok(())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Structure::{Cyclic, Symmetric, Trivial, Wreath};
    use super::*;

    #[test]
    fn names() {
        let wreath = Wreath(Box::new(Symmetric(3)), Box::new(Symmetric(2)));
        assert_eq!(wreath.to_string(), "S3 wr S2");
        assert_eq!(Structure::product(vec![Cyclic(3), Trivial, Symmetric(4)]).to_string(), "S4 x C3");
        let product = Structure::product(vec![Symmetric(2), wreath, Symmetric(2)]);
        assert_eq!(product.to_string(), "S2^2 x (S3 wr S2)");
        assert_eq!(Wreath(Box::new(product), Box::new(Symmetric(5))).to_string(), "(S2^2 x (S3 wr S2)) wr S5");
        assert_eq!(Structure::product(Vec::new()).to_string(), "1");
    }
}
