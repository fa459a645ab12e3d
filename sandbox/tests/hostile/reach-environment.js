// expect: thrown
// error: ReferenceError
process.env.OPENAI_API_KEY;
