//! The linear program of weights.

use std::time::Duration;

use good_lp::{
    Expression, ProblemVariables, ResolutionError, Solution, SolutionStatus, SolverModel, Variable, WithTimeLimit,
    constraint, microlp, variable,
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

/// The elementary steps that one constraint takes.
const CONSTRAINT: u64 = 64;

/// Weights of least total at the start such that no server increases the total, with weight at least 1 for the given
/// messages.
///
/// The solver knows limits on time but no signals.
pub(crate) fn least(count: usize, rules: &[(usize, Cost)], start: &Cost, own: &[usize]) -> Solved {
    let solved = limits::in_growing_parts(Duration::MAX, |time| least_within(time, count, rules, start, own));
    solved.unwrap_or(Solved::Failed)
}

/// As [`least`]; `None` if the solver needs more time.
fn least_within(time: Duration, count: usize, rules: &[(usize, Cost)], start: &Cost, own: &[usize]) -> Option<Solved> {
    let mut variables = ProblemVariables::new();
    let mut least = vec![0.0; count];
    own.iter().for_each(|&message| least[message] = 1.0);
    let weights: Vec<Variable> = least.into_iter().map(|least| variables.add(variable().min(least))).collect();
    let mut program = Program { variables, weights, constraints: Vec::new() };
    for (message, cost) in rules {
        let cost = program.expression(cost);
        let own = program.weights[*message];
        program.constraints.push(cost - own);
    }
    let total = program.expression(start);
    let Program { variables, weights, constraints } = program;
    let mut problem = variables.minimise(total).using(microlp).with_time_limit(time.as_secs_f64());
    for at_most_zero in constraints {
        limits::work(CONSTRAINT);
        problem = problem.with(constraint!(at_most_zero <= 0.0));
    }
    match problem.solve() {
        // Weights that were found in some time but need not be least depend on the machine.
        Ok(solution) if matches!(solution.status(), SolutionStatus::TimeLimit) => None,
        Ok(solution) => Some(Solved::Weights(weights.iter().map(|&weight| solution.value(weight)).collect())),
        Err(ResolutionError::Infeasible) => Some(Solved::Infeasible),
        Err(ResolutionError::Other(_)) => None,
        Err(_) => Some(Solved::Failed),
    }
}

impl Program {
    fn expression(&mut self, cost: &Cost) -> Expression {
        limits::work(CONSTRAINT);
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
