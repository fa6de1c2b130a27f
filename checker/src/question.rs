//! Questions, reductions and reports of Rebeca models: the types of `explore` with those of the language filled in.

use explore::{question, reductions, report};
use frontend::interpret::{Bounds, trace::Trace};
use frontend::model::PropertySet;
use symmetry::ValidatedGroup;

/// A question about a model.
pub type Question<P = PropertySet> = question::Question<P, Bounds>;

/// The reductions of a search.
pub type Reductions<'g, G = ValidatedGroup> = reductions::Reductions<'g, G>;

/// The quotient by a validated group.
pub type Quotient<'g, G = ValidatedGroup> = reductions::Quotient<'g, G>;

/// A report, with executions of the model.
pub type Report<T = Trace> = report::Report<T>;

/// The answer to one part of the question.
pub type Answer<T = Trace> = report::Answer<T>;
