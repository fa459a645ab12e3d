// Alternatives to names that Node.js or browsers have and the sandbox lacks.
(internals) => {
  'use strict';

  const { Error, define, hasOwn, splitOn, stringIndexOf, stringSlice } = internals.primordials;
  const noNetwork = 'there is no network here';
  const noFiles = 'there are no files here; what an agent is to read is in `context`';
  const noProcesses = 'there are no processes here';
  const noThreads = 'there are no threads here; rlm() and llm() run at the same time if you await them together';
  const noStreams = 'there is nothing to stream; texts are whole';
  const noCompression = 'there is no compression here';
  const noEngine = 'the engine is not to be seen from here';

  const usePrint = 'print with console.log';
  const useReturn = 'to give your answer, call return(value)';
  const useMap = 'call `await llm.map(items, query)`, or `await Promise.all([llm(query, context), …])`';
  const isJavaScript = 'the REPL runs JavaScript';

  const globals = {
    __proto__: null,
    fetch: noNetwork,
    XMLHttpRequest: noNetwork,
    WebSocket: noNetwork,
    EventSource: noNetwork,
    process: 'there is no process here: print with console.log, and end with return(value)',
    Headers: noNetwork,
    Request: noNetwork,
    Response: noNetwork,
    FormData: noNetwork,
    Worker: noThreads,
    MessageChannel: noThreads,
    BroadcastChannel: noThreads,
    ReadableStream: noStreams,
    WritableStream: noStreams,
    TransformStream: noStreams,
    TextDecoderStream: noStreams,
    TextEncoderStream: noStreams,
    CompressionStream: noCompression,
    DecompressionStream: noCompression,
    File: 'use Blob',
    PerformanceObserver: 'use performance.mark and performance.measure',
    navigator: 'there is no page here',
    WebAssembly: 'there is no WebAssembly here; write it in JavaScript',
    SharedArrayBuffer: 'there is no shared memory here; use ArrayBuffer',
    Atomics: 'there is no shared memory here',
    Temporal: 'use Date',
    Deno: noFiles,
    Bun: noFiles,
    __dirname: noFiles,
    __filename: noFiles,
    module: 'a cell is no module; its top-level names stay for later cells',
    exports: 'a cell is no module; its top-level names stay for later cells',
    document: 'there is no page here',
    window: 'there is no page here; the global object is globalThis',
    localStorage: 'nothing is stored here; top-level names stay for later cells',
    sessionStorage: 'nothing is stored here; top-level names stay for later cells',
    alert: 'there is nobody to show it to; print with console.log',
    prompt: 'there is nobody to ask',
    print: usePrint,
    FINAL: useReturn,
    FINAL_VAR: `${useReturn}, as in return(name)`,
    SUBMIT: useReturn,
    submit: useReturn,
    final_answer: useReturn,
    answer: useReturn,
    llm_query: 'call `await llm(query, context)`',
    llm_batch: useMap,
    llm_query_batched: useMap,
    rlm_query: 'call `await rlm(query, context)`',
    rlm_query_batched: 'call `await Promise.all([rlm(query, context), …])`',
    SHOW_VARS: 'top-level names stay for later cells; print them with console.log',
    len: `${isJavaScript}: use .length`,
    str: `${isJavaScript}: use String(value)`,
    range: `${isJavaScript}: use a for loop`,
    True: `${isJavaScript}: write true`,
    False: `${isJavaScript}: write false`,
    None: `${isJavaScript}: write null`,
  };
  const modules = {
    __proto__: null,
    fs: noFiles,
    child_process: noProcesses,
    cluster: noProcesses,
    process: noProcesses,
    os: 'the machine is not to be seen from here',
    tty: 'there is no terminal here; print with console.log',
    readline: 'there is no input to read; split the text with .split("\\n")',
    repl: 'this is a REPL',
    stream: noStreams,
    zlib: noCompression,
    wasi: 'there is no WebAssembly here; write it in JavaScript',
    vm: 'use `new Function`',
    worker_threads: noThreads,
    module: 'there are no modules to load',
    v8: noEngine,
    inspector: noEngine,
    trace_events: noEngine,
    diagnostics_channel: 'use events',
    domain: 'use try and catch',
    constants: noFiles,
    async_hooks: 'use variables',
    sqlite: noFiles,
    test: 'use assert',
    lodash: 'only built-in modules are there; write it in JavaScript',
    axios: noNetwork,
    'node-fetch': noNetwork,
    cheerio: 'only built-in modules are there; use regular expressions',
  };
  const network = ['http', 'https', 'http2', 'net', 'dns', 'dgram', 'tls', 'undici', 'ws'];
  for (let i = 0; i < network.length; i++) modules[network[i]] = noNetwork;

  // Members that modules here lack: the module, an alternative and the names.
  const useTypes = 'use typeof, instanceof, Array.isArray or util.types';
  const missingMembers = [
    'crypto', 'there are only hashes, HMAC and random bytes',
    'pbkdf2 pbkdf2Sync scrypt scryptSync hkdf hkdfSync createCipheriv createDecipheriv createSign createVerify sign '
      + 'verify generateKey generateKeySync generateKeyPair generateKeyPairSync createPrivateKey createPublicKey '
      + 'createSecretKey createDiffieHellman createECDH publicEncrypt publicDecrypt privateEncrypt privateDecrypt',
    'crypto', 'use randomBytes or getRandomValues', 'randomFill randomFillSync',
    'events', 'use addEventListener of the signal', 'addAbortListener',
    'url', 'use new URL(from, to)', 'resolveObject',
    'url', noNetwork, 'urlToHttpOptions',
    'util', useTypes,
    'isBoolean isBuffer isDate isError isFunction isNull isNullOrUndefined isNumber isObject isPrimitive isRegExp isString '
      + 'isSymbol isUndefined',
    'util', 'use Object.assign', '_extend',
    'util', 'print with console.log', 'log',
    'util', 'split the lines of the text', 'parseEnv',
    'util', 'use addEventListener of the signal', 'aborted',
    'util', 'split the text at `;`', 'MIMEType MIMEParams',
    'buffer', 'use Blob', 'File resolveObjectURL',
    'buffer', 'use Buffer.from and its encodings, or TextDecoder', 'transcode isAscii isUtf8 SlowBuffer',
    'path', 'use a regular expression', 'matchesGlob',
    'perf_hooks', 'use performance.mark and performance.measure',
    'PerformanceObserver createHistogram monitorEventLoopDelay',
  ];

  /** Adds functions for the members that a module lacks; each throws an error that names the alternative. */
  const addMissing = (module, exports) => {
    for (let i = 0; i < missingMembers.length; i += 3) {
      if (missingMembers[i] !== module) continue;
      const names = splitOn(missingMembers[i + 2], ' ');
      for (let j = 0; j < names.length; j++) {
        if (hasOwn(exports, names[j])) continue;
        // Not an arrow function, because some of them are classes.
        define(exports, names[j], function missing() {
          throw new Error(`${module}.${names[j]} is not available here: ${missingMembers[i + 1]}`);
        });
      }
    }
  };

  const phrase = (table, name) => (hasOwn(table, name) ? `: ${table[name]}` : '');
  internals.instead = {
    __proto__: null,
    addMissing,
    ofGlobal: (name) => (typeof name === 'string' ? phrase(globals, name) : ''),
    ofModule: (name) => {
      const slash = stringIndexOf(name, '/');
      return phrase(modules, slash < 0 ? name : stringSlice(name, 0, slash));
    },
  };
};
