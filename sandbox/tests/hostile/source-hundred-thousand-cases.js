// expect: ok, timed_out, syntax, memory
switch (1) { @repeat(100000, "case $n:") }
