//! Summaries of servers against the reference interpreter: the relation of inputs and effects must describe the
//! effects in a state.

use std::collections::BTreeSet;

use csp::actors::{
    Actors, Cube, Effect, ElementId, Holder, Key, Message as Sent, Operator, Receiver, Source, Summary, Term, TermId,
};
use frontend::interpret::{FaultClass, Message, Rebec, State, Stop, arithmetic, step_results};
use frontend::model::{RebecId, Value};

use crate::symmetric::BOUNDS;

/// A state and the message that one rebec serves in it.
struct Input<'a> {
    actors: &'a Actors<'a>,
    state: &'a State,
    rebec: RebecId,
    message: &'a Message,
}

impl Input<'_> {
    fn element(&self, element: ElementId) -> Value {
        match self.actors.space.element(element).holder {
            Holder::Feature(feature) => Value::Bool(self.state.features[feature as usize]),
            Holder::State(stand_in, place) => {
                assert_eq!(self.actors.space.stand_in(self.rebec), stand_in, "it reads variables of others");
                self.state.rebec(self.rebec).unwrap().values[place as usize]
            }
            Holder::Sender(_) => Value::Rebec(self.message.sender),
            Holder::Parameter(_, place) => self.message.arguments[place as usize],
        }
    }

    /// The value of a term; `None` if it faults.
    fn term(&self, term: TermId) -> Option<Value> {
        match self.actors.terms.get(term) {
            Term::Constant(value) => Some(Value::Int(*value)),
            Term::Input(element) => Some(self.element(*element)),
            Term::Own(_) => Some(Value::Rebec(self.rebec)),
            Term::Apply(operator, operands) => match (operator, &operands[..]) {
                (Operator::Faults, &[operand]) => {
                    let Term::Apply(_, inner) = self.actors.terms.get(operand) else { panic!("an operation") };
                    let ready = inner.iter().all(|&inner| self.term(inner).is_some());
                    ready.then(|| Value::Bool(self.term(operand).is_none()))
                }
                (Operator::Same, &[one, other]) => Some(Value::Bool(self.term(one)? == self.term(other)?)),
                (Operator::Exceeds(width), &[operand]) => match self.term(operand)? {
                    Value::Int(value) => Some(Value::Bool(!width.range().contains(&value))),
                    _ => panic!("an integer"),
                },
                (Operator::Unary(op), &[operand]) => arithmetic::unary(*op, self.term(operand)?).ok(),
                (Operator::Binary(op), &[left, right]) => {
                    arithmetic::binary(*op, self.term(left)?, self.term(right)?).ok()
                }
                (Operator::SquareRoot, &[operand]) => match self.term(operand)? {
                    Value::Int(value) => arithmetic::square_root(value).ok(),
                    _ => panic!("an integer"),
                },
                _ => panic!("{operator:?} on {} operands", operands.len()),
            },
        }
    }

    fn holds(&self, cube: &Cube) -> bool {
        cube.iter().all(|&(key, mask)| match key {
            Key::Element(element) => {
                let space = &self.actors.space;
                let place = space.values(element).binary_search(&space.abstracted(self.element(element)));
                place.is_ok_and(|place| mask >> place & 1 == 1)
            }
            Key::Atom(atom) => match self.term(atom) {
                Some(Value::Bool(value)) => mask >> u32::from(value) & 1 == 1,
                // An atom over an operand that faults is evaluated only where the fault was found before.
                _ => false,
            },
        })
    }

    fn source(&self, source: Source) -> Value {
        match source {
            Source::Value(value) => value,
            Source::Copy(element) => self.element(element),
            Source::Term(term) => self.term(term).expect("a value that is stored does not fault"),
            Source::Own(_) => Value::Rebec(self.rebec),
            Source::New(rebec, number) => Value::Rebec(self.identity(rebec, number)),
        }
    }

    /// The identity of the rebec that is made next of a class, and of those after it.
    fn identity(&self, stand_in: RebecId, number: u32) -> RebecId {
        let model = self.actors.space.model;
        let class = model.class_of(stand_in);
        let first = (0..).find(|&ordinal| self.state.rebec(model.created(class, ordinal)).is_none());
        model.created(class, first.expect("finitely many") + number as usize)
    }

    fn receiver(&self, receiver: Receiver) -> RebecId {
        match receiver {
            Receiver::Rebec(rebec) => rebec,
            Receiver::Own(_) => self.rebec,
            Receiver::New(rebec, number) => self.identity(rebec, number),
            Receiver::Held(element, _) => match self.element(element) {
                Value::Rebec(rebec) => rebec,
                other => panic!("{other:?} gets a message"),
            },
        }
    }
}

