// expect: ok
// value:
// why: call sites passed to `Error.prepareStackTrace` do not name files of the host
const files = new Set();
Error.prepareStackTrace = (error, sites) => { for (const site of sites) files.add(`${site.getFileName()} ${site.getScriptNameOrSourceURL?.()} ${site.getEvalOrigin?.()} ${site}`); return ''; };
const seen = []; for (const attempt of [() => new URL('x'), () => [1].map(() => { throw new Error('x'); }), () => JSON.parse('{'), () => console.log({ get a() { throw new Error('y'); } })]) { try { attempt(); } catch (error) { seen.push(error.stack); } }
await new Promise((done) => setTimeout(() => { seen.push(new Error('x').stack); done(); }));
Error.prepareStackTrace = undefined;
return([...files].filter((file) => /\.js|\.rs|ext:|node:|file:/.test(file)).join('|'));
