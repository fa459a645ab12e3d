const missing = undefined;

module.exports = missing.property;
