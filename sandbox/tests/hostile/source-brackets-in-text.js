// expect: ok
// value: 60006
return '@repeat(20000, "(")'.length + "@repeat(20000, "[")".length + `@repeat(20000, "{")`.length + /[({[]/.source.length; // @repeat(20000, "(")
