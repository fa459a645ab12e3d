// expect: thrown
throw { name: 'N', message: 'm', get stack() { for (const key in globalThis) delete globalThis[key]; throw this; }, get cause() { return this; } };
