//! The sources of the watch of a command: the clock, the resident memory of the process, and signals.
//!
//! SIGINT, SIGTERM, SIGHUP and SIGXFSZ stop the command with a partial report; a second one of the first three ends
//! the process at once, unless it comes within [`TOGETHER`]: the `timeout` of coreutils sends its signal to the command and again to its group.
//! A signal that was ignored when the process began (`nohup`) stays ignored. Every write above
//! the limit on the size of files sends SIGXFSZ again, so only the first one counts.
//!
//! Where the system refuses memory, and where a stack is used up, the library of Rust says so and aborts; such an abort ends the
//! process as inconclusive, without a report.
//!
//! Memory is read from the system at most once in [`INTERVAL`], but for looks near a limit: reading it costs some microseconds.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use limits::World;
use signal_hook::consts::{SIGABRT, SIGHUP, SIGINT, SIGTERM, SIGXFSZ};
use signal_hook::iterator::Signals;

/// Signals that come within this time are one request.
const TOGETHER: Duration = Duration::from_millis(500);

/// The greatest age of the figure of the memory.
const INTERVAL: Duration = Duration::from_millis(2);

/// This process.
#[derive(Debug)]
pub(crate) struct Process {
    started: Instant,
    signal: Arc<AtomicUsize>,
    held: AtomicU64,
    /// The time of the last reading, in microseconds from the start, plus one; 0 for never.
    read: AtomicU64,
}

impl Process {
    /// Takes over signals for the rest of the process.
    pub(crate) fn install() -> Process {
        let (signal, again) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicBool::new(false)));
        let taken: Vec<i32> =
            [SIGINT, SIGTERM, SIGHUP, SIGXFSZ].into_iter().filter(|&number| !is_ignored(number)).collect();
        let ends: Vec<i32> = taken.iter().copied().filter(|&number| number != SIGXFSZ).collect();
        for number in taken {
            let value = usize::try_from(number).unwrap_or(0);
            let _ = signal_hook::flag::register_usize(number, Arc::clone(&signal), value);
        }
        for &number in &ends {
            let _ = signal_hook::flag::register_conditional_shutdown(number, 128 + number, Arc::clone(&again));
        }
        if wait_for_first(&ends, Arc::clone(&again)).is_err() {
            // Without the wait, a second signal ends the process however soon it comes.
            for number in ends {
                let _ = signal_hook::flag::register(number, Arc::clone(&again));
            }
        }
        Process { started: Instant::now(), signal, held: AtomicU64::new(0), read: AtomicU64::new(0) }
    }
}

/// Sets the flag when [`TOGETHER`] has passed since the first of these signals.
fn wait_for_first(ends: &[i32], again: Arc<AtomicBool>) -> std::io::Result<()> {
    let mut signals = Signals::new(ends)?;
    let wait = move || {
        if signals.forever().next().is_some() {
            std::thread::sleep(TOGETHER);
            again.store(true, Ordering::Relaxed);
        }
    };
    std::thread::Builder::new().stack_size(64 << 10).spawn(wait).map(drop)
}

/// From here on an abort ends the process with this code.
pub(crate) fn end_aborts_with(code: u8) {
    let always = Arc::new(AtomicBool::new(true));
    let _ = signal_hook::flag::register_conditional_shutdown(SIGABRT, i32::from(code), always);
}

impl World for Process {
    fn now(&self) -> Duration {
        self.started.elapsed()
    }

    fn held(&self) -> u64 {
        let (now, read) = (micros(self.now()).saturating_add(1), self.read.load(Ordering::Relaxed));
        if read == 0 || now >= read.saturating_add(micros(INTERVAL)) {
            self.held_now()
        } else {
            self.held.load(Ordering::Relaxed)
        }
    }

    fn held_now(&self) -> u64 {
        let held = resident_memory().unwrap_or(0);
        self.read.store(micros(self.now()).saturating_add(1), Ordering::Relaxed);
        self.held.store(held, Ordering::Relaxed);
        held
    }

    fn signal(&self) -> Option<i32> {
        i32::try_from(self.signal.load(Ordering::Relaxed)).ok().filter(|&signal| signal != 0)
    }
}

fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}

/// Whether the process began with a signal ignored.
fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = word(&status, "SigIgn:").and_then(|mask| u64::from_str_radix(mask, 16).ok());
    ignored.is_some_and(|mask| mask >> (signal - 1) & 1 == 1)
}

/// The greatest resident size of the process so far, in bytes.
pub(crate) fn peak_memory() -> Option<u64> {
    memory("VmHWM:")
}

/// The seconds of processors that the process used so far, if the system reports them.
#[cfg(unix)]
pub(crate) fn cpu_seconds() -> Option<f64> {
    use rustix::time::{ClockId, clock_gettime};
    let used: Duration = clock_gettime(ClockId::ProcessCPUTime).try_into().ok()?;
    Some(used.as_secs_f64())
}

/// The seconds of processors that the process used so far.
#[cfg(not(unix))]
pub(crate) fn cpu_seconds() -> Option<f64> {
    None
}

/// The resident size of the process, in bytes.
fn resident_memory() -> Option<u64> {
    memory("VmRSS:")
}

fn memory(name: &str) -> Option<u64> {
    bytes(&std::fs::read_to_string("/proc/self/status").ok()?, name)
}

/// The number of kibibytes behind a name in a file of the system, in bytes.
pub(crate) fn bytes(text: &str, name: &str) -> Option<u64> {
    word(text, name)?.parse::<u64>().ok()?.checked_mul(1024)
}

/// The first word behind a name at the beginning of a line.
fn word<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    text.lines().find_map(|line| line.strip_prefix(name))?.split_whitespace().next()
}

/// 85 % of the memory that the system can give, if it reports that.
pub(crate) fn default_memory() -> Option<u64> {
    Some(bytes(&std::fs::read_to_string("/proc/meminfo").ok()?, "MemAvailable:")? / 100 * 85)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn available_memory_is_read_in_bytes() {
        assert_eq!(bytes("MemTotal: 10 kB\nMemAvailable:    2048 kB\n", "MemAvailable:"), Some(2 << 20));
        assert_eq!(bytes("MemTotal: 10 kB\n", "MemAvailable:"), None);
    }
}