/// Successors and classes of faults.
type Outcomes = (BTreeSet<State>, BTreeSet<FaultClass>);

fn by_summary(actors: &Actors<'_>, state: &State, rebec: RebecId) -> Option<Outcomes> {
    let message = state.rebec(rebec)?.queue.front()?;
    let space = &actors.space;
    let instance = space.instance(rebec, message.server);
    let cases = match &actors.summaries[instance.index()] {
        Summary::Cases(cases) => cases,
        Summary::Opaque(_) => return None,
        Summary::Dead => panic!("{} is sent to", space.instance_name(instance)),
    };
    let input = Input { actors, state, rebec, message };
    let (mut states, mut faults) = (BTreeSet::new(), BTreeSet::new());
    for case in cases.iter().filter(|case| case.cubes.iter().any(|cube| input.holds(cube))) {
        let mut next = state.clone();
        next.rebecs[rebec.index()].as_mut().unwrap().queue.pop_front();
        let bound = |receiver: RebecId| space.class(receiver).queue_bound as usize;
        match &case.effect {
            Effect::Runs { writes, sends, makes } => {
                for (stand_in, made) in makes {
                    for (number, values) in (0..).zip(made) {
                        let values = values.iter().map(|&value| input.source(value)).collect();
                        next.insert(input.identity(*stand_in, number), Rebec { values, queue: Default::default() });
                    }
                }
                for &(element, source) in writes {
                    let Holder::State(_, place) = space.element(element).holder else { panic!("a variable") };
                    next.rebecs[rebec.index()].as_mut().unwrap().values[place as usize] = input.source(source);
                }
                let mut receivers = BTreeSet::new();
                for (receiver, messages) in sends {
                    let receiver = input.receiver(*receiver);
                    assert!(receivers.insert(receiver), "two names of one receiver");
                    for Sent { server, sender, arguments } in messages {
                        let arguments = arguments.iter().map(|&source| input.source(source)).collect();
                        let Value::Rebec(sender) = input.source(*sender) else { panic!("a sender") };
                        let queue = &mut next.rebecs[receiver.index()].as_mut().unwrap().queue;
                        queue.push_back(Message { server: *server, sender, arguments });
                    }
                }
                let fits = |(receiver, _): &(Receiver, _)| {
                    let receiver = input.receiver(*receiver);
                    next.rebec(receiver).unwrap().queue.len() <= bound(receiver)
                };
                if sends.iter().all(fits) {
                    states.insert(next);
                } else {
                    faults.insert(FaultClass::Overflow);
                }
            }
            Effect::Faults { class, sent, .. } => {
                let fits = |&(receiver, count): &(Receiver, u32)| {
                    let receiver = input.receiver(receiver);
                    let held = next.rebec(receiver).map_or(0, |rebec| rebec.queue.len());
                    held + count as usize <= bound(receiver)
                };
                faults.insert(if sent.iter().all(fits) { *class } else { FaultClass::Overflow });
            }
        }
    }
    Some((states, faults))
}

/// Compares the summaries with the interpreter in some reachable states; returns the number of compared steps.
///
/// # Errors
/// The first difference.
pub fn agree(actors: &Actors<'_>, states: &[State]) -> Result<usize, String> {
    let (space, mut compared) = (&actors.space, 0);
    for state in states {
        for rebec in state.identities() {
            for (place, value) in state.rebec(rebec).unwrap().values.iter().enumerate() {
                let element = space.state(rebec, place);
                if !space.is_wide(element) && !space.values(element).contains(&space.abstracted(*value)) {
                    return Err(format!("{} may be {value:?}", space.name(element)));
                }
            }
        }
        'rebecs: for rebec in state.enabled() {
            let Some(said) = by_summary(actors, state, rebec) else { continue };
            let (mut states, mut faults) = (BTreeSet::new(), BTreeSet::new());
            for step in step_results(space.model, &BOUNDS, state, rebec) {
                match step.result {
                    Ok(state) => {
                        states.insert(state);
                    }
                    Err(Stop::Fault(fault)) => {
                        faults.insert(fault.kind.class());
                    }
                    Err(Stop::Limit(_)) => continue 'rebecs,
                }
            }
            if said != (states, faults) {
                let message = state.rebec(rebec).unwrap().queue.front().unwrap();
                return Err(format!(
                    "{} in {state:?}: {said:?}",
                    space.instance_name(space.instance(rebec, message.server))
                ));
            }
            compared += 1;
        }
    }
    Ok(compared)
}
