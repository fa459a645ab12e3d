//! x

use crate::driver::{root, run};
use sandbox::Config;

#[tokio::test]
async fn quick() {
    let mut repl = root(Config::default(), "hello context").await;
    for code in ["console.log(context, context.length)", "const a = 1; let b = {x: 2}; function f(){ return a + b.x }", "console.log(f())", "a = 5; console.log(f(), a)",
     "return({a, s: 'x'})", "nope()", "const r = await rlm('q', context); console.log(r)", "rlm('x'); console.log('later')", "const p = rlm('x'); console.log('later')", "await new Promise(()=>{})",
     "await new Promise(r => setTimeout(r, 50)); console.log('waited')", "console.log(__rlm, __ctx.shared.data)", "function g(){ return zork } ; g()", "const x = 1; x = 2", "f.nope()", "throw {a: 1}", "throw Symbol('q')", "(async () => { throw new Error('floating') })(); console.log('x')", "const q = async () => { throw new Error('floating2') }; let zz = q(); console.log('x')", "console.log(f.toString())", "console.log([1,2,3], {a: {b: 1}}, new Map([[1,2]]))"] {
        let o = run(&mut repl, code).await;
        println!("{code}\n  => {:?} {:?} {:?} {:?}", o.output, o.error, o.value, o.executed);
    }
}
