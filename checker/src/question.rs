//! Questions, reductions and reports of Rebeca models: the types of `explore` with those of the language filled in.

use explore::{question, reductions, report};
use frontend::interpret::{Bounds, trace::Trace};
use frontend::model::PropertySet;
use symmetry::ValidatedGroup;

/// What is asked of a model.
pub type Question<P = PropertySet> = question::Question<P, Bounds>;

/// What a search may leave out.
pub type Reductions<'g, G = ValidatedGroup> = reductions::Reductions<'g, G>;

/// The quotient by a validated group.
pub type Quotient<'g, G = ValidatedGroup> = reductions::Quotient<'g, G>;

/// What was found, with executions of the model.
pub type Report<T = Trace> = report::Report<T>;

/// The answer to one thing asked.
pub type Answer<T = Trace> = report::Answer<T>;
