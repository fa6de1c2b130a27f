//! Models without spans, for comparing the meanings of two texts.

use super::mutate::{self, Mutator};
use super::{Body, Class, Expr, Model, Place, PropertySet, Stmt};
use crate::source::Span;

/// The model with every span set to [`Span::NONE`].
pub fn without_spans(model: &Model) -> Model {
    let mut model = model.clone();
    model.features.iter_mut().for_each(|feature| feature.span = Span::NONE);
    model.scalar_sets.iter_mut().for_each(|set| set.span = Span::NONE);
    model.instances.iter_mut().for_each(|instance| instance.span = Span::NONE);
    model.classes.iter_mut().for_each(class);
    model
}

/// The property set with every span set to [`Span::NONE`].
pub fn properties_without_spans(properties: &PropertySet) -> PropertySet {
    let mut properties = properties.clone();
    for definition in &mut properties.definitions {
        definition.span = Span::NONE;
        expr(&mut definition.value);
    }
    for property in &mut properties.properties {
        property.span = Span::NONE;
        property.kind.conditions_mut().into_iter().for_each(expr);
    }
    properties
}

/// The expression with every span set to [`Span::NONE`].
pub fn expression_without_spans(expression: &Expr) -> Expr {
    let mut expression = expression.clone();
    expr(&mut expression);
    expression
}

fn class(class: &mut Class) {
    class.span = Span::NONE;
    class.variables.iter_mut().for_each(|variable| variable.span = Span::NONE);
    for server in &mut class.servers {
        server.span = Span::NONE;
        body(&mut server.body);
    }
    for method in &mut class.methods {
        method.span = Span::NONE;
        body(&mut method.body);
    }
    if let Some(constructor) = &mut class.constructor {
        constructor.span = Span::NONE;
        body(&mut constructor.body);
    }
}

fn body(body: &mut Body) {
    body.locals.iter_mut().for_each(|local| local.span = Span::NONE);
    mutate::block(&mut body.block, &mut SpanRemover);
}

/// Removes spans.
struct SpanRemover;

impl Mutator for SpanRemover {
    fn statement(&mut self, statement: &mut Stmt) {
        statement.span = Span::NONE;
    }

    fn expression(&mut self, expression: &mut Expr) {
        expression.span = Span::NONE;
    }

    fn place(&mut self, place: &mut Place) {
        place.span = Span::NONE;
    }
}

fn expr(whole: &mut Expr) {
    mutate::expression(whole, &mut SpanRemover);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::samples::{self, INT, binary, int, ping_pong, read};
    use crate::model::{
        Base, BinaryOp, ExprKind, Formula, Property, PropertyKind, RebecId, StmtKind, Value, VariableId,
    };

    #[test]
    fn only_spans_change() {
        let plain = ping_pong();
        let mut marked = plain.clone();
        let span = Span::new(1, 2);
        marked.instances[0].span = span;
        marked.classes[0].variables[0].span = span;
        let StmtKind::Send { receiver, .. } = &mut marked.classes[0].servers[0].body.block[0].kind else { panic!() };
        receiver.span = span;
        let ExprKind::Read(place) = &mut receiver.kind else { panic!() };
        place.span = span;
        assert_ne!(marked, plain);
        assert_eq!(without_spans(&marked), plain);
        marked.classes[0].variables[1].initial[0] = Value::Int(1);
        assert_ne!(without_spans(&marked), plain);
    }

    #[test]
    fn formulas_lose_their_spans() {
        let remote = samples::place(Base::Remote(RebecId(0), VariableId(1)), vec![]);
        let zero = binary(BinaryOp::Equal, read(remote, INT), int(0));
        let marked = Expr { span: Span::new(1, 2), ..zero.clone() };
        let set = |expr| {
            let kind = PropertyKind::Ltl(Formula::Globally(Box::new(Formula::Atom(expr))));
            let properties = vec![Property { name: "P".into(), kind, span: Span::NONE }];
            PropertySet { definitions: vec![], properties }
        };
        assert_eq!(properties_without_spans(&set(marked)), set(zero));
    }
}
