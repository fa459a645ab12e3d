// expect: timed_out
const tag = () => { for (;;) {} };
tag`x${1}y`;
