// expect: timed_out
class Mine extends Array { static get [Symbol.species]() { for (;;) {} } }
Mine.from([1]).map((x) => x);
