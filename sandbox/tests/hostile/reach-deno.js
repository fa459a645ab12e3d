// expect: thrown
// error: ReferenceError
Deno.core.ops.op_print('escaped');
