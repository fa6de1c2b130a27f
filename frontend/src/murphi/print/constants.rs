//! The canonical text of a model whose constants have the values with which it was read.

use super::print;
use crate::murphi::program::{Program, Types};
use crate::murphi::syntax::ast::{Declaration, DeclarationKind, Expr, ExprKind, File, Item};

/// Prints a tree in which the named constants of the whole model have the values that they have in its program.
pub fn print_with(file: File, program: &Program, given: &[String]) -> String {
    let items = file.items.into_iter().flat_map(|item| match item {
        Item::Declaration(declaration) => {
            split(declaration, program, given).into_iter().map(Item::Declaration).collect()
        }
        item => vec![item],
    });
    print(&File { items: items.collect() })
}

/// A declaration, in parts if some of its names are given values.
fn split(declaration: Declaration, program: &Program, given: &[String]) -> Vec<Declaration> {
    let DeclarationKind::Constant(written) = &declaration.kind else { return vec![declaration] };
    if declaration.names.iter().all(|name| !given.contains(&name.text)) {
        return vec![declaration];
    }
    let parts = declaration.names.iter().map(|name| {
        let constant = program.constants.iter().find(|constant| constant.name == name.text);
        let kind = constant.filter(|_| given.contains(&name.text)).map(|constant| match constant.of {
            Types::BOOLEAN => ExprKind::Boolean(constant.value != 0),
            _ => ExprKind::Integer(constant.value),
        });
        let value = kind.map_or_else(|| written.clone(), |kind| Expr { kind, span: written.span });
        Declaration { names: vec![name.clone()], kind: DeclarationKind::Constant(value), span: declaration.span }
    });
    parts.collect()
}
