//! Calls: arguments are evaluated, then put where the frame of the procedure will have its parameters.

use frontend::murphi::interpret::FaultKind;
use frontend::murphi::program::{Argument, LocalId, ProcedureId};
use frontend::source::Span;

use super::super::code::{Op, Place, Register};
use super::{Compiler, narrow, registers};

/// An evaluated argument.
enum Passed {
    /// A simple value that is known.
    Known(i32),
    /// Slots from a register on.
    Held(Register, u32),
}

impl<'p> Compiler<'p> {
    /// A call; its frame begins at the register that is returned.
    pub(super) fn call(&mut self, id: ProcedureId, arguments: &'p [Argument], span: Span) -> Register {
        let procedure = self.program.procedure(id);
        assert_eq!(arguments.len(), procedure.parameters, "every argument has its parameter");
        let levels = narrow(procedure.height) + 1;
        let site = self.fixed_site(FaultKind::TooDeep, span);
        self.emit(Op::Open { levels, site });
        let passed: Vec<Passed> = (0u32..)
            .map(LocalId)
            .zip(arguments)
            .map(|(local, argument)| self.argument(argument, procedure.frame.local(local)))
            .collect();
        let (locals, first) = registers(self.program, &procedure.frame, procedure.result);
        let shift = self.body.next;
        self.body.size = self.body.size.max(shift + first);
        for (passed, register) in passed.into_iter().zip(locals) {
            let to = shift + register;
            self.emit(match passed {
                Passed::Known(value) => Op::Constant { to, value: value.into() },
                Passed::Held(from, 1) => Op::Move { to, from },
                Passed::Held(from, count) => Op::Copy { to: Place::of_frame(to), from: Place::of_frame(from), count },
            });
        }
        let procedure = self.procedure(id, self.body.notes);
        self.emit(Op::Call { procedure, shift });
        self.emit(Op::Close { levels });
        shift
    }

    fn argument(&mut self, argument: &'p Argument, parameter: &frontend::murphi::program::Local) -> Passed {
        match argument {
            Argument::Value(value) => {
                if let Some(known) = self.constant(value)
                    && self.types().position(parameter.of, known).is_some()
                {
                    return Passed::Known(known);
                }
                let count = self.cells(value.of);
                assert_eq!(count, self.cells(parameter.of), "an argument has the slots of its parameter");
                let to = self.temporary(count);
                self.whole(value, to);
                if self.types().is_simple(parameter.of) {
                    self.within(super::Operand::Held(to), [value.of, parameter.of], value.span);
                }
                Passed::Held(to, count)
            }
            Argument::Reference(place) => {
                let from = self.find(place);
                let to = self.temporary(1);
                self.emit(Op::Address { to, from });
                if self.wrong.copies_variables() {
                    let count = self.cells(place.of);
                    let copy = self.temporary(count);
                    self.emit(Op::Copy { to: Place::of_frame(copy), from, count });
                    self.emit(Op::Address { to, from: Place::of_frame(copy) });
                }
                Passed::Held(to, 1)
            }
        }
    }
}
