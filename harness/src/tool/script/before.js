var module = { exports: {} }, exports = module.exports;
