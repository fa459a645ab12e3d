//! The engine's queue of jobs (microtasks): they run one at a time, and those of a stopped cell are dropped.
//!
//! Each job has an owner, a number: that of the turn, or of the job, in which its promise was waited for. When a deadline
//! has passed, no further job begins; what is left runs in later turns, but jobs of a stopped owner do nothing.
//!
//! It also counts: how many jobs ran in a row, and how many more were waited for. Where each job leaves one behind that waits for the
//! next, as in `const spin = async () => { await 0; return spin() }`, the chain has no end, and fills the heap before the time is up.

#[cfg(not(feature = "v8"))]
pub(crate) use quickjs::{
    are_left, begin, chain, is_dropping, let_go, own, run, set_place, stop, take_place, wants_place,
};
#[cfg(feature = "v8")]
pub(crate) use v8_engine::{
    are_left, begin, chain, is_dropping, let_go, own, run, set_place, stop, take_place, wants_place,
};

/// Whether the queue is kept by this module, and not by the engine.
pub(crate) const OWNED: bool = cfg!(not(feature = "v8"));

/// Whose code ran when jobs were stopped, and whether it was a job that was dropped in any case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Running {
    pub owner: u32,
    pub dropped: bool,
}

#[cfg(not(feature = "v8"))]
mod quickjs {
    use std::cell::{Cell, RefCell};
    use std::collections::HashSet;
    use std::ffi::{c_char, c_int, c_void};

    use deno_core::v8;

    use super::Running;

    /// A value of the engine.
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

    /// Jobs of a turn after which it is looked at how many wait; and then whenever there are twice as many.
    const FIRST_MARK: u64 = 1 << 10;

    /// How the jobs of a turn went.
    #[derive(Debug, Clone, Copy, Default)]
    struct Course {
        ran: u64,
        /// Contexts that the engine asked for, less two for each job that ran. It asks for two where a promise is waited for, and for one
        /// where a job is queued at once; so more than half of this many wait.
        asked: i64,
        /// What that was at the newest marks, the newest first.
        marks: [i64; 3],
        next_mark: u64,
    }

    thread_local! {
        static COURSE: Cell<Course> = const {
            Cell::new(Course { ran: 0, asked: 0, marks: [0; 3], next_mark: FIRST_MARK })
        };
        /// Whose code runs.
        static CURRENT: Cell<u32> = const { Cell::new(0) };
        /// Whose turn it is.
        static TURN: Cell<u32> = const { Cell::new(0) };
        /// Whose job ran last, and whether it was dropped.
        static LAST: Cell<u32> = const { Cell::new(0) };
        static DROPPED: Cell<bool> = const { Cell::new(false) };
        static STOPPED: RefCell<HashSet<u32>> = RefCell::default();
        /// A job of a stopped owner is at its beginning.
        static DROPPING: Cell<bool> = const { Cell::new(false) };
        static RUNTIME: Cell<*mut c_void> = const { Cell::new(std::ptr::null_mut()) };
        /// How many more calls and steps the engine makes until it asks whether it is to stop.
        static COUNTDOWN: Cell<*mut i32> = const { Cell::new(std::ptr::null_mut()) };
        /// Where code was when it was to stop, in this turn.
        static PLACE: RefCell<Option<String>> = const { RefCell::new(None) };
        /// It is not known yet; and it was asked for in this turn.
        static WANTED: Cell<bool> = const { Cell::new(false) };
        static ASKED: Cell<bool> = const { Cell::new(false) };
        static ISOLATE: RefCell<Option<v8::IsolateHandle>> = const { RefCell::new(None) };
    }

