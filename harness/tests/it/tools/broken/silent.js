module.exports = { parameters: { type: 'object' }, run() {} };
