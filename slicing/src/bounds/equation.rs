//! The linear program of weights.

use good_lp::{
    Expression, ProblemVariables, ResolutionError, Solution, SolverModel, Variable, constraint, microlp, variable,
};

use super::cost::Cost;

/// The answer of the solver; it is used only after a check.
pub(crate) enum Solved {
    /// Weights of least total.
    Weights(Vec<f64>),
    /// No weights exist.
    Infeasible,
    /// The solver failed.
    Failed,
}

struct Program {
    variables: ProblemVariables,
    weights: Vec<Variable>,
    /// Expressions that are at most 0.
    constraints: Vec<Expression>,
}

/// Weights of least total at the start such that no server increases the total, with weight at least 1 for the given
/// messages.
pub(crate) fn least(count: usize, rules: &[(usize, Cost)], start: &Cost, own: &[usize]) -> Solved {
    let mut variables = ProblemVariables::new();
    let weights: Vec<Variable> = (0..count)
        .map(|message| variables.add(variable().min(if own.contains(&message) { 1.0 } else { 0.0 })))
        .collect();
    let mut program = Program { variables, weights, constraints: Vec::new() };
    for (message, cost) in rules {
        let cost = program.expression(cost);
        let own = program.weights[*message];
        program.constraints.push(cost - own);
    }
    let total = program.expression(start);
    let Program { variables, weights, constraints } = program;
    let mut problem = variables.minimise(total).using(microlp);
    for at_most_zero in constraints {
        problem = problem.with(constraint!(at_most_zero <= 0.0));
    }
    match problem.solve() {
        Ok(solution) => Solved::Weights(weights.iter().map(|&weight| solution.value(weight)).collect()),
        Err(ResolutionError::Infeasible) => Solved::Infeasible,
        Err(_) => Solved::Failed,
    }
}

impl Program {
    fn expression(&mut self, cost: &Cost) -> Expression {
        match cost {
            Cost::Message(message) => Expression::from(self.weights[*message]),
            Cost::Sum(parts) => {
                let mut sum = Expression::from(0.0);
                for part in parts {
                    sum += self.expression(part);
                }
                sum
            }
            Cost::Most(parts) => {
                let most = self.variables.add(variable().min(0.0));
                for part in parts {
                    let part = self.expression(part);
                    self.constraints.push(part - most);
                }
                Expression::from(most)
            }
            Cost::Times(times, part) => {
                let part = self.expression(part);
                part * f64::from(u32::try_from(*times).unwrap_or(u32::MAX))
            }
            Cost::Often(part) => {
                let part = self.expression(part);
                self.constraints.push(part);
                Expression::from(0.0)
            }
        }
    }
}