    /// Takes over the queue of this thread's isolate; false where this is not the engine that it was written for.
    pub fn own(scope: &v8::PinScope<'_, '_>, isolate: v8::IsolateHandle) -> bool {
        let context = scope.get_current_context();
        // SAFETY: a handle of the engine's V8 layer points to a value, here the engine's context under a tag of the
        // layer's own.
        let context = unsafe { *(&raw const *context).cast::<*mut c_void>() };
        // SAFETY: that context is of the isolate that this thread has entered.
        let runtime = unsafe { JS_GetRuntime(context) };
        let Some(countdown) = find_countdown(context, runtime) else {
            return false;
        };
        COUNTDOWN.set(countdown);
        RUNTIME.set(runtime);
        ISOLATE.set(Some(isolate));
        // SAFETY: the functions have the signatures that the engine wants, and what they need is this thread's.
        unsafe {
            JS_SetJobContextHooks(runtime, owner_of_new, on_job, std::ptr::null_mut());
            JS_SetInterruptHandler(runtime, must_stop, std::ptr::null_mut());
        }
        true
    }

    /// Before the isolate is dropped.
    pub fn let_go() {
        RUNTIME.set(std::ptr::null_mut());
        ISOLATE.set(None);
        STOPPED.with_borrow_mut(HashSet::clear);
    }

    /// A turn of this owner begins.
    pub fn begin(owner: u32) {
        TURN.set(owner);
        CURRENT.set(owner);
        PLACE.take();
        WANTED.set(false);
        ASKED.set(false);
    }

    /// From now on, jobs of this owner do nothing.
    pub fn stop(owner: u32) {
        STOPPED.with_borrow_mut(|stopped| stopped.insert(owner));
    }

    /// Whether the code that runs is a job on its way out.
    pub fn is_dropping() -> bool {
        DROPPING.get()
    }

    /// Whether there are jobs.
    pub fn are_left() -> bool {
        let runtime = RUNTIME.get();
        // SAFETY: it is the runtime of this thread's isolate.
        !runtime.is_null() && unsafe { JS_IsJobPending(runtime) }
    }

    /// Runs jobs until there are none, or until `stop` says so of the last code that ran, which may be that of the
    /// turn itself.
    pub fn run(
        _: &mut v8::PinScope<'_, '_>,
        mut stop: impl FnMut(Running) -> bool,
    ) -> Option<Running> {
        let runtime = RUNTIME.get();
        COURSE.set(Course {
            next_mark: FIRST_MARK,
            ..Course::default()
        });
        let mut last = Running {
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
            // SAFETY: the isolate of this runtime is entered, and none of its code is running.
            let ran = unsafe { JS_ExecutePendingJob(runtime, &raw mut context) };
            if ran == 0 {
                break;
            }
            if ran < 0 {
                // SAFETY: takes the exception of the job, which nobody else does.
                unsafe { JS_FreeValue(context, JS_GetException(context)) };
            }
            count_job();
            last = Running {
                owner: LAST.get(),
                dropped: DROPPED.get(),
            };
        }
        // SAFETY: no code is running that could rely on weak references.
        unsafe { JS_ClearKeptObjects(runtime) };
        None
    }

    fn count_job() {
        let mut course = COURSE.get();
        course.ran += 1;
        course.asked -= 2;
        if course.ran == course.next_mark {
            let [newest, second, _] = course.marks;
            course.marks = [course.asked, newest, second];
            course.next_mark *= 2;
        }
        COURSE.set(course);
    }

    /// Whether the jobs of the last turn were a chain without an end in sight: how many waited at least. With each doubling of the jobs
    /// that had run, at least half as many more waited, and at least one for every 16 of them. What works through a list leaves none
    /// behind.
    pub fn chain() -> Option<u64> {
        let Course {
            asked,
            marks,
            next_mark,
            ..
        } = COURSE.get();
        let [newest, second, third] = marks;
        let at = i64::try_from(next_mark / 2).unwrap_or(i64::MAX);
        let grows = third > 0 && second >= third + third / 2 && newest >= second + second / 2;
        (grows && newest >= at / 8).then(|| asked.unsigned_abs() / 2)
    }

    extern "C" fn owner_of_new(_: *mut c_void, _: *mut c_void) -> Value {
        let course = COURSE.get();
        COURSE.set(Course {
            asked: course.asked + 1,
            ..course
        });
        Value {
            payload: u64::from(CURRENT.get()),
            tag: INTEGER,
        }
    }

