// Returns the value of a variable.
module.exports = {
  description: 'Says the region.',
  parameters: { type: 'object', properties: {} },
  variables: [{ name: 'REGION', type: 'text', required: false, description: 'a region' }],
  async run(_arguments, { env }) {
    return env.REGION ?? 'nowhere';
  },
};
