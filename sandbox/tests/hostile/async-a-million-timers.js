// expect: timed_out, memory, thrown, ok, waited_too_long
for (let i = 0; i < 1e6; i++) setTimeout(() => {}, 1);
await new Promise((resolve) => setTimeout(resolve, 50));
