// expect: syntax, thrown
await import.source('x');
