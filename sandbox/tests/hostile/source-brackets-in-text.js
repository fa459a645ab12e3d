// expect: ok
// value: 60005
return '@repeat(20000, "(")'.length + "@repeat(20000, "[")".length + `@repeat(20000, "{")`.length + /[({[]/.source.length; // @repeat(20000, "(")
