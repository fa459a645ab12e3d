module.exports = {
  description: 'Takes its time.',
  parameters: { type: 'object', properties: {} },
  run: () => new Promise((done) => setTimeout(() => done('slept'), 5000)),
};
