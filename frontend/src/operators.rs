//! Operators with the symbols as which they are written.

/// Declares an enumeration of operators, and `symbol`.
macro_rules! operators {
    ($(#[$meta:meta])* $vis:vis enum $name:ident { $($(#[$doc:meta])* $variant:ident = $symbol:literal,)* }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        $vis enum $name {
            $($(#[$doc])* $variant,)*
        }

        impl $name {
            /// The operator as it is written.
            pub fn symbol(self) -> &'static str {
                match self {
                    $($name::$variant => $symbol,)*
                }
            }
        }
    };
}

pub(crate) use operators;
