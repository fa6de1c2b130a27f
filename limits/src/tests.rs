//! The promises of a watch.

use std::cell::Cell;
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, AtomicU64, Ordering};
use std::time::Duration;

use crate::{
    Cause, Counting, QUANTUM, Stopped, Watch, World, in_growing_parts, phase, poll, refused, reserve, reserve_in_list,
    reserve_in_table, work,
};

/// A watch that stops at the look with this number.
fn at_look(number: u64) -> (Arc<Counting>, Watch) {
    let world = Arc::new(Counting::default());
    let watch = Watch::new(Arc::clone(&world) as Arc<dyn World>, Some(Duration::from_secs(number)), None);
    (world, watch)
}

/// A world that gives fixed answers.
#[derive(Default)]
struct FixedWorld {
    held: AtomicU64,
    /// The bytes above that which only a measurement shows.
    since: AtomicU64,
    signal: AtomicI32,
}

impl World for FixedWorld {
    fn now(&self) -> Duration {
        Duration::ZERO
    }

    fn held(&self) -> u64 {
        self.held.load(Ordering::Relaxed)
    }

    fn held_now(&self) -> u64 {
        self.held() + self.since.load(Ordering::Relaxed)
    }

    fn signal(&self) -> Option<i32> {
        Some(self.signal.load(Ordering::Relaxed)).filter(|&signal| signal != 0)
    }
}

#[test]
fn a_loop_stops_after_as_many_steps_as_looks() {
    for looks in 1..20 {
        let (_, watch) = at_look(looks);
        let rounds = Cell::new(0u64);
        let stopped = watch.run(|| {
            loop {
                work(1);
                rounds.set(rounds.get() + 1);
            }
        });
        let rounds = rounds.get();
        let Stopped { cause, is_share, .. } = stopped.expect_err("no end without a stop");
        assert_eq!((cause, is_share), (Cause::Time(Duration::from_secs(looks)), false));
        assert!(rounds <= looks * QUANTUM, "{rounds} rounds in {looks} looks");
    }
}

#[test]
fn without_a_watch_nothing_stops() {
    work(u64::MAX);
    reserve(u64::MAX);
    assert_eq!(poll(u64::MAX), Ok(()));
}

#[test]
fn a_stopped_watch_stays_stopped() {
    let (_, watch) = at_look(1);
    assert!(watch.run(|| work(QUANTUM * 2)).is_err());
    assert!(watch.run(|| ()).is_err());
    assert!(watch.share(1, 2).run(|| ()).is_err());
    assert!(watch.consult().is_err());
}

#[test]
fn a_share_ends_before_the_whole() {
    let (_, watch) = at_look(100);
    let share = watch.share(1, 2);
    let endless = || {
        loop {
            work(QUANTUM);
        }
    };
    let stopped: Stopped = share.run(endless).expect_err("endless");
    assert!(stopped.is_share);
    assert_eq!(watch.run(|| 7), Ok(7));
    let stopped = watch.run(endless).expect_err("endless");
    assert!(!stopped.is_share);
    // A share of a watch that has stopped reports that the whole has stopped.
    assert!(!share.run(|| ()).expect_err("stopped").is_share);
}

#[test]
fn a_limit_on_work_is_one_on_steps() {
    let count = || {
        let rounds = Cell::new(0u64);
        let stopped = Watch::unlimited().at_most(100_000).run(|| {
            loop {
                work(3);
                rounds.set(rounds.get() + 1);
            }
        });
        assert_eq!(stopped.expect_err("endless").cause, Cause::Work(100_000));
        rounds.get()
    };
    let rounds = count();
    assert!((33_333..=33_333 + QUANTUM).contains(&rounds), "{rounds}");
    assert_eq!(count(), rounds);
}

#[test]
fn inner_watches_pass_their_work_on() {
    let outer = Watch::unlimited().at_most(10 * QUANTUM);
    let stopped = outer.run(|| {
        loop {
            let inner = crate::watch().at_most(1 << 40);
            if inner.run(|| work(QUANTUM)).is_err() {
                crate::check();
            }
        }
    });
    assert_eq!(stopped.expect_err("endless").cause, Cause::Work(10 * QUANTUM));
}

