//! Walks over trees of expressions and statements.

/// Defines walks over the nodes of a tree, parents before children, in the order of the text, by the lists of children.
macro_rules! walks {
    ($node:ident, $children:ident, $children_mut:ident) => {
        impl $node {
            /// Visits this one and those inside, at any depth.
            pub fn visit<'a>(&'a self, visit: &mut dyn FnMut(&'a $node)) {
                visit(self);
                self.$children().into_iter().for_each(|inner| inner.visit(visit));
            }

            /// Visits this one and those inside, at any depth, to be changed.
            pub fn visit_mut(&mut self, visit: &mut dyn FnMut(&mut $node)) {
                visit(self);
                self.$children_mut().into_iter().for_each(|inner| inner.visit_mut(visit));
            }

            /// Whether this one or one inside, at any depth, passes a test.
            pub fn any<'a>(&'a self, test: &mut dyn FnMut(&'a $node) -> bool) -> bool {
                test(self) || self.$children().into_iter().any(|inner| inner.any(test))
            }
        }
    };
}

pub(crate) use walks;
