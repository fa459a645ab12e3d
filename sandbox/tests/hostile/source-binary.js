// expect: syntax
@repeat(1000, "\u0001\u0002\u0003\u007f")