#[test]
fn lists_and_tables_reserve_what_they_grow_by() {
    let world = Arc::new(FixedWorld::default());
    let watch = Watch::new(Arc::clone(&world) as Arc<dyn World>, None, Some(1 << 30));
    world.held.store(1000 << 20, Ordering::Relaxed);
    let mut list = vec![0_u64; 1 << 20];
    list.shrink_to_fit();
    assert_eq!(watch.run(|| reserve_in_list(&list)), Ok(()), "8 of 24 MiB");
    let mut table: HashMap<u64, u64> = (0..1 << 18).map(|number| (number, number)).collect();
    (1 << 18..table.capacity() as u64).for_each(|number| _ = table.insert(number, number));
    assert_eq!(table.len(), table.capacity());
    assert_eq!(watch.run(|| reserve_in_table(&table)), Ok(()), "17 of 24 MiB");
    world.held.store(1020 << 20, Ordering::Relaxed);
    assert!(watch.run(|| reserve_in_list(&list)).is_err() && watch.run(|| reserve_in_table(&table)).is_err());
    // Where there is room nothing is allocated.
    list.pop();
    table.reserve(1);
    assert_eq!(watch.run(|| reserve_in_list(&list)), Ok(()));
    assert_eq!(watch.run(|| reserve_in_table(&table)), Ok(()));
}

#[test]
fn memory_and_signals() {
    let world = Arc::new(FixedWorld::default());
    let watch = Watch::new(Arc::clone(&world) as Arc<dyn World>, None, Some(1 << 30));
    assert_eq!(watch.run(|| reserve(1 << 29)), Ok(()));
    // The allocation is too large; another way may need less memory.
    let stopped = watch.run(|| reserve(1 << 31)).expect_err("more than there is");
    assert_eq!(stopped.cause, Cause::Memory(1 << 30));
    assert_eq!(watch.run(|| 1), Ok(1));
    world.held.store(1 << 31, Ordering::Relaxed);
    let stopped = watch.run(|| work(QUANTUM)).expect_err("held too much");
    assert_eq!(stopped.cause, Cause::Memory(1 << 30));
    let world = Arc::new(FixedWorld::default());
    let watch = Watch::new(Arc::clone(&world) as Arc<dyn World>, None, None);
    world.signal.store(15, Ordering::Relaxed);
    let stopped = watch.share(1, 2).run(|| phase("waiting")).expect_err("a signal came");
    assert_eq!((stopped.cause, stopped.is_share), (Cause::Signal(15), false));
}

#[test]
fn a_refused_allocation_is_a_limit_on_memory() {
    let watch = Watch::new(Arc::new(FixedWorld::default()), None, Some(1 << 30));
    let stopped = watch.with_own_account().run(|| refused(7)).expect_err("refused");
    assert_eq!((stopped.cause, stopped.is_share), (Cause::Memory(1 << 30), false));
    assert_eq!(Watch::unlimited().run(|| refused(7)).map_err(|stopped: Stopped| stopped.cause), Err(Cause::Memory(7)));
    assert_eq!(watch.run(|| 1), Ok(1));
}

#[test]
fn the_phase_is_shown_and_forgotten() {
    let (_, watch) = at_look(1_000_000);
    let share = watch.at_most(QUANTUM);
    let outcome = watch.run(|| {
        phase("outer");
        let inner = share.run(|| {
            phase("inner");
            work(QUANTUM * 4);
        });
        (inner.expect_err("limited").to_string(), crate::ambient::phase_now())
    });
    assert_eq!(outcome, Ok(("the limit on work came while inner".to_owned(), "outer")));
}

#[test]
fn other_panics_pass() {
    let caught = std::panic::catch_unwind(|| {
        let _ = Watch::unlimited().run(|| std::panic::resume_unwind(Box::new(5)));
    });
    assert_eq!(caught.expect_err("a panic").downcast_ref::<i32>(), Some(&5));
    work(u64::MAX);
}

#[test]
fn threads_share_a_watch() {
    let (_, watch) = at_look(50);
    std::thread::scope(|scope| {
        let run = || {
            scope.spawn(|| {
                watch.run(|| {
                    loop {
                        work(QUANTUM);
                    }
                })
            })
        };
        for thread in [run(), run()] {
            let stopped: Result<(), Stopped> = thread.join().expect("no panic");
            assert!(stopped.is_err());
        }
    });
}

#[test]
fn near_the_limit_memory_is_measured_at_each_look() {
    let world = Arc::new(FixedWorld::default());
    let watch = Watch::new(Arc::clone(&world) as Arc<dyn World>, None, Some(1 << 30));
    world.since.store(1 << 24, Ordering::Relaxed);
    world.held.store(1 << 29, Ordering::Relaxed);
    assert_eq!(watch.run(|| work(QUANTUM)), Ok(()));
    world.held.store((1 << 30) - (1 << 24), Ordering::Relaxed);
    assert_eq!(watch.run(|| work(QUANTUM)).expect_err("the limit is reached").cause, Cause::Memory(1 << 30));
    // The bytes that are taken between two looks are below the limit.
    let watch = Watch::new(Arc::clone(&world) as Arc<dyn World>, None, Some(1 << 30));
    world.since.store(0, Ordering::Relaxed);
    world.held.store((1 << 30) - (1 << 21), Ordering::Relaxed);
    assert_eq!(watch.run(|| work(QUANTUM)), Ok(()));
    world.held.store((1 << 30) - (1 << 20), Ordering::Relaxed);
    assert_eq!(watch.run(|| work(QUANTUM)).expect_err("one more look is too late").cause, Cause::Memory(1 << 30));
}

