// expect: syntax
// error: nested
@repeat(20000, "switch(1){case 1:") @repeat(20000, "}")
