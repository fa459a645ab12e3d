//! Compiles the table of system calls into filter programs that the kernel runs before each call.
//!
//! A worker's calls must pass two programs. The server installs the first, which contains the whole
//! table. Each copy installs the second, which is short because installing it costs time in every
//! session.

use std::mem::offset_of;

use seccompiler::sock_filter as Instruction;

use super::system_calls::{CallPolicy, Check, NEWER, TABLE, exit_code};

// Return values of a filter. The lower bits may contain an error number.
const ALLOW: u32 = libc::SECCOMP_RET_ALLOW;
const NOT_PERMITTED: u32 = libc::SECCOMP_RET_ERRNO | libc::EPERM as u32;
const NO_SUCH_CALL: u32 = libc::SECCOMP_RET_ERRNO | libc::ENOSYS as u32;
/// Return value that calls the handler of [`end_on_fatal_calls`].
const SIGNAL: u32 = libc::SECCOMP_RET_TRAP;

/// `AUDIT_ARCH` number of this processor's system call interface. The kernel also accepts calls
/// through other interfaces.
#[cfg(target_arch = "x86_64")]
const INTERFACE: u32 = 0xC000_003E;
#[cfg(target_arch = "aarch64")]
const INTERFACE: u32 = 0xC000_00B7;

/// First call number of x32, a second interface of the same processor.
#[cfg(target_arch = "x86_64")]
const X32: u32 = 0x4000_0000;

/// Installs the first program, for a server and its copies. `compiles` states whether the engine
/// generates machine code.
///
/// # Errors
/// Returns an error if the kernel does not support filter programs or rejects this one.
pub(super) fn restrict_server(compiles: bool) -> Result<(), seccompiler::Error> {
    end_on_fatal_calls();
    let mut program = Program::begin(compiles);
    for call in TABLE {
        program.answer(
            call.number,
            match call.answer {
                CallPolicy::Allowed(checks, _) => (checks, ALLOW),
                CallPolicy::OnlyV8 if cfg!(feature = "v8") => (&[], ALLOW),
                CallPolicy::OnlyCompiler if compiles => (&[], ALLOW),
                CallPolicy::OnlyV8 | CallPolicy::OnlyCompiler => (&[], NOT_PERMITTED),
                CallPolicy::Server => (&[], ALLOW),
                CallPolicy::Missing => (&[], NO_SUCH_CALL),
                CallPolicy::Fatal => (&[], SIGNAL),
            },
        );
    }
    program.at_least(NEWER, NO_SUCH_CALL);
    program.install(NOT_PERMITTED)
}

/// Installs the second program, for a worker.
///
/// # Errors
/// As for [`restrict_server`].
pub(super) fn restrict_worker() -> Result<(), seccompiler::Error> {
    // The server's program already checks executable memory.
    let mut program = Program::begin(true);
    for call in TABLE {
        match call.answer {
            CallPolicy::Allowed(_, checks) if !checks.is_empty() => {
                program.answer(call.number, (checks, ALLOW));
            }
            CallPolicy::Server => program.answer(call.number, (&[], NOT_PERMITTED)),
            _ => {}
        }
    }
    program.install(ALLOW)
}

/// Makes the process end with an exit code that identifies a fatal call, which the kernel itself
/// would not report.
fn end_on_fatal_calls() {
    extern "C" fn on_signal(_: libc::c_int, info: *mut libc::siginfo_t, _: *mut libc::c_void) {
        // SAFETY: the kernel passes valid information about the signal.
        let call = unsafe { &*info.cast::<SigsysInfo>() };
        super::exit::now(exit_code(
            (call.interface == INTERFACE).then_some(i64::from(call.number)),
        ));
    }
    // SAFETY: an all-zero action is valid, and the handler has the signature that its flag
    // requires. The handler only reads a constant table and ends the process.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = on_signal as *const () as usize;
        action.sa_flags = libc::SA_SIGINFO;
        libc::sigaction(libc::SIGSYS, &raw const action, std::ptr::null_mut());
    }
}

/// Layout of `siginfo_t` for the signal of a rejected call.
#[repr(C)]
struct SigsysInfo {
    signal: [libc::c_int; 3],
    at: *const libc::c_void,
    number: libc::c_int,
    interface: libc::c_uint,
}

struct Program {
    instructions: Vec<Instruction>,
    /// Whether memory may become executable.
    compiles: bool,
}

