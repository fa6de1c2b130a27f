//! A quotient is given up where it is slower than a plain search by measure, and only there.

use super::*;

/// Whether a quotient of 1,000 classes per second under a group is given up, where a trial finds this rate.
fn is_given_up(order: u64, trial: Option<Trial>) -> bool {
    let watch = Watch::unlimited().at_most(u64::MAX);
    let (mut control, mut trials) = ((), 0);
    let mut run = |_| {
        trials += 1;
        trial
    };
    let mut payoff = Payoff::new(&mut control, watch.clone(), Rule::default(), order, &mut run);
    for tenth in 0..100_u32 {
        let seconds = f64::from(tenth) / 10.0;
        payoff.progress(&Progress {
            states: u64::from(tenth) * 100,
            transitions: 0,
            frontier: 1,
            depth: 0,
            memory: 0,
            seconds,
        });
        assert!(seconds >= 3.0 || watch.consult().is_ok(), "measured too early");
    }
    let refusal = payoff.given_up();
    assert_eq!(refusal.is_some(), watch.consult().is_err());
    assert!(trials <= 1, "one measurement");
    refusal.is_some()
}

#[test]
fn it_is_given_up_where_no_orbit_can_make_good_for_the_time() {
    let trial = |rate| Some(Trial { rate, is_complete: false });
    assert!(!is_given_up(12, trial(11_000)));
    assert!(!is_given_up(12, trial(17_000)), "not clearly");
    assert!(is_given_up(12, trial(19_000)));
    assert!(!is_given_up(12, None));
    assert!(is_given_up(5_000, Some(Trial { rate: 10, is_complete: true })));
    assert!(!is_given_up(50_000, Some(Trial { rate: 10, is_complete: true })), "not tried");
}
