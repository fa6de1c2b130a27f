//! Waiting for other processes.

use std::process::{Child, ExitStatus};
use std::time::Duration;

/// The status of a process and the processor time that it used, where the system reports it.
pub(super) type Ended = (ExitStatus, Option<Duration>);

/// Waits for the end of a process; nothing where it is killed because `is_over`.
///
/// # Errors
/// The system does not tell its end.
pub(super) fn wait(child: &mut Child, is_over: &dyn Fn() -> bool) -> std::io::Result<Option<Ended>> {
    let mut pause = Duration::from_millis(1);
    loop {
        if let Some(ended) = ended(child)? {
            return Ok(Some(ended));
        }
        if is_over() {
            let _ = child.kill();
            child.wait()?;
            return Ok(None);
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(20));
    }
}

/// The status of a process that has ended, and the processor time that it used.
#[cfg(unix)]
fn ended(child: &mut Child) -> std::io::Result<Option<Ended>> {
    use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};
    let is_there = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    match waitid(WaitId::Pid(Pid::from_child(child)), is_there) {
        Ok(None) | Err(rustix::io::Errno::INTR) => return Ok(None),
        Ok(Some(_)) => {}
        Err(error) => return Err(error.into()),
    }
    match wait4::Wait4::wait4(child) {
        Err(error) if error.kind() == std::io::ErrorKind::Interrupted => Ok(None),
        Err(error) => Err(error),
        Ok(used) => Ok(Some((used.status, Some(used.rusage.utime + used.rusage.stime)))),
    }
}

/// The status of a process that has ended.
#[cfg(not(unix))]
fn ended(child: &mut Child) -> std::io::Result<Option<Ended>> {
    Ok(child.try_wait()?.map(|status| (status, None)))
}
