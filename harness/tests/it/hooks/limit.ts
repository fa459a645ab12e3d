// Sends the newest message alone, and keeps numbers back.
import { defineHook as define } from '@standardagents/spec';

type Message = { role: string; content: string };

export default define({
  hook: 'filter_messages',
  id: 'newest_alone',
  execute: async (state: unknown, messages: Message[]) => {
    console.log(`${messages.length} messages`);
    return messages.slice(-1);
  },
});
