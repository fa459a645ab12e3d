const lines =
  context.trim().split('\n');

// Prints what was read, (and this bracket opens nothing
console.log(lines.length, lines);
function greet(name) {
  return `hello ${
    name
  }`;
}
console.log(greet('ü'), /[({]/.test('('));
missing();
console.log('the script goes on');
await rlm('anybody there?');
return({ lines });
lines.length
