//! Maps of ids from the original to the slice, and the renumbering of statements and properties by them.
//!
//! Invariant: everything that a part that stays mentions stays too; a look-up without a result is a fault of the
//! slicer.

use frontend::model::mutate::{self, Mutator};
use frontend::model::{
    Base, ClassId, Dimension, Expr, ExprKind, FeatureId, LocalId, MethodId, Model, Place, PropertySet, RebecId, Rvalue,
    ScalarSetId, ServerId, Sort, Stmt, StmtKind, Value, VariableId,
};

/// The maps of all ids.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Maps {
    pub(crate) classes: Vec<Option<ClassId>>,
    pub(crate) rebecs: Vec<Option<RebecId>>,
    pub(crate) features: Vec<Option<FeatureId>>,
    pub(super) sets: Vec<Option<ScalarSetId>>,
    /// By class.
    pub(crate) variables: Vec<Vec<Option<VariableId>>>,
    pub(crate) servers: Vec<Vec<Option<ServerId>>>,
    pub(super) methods: Vec<Vec<Option<MethodId>>>,
    /// The parameters of each server that stay, by class.
    pub(crate) parameters: Vec<Vec<Vec<bool>>>,
}

impl Maps {
    pub(super) fn class(&self, id: ClassId) -> ClassId {
        self.classes[id.index()].expect("a class that something mentions stays")
    }

    pub(super) fn rebec(&self, id: RebecId) -> RebecId {
        self.rebecs[id.index()].expect("a rebec that something mentions stays")
    }

    pub(super) fn sort(&self, sort: Sort) -> Sort {
        match sort {
            Sort::Rebec(class) => Sort::Rebec(self.class(class)),
            Sort::Scalar(set) => Sort::Scalar(self.sets[set.index()].expect("a set that something mentions stays")),
            other => other,
        }
    }

    pub(super) fn dimensions(&self, dimensions: &[Dimension]) -> Vec<Dimension> {
        let one = |dimension: &Dimension| match *dimension {
            Dimension::Scalar(set) => {
                Dimension::Scalar(self.sets[set.index()].expect("a set that something mentions stays"))
            }
            other => other,
        };
        dimensions.iter().map(one).collect()
    }

    pub(super) fn value(&self, value: Value) -> Value {
        match value {
            Value::Rebec(rebec) => Value::Rebec(self.rebec(rebec)),
            other => other,
        }
    }

    /// The properties over the slice.
    pub(crate) fn properties(&self, original: &Model, properties: &PropertySet) -> PropertySet {
        let mut new = properties.clone();
        let mut renumber = RenumberProperty { maps: self, original };
        // A definition that no property uses may name removed parts. Definitions are expanded already, and only shown.
        new.definitions.clear();
        for property in &mut new.properties {
            let conditions = property.kind.conditions_mut().into_iter();
            conditions.for_each(|condition| mutate::expression(condition, &mut renumber));
        }
        new
    }
}

/// Renumbers the statements of a body.
pub(super) struct Renumber<'m> {
    pub(super) maps: &'m Maps,
    pub(super) class: Option<ClassId>,
    pub(super) locals: &'m [Option<LocalId>],
}

impl Renumber<'_> {
    fn local(&self, id: LocalId) -> LocalId {
        self.locals[id.index()].expect("a local that something mentions stays")
    }
}

impl Mutator for Renumber<'_> {
    fn statement(&mut self, statement: &mut Stmt) {
        match &mut statement.kind {
            StmtKind::Let { local, .. } => *local = self.local(*local),
            StmtKind::ForEach { local, set, .. } => {
                *local = self.local(*local);
                *set = self.maps.sets[set.index()].expect("a set that something mentions stays");
            }
            _ => {}
        }
        let (StmtKind::Let { value: Some(value), .. } | StmtKind::Assign { value, .. } | StmtKind::Do(value)) =
            &mut statement.kind
        else {
            return;
        };
        let class = self.class.expect("statements are in a class");
        match value {
            Rvalue::Call { method, .. } => {
                *method = self.maps.methods[class.index()][method.index()].expect("a method that is called stays");
            }
            Rvalue::New { class, .. } => *class = self.maps.class(*class),
            Rvalue::Expr(_) | Rvalue::Choose(_) => {}
        }
    }

    fn expression(&mut self, expression: &mut Expr) {
        expression.sort = self.maps.sort(expression.sort);
        match &mut expression.kind {
            ExprKind::Cast(class, _) | ExprKind::InstanceOf(class, _) => *class = self.maps.class(*class),
            ExprKind::Feature(feature) => {
                *feature = self.maps.features[feature.index()].expect("a feature that something reads stays");
            }
            _ => {}
        }
    }

    fn place(&mut self, place: &mut Place) {
        match &mut place.base {
            Base::Variable(id) => {
                let class = self.class.expect("statements are in a class");
                *id = self.maps.variables[class.index()][id.index()].expect("a variable that something mentions stays");
            }
            Base::Local(id) => *id = self.local(*id),
            Base::Remote(..) => {}
        }
    }
}

/// Renumbers the conditions of properties.
struct RenumberProperty<'m> {
    maps: &'m Maps,
    original: &'m Model,
}

impl Mutator for RenumberProperty<'_> {
    fn expression(&mut self, expression: &mut Expr) {
        Renumber { maps: self.maps, class: None, locals: &[] }.expression(expression);
        if let ExprKind::Rebec(rebec) = &mut expression.kind {
            *rebec = self.maps.rebec(*rebec);
        }
    }

    fn place(&mut self, place: &mut Place) {
        if let Base::Remote(rebec, id) = &mut place.base {
            let class = self.original.class_of(*rebec);
            *id = self.maps.variables[class.index()][id.index()].expect("a variable that a property names stays");
            *rebec = self.maps.rebec(*rebec);
        }
    }
}
