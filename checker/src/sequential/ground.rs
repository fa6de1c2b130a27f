//! The ground instances of summands: one for each choice of parameters whose guard is not false in every state.
//!
//! Parameters are chosen from the outermost on. Conjuncts of the guard that read no state are evaluated as soon as their
//! parameters are chosen, so that a summand over the edges of a graph costs its edges, not all pairs. A summand with too
//! many choices stays one instance whose parameters are tried in turn at each state.
//!
//! Soundness: a conjunct that is false drops an instance only if no conjunct before it can fault.

use frontend::sequential::interpret::evaluate;
use frontend::sequential::{Expr, ExprKind, Interval, Sequential, SummandId};

use super::body::{Instance, Parameters, always};
use super::code::Code;
use super::compile::{Binding, Compiler, MOST_PARTS, Typed, joined};
use super::split;

/// The most conjuncts of a guard that are shared with other instances.
const MOST_SHARED: usize = 16;

/// A conjunct of a guard.
struct Conjunct<'e> {
    expr: &'e Expr,
    /// The parameters it needs, if it reads no state: those below this one.
    needs: Option<usize>,
    /// Whether it and all before it are free of faults.
    is_safe: bool,
}

/// The instances of a summand while they are made.
struct Grounding<'c, 'm> {
    compiler: &'c mut Compiler<'m>,
    id: SummandId,
    conjuncts: Vec<Conjunct<'m>>,
    chosen: Vec<i32>,
    /// The budget and the choices of the compiler below which the summand is not ground.
    reserve: (u64, u64),
    instances: Vec<Instance<'m>>,
}

/// The instances of a summand.
pub(super) fn instances<'m>(compiler: &mut Compiler<'m>, id: SummandId) -> Vec<Instance<'m>> {
    let model = compiler.model;
    let summand = model.summand(id);
    compiler.scope.clear();
    if summand.parameters.is_empty() {
        return split::instances(compiler, id, &[]);
    }
    let ranges: Box<[(i32, i32)]> =
        summand.parameters.iter().map(|parameter| model.domain(parameter.sort).bounds()).collect();
    compiler.scope = ranges.iter().map(|&(low, high)| Binding::Range(low, high)).collect();
    let conjuncts = conjuncts(compiler, &summand.guard);
    let reserve = (compiler.budget / 2, compiler.choices / 2);
    let mut grounding = Grounding { compiler, id, conjuncts, chosen: Vec::new(), reserve, instances: Vec::new() };
    if grounding.choose().is_some() {
        return grounding.instances;
    }
    compiler.scope = ranges.iter().map(|&(low, high)| Binding::Range(low, high)).collect();
    compiler.registers = compiler.registers.max(ranges.len());
    instance(compiler, id, Parameters::Ranges(ranges)).into_iter().collect()
}

/// The instance for the binders in scope, and the elements that are known before it, unless its guard is false.
pub(super) fn instance<'m>(
    compiler: &mut Compiler<'m>,
    summand: SummandId,
    parameters: Parameters,
) -> Option<Instance<'m>> {
    limits::work(64);
    let source = compiler.model.summand(summand);
    assert_eq!(compiler.scope.len(), source.parameters.len(), "the parameters are in scope, and nothing else");
    let most = if matches!(parameters, Parameters::Ranges(_)) { 0 } else { MOST_SHARED };
    guard(compiler, &source.guard, most).map(|(shared, guard)| {
        let arguments = source.arguments.iter().filter_map(|argument| {
            let (code, interval) = compiler.expression(argument);
            interval.faults.then_some(code)
        });
        let arguments: Box<[Code<'m>]> = arguments.collect();
        let before = compiler.known.clone();
        let body = compiler.body(&source.body);
        compiler.known = before;
        let inside = always(&body);
        Instance { summand, parameters, shared, guard, arguments, body, inside }
    })
}

/// A guard in two parts: at most so many conjuncts that cannot fault, and the rest; nothing if it is false.
fn guard<'m>(compiler: &mut Compiler<'m>, guard: &Expr, most: usize) -> Option<(Vec<Code<'m>>, Code<'m>)> {
    let (mut shared, mut rest) = (Vec::new(), Vec::new());
    for conjunct in conjuncts_of(guard) {
        let (code, interval) = compiler.expression(conjunct);
        match interval.constant() {
            Some(0) if rest.iter().all(|(_, interval): &Typed<'_>| !interval.faults) => return None,
            Some(1) => {}
            _ if interval.faults || !rest.is_empty() => rest.push((code, interval)),
            _ => match code {
                Code::All(list) => shared.extend(list),
                code => shared.push(code),
            },
        }
    }
    let more = shared.split_off(most.min(shared.len())).into_iter().map(|code| (code, Interval::TRUTH));
    let (rest, _) = joined(more.chain(rest), false);
    Some((shared, rest))
}

fn conjuncts_of(guard: &Expr) -> &[Expr] {
    if let ExprKind::And(list) = &guard.kind { list } else { std::slice::from_ref(guard) }
}

impl Grounding<'_, '_> {
    /// Chooses the remaining parameters in every way; nothing if there are too many.
    fn choose(&mut self) -> Option<()> {
        let model = self.compiler.model;
        let Some(parameter) = model.summand(self.id).parameters.get(self.chosen.len()) else {
            self.compiler.scope = self.chosen.iter().map(|&value| Binding::Value(value)).collect();
            self.instances.extend(split::instances(self.compiler, self.id, &self.chosen));
            return (self.compiler.budget > self.reserve.0).then_some(());
        };
        for value in model.domain(parameter.sort).values() {
            self.compiler.choices = self.compiler.choices.saturating_sub(1);
            if self.compiler.choices <= self.reserve.1 {
                return None;
            }
            self.chosen.push(value);
            if !self.is_refuted(model) {
                self.choose()?;
            }
            self.chosen.pop();
        }
        Some(())
    }

    /// Whether a conjunct whose last parameter was just chosen is false.
    fn is_refuted(&self, model: &Sequential) -> bool {
        // Binders inside a conjunct are numbered behind all parameters, chosen or not.
        let mut parameters = self.chosen.clone();
        parameters.resize(model.summand(self.id).parameters.len(), 0);
        let mut decided = self.conjuncts.iter().filter(|conjunct| conjunct.needs == Some(self.chosen.len()));
        decided.any(|conjunct| conjunct.is_safe && evaluate(model, conjunct.expr, &[], &parameters) == Ok(0))
    }
}

/// The conjuncts of a guard, with its parameters in scope.
fn conjuncts<'m>(compiler: &mut Compiler<'m>, guard: &'m Expr) -> Vec<Conjunct<'m>> {
    let mut is_safe = true;
    let conjuncts = conjuncts_of(guard).iter().map(|expr| {
        is_safe = is_safe && !compiler.expression(expr).1.faults;
        let is_small = compiler.parts(expr) <= MOST_PARTS;
        Conjunct { expr, needs: needs(expr, compiler.scope.len()).filter(|_| is_small), is_safe }
    });
    conjuncts.collect()
}

/// One more than the innermost of `parameters` parameters in an expression; nothing if it reads the state.
fn needs(expr: &Expr, parameters: usize) -> Option<usize> {
    let own = match &expr.kind {
        ExprKind::Read(_) => return None,
        ExprKind::Parameter(id) if id.index() < parameters => id.index() + 1,
        _ => 0,
    };
    expr.operands().into_iter().try_fold(own, |most, operand| Some(most.max(needs(operand, parameters)?)))
}
