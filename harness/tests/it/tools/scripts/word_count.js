module.exports = {
  description: 'Counts the words of a text.',
  parameters: {
    type: 'object',
    properties: {
      text: { type: 'string', description: 'the text' },
      least: { type: 'integer', minimum: 1, default: 1, description: 'letters that a word has at least' },
    },
    required: ['text'],
    additionalProperties: false,
  },
  run({ text, least }) {
    const words = text.split(/\s+/).filter((word) => word.length >= least);
    return { words: words.length, longest: Math.max(0, ...words.map((word) => word.length)) };
  },
};
