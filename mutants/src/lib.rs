//! Known-wrong variants, for tests that must notice them.
//!
//! A rule that a `holds` depends on comes with a variant that leaves it out, and a test that fails unless the variant is caught.
//! [`mutants!`] declares such variants as switches, all off by default. In a build without tests and without the feature `mutants` of
//! the crate that declares them the type has no fields and every switch is the constant `false`: what is unsound on purpose does not
//! exist there.
//!
//! ```
//! mutants::mutants! {
//!     /// What a search leaves out.
//!     pub struct Wrong {
//!         /// Nothing is visible.
//!         nothing_is_visible,
//!     }
//! }
//! assert!(!Wrong::default().nothing_is_visible());
//! ```

#![forbid(unsafe_code)]

/// Declares a type of switches: a field of type `bool` per variant where tests are built or the declaring crate has its feature
/// `mutants`, and a method of the same name everywhere.
#[macro_export]
macro_rules! mutants {
    ($(#[$doc:meta])* $vis:vis struct $name:ident { $($(#[$of:meta])* $field:ident),+ $(,)? }) => {
        $(#[$doc])*
        #[cfg(any(test, feature = "mutants"))]
        #[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
        #[allow(clippy::struct_excessive_bools)]
        $vis struct $name { $($(#[$of])* $vis $field: bool),+ }

        $(#[$doc])*
        #[cfg(not(any(test, feature = "mutants")))]
        #[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
        $vis struct $name {}

        impl $name {
            $(
                $(#[$of])*
                #[cfg(any(test, feature = "mutants"))]
                #[inline]
                $vis fn $field(self) -> bool {
                    self.$field
                }

                $(#[$of])*
                #[cfg(not(any(test, feature = "mutants")))]
                #[inline]
                $vis fn $field(self) -> bool {
                    false
                }
            )+
        }
    };
}
