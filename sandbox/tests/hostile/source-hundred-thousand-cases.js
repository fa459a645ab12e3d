// expect: ok, timed_out, syntax
switch (1) { @repeat(100000, "case $n:") }
