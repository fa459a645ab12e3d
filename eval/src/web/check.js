// Runs a task's check on an app, in a JavaScript world that the app's own scripts cannot reach. The
// result is stored in `globalThis[place]`. A check is started only once, because its first step may
// open a dialog.
(place, check) => {
  if (globalThis[place]) return true;
  const pause = (ms) => new Promise((done) => setTimeout(done, ms));
  const one = (css) => {
    const found = document.querySelector(css);
    if (!found) throw new Error(`no element matches ${css}`);
    return found;
  };
  const shown = (element) => (element.innerText ?? element.textContent).trim();
  const tools = {
    text: (css) => (document.querySelector(css) ? shown(document.querySelector(css)) : null),
    texts: (css) => [...document.querySelectorAll(css)].map(shown),
    click: async (css) => {
      one(css).click();
      await pause(50);
    },
    fill: async (css, value) => {
      const field = one(css);
      field.focus();
      field.value = value;
      for (const type of ["input", "change"]) field.dispatchEvent(new Event(type, { bubbles: true }));
      await pause(50);
    },
    until: async (condition) => {
      for (let tries = 0; tries < 300; tries += 1) {
        if (condition()) return;
        await pause(100);
      }
    },
  };
  globalThis[place] = { done: false };
  check(tools).then(
    (value) => (globalThis[place] = { done: true, check: value ?? null }),
    (error) => (globalThis[place] = { done: true, check: null, problem: String(error) }),
  );
  return true;
}
