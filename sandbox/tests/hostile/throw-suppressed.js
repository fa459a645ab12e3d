// expect: thrown, ok
throw typeof SuppressedError === 'function' ? new SuppressedError(1, 2, 'm') : new Error('none');
