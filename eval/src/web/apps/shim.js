// Runs before an app's own scripts. Makes `fetch` reach the environment's own addresses, which
// browsers reject.
(() => {
  const browserFetch = window.fetch.bind(window);
  const address = /^wry:\/\/(inference|document)\/?$/i;
  let newest = Promise.resolve();
  window.fetch = (resource, options) => {
    const isRequest = resource instanceof Request;
    const [, name] = address.exec(isRequest ? resource.url : String(resource)) ?? [];
    if (!name) return browserFetch(resource, options);
    const isOwn = options?.body !== undefined && options.body !== null;
    const body = isOwn ? new Response(options.body).text() : isRequest ? resource.text() : Promise.resolve("");
    if (name.toLowerCase() === "document") return ask("document", body, options?.signal);
    // Sends requests one after the other, because concurrent connections would not keep the order
    // of calls.
    const answer = newest.then(() => ask("inference", body, options?.signal));
    newest = answer.catch(() => {});
    return answer;
  };
  const ask = async (name, body, signal) => {
    const response = await browserFetch(`/wry/${name}`, { method: "POST", body: await body, signal });
    if (!response.ok) throw new TypeError(`wry://${name} failed`);
    return response;
  };
})();
