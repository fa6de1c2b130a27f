//! Panics as results: the text with which a case panicked, without the message that a panic prints.
//!
//! Only the thread that runs such a case is silent, so that the panics of other tests in the same process are
//! printed. The hook is installed once, over the previous one, and stays.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::Once;

thread_local! {
    static IS_QUIET: Cell<bool> = const { Cell::new(false) };
}

/// Runs a case on this thread.
///
/// # Errors
/// The text of its panic.
pub fn caught<T>(case: impl FnOnce() -> T) -> Result<T, String> {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| {
        let print = take_hook();
        set_hook(Box::new(move |panic| {
            if !IS_QUIET.get() {
                print(panic);
            }
        }));
    });
    let was_quiet = IS_QUIET.replace(true);
    let result = catch_unwind(AssertUnwindSafe(case));
    IS_QUIET.set(was_quiet);
    result.map_err(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str).or(panic.downcast_ref::<&str>().copied());
        text.unwrap_or("a panic without a text").to_owned()
    })
}

#[cfg(test)]
mod tests {
    use super::{IS_QUIET, caught};

    #[test]
    fn the_text_of_a_panic_is_the_result() {
        assert_eq!(caught(|| 3), Ok(3));
        assert_eq!(caught(|| -> u32 { panic!("plain") }), Err("plain".to_owned()));
        assert_eq!(caught(|| -> u32 { panic!("number {}", 4) }), Err("number 4".to_owned()));
        assert_eq!(caught(|| caught(|| -> u32 { panic!("inner") })), Ok(Err("inner".to_owned())));
        assert!(!IS_QUIET.get());
    }
}
