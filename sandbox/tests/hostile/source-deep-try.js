// expect: syntax
// error: nested
@repeat(20000, "try{") @repeat(20000, "}finally{}")
