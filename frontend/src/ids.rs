//! Dense ids: indices into one table each, each kind with a separate type.

/// Declares id types with `index` and `from_index`.
#[macro_export]
macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
        pub struct $name(pub u32);

        impl $name {
            /// The id as an index.
            pub fn index(self) -> usize {
                self.0 as usize
            }

            /// The id of an index.
            ///
            /// # Panics
            /// If the index does not fit into 32 bits: tables are bounded far below.
            pub fn from_index(index: usize) -> $name {
                $name(u32::try_from(index).expect("tables are bounded"))
            }
        }
    )*};
}
pub(crate) use crate::ids;
