// expect: thrown, ok
JSON.parse('['.repeat(2e5) + ']'.repeat(2e5));
