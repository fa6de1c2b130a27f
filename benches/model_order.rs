//! Prints the size of the graph and the order of the group of a file: `cargo bench -p quotient-benches --bench model_order --
//! FILE [NAME=VALUE..] [--properties] [--free] [--print]`.

use frontend::diagnostics::Diagnostics;
use frontend::sequential::{Options, Property, parse};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1).filter(|word| word != "--bench");
    let path = arguments.next().ok_or("a file")?;
    let rest: Vec<String> = arguments.collect();
    let defines = rest.iter().filter_map(|argument| argument.split_once('='));
    let constants = defines.map(|(name, value)| Ok((name.to_owned(), value.parse()?)));
    let constants = constants.collect::<Result<Vec<_>, std::num::ParseIntError>>()?;
    let mut sink = Diagnostics::new();
    let parsed = parse(&std::fs::read_to_string(&path)?, &Options { constants }, &mut sink);
    let model = parsed.model.ok_or("the file has errors")?;
    let all: Vec<&Property> = model.properties.iter().collect();
    let checked = if rest.iter().any(|argument| argument == "--properties") { &all[..] } else { &[] };
    let free = rest.iter().any(|argument| argument == "--free");
    let started = std::time::Instant::now();
    let found = csp::detect_graph_with(&model, checked, if free { csp::Ties::None } else { csp::Ties::Names })?;
    let elapsed = started.elapsed();
    let (vertices, edges) = (found.graph.graph.len(), found.graph.graph.edge_count());
    let counts = (found.csp.instances.len(), found.generators.len());
    println!("{path}: {vertices} vertices, {edges} edges, {} instances", counts.0);
    println!("  order {}, {} generators, {:?}", found.order(), counts.1, elapsed);
    if rest.iter().any(|argument| argument == "--print") {
        print!("{}", found.csp.print(&model));
        for generator in &found.generators {
            let cycles = generator.cycles().into_iter().map(|cycle| {
                let names: Vec<String> = cycle
                    .into_iter()
                    .map(|point| {
                        let (element, value) = found.literals.literal(point);
                        format!("{}={}", model.element_name(element), model.element_value(element, value))
                    })
                    .collect();
                format!("({})", names.join(" "))
            });
            println!("  {}", cycles.collect::<String>());
        }
    }
    Ok(())
}
