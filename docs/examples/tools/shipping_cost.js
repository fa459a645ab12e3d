// Price of a parcel in euros. The tool is named after this file.
const zones = { domestic: 4.5, europe: 9, world: 18 };

module.exports = {
  description: 'Gives the price of a parcel in euros.',
  parameters: {
    type: 'object',
    properties: {
      kilograms: { type: 'number', exclusiveMinimum: 0, maximum: 30, description: 'what the parcel weighs' },
      zone: { enum: Object.keys(zones), default: 'domestic', description: 'where it goes' },
    },
    required: ['kilograms'],
    additionalProperties: false,
  },
  variables: [{ name: 'DISCOUNT', type: 'text', required: false, description: 'percent off every price' }],

  // `env` has the values of `variables`, `options` those of the entry in a definition's `tools`.
  run({ kilograms, zone }, { env, options }) {
    const discount = Number(env.DISCOUNT ?? 0);
    if (!(discount >= 0 && discount <= 100)) throw new RangeError(`DISCOUNT is ${env.DISCOUNT}, expected 0 to 100`);
    const price = (zones[zone] + 1.2 * kilograms) * (1 - discount / 100);
    return { zone, price: Number(price.toFixed(options.decimals ?? 2)) };
  },
};
