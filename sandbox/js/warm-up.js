// What cells commonly do: run once where worker processes are copied from, so that the engine has done there what it
// does only the first time.
const size = context.length;
const lines = context.split('\n').map((line) => line.trim());
const counts = new Map();
for (const word of context.match(/\w+/g)) counts.set(word, (counts.get(word) ?? 0) + 1);
try {
  null.x;
} catch (error) {
  console.log(`${error.message}: ${size}`, JSON.parse('{"a": [1, 2.5, "three"], "b": null}'), [...counts]);
}
await Promise.all(lines.map(async (line) => line.length));
return(JSON.stringify(lines));
