// Imports for files of the Standard Agents specification: `definePrompt` and `defineHook`, which return their argument,
// and the part of zod that input schemas require. Schemas of this zod are JSON Schemas.

const $imports = (() => {
  const define = (what) => (options) => {
    if (options === null || typeof options !== "object" || Array.isArray(options)) throw new TypeError(`${what} takes an object`);
    return options;
  };

  class Schema {
    #json;
    #optional;
    constructor(json, optional = false) {
      this.#json = json;
      this.#optional = optional;
      // Reports the name of an unsupported zod function instead of the call of `undefined`.
      return new Proxy(this, {
        get: (schema, name) => {
          if (typeof name === "symbol" || name in schema) {
            const value = schema[name];
            return typeof value === "function" ? value.bind(schema) : value;
          }
          throw new TypeError(`zod's .${name}() has no counterpart here; give the schema as JSON Schema in a YAML file`);
        },
      });
    }
    #with(more) {
      return new Schema({ ...this.#json, ...more }, this.#optional);
    }
    #sized(least, most) {
      const kind = { string: "Length", array: "Items", number: "imum", integer: "imum" }[this.#json.type];
      if (!kind) throw new TypeError(`a schema of ${this.#json.type ?? "several kinds"} has no size`);
      return this.#with({ ...(least === undefined ? {} : { [`min${kind}`]: least }), ...(most === undefined ? {} : { [`max${kind}`]: most }) });
    }
    toJSON() {
      return this.#json;
    }
    isOptional() {
      return this.#optional;
    }
    describe(description) {
      return this.#with({ description: String(description) });
    }
    optional() {
      return new Schema(this.#json, true);
    }
    nullable() {
      const { default: value, ...json } = this.#json;
      return new Schema({ anyOf: [json, { type: "null" }], ...(value === undefined ? {} : { default: value }) }, this.#optional);
    }
    nullish() {
      return this.nullable().optional();
    }
    default(value) {
      return new Schema({ ...this.#json, default: value }, true);
    }
    array() {
      return z.array(this);
    }
    or(other) {
      return z.union([this, other]);
    }
    min(least) {
      return this.#sized(least);
    }
    max(most) {
      return this.#sized(undefined, most);
    }
    gte(least) {
      return this.#sized(least);
    }
    lte(most) {
      return this.#sized(undefined, most);
    }
    gt(limit) {
      return this.#with({ exclusiveMinimum: limit });
    }
    lt(limit) {
      return this.#with({ exclusiveMaximum: limit });
    }
    length(count) {
      return this.#sized(count, count);
    }
    nonempty() {
      return this.#sized(1);
    }
    positive() {
      return this.gt(0);
    }
    negative() {
      return this.lt(0);
    }
    nonnegative() {
      return this.min(0);
    }
    int() {
      return this.#with({ type: "integer" });
    }
    multipleOf(step) {
      return this.#with({ multipleOf: step });
    }
    #matching(pattern) {
      if (this.#json.pattern === undefined) return this.#with({ pattern });
      return this.#with({ allOf: [...(this.#json.allOf ?? []), { pattern }] });
    }
    regex(pattern) {
      if (/[imsy]/.test(pattern.flags)) throw new TypeError(`zod's .regex(${pattern}) has no counterpart here, because patterns in JSON Schema have no flags`);
      return this.#matching(pattern.source);
    }
    startsWith(text) {
      return this.#matching(`^${text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}`);
    }
    email() {
      return this.#with({ format: "email" });
    }
    url() {
      return this.#with({ format: "uri" });
    }
    uuid() {
      return this.#with({ format: "uuid" });
    }
    datetime() {
      return this.#with({ format: "date-time" });
    }
    date() {
      return this.#with({ format: "date" });
    }
    trim() {
      return this;
    }
    strict() {
      return this.#with({ additionalProperties: false });
    }
    passthrough() {
      return this.#with({ additionalProperties: true });
    }
    partial() {
      return this.#with({ required: undefined });
    }
    extend(shape) {
      const more = z.object(shape).toJSON();
      const required = [...(this.#json.required ?? []).filter((name) => !(name in shape)), ...(more.required ?? [])];
      return this.#with({ properties: { ...this.#json.properties, ...more.properties }, required });
    }
  }

  const kind = (type) => () => new Schema({ type });
  const known = {
    string: kind("string"),
    number: kind("number"),
    int: kind("integer"),
    boolean: kind("boolean"),
    null: kind("null"),
    any: () => new Schema({}),
    unknown: () => new Schema({}),
    literal: (value) => new Schema(Array.isArray(value) ? { enum: value } : { const: value }),
    enum: (values) => {
      const all = Object.values(values);
      return new Schema({ ...(all.every((value) => typeof value === "string") ? { type: "string" } : {}), enum: all });
    },
    array: (items) => new Schema({ type: "array", items }),
    tuple: (items) => new Schema({ type: "array", prefixItems: items, minItems: items.length, maxItems: items.length }),
    record: (keys, values) => new Schema({ type: "object", additionalProperties: values ?? keys }),
    union: (anyOf) => new Schema({ anyOf }),
    discriminatedUnion: (_, anyOf) => new Schema({ anyOf }),
    optional: (schema) => schema.optional(),
    object: (shape) => {
      const required = Object.keys(shape).filter((name) => !shape[name].isOptional());
      return new Schema({ type: "object", properties: { ...shape }, ...(required.length > 0 ? { required } : {}) });
    },
  };
  known.strictObject = (shape) => known.object(shape).strict();
  const z = new Proxy(known, {
    get: (_, name) => {
      if (Object.hasOwn(known, name)) return known[name];
      throw new TypeError(`zod's z.${String(name)}() has no counterpart here; give the schema as JSON Schema in a YAML file`);
    },
  });

  const modules = {
    "@standardagents/spec": { definePrompt: define("definePrompt"), defineHook: define("defineHook") },
    zod: { ...known, z, default: z },
  };
  return new Proxy(modules, {
    get: (_, name) => {
      if (!Object.hasOwn(modules, name)) throw new Error(`\`${String(name)}\` cannot be imported here; there are ${Object.keys(modules).join(" and ")}`);
      return new Proxy(modules[name], {
        get: (module, member) => {
          if (member in module) return module[member];
          throw new Error(`${name} has no \`${String(member)}\` here; it has ${Object.keys(module).join(", ")}`);
        },
      });
    },
  });
})();
