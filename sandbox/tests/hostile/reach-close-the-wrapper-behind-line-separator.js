// expect: syntax, ok
let z = 1 // @repeat(1, "\u2028") }); (async () => {
