// expect: syntax
export const x = 1;
