return(JSON.stringify([await module.exports.run(__call.arguments, __call.scope)]));