    /// Called before each job with its owner, and after it with nothing.
    extern "C" fn on_job(_: *mut c_void, owner: Value, _: *mut c_void) {
        if owner.tag != INTEGER {
            DROPPING.set(false);
            CURRENT.set(TURN.get());
            return;
        }
        #[expect(clippy::cast_possible_truncation, reason = "as it was put in")]
        let owner = owner.payload as u32;
        CURRENT.set(owner);
        LAST.set(owner);
        if STOPPED.with_borrow(|stopped| stopped.contains(&owner)) {
            DROPPING.set(true);
            DROPPED.set(true);
            // The first call of the job asks whether to stop, and is told so: nothing in it catches that, and the job
            // settles no promise.
            // SAFETY: it is where `find_countdown` found it, in the context of this thread's isolate, which lives.
            unsafe { COUNTDOWN.get().write_volatile(0) };
        }
    }

    /// Where code was when it was to stop in this turn: functions and lines, the innermost first. Not known where it was
    /// between two jobs.
    pub fn take_place() -> Option<String> {
        PLACE.take().filter(|place| !place.is_empty())
    }

    /// Whether the next stack that is written is that of the code that is to stop. Whoever asks says where it is.
    pub fn wants_place() -> bool {
        WANTED.take()
    }

    /// Remembers where code was when it was to stop.
    pub fn set_place(place: String) {
        PLACE.set(Some(place));
    }

    /// Whether the code that runs is to stop.
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
                // The engine now throws what nothing catches, and has its stack written, which it cannot while this is
                // set. Whoever writes the stack sets it again, and the watchdog does.
                isolate.cancel_terminate_execution();
            }
            1
        })
    }

    extern "C" fn nothing(_: *mut c_void, _: Value, _: c_int, _: *const Value) -> Value {
        UNDEFINED
    }

    /// The engine has no function that makes it ask at once, and does not say where it counts: but it counts each call,
    /// so the place is the one number in its context that goes down by as many as there are calls.
    fn find_countdown(context: *mut c_void, runtime: *mut c_void) -> Option<*mut i32> {
        // SAFETY: the context was allocated by its runtime.
        let bytes = unsafe { js_malloc_usable_size_rt(runtime, context) };
        let places = bytes / size_of::<i32>();
        let numbers: *mut i32 = context.cast();
        let read = || -> Vec<i32> {
            // SAFETY: within the allocation, which the engine filled with zeros when it made it.
            let at = |place| unsafe { numbers.add(place).read_volatile() };
            (0..places).map(at).collect()
        };
        // SAFETY: the function has the signature of its kind, and the name ends in a zero.
        let function = unsafe { JS_NewCFunction2(context, nothing, c"".as_ptr(), 0, 0, 0) };
        let mut candidates: Vec<usize> = (0..places).collect();
        // The count begins anew now and then, so one of four rounds may show nothing.
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
        // SAFETY: nothing else has the function.
        unsafe { JS_FreeValue(context, function) };
        match candidates[..] {
            // SAFETY: within the allocation.
            [place] if misses <= 1 => Some(unsafe { numbers.add(place) }),
            _ => None,
        }
    }
}

/// V8 drops its whole queue when execution is terminated.
#[cfg(feature = "v8")]
mod v8_engine {
    use deno_core::v8;

    use super::Running;

    pub fn own(_: &v8::PinScope<'_, '_>, _: v8::IsolateHandle) -> bool {
        true
    }

    pub fn take_place() -> Option<String> {
        None
    }

    pub fn wants_place() -> bool {
        false
    }

    pub fn set_place(_: String) {}

    pub fn let_go() {}

    pub fn begin(_: u32) {}

    /// The engine does not say what waits.
    pub fn chain() -> Option<u64> {
        None
    }

    pub fn stop(_: u32) {}

    pub fn is_dropping() -> bool {
        false
    }

    pub fn are_left() -> bool {
        false
    }

    pub fn run(
        scope: &mut v8::PinScope<'_, '_>,
        _: impl FnMut(Running) -> bool,
    ) -> Option<Running> {
        scope.perform_microtask_checkpoint();
        None
    }
}
