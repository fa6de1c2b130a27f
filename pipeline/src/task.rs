//! What all stages of one run share: a model, the question about it, and the reductions that are allowed.

use checker::{Question, Reduction, ReductionKind, Refusal, Report};

use crate::language::{Language, Trace};
use crate::line::{Error, Plan};

/// A question about a model, and the plan of the run that answers it.
pub(crate) struct Task<'t, L: Language> {
    pub(crate) model: &'t L,
    pub(crate) question: &'t Question<L::Properties>,
    pub(crate) plan: &'t Plan,
}

impl<L: Language> Clone for Task<'_, L> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<L: Language> Copy for Task<'_, L> {}

/// The report of a task.
pub(crate) type Done<L> = Result<Report<Trace<L>>, Error>;

/// The report of a task by way of another model, or the reason why that model gives none.
pub(crate) type Attempt<L, R = Refusal> = Result<Result<Report<Trace<L>>, R>, Error>;

/// A report that begins with a reduction which was refused.
pub(crate) fn refused<T>(mut report: Report<T>, kind: ReductionKind, refusal: Refusal) -> Report<T> {
    report.reductions.insert(0, Reduction::refused(kind, refusal));
    report
}
