//! The engine's queue of jobs (microtasks): jobs run one at a time, and jobs of a stopped cell are
//! dropped.
//!
//! Each job belongs to an owner (a cell or a turn): that of the code that awaited the job's
//! promise. Once a deadline has passed, no further job begins. The remaining jobs run in later
//! turns, but jobs of a stopped owner do nothing.
//!
//! This module also counts the executed jobs and the waiting jobs of a turn. If each job leaves
//! behind a job that waits for the next one, as in
//! `const spin = async () => { await 0; return spin() }`, the chain is endless and fills the heap
//! before the time runs out.

#[cfg(not(feature = "v8"))]
pub(crate) use quickjs::{
    begin, chain, current_owner, has_pending, is_dropping, release, run, set_place, stop,
    take_over, take_place, wants_place,
};
#[cfg(feature = "v8")]
pub(crate) use v8_engine::{
    begin, chain, current_owner, has_pending, is_dropping, release, run, set_place, stop,
    take_over, take_place, wants_place,
};

/// Whether this module, not the engine, manages the queue.
pub(crate) const OWNED: bool = cfg!(not(feature = "v8"));

/// Code that ran when jobs were stopped: its owner, and whether it was a job that was being dropped
/// anyway.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RunningCode {
    pub owner: u32,
    pub dropped: bool,
}

#[cfg(not(feature = "v8"))]
mod quickjs {
    use std::cell::{Cell, RefCell};
    use std::collections::HashSet;
    use std::ffi::{c_char, c_int, c_void};

    use deno_core::v8;

    use super::RunningCode;

    /// A value as the engine represents it.
    #[repr(C)]
    #[derive(Clone, Copy)]
    struct Value {
        payload: u64,
        tag: i64,
    }

    const INTEGER: i64 = 0;
    const UNDEFINED: Value = Value { payload: 0, tag: 3 };

    type Function = extern "C" fn(*mut c_void, Value, c_int, *const Value) -> Value;

    unsafe extern "C" {
        fn JS_GetRuntime(context: *mut c_void) -> *mut c_void;
        fn JS_IsJobPending(runtime: *mut c_void) -> bool;
        fn JS_ExecutePendingJob(runtime: *mut c_void, context: *mut *mut c_void) -> c_int;
        fn JS_ClearKeptObjects(runtime: *mut c_void);
        fn JS_GetException(context: *mut c_void) -> Value;
        fn JS_FreeValue(context: *mut c_void, value: Value);
        fn JS_SetJobContextHooks(
            runtime: *mut c_void,
            capture: extern "C" fn(*mut c_void, *mut c_void) -> Value,
            set: extern "C" fn(*mut c_void, Value, *mut c_void),
            data: *mut c_void,
        );
        fn JS_SetInterruptHandler(
            runtime: *mut c_void,
            handler: extern "C" fn(*mut c_void, *mut c_void) -> c_int,
            data: *mut c_void,
        );
        fn JS_NewCFunction2(
            context: *mut c_void,
            function: Function,
            name: *const c_char,
            arguments: c_int,
            kind: c_int,
            magic: c_int,
        ) -> Value;
        fn JS_Call(
            context: *mut c_void,
            function: Value,
            receiver: Value,
            count: c_int,
            arguments: *const Value,
        ) -> Value;
        fn js_malloc_usable_size_rt(runtime: *mut c_void, memory: *const c_void) -> usize;
    }

    /// Number of executed jobs in a turn at which the waiting jobs are first counted. They are
    /// counted again each time the number of executed jobs has doubled.
    const FIRST_MARK: u64 = 1 << 10;

    /// Job counts of one turn.
    #[derive(Debug, Clone, Copy, Default)]
    struct JobCounts {
        ran: u64,
        /// Contexts that the engine requested, minus two for each job that ran. It requests two
        /// when a promise is awaited and one when a job is queued immediately, so at least half
        /// this number of jobs are waiting.
        asked: i64,
        /// Values of `asked` at the last three counts, newest first.
        marks: [i64; 3],
        next_mark: u64,
    }

