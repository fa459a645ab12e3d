// expect: memory, thrown, timed_out
String.fromCharCode.apply(null, new Array(5e6).fill(65)).length;
