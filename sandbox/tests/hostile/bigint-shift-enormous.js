// expect: ok, thrown, memory
// why: more bits than any memory has
return `${1n << 2n ** 64n}`.length;