#[test]
fn limits_of_a_part_leave_the_whole() {
    let world = Arc::new(FixedWorld::default());
    let watch = Watch::new(Arc::clone(&world) as Arc<dyn World>, None, Some(1 << 30));
    let part = watch.within(None, Some(1 << 20));
    assert_eq!((watch.max_memory(), part.max_memory()), (Some(1 << 30), Some(1 << 20)));
    world.held.store(1 << 25, Ordering::Relaxed);
    let stopped = part.run(|| work(QUANTUM)).expect_err("more than the part may hold");
    assert_eq!((stopped.cause, stopped.is_share), (Cause::Memory(1 << 20), true));
    assert_eq!(watch.run(|| work(QUANTUM)), Ok(()));
    world.held.store(1 << 31, Ordering::Relaxed);
    let own_account = watch.with_own_account();
    assert_eq!((own_account.max_memory(), own_account.run(|| work(QUANTUM))), (None, Ok(())));
    let stopped = watch.within(None, None).run(|| work(QUANTUM)).expect_err("more than the whole may hold");
    assert_eq!((stopped.cause, stopped.is_share), (Cause::Memory(1 << 30), false));
}

#[test]
fn a_part_of_an_own_account_takes_no_more_than_there_is_room() {
    let world = Arc::new(FixedWorld::default());
    let watch = Watch::new(Arc::clone(&world) as Arc<dyn World>, None, Some(1 << 20));
    let held = |bytes: u64| world.held.store(bytes, Ordering::Relaxed);
    // Little is in use: up to the limit.
    let own = watch.with_own_account();
    held(1 << 20);
    assert_eq!(own.run(|| work(QUANTUM)), Ok(()));
    held((1 << 20) + 1);
    assert_eq!(own.run(|| work(QUANTUM)).expect_err("no room").cause, Cause::Memory(1 << 20));
    // Most is in use: a sixteenth above that, and what a part reserves is known to the caller.
    held(15 << 16);
    let own = watch.with_own_account();
    own.account();
    held(16 << 16);
    assert_eq!(own.run(|| work(QUANTUM)), Ok(()));
    held((16 << 16) + 1);
    assert_eq!(own.share(1, 2).run(|| work(QUANTUM)).expect_err("no room").cause, Cause::Memory(1 << 20));
}

#[test]
fn a_time_of_its_own_is_never_longer_than_the_whole() {
    let (_, watch) = at_look(10);
    let endless = || {
        loop {
            work(QUANTUM);
        }
    };
    let stopped: Stopped = watch.within(Some(Duration::from_secs(5)), None).run(endless).expect_err("endless");
    assert_eq!((stopped.cause, stopped.is_share), (Cause::Time(Duration::from_secs(5)), true));
    let stopped: Stopped = watch.within(Some(Duration::from_secs(1000)), None).run(endless).expect_err("endless");
    assert!(!stopped.is_share);
}

#[test]
fn afterwards_there_is_time_to_report() {
    let grace = Duration::from_secs(50);
    let world = Arc::new(FixedWorld::default());
    let watch = Watch::new(Arc::clone(&world) as Arc<dyn World>, None, None);
    assert_eq!(watch.or_afterwards(grace).run(|| 3), Ok(3));
    world.signal.store(1, Ordering::Relaxed);
    assert!(watch.run(|| ()).is_err());
    let after = watch.or_afterwards(grace);
    assert_eq!(after.run(|| 3), Ok(3));
    assert_eq!(after.consult().expect_err("a signal came").cause, Cause::Signal(1));
    let (_, watch) = at_look(1);
    assert!(watch.run(|| ()).is_err());
    let outcome = watch.or_afterwards(grace).run(|| {
        crate::watch().or_afterwards(grace).run(|| {
            loop {
                work(QUANTUM);
            }
        })
    });
    let stopped: Result<(), Stopped> = outcome.expect("caught inside");
    assert_eq!(stopped.expect_err("endless").cause, Cause::Time(Duration::from_secs(1)));
}

