// expect: ok, timed_out, memory, lost
let all = 1n; for (let i = 1n; ; i++) all *= i;