    thread_local! {
        static COUNTS: Cell<JobCounts> = const {
            Cell::new(JobCounts { ran: 0, asked: 0, marks: [0; 3], next_mark: FIRST_MARK })
        };
        /// Owner of the running code.
        static CURRENT: Cell<u32> = const { Cell::new(0) };
        /// Owner of the turn.
        static TURN: Cell<u32> = const { Cell::new(0) };
        /// Owner of the latest job.
        static LAST: Cell<u32> = const { Cell::new(0) };
        static DROPPED: Cell<bool> = const { Cell::new(false) };
        static STOPPED: RefCell<HashSet<u32>> = RefCell::default();
        /// Whether a job of a stopped owner is starting.
        static DROPPING: Cell<bool> = const { Cell::new(false) };
        static RUNTIME: Cell<*mut c_void> = const { Cell::new(std::ptr::null_mut()) };
        /// Pointer to the engine's countdown of calls and steps to its next interrupt check.
        static COUNTDOWN: Cell<*mut i32> = const { Cell::new(std::ptr::null_mut()) };
        /// Location of the code that had to stop in this turn.
        static PLACE: RefCell<Option<String>> = const { RefCell::new(None) };
        /// Whether that location was requested in this turn but has not been recorded yet.
        static WANTED: Cell<bool> = const { Cell::new(false) };
        static ASKED: Cell<bool> = const { Cell::new(false) };
        static ISOLATE: RefCell<Option<v8::IsolateHandle>> = const { RefCell::new(None) };
    }

    /// Takes over the queue of this thread's isolate. Returns false if the engine's internals
    /// differ from those that this code expects.
    pub fn take_over(scope: &v8::PinScope<'_, '_>, isolate: v8::IsolateHandle) -> bool {
        let context = scope.get_current_context();
        // SAFETY: a handle of the engine's V8 layer points to a value, in this case a tagged
        // pointer to the engine's context.
        let context = unsafe { *(&raw const *context).cast::<*mut c_void>() };
        // SAFETY: the context belongs to the isolate that this thread has entered.
        let runtime = unsafe { JS_GetRuntime(context) };
        let Some(countdown) = find_countdown(context, runtime) else {
            return false;
        };
        COUNTDOWN.set(countdown);
        RUNTIME.set(runtime);
        ISOLATE.set(Some(isolate));
        // SAFETY: the functions have the signatures that the engine expects and use only state of
        // this thread.
        unsafe {
            JS_SetJobContextHooks(runtime, owner_of_new, on_job, std::ptr::null_mut());
            JS_SetInterruptHandler(runtime, must_stop, std::ptr::null_mut());
        }
        true
    }

    /// Returns the queue to the engine. Must be called before the isolate is dropped.
    pub fn release() {
        RUNTIME.set(std::ptr::null_mut());
        ISOLATE.set(None);
        STOPPED.with_borrow_mut(HashSet::clear);
    }

    /// Begins a turn on behalf of `owner`.
    pub fn begin(owner: u32) {
        TURN.set(owner);
        CURRENT.set(owner);
        PLACE.take();
        WANTED.set(false);
        ASKED.set(false);
    }

    /// Returns the owner of the running code.
    pub fn current_owner() -> u32 {
        CURRENT.get()
    }

    /// Stops an owner: all its further jobs do nothing.
    pub fn stop(owner: u32) {
        STOPPED.with_borrow_mut(|stopped| stopped.insert(owner));
    }

    /// Whether the running code is a job that is being dropped.
    pub fn is_dropping() -> bool {
        DROPPING.get()
    }

    /// Whether jobs are pending.
    pub fn has_pending() -> bool {
        let runtime = RUNTIME.get();
        // SAFETY: `runtime` belongs to this thread's isolate.
        !runtime.is_null() && unsafe { JS_IsJobPending(runtime) }
    }

