//! The memory that the system grants this process: the limit of the address space (`ulimit -v`) and those of its
//! control group.
//!
//! Both are read from `/proc` and `/sys`, so they are unknown where these are missing. A search gets the rest of the
//! least of them; threads and their stacks shrink first, because a stack takes addresses even where it is not used.

use std::fs::{File, read_to_string};
use std::io::Read;
use std::path::Path;
use std::sync::OnceLock;

use crate::world::bytes;

/// The stack of the working thread, in bytes, where addresses are not limited.
const STACK: u64 = 256 << 20;

/// The least.
const LEAST_STACK: u64 = 4 << 20;

/// The addresses without which a command does not begin, in bytes.
const LEAST: u64 = 1 << 20;

/// The share of the addresses that a stack may take.
const SHARE: u64 = 16;

/// A stack takes at most this part of the addresses that are left.
const SHARE_OF_REST: u64 = 4;

/// Whether there are addresses for a command to begin with. Allocates nothing.
pub(crate) fn is_there() -> bool {
    let (mut limits, mut status) = ([0; 1 << 12], [0; 1 << 13]);
    let most = text("/proc/self/limits", &mut limits).and_then(of_addresses);
    let taken = text("/proc/self/status", &mut status).map_or(0, |status| bytes(status, "VmSize:").unwrap_or(0));
    most.is_none_or(|most| most.saturating_sub(taken) >= LEAST)
}

/// The first part of a small file.
fn text<'b>(path: &str, buffer: &'b mut [u8]) -> Option<&'b str> {
    let read = File::open(path).ok()?.read(buffer).ok()?;
    std::str::from_utf8(buffer.get(..read)?).ok()
}

/// The stack of a thread that walks trees, in bytes; nothing where it would take too much of the addresses that are left.
pub(crate) fn stack() -> Option<usize> {
    let stack = of_stack(addresses());
    let status = read_to_string("/proc/self/status").unwrap_or_default();
    let left = addresses().map(|most| most.saturating_sub(bytes(&status, "VmSize:").unwrap_or(0)));
    usize::try_from(stack).ok().filter(|_| left.is_none_or(|left| stack <= left / SHARE_OF_REST))
}

/// The stack of a thread, in bytes, by the limit of the address space.
fn of_stack(addresses: Option<u64>) -> u64 {
    addresses.map_or(STACK, |most| (most / SHARE).clamp(LEAST_STACK, STACK))
}

/// The number of threads of a search that have room for their stacks, which are large.
pub(crate) fn threads() -> u32 {
    let most = addresses().map_or(u64::MAX, |most| most / 4 / STACK);
    u32::try_from(most).unwrap_or(u32::MAX).max(1)
}

/// The most bytes that the process may hold; nothing where the system sets no limit.
pub(crate) fn most() -> Option<u64> {
    let limit = addresses().map(|most| {
        // Mapped and untouched memory takes addresses, too, as a second thread will.
        let status = read_to_string("/proc/self/status").unwrap_or_default();
        let idle = bytes(&status, "VmSize:").unwrap_or(0).saturating_sub(bytes(&status, "VmRSS:").unwrap_or(0));
        most.saturating_sub(idle).saturating_sub(of_stack(Some(most))).saturating_sub(most / SHARE)
    });
    limit.into_iter().chain(of_group()).min()
}

/// The limit on memory that comes from the system, if that is the one that counts.
static OF_SYSTEM: OnceLock<u64> = OnceLock::new();

/// The limit on memory, where the system sets none that is lower.
pub(crate) fn most_memory(requested: Option<u64>) -> Option<u64> {
    let Some(most) = most().map(|most| most / 100 * 85) else { return requested };
    if requested.is_some_and(|requested| requested <= most) {
        return requested;
    }
    Some(*OF_SYSTEM.get_or_init(|| most))
}

/// Whether a limit on memory came from the system.
pub(crate) fn is_of_system(limit: u64) -> bool {
    OF_SYSTEM.get() == Some(&limit)
}

/// The limit of the address space.
fn addresses() -> Option<u64> {
    of_addresses(&read_to_string("/proc/self/limits").ok()?)
}

fn of_addresses(limits: &str) -> Option<u64> {
    let line = limits.lines().find_map(|line| line.strip_prefix("Max address space"))?;
    line.split_whitespace().next()?.parse().ok()
}

/// The least limit of the control groups that the process is in.
fn of_group() -> Option<u64> {
    let groups = read_to_string("/proc/self/cgroup").ok()?;
    let files = files(&groups);
    files.iter().filter_map(|file| read_to_string(file).ok()?.trim().parse().ok()).min()
}

/// The files with limits of groups, by the text of `/proc/self/cgroup`: those of a group and of all groups that
/// contain it.
fn files(groups: &str) -> Vec<String> {
    let mut files = Vec::new();
    for line in groups.lines() {
        let mut parts = line.splitn(3, ':').skip(1);
        let (Some(controllers), Some(path)) = (parts.next(), parts.next()) else { continue };
        let (root, name) = match controllers {
            "" => ("/sys/fs/cgroup", "memory.max"),
            _ if controllers.split(',').any(|one| one == "memory") => {
                ("/sys/fs/cgroup/memory", "memory.limit_in_bytes")
            }
            _ => continue,
        };
        let enclosing = Path::new(path).ancestors().map(|group| format!("{root}{}/{name}", group.display()));
        files.extend(enclosing.map(|file| file.replace("//", "/")));
    }
    files
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_read() {
        let limits = "Limit                     Soft Limit           Hard Limit           Units     \n\
                      Max cpu time              unlimited            unlimited            seconds   \n\
                      Max address space         1073741824           unlimited            bytes     \n";
        assert_eq!(of_addresses(limits), Some(1 << 30));
        assert_eq!(of_addresses(&limits.replace("1073741824", "unlimited ")), None);
        assert_eq!(bytes("Name:\tq\nVmRSS:\t    1516 kB\n", "VmRSS:"), Some(1516 << 10));
    }

    #[test]
    fn a_group_and_all_that_enclose_it_limit() {
        let two = files("0::/user.slice/run.scope\n");
        let expected = ["/user.slice/run.scope", "/user.slice", ""].map(|at| format!("/sys/fs/cgroup{at}/memory.max"));
        assert_eq!(two, expected);
        let one = files("4:cpu,memory:/a\n3:devices:/b\n");
        let expected = ["/a", ""].map(|at| format!("/sys/fs/cgroup/memory{at}/memory.limit_in_bytes"));
        assert_eq!(one, expected);
    }
}
