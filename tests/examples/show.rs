//! Prints the generated model of a seed.
fn main() {
    for seed in std::env::args().skip(1) {
        let spec = battery::generate::model(seed.parse().expect("a seed"));
        println!("// seed {seed}\n{}", battery::generate::render::model(&spec));
        println!("{}", battery::generate::render::properties(&spec).unwrap_or_default());
    }
}