    /// Runs jobs until none are left, or until `stop` returns true for the latest code that ran (a
    /// job or the turn itself), and returns that code.
    pub fn run(
        _: &mut v8::PinScope<'_, '_>,
        mut stop: impl FnMut(RunningCode) -> bool,
    ) -> Option<RunningCode> {
        let runtime = RUNTIME.get();
        COUNTS.set(JobCounts {
            next_mark: FIRST_MARK,
            ..JobCounts::default()
        });
        let mut last = RunningCode {
            owner: TURN.get(),
            dropped: false,
        };
        loop {
            if stop(last) {
                return Some(last);
            }
            let mut context = std::ptr::null_mut();
            DROPPED.set(false);
            LAST.set(TURN.get());
            // SAFETY: the runtime's isolate is entered, and none of its code is running.
            let ran = unsafe { JS_ExecutePendingJob(runtime, &raw mut context) };
            if ran == 0 {
                break;
            }
            if ran < 0 {
                // SAFETY: takes the job's exception, which nothing else uses.
                unsafe { JS_FreeValue(context, JS_GetException(context)) };
            }
            count_job();
            last = RunningCode {
                owner: LAST.get(),
                dropped: DROPPED.get(),
            };
        }
        // SAFETY: no code is running that could rely on weak references.
        unsafe { JS_ClearKeptObjects(runtime) };
        None
    }

    fn count_job() {
        let mut course = COUNTS.get();
        course.ran += 1;
        course.asked -= 2;
        if course.ran == course.next_mark {
            let [newest, second, _] = course.marks;
            course.marks = [course.asked, newest, second];
            course.next_mark *= 2;
        }
        COUNTS.set(course);
    }

    /// Detects an endless chain of jobs in the latest turn and returns a lower bound for the number
    /// of waiting jobs. In a chain, each time the number of executed jobs doubles, the number of
    /// waiting jobs grows by at least half, and at least one job waits for every 16 executed. Code
    /// that processes a list leaves no jobs waiting.
    pub fn chain() -> Option<u64> {
        let JobCounts {
            asked,
            marks,
            next_mark,
            ..
        } = COUNTS.get();
        let [newest, second, third] = marks;
        let at = i64::try_from(next_mark / 2).unwrap_or(i64::MAX);
        let grows = third > 0 && second >= third + third / 2 && newest >= second + second / 2;
        (grows && newest >= at / 8).then(|| asked.unsigned_abs() / 2)
    }

    extern "C" fn owner_of_new(_: *mut c_void, _: *mut c_void) -> Value {
        let course = COUNTS.get();
        COUNTS.set(JobCounts {
            asked: course.asked + 1,
            ..course
        });
        Value {
            payload: u64::from(CURRENT.get()),
            tag: INTEGER,
        }
    }

