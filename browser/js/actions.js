// Finds where an element can be clicked, and performs actions without a real mouse: fill, select, scroll, highlight.
((dump) => {
  "use strict";
  const TYPED = new Set(["email", "number", "password", "search", "tel", "text", "url"]);
  const PICKED = new Set(["color", "date", "datetime-local", "month", "range", "time", "week"]);
  const OPTIONS_SHOWN = 20;
  let bordered = null;
  let located = null;
  let awaited = null;

  // Runs `act` on the selected element after checking that it exists. For an element in a frame that this world cannot access, returns
  // `host` and `id`, with which the frame's own world can find it.
  function on(selector, act) {
    dump.rememberSecrets();
    const found = dump.resolve(selector);
    return found.element ? act(found.element) : found;
  }

  function inapplicable(reason) {
    return { problem: "inapplicable", reason };
  }

  function isVisible(element) {
    return element.getClientRects().length > 0 && element.checkVisibility({ visibilityProperty: true });
  }

  // Returns the element or, if it has no visible box of its own (`display: contents`, for example), the first visible element in it.
  function visiblePart(element) {
    const find = (part) => {
      if (isVisible(part) && boxOf(part)) return part;
      for (const node of dump.nodesOf(part)) {
        const found = node.nodeType === Node.ELEMENT_NODE && find(node);
        if (found) return found;
      }
      return undefined;
    };
    return find(element) ?? element;
  }

  function isShown(element) {
    return isVisible(visiblePart(element));
  }

  function boxOf(element) {
    return [...element.getClientRects()].find((rect) => rect.width > 0 && rect.height > 0);
  }

  function controlOf(element) {
    return element.localName === "label" && element.control ? element.control : element;
  }

  function center(element, behavior) {
    element.scrollIntoView({ block: "center", inline: "nearest", behavior });
  }

  // Returns the middle of the visible part of an element, in pixels of its frame, and what is there. Undefined if the
  // element has no size. `part` is its `visiblePart`.
  function aim(element, part) {
    const page = element.ownerDocument;
    const box = boxOf(part);
    if (!box) return undefined;
    const { innerWidth, innerHeight } = page.defaultView;
    const x = (Math.max(box.left, 0) + Math.min(box.right, innerWidth)) / 2;
    const y = (Math.max(box.top, 0) + Math.min(box.bottom, innerHeight)) / 2;
    const hit = hitAt(page, x, y);
    return { x, y, hit, isReached: Boolean(hit) && (isWithin(hit, element) || hit.closest("label")?.control === element) };
  }

  // Returns the point to click, in pixels of the viewport.
  function locate(selector) {
    return on(selector, (element) => {
      if (element.matches(":disabled")) return inapplicable("it is disabled");
      if (!isShown(element)) return inapplicable("it is not visible");
      const part = visiblePart(element);
      let aimed = inView(part) ? aim(element, part) : undefined;
      if (!aimed?.isReached) {
        // An element in view can be hidden by its own scroll container or by a fixed bar.
        center(part, "instant");
        aimed = aim(element, part);
      }
      if (!aimed) return inapplicable("it has no size");
      const { x, y, hit, isReached } = aimed;
      if (!hit) return inapplicable("it is outside of what the page can show");
      const frame = dump.offsetOf(element);
      if (!isReached) return inapplicable(`${dump.describe(hit)} covers it`);
      located = new WeakRef(element);
      return { x: x + frame.x, y: y + frame.y };
    });
  }

  // Starts to wait for the pointer to move over the element that was located last, or its label.
  function awaitPointer() {
    stopAwaiting();
    const element = located?.deref();
    const view = element?.ownerDocument.defaultView;
    if (!view) return 0;
    const arrival = { arrived: false };
    const moved = (event) => {
      const [target] = event.composedPath();
      if (!event.isTrusted || !target.closest) return;
      arrival.arrived ||= isWithin(target, element) || target.closest("label")?.control === element;
    };
    arrival.stop = () => view.removeEventListener("pointermove", moved, true);
    awaited = arrival;
    view.addEventListener("pointermove", moved, true);
    return 0;
  }

  // Whether the pointer has moved there, or null if the element's document is gone.
  function hasPointer() {
    const view = located?.deref()?.ownerDocument.defaultView;
    return awaited && view ? awaited.arrived : null;
  }

  function stopAwaiting() {
    awaited?.stop();
    awaited = null;
    return 0;
  }

  function hitAt(page, x, y) {
    let hit = page.elementFromPoint(x, y);
    while (hit?.shadowRoot?.elementFromPoint(x, y) && hit.shadowRoot.elementFromPoint(x, y) !== hit) {
      hit = hit.shadowRoot.elementFromPoint(x, y);
    }
    return hit;
  }

  // Scrolls a point of the frame `dump.hostAt(position)` into view and returns it in pixels of this document, with the element that
  // covers it, if any.
  function through(position, x, y) {
    const host = dump.hostAt(position);
    if (!host?.isConnected) return { problem: "stale" };
    const view = host.ownerDocument.defaultView;
    const around = () => {
      const corner = dump.cornerOf(host);
      return { x: corner.x + x, y: corner.y + y };
    };
    const frame = dump.offsetOf(host);
    const inside = (point) => point.x >= frame.x && point.y >= frame.y && point.x < frame.x + view.innerWidth && point.y < frame.y + view.innerHeight;
    if (!inside(around())) {
      const { x: left, y: top } = around();
      view.scrollBy({ left: left - frame.x - view.innerWidth / 2, top: top - frame.y - view.innerHeight / 2, behavior: "instant" });
    }
    const point = around();
    const hit = hitAt(host.ownerDocument, point.x - frame.x, point.y - frame.y);
    return hit === host ? point : { ...point, covered: hit ? `${dump.describe(hit)} covers it` : "it is outside of what the page can show" };
  }

  // Whether all of an element is visible, in its frame and in the page.
  function inView(element) {
    const box = element.getBoundingClientRect();
    const fits = (left, top, view) =>
      top >= 0 && left >= 0 && top + box.height <= view.innerHeight && left + box.width <= view.innerWidth;
    const frame = dump.offsetOf(element);
    return fits(box.left, box.top, element.ownerDocument.defaultView) && fits(box.left + frame.x, box.top + frame.y, window);
  }

  function isWithin(node, ancestor) {
    for (let at = node; at; at = at.assignedSlot ?? at.parentNode ?? at.host) if (at === ancestor) return true;
    return false;
  }

  function fill(selector, text) {
    return on(selector, (named) => {
      const element = controlOf(named);
      if (!isShown(element)) return inapplicable("it is not visible");
      if (element.matches(":disabled")) return inapplicable("it is disabled");
      if (element.readOnly) return inapplicable("it is read-only");
      if (element.isContentEditable) {
        element.focus();
        element.ownerDocument.getSelection().selectAllChildren(element);
        element.ownerDocument.execCommand("insertText", false, text);
        return {};
      }
      const isInput = element.localName === "input";
      if (isInput && !TYPED.has(element.type) && !PICKED.has(element.type)) {
        return inapplicable(`an input of type ${element.type} takes no text; click it`);
      }
      if (element.localName === "select") return inapplicable("it is a list to select from, not a text field");
      if (!isInput && element.localName !== "textarea") return inapplicable(`a ${element.localName} takes no text`);
      element.focus();
      const view = element.ownerDocument.defaultView;
      const { prototype } = isInput ? view.HTMLInputElement : view.HTMLTextAreaElement;
      const before = element.value;
      const { set } = Object.getOwnPropertyDescriptor(prototype, "value");
      set.call(element, text);
      const kept = element.value.replace(/\r\n?/g, "\n");
      const refusal = refusalOf(element, text, kept);
      if (refusal) {
        set.call(element, before);
        return inapplicable(refusal);
      }
      changed(element, new InputEvent("input", { bubbles: true, composed: true, data: text, inputType: "insertReplacementText" }));
      return {};
    });
  }

  // Returns why a person could not enter a text in a field, which then has the value `kept`, or null.
  function refusalOf({ type, maxLength }, text, kept) {
    const isPicked = type === "number" || PICKED.has(type);
    if (!isPicked) return maxLength >= 0 && kept.length > maxLength ? `it takes at most ${maxLength} characters` : null;
    // Browsers store other notations of a date or number as the usual one.
    let isTaken = kept !== "" || text === "";
    if (type === "color") isTaken = kept === text.toLowerCase();
    if (type === "range") isTaken = text !== "" && Number(kept) === Number(text);
    return isTaken ? null : `an input of type ${type} does not take this text`;
  }

  function select(selector, wanted) {
    return on(selector, (named) => {
      const element = controlOf(named);
      if (element.localName !== "select") return inapplicable(`a ${element.localName} has no options`);
      if (!isShown(element)) return inapplicable("it is not visible");
      if (element.matches(":disabled")) return inapplicable("it is disabled");
      const options = [...element.options];
      const label = (option) => option.label.replace(/\s+/g, " ").trim();
      const index = options.findIndex((option) => option.value === wanted);
      const at = index >= 0 ? index : options.findIndex((option) => label(option) === wanted.trim());
      if (at < 0) {
        const shown = options.slice(0, OPTIONS_SHOWN).map(label).join(" | ");
        return inapplicable(`it has no option ${JSON.stringify(wanted)}; its options: ${shown}`);
      }
      if (options[at].matches(":disabled")) return inapplicable("this option is disabled");
      element.focus();
      if (element.multiple) options[at].selected = true;
      else element.selectedIndex = at;
      changed(element, new InputEvent("input", { bubbles: true, composed: true }));
      return {};
    });
  }

  function changed(element, input) {
    element.dispatchEvent(input);
    element.dispatchEvent(new Event("change", { bubbles: true }));
  }

  function focus(selector) {
    return on(selector, (named) => {
      const element = controlOf(named);
      element.focus();
      return element.matches(":focus-within") ? {} : inapplicable("it cannot have the keyboard's focus");
    });
  }

  function scrollTo(selector) {
    return on(selector, (element) => {
      const part = visiblePart(element);
      if (!part.checkVisibility()) return inapplicable("it is not visible");
      center(part, "instant");
      const box = part.getBoundingClientRect();
      return { x: (box.left + box.right) / 2, y: (box.top + box.bottom) / 2 };
    });
  }

  // An outline does not take up space, so a highlight does not change the layout.
  function border(selector) {
    if (selector === null) return clearBorder();
    return on(selector, (element) => {
      clearBorder();
      bordered = { element, outline: element.style.outline, offset: element.style.outlineOffset };
      element.style.outline = "3px solid #e11d48";
      element.style.outlineOffset = "2px";
      return {};
    });
  }

  function clearBorder() {
    if (bordered) {
      bordered.element.style.outline = bordered.outline;
      bordered.element.style.outlineOffset = bordered.offset;
      if (!bordered.element.getAttribute("style")) bordered.element.removeAttribute("style");
    }
    bordered = null;
    return {};
  }

  return { locate, awaitPointer, hasPointer, stopAwaiting, through, fill, select, focus, scrollTo, border };
})
