//! Operators with the symbols as which they are written.

/// Declares an enumeration of operators, with `symbol` and `of`.
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

            /// The operator that is written so.
            pub fn of(symbol: &str) -> Option<$name> {
                match symbol {
                    $($symbol => Some($name::$variant),)*
                    _ => None,
                }
            }
        }
    };
}

pub(crate) use operators;

/// Declares an enumeration whose values have names, and `name`.
#[macro_export]
macro_rules! named {
    ($(#[$meta:meta])* $vis:vis enum $name:ident { $($(#[$doc:meta])* $variant:ident = $text:literal,)* }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        $vis enum $name {
            $($(#[$doc])* $variant,)*
        }

        impl $name {
            /// The name in output.
            $vis fn name(self) -> &'static str {
                match self {
                    $($name::$variant => $text,)*
                }
            }
        }
    };
}