#[test]
fn afterwards_the_limit_on_memory_still_holds() {
    let grace = Duration::from_secs(50);
    let limited = |limit: u64| {
        let world = Arc::new(FixedWorld::default());
        (Arc::clone(&world), Watch::new(Arc::clone(&world) as Arc<dyn World>, None, Some(limit)))
    };
    // After a signal.
    let (world, watch) = limited(1 << 30);
    world.signal.store(15, Ordering::Relaxed);
    assert!(watch.run(|| ()).is_err());
    let after = watch.or_afterwards(grace);
    assert_eq!((after.max_memory(), after.run(|| reserve(1 << 28))), (Some(1 << 30), Ok(())));
    assert!(after.run(|| reserve(1 << 31)).is_err());
    // After a part has used its own share of the memory, up to that of the whole.
    let (world, watch) = limited(1 << 30);
    let part = watch.within(None, Some(1 << 29));
    world.held.store(1 << 29, Ordering::Relaxed);
    assert!(part.run(|| work(QUANTUM)).is_err());
    assert_eq!(part.or_afterwards(grace).max_memory(), Some(1 << 30));
    // After the limit itself, a sixteenth more.
    world.held.store(1 << 30, Ordering::Relaxed);
    assert!(watch.run(|| work(QUANTUM)).is_err());
    assert_eq!(watch.or_afterwards(grace).max_memory(), Some((1 << 30) + (1 << 26)));
    // What stops a watch that follows another is what stopped the first one, not the limit that was raised.
    let after = watch.or_afterwards(grace);
    let memory = |stopped: Result<(), Stopped>| stopped.expect_err("there is no more memory").cause;
    assert_eq!(memory(after.run(|| reserve(1 << 28))), Cause::Memory(1 << 30));
    world.held.store(1 << 31, Ordering::Relaxed);
    assert_eq!(memory(after.run(|| work(QUANTUM))), Cause::Memory(1 << 30));
    // Without a limit there is none afterwards.
    let world = Arc::new(FixedWorld::default());
    world.signal.store(15, Ordering::Relaxed);
    let watch = Watch::new(Arc::clone(&world) as Arc<dyn World>, None, None);
    assert_eq!(watch.or_afterwards(grace).max_memory(), None);
}

/// A sixteenth of a small limit is less than the margin at which a watch stops.
#[test]
fn afterwards_there_is_memory_for_a_report_whatever_the_limit() {
    for limit in [1 << 10, 1 << 20, 28 << 20, 30 << 20, 32 << 20, 1 << 30] {
        let world = Arc::new(FixedWorld::default());
        let watch = Watch::new(Arc::clone(&world) as Arc<dyn World>, None, Some(limit));
        world.held.store(limit + (30 << 20), Ordering::Relaxed);
        assert!(watch.run(|| work(QUANTUM)).is_err());
        let after = watch.or_afterwards(Duration::from_secs(2));
        assert_eq!(after.run(|| 3), Ok(3), "{limit}");
        world.held.fetch_add(1 << 20, Ordering::Relaxed);
        assert_eq!(after.run(|| 3), Ok(3), "a report takes memory, {limit}");
        world.held.fetch_add(1 << 28, Ordering::Relaxed);
        assert!(after.run(|| ()).is_err(), "{limit}");
    }
}

#[test]
fn necessary_work_has_time_and_memory() {
    let (_, watch) = at_look(1);
    assert!(watch.run(|| ()).is_err());
    let least = watch.at_least(Duration::from_secs(30), 0);
    assert_eq!(least.run(|| 3), Ok(3));
    let outcome = least.run(|| {
        loop {
            work(QUANTUM);
        }
    });
    let stopped: Stopped = outcome.expect_err("endless");
    assert_eq!((stopped.cause, stopped.is_share), (Cause::Time(Duration::from_secs(1)), false));
    let world = Arc::new(FixedWorld::default());
    world.held.store(1 << 20, Ordering::Relaxed);
    let watch = Watch::new(Arc::clone(&world) as Arc<dyn World>, None, Some(1));
    let least = watch.at_least(Duration::ZERO, 1 << 20);
    assert_eq!(least.run(|| work(QUANTUM)), Ok(()));
    world.held.store(3 << 20, Ordering::Relaxed);
    assert!(least.run(|| work(QUANTUM)).is_err());
}

/// A computation that knows no watch is given up, or begins again with twice the time, and the watch is looked at in between.
#[test]
fn parts_of_time_grow_until_there_is_a_result() {
    let seconds = |found: Duration| move |part: Duration| (part >= found).then_some(part);
    let of = |most: u64, found: u64| in_growing_parts(Duration::from_secs(most), seconds(Duration::from_secs(found)));
    assert_eq!(of(60, 1), Some(Duration::from_secs(1)));
    assert_eq!(of(60, 3), Some(Duration::from_secs(4)));
    assert_eq!(of(5, 5), Some(Duration::from_secs(5)));
    assert_eq!(of(5, 6), None);
    let (_, watch) = at_look(3);
    let mut begun = 0;
    let ended = watch.run(|| {
        in_growing_parts(Duration::MAX, |_| {
            begun += 1;
            None::<()>
        })
    });
    assert!(ended.is_err() && begun <= 3, "{begun}");
}
