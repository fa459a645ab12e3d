// Records what Node.js prints for every cell in these files (`node record.mjs`), or compares the library in ../../js
// with it (`node --expose-internals record.mjs --check [file …]`), running that library under Node.js. Needs Node.js 20.
//
// In a row with `here`, QuickJS prints something else, and `differs` names the reason in the table of ../../README.md.
//
// Every cell runs in its own realm (a worker thread), as the body of an async function with `console` and `require` as
// globals. The output is the text of all console methods, without the last line break.
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { Buffer } from 'node:buffer';
import { createHash, randomBytes } from 'node:crypto';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Worker, isMainThread, parentPort, workerData } from 'node:worker_threads';
import { Console } from 'node:console';
import { Writable } from 'node:stream';
import { unescape } from 'node:querystring';
import { types } from 'node:util';

// As in the sandbox.
process.env.TZ = 'UTC';

const here = dirname(fileURLToPath(import.meta.url));
const library = join(here, '../../js');
const WORKERS = 4;

/** Host functions for the library, implemented with Node.js. */
function makeHost() {
  const { URL: NodeUrl, TextEncoder: NodeEncoder, TextDecoder: NodeDecoder, URLSearchParams: NodeParams } = globalThis;
  const { atob: nodeAtob, btoa: nodeBtoa } = globalThis;
  const encoder = new NodeEncoder();
  const now = performance.now.bind(performance);
  const names = [
    'href', 'protocol', 'username', 'password', 'host', 'hostname', 'port', 'pathname', 'search', 'hash', 'origin',
  ];
  const partsOf = (url) => JSON.stringify(Object.fromEntries(names.map((name) => [name, url[name]])));
  const orNull = (make) => {
    try {
      return make();
    } catch {
      return null;
    }
  };
  const inside = createRequire('/')('internal/test/binding').internalBinding('util');
  const states = ['pending', 'fulfilled', 'rejected'];
  return {
    parseUrl: (href, base) => orNull(() => partsOf(new NodeUrl(href, base))),
    setUrlPart: (href, part, value) => orNull(() => {
      const url = new NodeUrl(href);
      url[part] = value;
      return partsOf(url);
    }),
    utf8Encode: (text) => encoder.encode(text),
    utf8Decode: (bytes, fatal) =>
      orNull(() => new NodeDecoder('utf-8', { fatal, ignoreBOM: true }).decode(bytes)),
    hash: (name, state, bytes, end) => {
      const all = Buffer.concat([state, bytes]);
      return new Uint8Array(end ? createHash(name).update(all).digest() : all);
    },
    random: (length) => new Uint8Array(randomBytes(length)),
    now,
    after: (milliseconds, callback) => setTimeout(callback, milliseconds),
    base64Encode: (bytes, url) => Buffer.from(bytes).toString(url ? 'base64url' : 'base64'),
    base64Decode: (text) => new Uint8Array(Buffer.from(text, 'base64')),
    atob: (text) => {
      try {
        return nodeAtob(text);
      } catch (error) {
        return error.message === 'Invalid character' ? 1 : 2;
      }
    },
    btoa: (text) => orNull(() => nodeBtoa(text)),
    percentDecode: (text) => unescape(text),
    formEncode: (text) => new NodeParams([[text, '']]).toString().slice(0, -1),
    isProxy: types.isProxy,
    promiseState: (value) => (types.isPromise(value) ? states[inside.getPromiseDetails(value)[0]] : undefined),
    promiseResult: (value) => inside.getPromiseDetails(value)[1],
    proxyTarget: (proxy) => inside.getProxyDetails(proxy),
    previewEntries: (value) => (types.isMapIterator(value) || types.isSetIterator(value)
      ? inside.previewEntries(value, true)
      : undefined),
  };
}

/** Evaluates the library's files in order and replaces Node's globals by its own. */
function installLibrary(write) {
  const internals = makeHost();
  for (const file of readFileSync(join(library, 'order.txt'), 'utf8').trim().split('\n')) {
    const source = readFileSync(join(library, file), 'utf8');
    (0, eval)(`${source}\n//# sourceURL=${file}`)(internals);
  }
  for (const [name, value] of Object.entries({ ...internals.globals, performance: internals.performance })) {
    Object.defineProperty(globalThis, name, { value, writable: true, configurable: true });
  }
  globalThis.console = internals.makeConsole(write, false);
  globalThis.require = internals.require;
}

async function runCell({ code, check }) {
  let output = '';
  if (check) {
    installLibrary((text) => {
      output += `${text}\n`;
    });
  } else {
    const sink = new Writable({
      write(chunk, _encoding, done) {
        output += chunk;
        done();
      },
    });
    globalThis.console = new Console({ stdout: sink, stderr: sink });
    globalThis.require = createRequire('/');
  }
  const AsyncFunction = (async () => {}).constructor;
  try {
    await new AsyncFunction(code)();
  } catch (error) {
    output += `UNCAUGHT ${error?.name}: ${error?.message}\n`;
  }
  return output.slice(0, -1);
}

function inWorker(data) {
  return new Promise((resolve, reject) => {
    const worker = new Worker(fileURLToPath(import.meta.url), { workerData: data });
    worker.once('message', resolve);
    worker.once('error', reject);
  });
}

/** Returns the outputs of many cells, in order. */
async function runAll(cells, check) {
  const outputs = [];
  let next = 0;
  const runner = async () => {
    while (next < cells.length) {
      const at = next++;
      outputs[at] = await inWorker({ code: cells[at], check });
    }
  };
  await Promise.all(Array.from({ length: WORKERS }, runner));
  return outputs;
}

const rowText = (row) => `  ${JSON.stringify(row)}`;

async function main() {
  process.chdir('/'); // the directory that `path` resolves against
  const check = process.argv.includes('--check');
  const chosen = process.argv.slice(2).filter((argument) => argument !== '--check').map((file) => basename(file));
  const files = readdirSync(here).filter((file) => file.endsWith('.json') && (!chosen.length || chosen.includes(file)));
  let count = 0;
  let mismatches = 0;
  for (const file of files) {
    const path = join(here, file);
    const rows = JSON.parse(readFileSync(path, 'utf8'));
    const outputs = await runAll(rows.map((row) => row.code), check);
    count += rows.length;
    if (!check) {
      const recorded = rows.map((row, i) => ({ ...row, output: outputs[i] }));
      writeFileSync(path, `[\n${recorded.map(rowText).join(',\n')}\n]\n`);
      continue;
    }
    rows.forEach((row, i) => {
      if (row.output === outputs[i]) return;
      mismatches++;
      process.stdout.write(`${file} row ${i + 1}\n${row.code}\n--- Node.js\n${row.output}\n--- library\n${outputs[i]}\n\n`);
    });
  }
  process.stdout.write(check ? `${count} rows, ${mismatches} mismatches\n` : `${count} rows recorded\n`);
  process.exitCode = mismatches > 0 ? 1 : 0;
}

if (isMainThread) await main();
else parentPort.postMessage(await runCell(workerData));
