module.exports = { description: 'Has a name of the REPL.', run() {} };
