// Typical operations of cells: run once in the process from which workers are copied, so that copies need not repeat
// the engine's one-time work.
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
