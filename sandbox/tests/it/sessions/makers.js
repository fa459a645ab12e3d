// functions: list agents.list agents.create(kind,name)>agents.send(message)>agents.close()
const one = await agents.create('critic', 'strict'); console.log(one, Object.isFrozen(one), Object.keys(one));
// ---- its methods call the host with its id, even in later cells
console.log(await one.send('hello'), await one.send({ text: 'x', n: 1 }), await one.close());
// ---- printed objects
console.log(agents.create, one.send, one.send.name, Object.isFrozen(one.send), typeof agents.send, typeof send);
// ---- methods are bound to their object
const { send } = one; console.log(await send('by itself'), await Reflect.apply(one.send, { id: 'a2' }, ['as another']));
// ---- wrong arguments
for (const wrong of [() => agents.create('a', 'b', 'c'), () => one.send('a', 'b'), () => one.close('now'), () => one.send(1n), () => one.send({ get text() { throw new RangeError('mine') } })]) {
  try { await wrong() } catch (error) { console.log(`${error}`) }
}
// ---- its id cannot be overridden
console.log(await one.send('x'), Object.getOwnPropertyDescriptor(one, 'id').writable); try { 'use strict'; one.id = 'a2' } catch (error) { console.log(error.name) } console.log(one.id);
// ---- named arguments
console.log(await agents.create({ name: 'n', kind: 'critic' }), await agents.create(null, 'x').catch((error) => error.message));
// ---- changed prototypes have no effect here
Object.prototype.id = 'mine'; console.log(await one.send('still')); delete Object.prototype.id;
// ---- a function that does not return an object
console.log(await agents.list());
// ---- an unawaited call
const lost = agents.create('critic', 'lost'); const told = one.send('lost'); console.log('went on');
// ---- many concurrent calls
console.log((await Promise.all([1, 2].map((n) => agents.create('critic', `${n}`)))).map((made) => made.name));
