// Waiting for what a page shows: it renders again after each key and click, at its own pace.

import { setTimeout as sleep } from "node:timers/promises";

/** Runs a check until it passes. After a minute, fails as the check did last. */
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
