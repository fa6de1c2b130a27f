//! Descriptions of faults and limits in words, with the names of the model.

use super::{ExecutionLimit, FaultKind};
use crate::model::Model;

/// The fault, in one line without a full stop.
pub fn describe_fault(model: &Model, fault: &FaultKind) -> String {
    match fault {
        FaultKind::QueueOverflow { receiver, bound } => {
            format!("the queue of `{}` is full (bound {bound})", model.rebec_name(*receiver))
        }
        FaultKind::AssertionFailed(None) => "assertion failed".to_owned(),
        FaultKind::AssertionFailed(Some(message)) => format!("assertion failed: {message:?}"),
        FaultKind::DivisionByZero => "division by zero".to_owned(),
        FaultKind::ArithmeticOverflow => "arithmetic overflow: the result does not fit into 32 bits".to_owned(),
        FaultKind::Narrowing { value, width } => format!("`{value}` does not fit into `{}`", width.keyword()),
        FaultKind::IndexOutOfRange { index, len } => match len.checked_sub(1) {
            Some(last) => format!("index {index} is outside 0..{last}"),
            None => format!("index {index} into an array without elements"),
        },
        FaultKind::NullReceiver => "message sent to `null`".to_owned(),
        FaultKind::NotUnderstood { receiver, message } => {
            format!("`{}` does not understand `{message}`", model.rebec_name(*receiver))
        }
        FaultKind::WrongClass { rebec, class } => {
            format!("`{}` is not a `{}`", model.rebec_name(*rebec), model.class(*class).name)
        }
        FaultKind::UndefinedScalar => "scalar variable read before it was assigned".to_owned(),
        FaultKind::NegativeRoot => "square root of a negative number".to_owned(),
        FaultKind::MissingResult => "a method whose result is used ended without `return`".to_owned(),
        FaultKind::Endless => "does not end within the step bound".to_owned(),
        FaultKind::TooDeep => "calls nest deeper than the bound on calls".to_owned(),
    }
}

/// The bound of the tool that ended the step, in one line without a full stop.
pub fn describe_limit(model: &Model, limit: &ExecutionLimit) -> String {
    match limit {
        ExecutionLimit::Rebecs(class) => {
            format!("the bound on created rebecs of `{}` was reached", model.class(*class).name)
        }
        ExecutionLimit::Work => "the bound on the work of one step was reached".to_owned(),
    }
}
