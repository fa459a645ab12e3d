// Waits for the contents of a page, which renders asynchronously after each key and click.

import { setTimeout as sleep } from "node:timers/promises";

/** Runs a check until it passes. After a minute, fails with the check's last error. */
export async function eventually(check) {
  const end = Date.now() + 60_000;
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (Date.now() > end) throw error;
    }
    await sleep(20);
  }
}
