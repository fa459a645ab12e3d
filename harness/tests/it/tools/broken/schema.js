module.exports = { description: 'Has a wrong schema.', parameters: { type: 'array' }, run() {} };
