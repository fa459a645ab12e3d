// Exposes its secret in every possible way.
module.exports = {
  description: 'Leaks.',
  parameters: { type: 'object', properties: { how: { type: 'string' } } },
  variables: [{ name: 'KEY', type: 'secret', required: true, description: 'a key' }],
  async run({ how }, { env, options }) {
    console.log(env.KEY);
    if (how === 'throw') throw new Error(`the key is ${env.KEY}`);
    if (how === 'nothing') return undefined;
    return { plain: env.KEY, inside: `<${env.KEY}>`, json: JSON.stringify({ key: env.KEY }), [env.KEY]: options };
  },
};
