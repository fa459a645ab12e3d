// expect: thrown
// error: TypeError
// why: an option of a wrong type must not make all options vanish silently
await rlm('q', '', { systemPrompt: 'be a poet', maxIterations: -1 });
