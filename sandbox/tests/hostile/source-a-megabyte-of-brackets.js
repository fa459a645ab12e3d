// expect: syntax
@repeat(1000000, "[")