    /// Called before each job with its owner, and after it without one.
    extern "C" fn on_job(_: *mut c_void, owner: Value, _: *mut c_void) {
        if owner.tag != INTEGER {
            DROPPING.set(false);
            CURRENT.set(TURN.get());
            return;
        }
        #[expect(
            clippy::cast_possible_truncation,
            reason = "the number was stored as `u32`"
        )]
        let owner = owner.payload as u32;
        CURRENT.set(owner);
        LAST.set(owner);
        if STOPPED.with_borrow(|stopped| stopped.contains(&owner)) {
            DROPPING.set(true);
            DROPPED.set(true);
            // At zero, the job's first function call checks for interrupts and ends the job. The
            // job cannot catch this, and its promise is not settled.
            // SAFETY: `find_countdown` found the counter in the context of this thread's isolate,
            // which still exists.
            unsafe { COUNTDOWN.get().write_volatile(0) };
        }
    }

    /// Returns the location where code had to stop in this turn: functions and lines, innermost
    /// first. `None` if the stop was between two jobs.
    pub fn take_place() -> Option<String> {
        PLACE.take().filter(|place| !place.is_empty())
    }

    /// Whether the next stack trace belongs to the code that must stop. If so, the caller reports
    /// its location.
    pub fn wants_place() -> bool {
        WANTED.take()
    }

    /// Records the location where code had to stop.
    pub fn set_place(place: String) {
        PLACE.set(Some(place));
    }

    /// Tells the engine whether the running code must stop.
    extern "C" fn must_stop(_: *mut c_void, _: *mut c_void) -> c_int {
        if DROPPING.get() {
            return 1;
        }
        ISOLATE.with_borrow(|isolate| {
            let Some(isolate) = isolate
                .as_ref()
                .filter(|one| one.is_execution_terminating())
            else {
                return 0;
            };
            if !ASKED.replace(true) {
                WANTED.set(true);
                // The engine now throws an uncatchable error and builds its stack trace, which it
                // cannot do while execution is terminating. The hook that builds the stack trace
                // (`stack_hook.rs`) and the watchdog terminate execution again.
                isolate.cancel_terminate_execution();
            }
            1
        })
    }

    extern "C" fn nothing(_: *mut c_void, _: Value, _: c_int, _: *const Value) -> Value {
        UNDEFINED
    }

    /// Finds the engine's countdown to its next interrupt check. The engine has no function to
    /// force a check and does not expose the counter. But the counter decreases with each call, so
    /// it is the only number in the context that decreases by the number of calls made.
    fn find_countdown(context: *mut c_void, runtime: *mut c_void) -> Option<*mut i32> {
        // SAFETY: the context was allocated by its runtime.
        let bytes = unsafe { js_malloc_usable_size_rt(runtime, context) };
        let places = bytes / size_of::<i32>();
        let numbers: *mut i32 = context.cast();
        let read = || -> Vec<i32> {
            // SAFETY: the location is within the allocation, which the engine zero-filled.
            let at = |place| unsafe { numbers.add(place).read_volatile() };
            (0..places).map(at).collect()
        };
        // SAFETY: the function has the signature that the engine expects, and the name is
        // zero-terminated.
        let function = unsafe { JS_NewCFunction2(context, nothing, c"".as_ptr(), 0, 0, 0) };
        let mut candidates: Vec<usize> = (0..places).collect();
        // The counter is reset occasionally, so one of the four rounds may miss it.
        let mut misses = 0;
        for calls in [3, 7, 12, 5] {
            let before = read();
            for _ in 0..calls {
                // SAFETY: a call without arguments, whose result needs no freeing.
                unsafe { JS_Call(context, function, UNDEFINED, 0, std::ptr::null()) };
            }
            let after = read();
            let counted = |place: &usize| before[*place].wrapping_sub(after[*place]) == calls;
            if candidates.iter().any(counted) {
                candidates.retain(counted);
            } else {
                misses += 1;
            }
        }
        // SAFETY: nothing else references the function.
        unsafe { JS_FreeValue(context, function) };
        match candidates[..] {
            // SAFETY: the location is within the allocation.
            [place] if misses <= 1 => Some(unsafe { numbers.add(place) }),
            _ => None,
        }
    }
}

/// V8 drops its whole queue when execution is terminated.
#[cfg(feature = "v8")]
mod v8_engine {
    use std::cell::Cell;

    use deno_core::v8;

    use super::RunningCode;

    thread_local! {
        /// Owner of the turn.
        static TURN: Cell<u32> = const { Cell::new(0) };
    }

    pub fn take_over(_: &v8::PinScope<'_, '_>, _: v8::IsolateHandle) -> bool {
        true
    }

    pub fn take_place() -> Option<String> {
        None
    }

    pub fn wants_place() -> bool {
        false
    }

    pub fn set_place(_: String) {}

    pub fn release() {}

    pub fn begin(owner: u32) {
        TURN.set(owner);
    }

    /// Returns the owner of the turn, because the engine does not report the owners of jobs.
    pub fn current_owner() -> u32 {
        TURN.get()
    }

    /// Always returns `None`, because the engine does not report waiting jobs.
    pub fn chain() -> Option<u64> {
        None
    }

    pub fn stop(_: u32) {}

    pub fn is_dropping() -> bool {
        false
    }

    pub fn has_pending() -> bool {
        false
    }

    pub fn run(
        scope: &mut v8::PinScope<'_, '_>,
        _: impl FnMut(RunningCode) -> bool,
    ) -> Option<RunningCode> {
        scope.perform_microtask_checkpoint();
        None
    }
}
