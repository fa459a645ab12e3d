// expect: syntax
export default 1;
