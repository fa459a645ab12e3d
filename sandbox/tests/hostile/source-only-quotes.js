// expect: syntax
@repeat(9999, "'\"`")
