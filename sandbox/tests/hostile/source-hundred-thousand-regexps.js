// expect: ok, timed_out, memory
@repeat(30000, "/a$n/;")
