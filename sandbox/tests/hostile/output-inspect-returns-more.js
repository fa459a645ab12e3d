// expect: ok, thrown, timed_out
const make = () => ({ [Symbol.for('nodejs.util.inspect.custom')]: make });
console.log(make());