impl Program {
    /// Begins a program that rejects calls through other interfaces and loads the call's number.
    fn begin(compiles: bool) -> Self {
        let mut program = Self::empty(compiles);
        program.load(offset_of!(libc::seccomp_data, arch));
        program.jump(libc::BPF_JEQ, INTERFACE, 1, 0);
        program.end(SIGNAL);
        program.load(offset_of!(libc::seccomp_data, nr));
        #[cfg(target_arch = "x86_64")]
        {
            program.jump(libc::BPF_JGE, X32, 0, 1);
            program.end(NOT_PERMITTED);
        }
        program
    }

    fn empty(compiles: bool) -> Self {
        Self {
            instructions: Vec::new(),
            compiles,
        }
    }

    /// Adds the answer to calls with this number. A call whose arguments fail a check returns
    /// `EPERM` instead.
    fn answer(&mut self, number: i64, (checks, answer): (&[Check], u32)) {
        let mut body = Self::empty(self.compiles);
        for check in checks {
            body.check(check);
        }
        body.end(answer);
        self.jump(libc::BPF_JEQ, low(number), 0, length(&body.instructions));
        self.instructions.append(&mut body.instructions);
    }

    /// Adds the answer to all calls with at least this number.
    fn at_least(&mut self, number: i64, answer: u32) {
        self.jump(libc::BPF_JGE, low(number), 0, 1);
        self.end(answer);
    }

    /// Adds a check that rejects the call if an argument fails it.
    fn check(&mut self, check: &Check) {
        match *check {
            Check::IsOne(place, values) => {
                self.load(argument(place));
                for (at, value) in values.iter().enumerate() {
                    let left = length(&values[at..]);
                    self.jump(libc::BPF_JEQ, *value, left, 0);
                }
            }
            Check::Not(place, value) => {
                self.load(argument(place));
                self.jump(libc::BPF_JEQ, value, 0, 1);
            }
            Check::IsZero(place) => {
                self.load(argument(place));
                self.jump(libc::BPF_JEQ, 0, 0, 2);
                self.load(argument(place) + size_of::<u32>());
                self.jump(libc::BPF_JEQ, 0, 1, 0);
            }
            Check::Has(place, bits) => {
                self.load(argument(place));
                self.jump(libc::BPF_JSET, bits, 1, 0);
            }
            Check::LacksAll(place, bits) => {
                self.load(argument(place));
                self.jump(libc::BPF_JSET, bits, 0, 1);
            }
            Check::NotExecutable(_) if self.compiles => return,
            Check::NotExecutable(place) => {
                return self.check(&Check::LacksAll(place, libc::PROT_EXEC as u32));
            }
            Check::IsOwnProcess(place) => {
                self.load(argument(place));
                self.jump(libc::BPF_JEQ, std::process::id(), 1, 0);
            }
        }
        self.end(NOT_PERMITTED);
    }

    fn load(&mut self, offset: usize) {
        let code = libc::BPF_LD | libc::BPF_W | libc::BPF_ABS;
        self.push(code, 0, 0, u32::try_from(offset).unwrap_or(u32::MAX));
    }

    /// Skips `if_so` instructions if the comparison holds, otherwise `else_`.
    fn jump(&mut self, comparison: u32, with: u32, if_so: u8, else_: u8) {
        self.push(libc::BPF_JMP | comparison | libc::BPF_K, if_so, else_, with);
    }

    fn end(&mut self, answer: u32) {
        self.push(libc::BPF_RET | libc::BPF_K, 0, 0, answer);
    }

    fn push(&mut self, code: u32, jt: u8, jf: u8, k: u32) {
        let code = u16::try_from(code).unwrap_or(0);
        self.instructions.push(Instruction { code, jt, jf, k });
    }

    /// Installs the program. `otherwise` is the answer to all calls without an explicit answer.
    fn install(mut self, otherwise: u32) -> Result<(), seccompiler::Error> {
        self.end(otherwise);
        seccompiler::apply_filter(&self.instructions)
    }
}

/// Returns the offset of an argument's lower 32 bits.
fn argument(place: u8) -> usize {
    offset_of!(libc::seccomp_data, args) + usize::from(place) * size_of::<u64>()
}

fn low(number: i64) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

fn length<T>(part: &[T]) -> u8 {
    u8::try_from(part.len()).unwrap_or(u8::MAX)
}
