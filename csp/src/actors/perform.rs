//! The execution of single statements along a path: declarations, assignments, choices, calls and sends.
//!
//! Operands are evaluated and converted in the order of `frontend::interpret`. The path splits on the values of an
//! unknown index or receiver.

use frontend::interpret::{FaultClass, passes};
use frontend::model::{
    Base, Class, ClassId, Dialect, Dimension, Expr, Place, Rvalue, ServerId, Sort, Stmt, StmtKind, Value,
};

use super::summary::Receiver;
use super::term::{Operator, Term};
use super::walk::{ERROR, Frame, Made, Sent, Stop, Val, Walk};

impl<'m> Walk<'_, 'm> {
    pub(super) fn perform(&mut self, frame: &mut Frame<'m>, stmt: &'m Stmt) -> Result<(), Stop> {
        match &stmt.kind {
            StmtKind::Let { local, value } => {
                let local = &frame.body.locals[local.index()];
                let (first, len) = (local.offset as usize, local.len as usize);
                match value {
                    None => frame.locals[first..first + len].fill(Val::Known(local.sort.initial())),
                    Some(value) => {
                        let value = self.result(frame, value)?;
                        frame.locals[first] = self.convert(value, local.sort)?;
                    }
                }
                Ok(())
            }
            StmtKind::Assign { place, value } => {
                let element = self.locate(frame, place)?;
                let value = self.result(frame, value)?;
                match place.base {
                    Base::Variable(id) => {
                        let sort = self.class().variables[id.index()].sort;
                        self.values[element] = self.convert(value, sort)?;
                    }
                    Base::Local(id) => {
                        frame.locals[element] = self.convert(value, frame.body.locals[id.index()].sort)?;
                    }
                    Base::Remote(..) => return Err(Stop::Opaque("a body writes another rebec")),
                }
                Ok(())
            }
            StmtKind::Do(value) => self.rvalue(frame, value).map(|_| ()),
            StmtKind::Send { receiver, message: _, arguments, targets } => {
                let sent = self.send(frame, receiver, arguments, targets)?;
                self.sent.push(sent);
                Ok(())
            }
            StmtKind::Assert { condition, .. } => {
                if self.condition(frame, condition)? {
                    Ok(())
                } else {
                    Err(Stop::Fault(FaultClass::Assertion))
                }
            }
            _ => Err(Stop::Opaque("an unknown statement")),
        }
    }

    pub(super) fn class(&self) -> &'m Class {
        self.class.expect("a body runs in a class")
    }

    fn result(&mut self, frame: &Frame<'m>, value: &'m Rvalue) -> Result<Val, Stop> {
        self.rvalue(frame, value)?.ok_or(ERROR)
    }

    fn rvalue(&mut self, frame: &Frame<'m>, value: &'m Rvalue) -> Result<Option<Val>, Stop> {
        match value {
            Rvalue::Expr(expr) => self.evaluate(frame, expr).map(Some),
            Rvalue::Choose(options) => {
                let count = u32::try_from(options.len()).expect("bounded by the text");
                let option = self.decide(count);
                self.evaluate(frame, &options[option as usize]).map(Some)
            }
            Rvalue::Call { method, arguments } => {
                let method = &self.class().methods[method.index()];
                let mut values = self.all(frame, arguments)?;
                self.fit(&mut values, method.body.parameters().iter().map(|parameter| parameter.sort))?;
                match (self.invoke(&method.body, values)?, method.result) {
                    (Some(value), Some(sort)) => self.convert(value, sort).map(Some),
                    (value, _) => Ok(value),
                }
            }
            Rvalue::New { class, known, arguments } => self.create(frame, *class, known, arguments).map(Some),
        }
    }

    fn all(&mut self, frame: &Frame<'m>, exprs: &[Expr]) -> Result<Vec<Val>, Stop> {
        exprs.iter().map(|expr| self.evaluate(frame, expr)).collect()
    }

    fn fit(&mut self, values: &mut [Val], sorts: impl Iterator<Item = Sort>) -> Result<(), Stop> {
        for (value, sort) in values.iter_mut().zip(sorts) {
            *value = self.convert(*value, sort)?;
        }
        Ok(())
    }

    fn send(
        &mut self,
        frame: &Frame<'m>,
        receiver: &Expr,
        arguments: &[Expr],
        targets: &[Option<ServerId>],
    ) -> Result<Sent, Stop> {
        let receiver = self.evaluate(frame, receiver)?;
        let mut values = self.all(frame, arguments)?;
        let receiver = self.receiver(receiver)?;
        let (model, rebec) = (self.model(), receiver.rebec());
        let class = self.space.class(rebec);
        let parameters = |server: ServerId| class.servers[server.index()].body.parameters();
        let server = targets[model.class_of(rebec).index()].filter(|&server| {
            arguments.iter().zip(parameters(server)).all(|(argument, parameter)| passes(argument.sort, parameter.sort))
        });
        let Some(server) = server else { return Err(ERROR) };
        self.fit(&mut values, parameters(server).iter().map(|parameter| parameter.sort))?;
        Ok(Sent { receiver, server, sender: self.own, arguments: values })
    }

    /// The receiver of a message. Several names of one created rebec are represented by the name that received a
    /// message first.
    fn receiver(&mut self, value: Val) -> Result<Receiver, Stop> {
        let receiver = match self.as_constant(value) {
            Val::Known(Value::Rebec(rebec)) => return Ok(Receiver::Rebec(rebec)),
            Val::New(rebec, number) => return Ok(Receiver::New(rebec, number)),
            Val::Own(rebec) => Receiver::Own(rebec),
            Val::Input(element) => Receiver::Held(element, self.created_in(element)),
            Val::Known(_) | Val::Term(_) => return Err(ERROR),
        };
        let mut earlier: Vec<Receiver> = Vec::new();
        for sent in &self.sent {
            let may_be = sent.receiver.rebec() == receiver.rebec() && !matches!(sent.receiver, Receiver::New(..));
            if may_be && !earlier.contains(&sent.receiver) {
                earlier.push(sent.receiver);
            }
        }
        if earlier.contains(&receiver) {
            return Ok(receiver);
        }
        for other in earlier {
            if self.same(receiver, other) {
                return Ok(other);
            }
        }
        Ok(receiver)
    }

    /// Splits on whether two names of created rebecs of one class denote the same rebec.
    pub(super) fn same(&mut self, one: Receiver, other: Receiver) -> bool {
        if one == other {
            return true;
        }
        let mut term = |name: Receiver| match name {
            Receiver::Held(element, _) => Some(self.terms.reference(Term::Input(element))),
            Receiver::Own(rebec) => Some(self.terms.reference(Term::Own(rebec))),
            Receiver::Rebec(_) | Receiver::New(..) => None,
        };
        match (term(one), term(other)) {
            (Some(one), Some(other)) => {
                let atom = self.terms.apply(Operator::Same, vec![one, other]);
                self.atom(atom)
            }
            _ => false,
        }
    }

    fn create(
        &mut self,
        frame: &Frame<'m>,
        class: ClassId,
        known: &'m [Expr],
        arguments: &'m [Expr],
    ) -> Result<Val, Stop> {
        let model = self.model();
        let made = model.class(class);
        let mut bound = self.all(frame, known)?;
        let mut passed = self.all(frame, arguments)?;
        let slots = made.known().flat_map(|variable| variable.elements().map(|slot| (slot, variable.sort)));
        let slots: Vec<(usize, Sort)> = slots.collect();
        debug_assert_eq!(bound.len(), slots.len(), "every known rebec is bound");
        self.fit(&mut bound, slots.iter().map(|&(_, sort)| sort))?;
        self.fit(&mut passed, made.creation_parameters(model.dialect).iter().map(|parameter| parameter.sort))?;
        let rebec = model.created(class, 0);
        let number = self.made.iter().filter(|other| other.rebec == rebec).count();
        let number = u32::try_from(number).expect("bounded by the statements");
        let mut values: Vec<Val> = made.initial_values(&[]).into_iter().map(Val::Known).collect();
        debug_assert_eq!(values.len(), made.elements(), "a created rebec has every variable");
        for (&(slot, _), value) in slots.iter().zip(bound) {
            values[slot] = value;
        }
        let place = self.made.len();
        self.made.push(Made { rebec, values });
        match model.dialect {
            Dialect::Rebeca20 => {
                if let Some(server) = made.server("initial") {
                    let receiver = Receiver::New(rebec, number);
                    self.sent.push(Sent { receiver, server, sender: self.own, arguments: passed });
                }
            }
            Dialect::Rebeca21 => self.construct(place, Val::New(rebec, number), passed)?,
        }
        Ok(Val::New(rebec, number))
    }

    /// Runs the constructor of a rebec that the path has just created, as that rebec.
    fn construct(&mut self, place: usize, name: Val, arguments: Vec<Val>) -> Result<(), Stop> {
        let Made { rebec, ref mut values } = self.made[place];
        let class = self.space.class(rebec);
        let values = std::mem::replace(&mut self.values, std::mem::take(values));
        let outer = (self.class.replace(class), self.rebec, self.own, self.sender);
        (self.rebec, self.own, self.sender) = (rebec, name, name);
        let result = match &class.constructor {
            Some(constructor) => self.invoke(&constructor.body, arguments).map(|_| ()),
            None => Ok(()),
        };
        (self.class, self.rebec, self.own, self.sender) = outer;
        self.made[place].values = std::mem::replace(&mut self.values, values);
        result
    }

    /// The index of the element that a place denotes, in the list that holds its base.
    pub(super) fn locate(&mut self, frame: &Frame<'_>, place: &Place) -> Result<usize, Stop> {
        let (offset, dimensions): (u32, &[Dimension]) = match place.base {
            Base::Variable(id) => {
                let variable = &self.class().variables[id.index()];
                (variable.offset, &variable.dimensions)
            }
            Base::Local(id) => {
                let local = &frame.body.locals[id.index()];
                (local.offset, &local.dimensions)
            }
            Base::Remote(rebec, id) => {
                let variable = &self.space.class(rebec).variables[id.index()];
                (variable.offset, &variable.dimensions)
            }
        };
        let mut element = 0;
        for (index, &dimension) in place.indices.iter().zip(dimensions) {
            let (low, len) = (i64::from(self.model().lowest(dimension)), self.model().extent(dimension));
            let index = self.evaluate(frame, index)?;
            let position = self.position(index, low, len)?;
            element = element * len as usize + position;
        }
        let size: usize = dimensions.iter().map(|&axis| self.model().extent(axis) as usize).product();
        debug_assert!(element < size, "an element of the variable");
        Ok(offset as usize + element)
    }

    /// The position that an index denotes on an axis.
    fn position(&mut self, index: Val, low: i64, len: u32) -> Result<usize, Stop> {
        if let Val::Term(_) = index
            && len <= 16
        {
            for position in 0..len {
                let value = i32::try_from(low + i64::from(position)).map_err(|_| ERROR)?;
                if self.equal(index, Val::Known(Value::Int(value)))? {
                    return Ok(position as usize);
                }
            }
            return Err(ERROR);
        }
        let (Value::Int(value) | Value::Scalar(value)) = self.known(index)? else { return Err(ERROR) };
        match u32::try_from(i64::from(value) - low) {
            Ok(position) if position < len => Ok(position as usize),
            _ => Err(ERROR),
        }
    }
}
