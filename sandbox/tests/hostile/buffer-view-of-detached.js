// expect: ok, thrown
const buffer = new ArrayBuffer(64); const view = new DataView(buffer), bytes = new Uint8Array(buffer), own = Buffer.from(buffer);
structuredClone(buffer, { transfer: [buffer] });
for (const use of [() => view.getInt8(0), () => view.setFloat64({ valueOf: () => 0 }, 1), () => bytes.at(0), () => own.readUInt32LE(0), () => own.write('text'), () => own.toString('hex'), () => own.fill('x'), () => own.swap16(), () => Buffer.concat([own, bytes]), () => own.indexOf('a'), () => new TextDecoder().decode(view), () => console.log(buffer, view, bytes, own), () => require('crypto').createHash('sha256').update(own).digest('hex'), () => bytes.subarray(0, 5), () => [...bytes], () => structuredClone(view)]) { try { use(); } catch (error) { console.log(error.name); } }
