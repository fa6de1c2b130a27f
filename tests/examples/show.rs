//! Prints the generated model of a seed.
fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    if args[0] == "hist" {
        let mut sizes = Vec::new();
        for seed in 1..=1000 {
            let spec = battery::generate::model(seed);
            if let Ok(c) = battery::differential::compare(&battery::generate::render::model(&spec), None) {
                let faults: std::collections::BTreeSet<String> = c.counts.faults.iter().map(|f| f.2.split([' ', '(', '{']).next().unwrap().to_owned()).collect();
                sizes.push((c.counts.states, seed, c.counts.deadlocks, faults));
            }
        }
        sizes.sort();
        if args.len() > 1 { for s in sizes.iter().take(150) { println!("{s:?}"); } return; }
        for q in 0..20 { println!("{:?}", sizes[q * sizes.len() / 20]); }
        return;
    }
    for seed in args {
        let spec = battery::generate::model(seed.parse().expect("a seed"));
        println!("// seed {seed}\n{}", battery::generate::render::model(&spec));
        println!("{}", battery::generate::render::properties(&spec).unwrap_or_default());
    }
}
