// Converts the argument of `defineHook` to `$event`, an event of this program, and `$hook`, its
// handler.
const { $event, $hook } = (() => {
  const { hook, id, execute } = $default;
  if (typeof id !== "string" || !/^[A-Za-z0-9_-]{1,64}$/.test(id)) throw new TypeError("invalid `id`: expected a name of at most 64 letters, digits, _ and -");
  if (typeof execute !== "function") throw new TypeError("invalid `execute`: expected a function");
  const state = Object.freeze({});
  const messages = async (event) => ({ messages: (await execute(state, event.messages)) ?? event.messages });
  const result = async ({ tool, arguments: input, content }) => {
    const changed = await execute(state, { name: tool, arguments: input }, { result: content });
    return { content: changed?.result ?? content };
  };
  // Events of the specification, with the corresponding events of this program.
  const standard = {
    filter_messages: ["before_request", messages],
    prefilter_llm_history: ["before_request", messages],
    before_create_message: ["before_message", async (event) => ({ message: (await execute(state, event.message)) ?? event.message })],
    before_store_tool_result: ["before_tool_result", result],
    after_tool_call_success: ["after_tool_success", result],
    after_tool_call_failure: ["after_tool_failure", result],
  };
  const own = ["before_message", "before_request", "after_response", "after_tool_success", "after_tool_failure", "before_tool_result"];
  if (own.includes(hook)) return { $event: hook, $hook: execute };
  if (!Object.hasOwn(standard, hook)) {
    throw new TypeError(`unknown \`hook\` ${JSON.stringify(hook)}: expected one of ${[...own, ...Object.keys(standard)].join(", ")}`);
  }
  return { $event: standard[hook][0], $hook: standard[hook][1] };
})();
