const { description = null, parameters = { type: 'object', properties: {} }, variables = null, run } = module.exports ?? {};
return(JSON.stringify({ description, parameters, variables, run: typeof run }));
