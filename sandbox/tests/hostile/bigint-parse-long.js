// expect: ok, thrown, timed_out, memory, lost
return BigInt('9'.repeat(300000)).toString(16).length;
