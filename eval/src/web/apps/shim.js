// Runs before anything else of an app: `fetch` reaches the environment's own addresses, which a browser would refuse.
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
    // One after the other, in the order of the calls: connections of their own would arrive in any.
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
