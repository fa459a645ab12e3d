import { defineHook } from '@standardagents/spec';

export default defineHook<'before_create_message'>({
  hook: 'before_create_message',
  id: 'no_numbers',
  execute: async (state, message) => ({ ...message, content: message.content.replaceAll(/\d+/g, '#') }),
});
