//! The group of a model, looked for on a thread of its own: a signal or a limit on time or memory ends the wait for it, and what is
//! still looked for is then forgotten.
//!
//! Soundness: a group is used only if it was found and validated whole.

use std::panic::resume_unwind;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

use checker::{Control, Limits};
use symmetry::Strategy;

use crate::language::Language;
use crate::room;

/// How often signals, memory and the clock are looked at.
const PAUSE: Duration = Duration::from_millis(20);

/// The group that a strategy finds and that fixes these properties.
///
/// # Errors
/// Why there is none, in one line.
pub(crate) fn group<L: Language>(
    model: &L,
    properties: &L::Properties,
    strategy: Strategy,
    limits: &Limits,
    control: &dyn Control,
) -> Result<L::Group, String> {
    let started = Instant::now();
    let (sender, receiver) = mpsc::channel();
    let (own, asked) = (model.clone(), properties.clone());
    let search = move || drop(sender.send(own.group(&asked, strategy)));
    let thread = std::thread::Builder::new().name("symmetries".to_owned()).stack_size(room::stack()).spawn(search);
    let Ok(thread) = thread else { return model.group(properties, strategy) };
    loop {
        match receiver.recv_timeout(PAUSE) {
            Ok(found) => return found,
            Err(RecvTimeoutError::Disconnected) => match thread.join() {
                Ok(()) => return Err("nothing was found".to_owned()),
                Err(panic) => resume_unwind(panic),
            },
            Err(RecvTimeoutError::Timeout) => {}
        }
        if control.interrupted().is_some() {
            return Err("a signal came before the symmetries were found".to_owned());
        }
        if limits.max_memory.is_some_and(|most| control.held() > most) {
            return Err("the limit on memory came before the symmetries were found".to_owned());
        }
        if limits.timeout.is_some_and(|timeout| started.elapsed() >= timeout) {
            return Err("the limit on time came before the symmetries were found".to_owned());
        }
    }
}
