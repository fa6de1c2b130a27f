//! Random well-typed Rebeca models: one seed, one model.
//!
//! [`model`] draws declarations ([`skeleton`](self)), then bodies, then the rebecs of `main`, then properties. [`render`]
//! gives text and [`shrink`] makes a failing model small. The models cover both dialects, scalar sets, creation,
//! inheritance, and every fault; most have fewer than 2,000 states.
//!
//! Invariant: the frontend accepts every generated model. A rejected one is a fault of the frontend or of this generator.

mod control;
pub mod endless;
mod expressions;
mod population;
pub mod render;
mod scope;
pub mod shrink;
mod skeleton;
pub mod spec;
mod statements;

use crate::random::Rng;
use scope::Writer;
use spec::{ModelSpec, Stmt};

/// The model of a seed.
pub fn model(seed: u64) -> ModelSpec {
    let mut rng = Rng::new(seed);
    let mut names = skeleton::Names::default();
    let skeleton::Skeleton { mut spec, shape, creations } = skeleton::draw(&mut rng, &mut names);
    let declarations = spec.clone();
    for (class, declared) in spec.classes.iter_mut().zip(&declarations.classes) {
        for (member, promised) in class.members.iter_mut().zip(&declared.members) {
            if declared.form == spec::Form::Interface {
                continue;
            }
            let of = (declared.name.as_str(), promised);
            member.body = Some(Writer::new(&mut rng, &mut names, &declarations, &creations, of).body());
        }
    }
    population::abstract_some(&mut rng, &mut spec);
    population::populate(&mut rng, &mut names, &mut spec, shape);
    population::add_properties(&mut rng, &mut spec);
    spec
}

/// The model of a seed, with every `if (c) { jump }` replaced by its jump.
pub fn with_unreachable_code(seed: u64) -> ModelSpec {
    fn bare(block: &mut [Stmt]) {
        for stmt in block {
            match stmt {
                Stmt::If(_, then, otherwise) => match (&mut then[..], &otherwise[..]) {
                    ([jump @ (Stmt::Break | Stmt::Continue | Stmt::Return(_))], []) => *stmt = jump.clone(),
                    _ => {
                        bare(then);
                        bare(otherwise);
                    }
                },
                Stmt::While(_, body) | Stmt::DoWhile(body, _) | Stmt::For(_, _, body) => bare(body),
                Stmt::ForEach(_, body) | Stmt::Block(body) => bare(body),
                Stmt::Switch(_, arms) => arms.iter_mut().for_each(|(_, body)| bare(body)),
                _ => {}
            }
        }
    }
    let mut spec = model(seed);
    let members = spec.classes.iter_mut().flat_map(|class| &mut class.members);
    members.filter_map(|member| member.body.as_mut()).for_each(|body| bare(body));
    spec
}

#[cfg(test)]
mod tests {
    use super::{model, render};

    #[test]
    fn a_seed_gives_one_model() {
        for seed in 0..50 {
            assert_eq!(render::model(&model(seed)), render::model(&model(seed)));
        }
    }
}
