// Runs before anything else of an app: `fetch` reaches the environment's own addresses, which a browser would refuse.
(() => {
  const browserFetch = window.fetch.bind(window);
  const address = /^wry:\/\/(inference|document)\/?$/i;
  window.fetch = async (resource, options) => {
    const isRequest = resource instanceof Request;
    const [, name] = address.exec(isRequest ? resource.url : String(resource)) ?? [];
    if (!name) return browserFetch(resource, options);
    const body = options?.body !== undefined && options.body !== null ? await new Response(options.body).text() : isRequest ? await resource.text() : "";
    const response = await browserFetch(`/wry/${name.toLowerCase()}`, { method: "POST", body, signal: options?.signal });
    if (!response.ok) throw new TypeError(`wry://${name} failed`);
    return response;
  };
})();
