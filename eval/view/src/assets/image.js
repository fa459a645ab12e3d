// Images that a model was shown, such as screenshots.

import { el } from "./dom.js";
import { isCut, wholeText } from "./long-text.js";

const kinds = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);
const base64 = /^[A-Za-z0-9+/]+={0,2}$/;

/** Whether a value is an image as stored in events: `{ media_type, data }`, with base64 data. */
export const isImage = (value) => value !== null && typeof value === "object" && "media_type" in value && "data" in value;

/**
 * Draws an image. Its data is loaded when it scrolls into view. Invalid data is reported in its
 * place.
 */
export function drawImage({ media_type: kind, data }, where, { alt = "What the model saw" } = {}) {
  if (!kinds.has(kind)) return none("of an unknown kind");
  const image = el("img", { alt, class: "screenshot" });
  const box = el("figure", { class: "image" }, image);
  image.addEventListener("error", () => box.replaceChildren(none("that cannot be drawn")));
  const load = async () => {
    const text = await wholeText(data, where);
    if (base64.test(text)) image.src = `data:${kind};base64,${text}`;
    else box.replaceChildren(none("that is not in base64"));
  };
  if (!isCut(data)) load();
  else {
    const sight = new IntersectionObserver(
      ([entry]) => {
        if (!entry.isIntersecting) return;
        sight.disconnect();
        load().catch((error) => box.replaceChildren(none(`that cannot be read: ${error.message}`)));
      },
      { rootMargin: "600px" },
    );
    sight.observe(box);
  }
  return box;
}

const none = (why) => el("p", { class: "quiet" }, `An image ${why}.`);
