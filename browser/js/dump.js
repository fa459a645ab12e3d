// Converts the page to the text that an agent reads, and resolves ids in that text to elements.
(() => {
  "use strict";
  const DROPPED = words("script style noscript template iframe svg canvas source track head meta link");
  const INTERACTIVE = words("a button input select textarea label summary");
  const ROLES = words("button link tab menuitem option checkbox radio switch combobox textbox slider spinbutton");
  const HEADINGS = words("h1 h2 h3 h4 h5 h6");
  const SECTIONS = words("section article aside fieldset main nav header footer hgroup table tr form details dl dialog");
  const CONTENT = words("p li td th dt dd blockquote figcaption caption legend output meter progress");
  const INLINE = words("a abbr b bdi bdo button cite code data del dfn em font i ins kbd label mark q s samp small span " +
    "strong sub sup time u var wbr");
  const FIELDS = words("input select textarea"); // their text is a value
  const STATES = ["aria-checked", "aria-current", "aria-expanded", "aria-pressed", "aria-selected", "aria-valuenow"];
  const PRE_LIMIT = 600; // defined by the dump format
  const TITLE_LIMIT = 120;
  const ATTRIBUTE_LIMIT = 200;
  const TRUNCATED = "[...truncated]";

  // State that outlives one dump of this document.
  const hashes = new WeakMap(); // element → its hash, the same in every dump
  const owners = new Map(); // hash → WeakRef of its element
  const salts = new Map(); // content → the next salt to try, to avoid quadratic time with a thousand equal buttons
  const secrets = new WeakSet(); // fields that were passwords before a "show" button turned them into text
  const secretValues = new Set(); // values of these fields, in case the page replaces a field by another element
  const held = new WeakMap(); // secret field → its last value in `secretValues`
  let index = new Map(); // id → element in the newest dump; an `Inside` for an element in a frame of another origin
  let hosts = []; // frames in the newest dump whose documents this world cannot access, in order
  const insides = new WeakMap(); // frame in `hosts` → id in that frame → its `Inside`
  let style = "numbers";
  let more = {}; // extensions in the newest dump: `text`, `nested`, `editable`, `frames`

  function words(list) {
    return new Set(list.split(" "));
  }

  // `at` is the position of this document in the page if it is inside another one. `inner` contains the dumps of `hosts`. It is null in
  // the first dump, which returns their positions.
  function dump({ maxLength, ids, filter, also, at, inner }) {
    const started = performance.now();
    if (filter !== null && typeof filter !== "function") return { filterError: "not a function" };
    style = ids;
    more = also;
    rememberSecrets();
    const page = new Walk(maxLength, filter, at, inner);
    try {
      page.children(document.body, 0, "open");
    } catch (error) {
      if (error === page.filterError) return { filterError: String(error.cause?.message ?? error.cause) };
      throw error;
    }
    if (inner === null) hosts = page.hosts;
    const { text, truncated, kept } = page.finish();
    index = new Map(kept.map((line) => [line.id, line.element]));
    return {
      ...page.head,
      text,
      truncated,
      elements: kept.map((line) => ({ id: line.id, element: describe(line.element) })),
      lines: at && page.lines.filter((line) => line.body !== undefined).map(({ depth, arrow, body, id, element }) =>
        ({ depth, arrow, body, id, about: id === undefined ? "" : describe(element) })),
      hosts: page.hosts.map(cornerOf),
      millis: performance.now() - started,
    };
  }

  class Walk {
    constructor(maxLength, filter, at, inner) {
      this.maxLength = maxLength;
      this.filter = filter;
      this.at = at ?? { x: 0, y: 0, height: innerHeight };
      this.inner = inner ?? [];
      this.hosts = [];
      this.filterError = null;
      this.fates = new Map();
      this.boxes = new Map(); // boxes of shown elements
      this.unseen = new Set(); // elements whose contents are shown but whose own text is not visible
      this.head = header();
      this.lines = headLines(this.head).map((text) => ({ text, length: count(text) }));
      this.length = this.lines.reduce((sum, line) => sum + line.length + 1, -1);
      this.numbered = 0;
      this.full = false;
    }

    // Which children get their own line depends on `where` they are: `open`; `said`, if the parent's line contains its text; `cell`, if
    // the row's line contains all text; `control`, inside an interactive element.
    children(parent, depth, where) {
      if (!parent) return;
      const loose = more.text && where === "open" ? new LooseText(this, parent, depth) : null;
      for (const node of nodesOf(parent)) {
        if (this.full) return;
        if (loose?.takes(node)) continue;
        loose?.end();
        if (node.nodeType === Node.ELEMENT_NODE) this.element(node, depth, where);
      }
      loose?.end();
    }

    element(element, depth, where) {
      const fate = this.fate(element);
      if (fate === "dropped") return;
      if (fate === "through") return this.children(element, depth, where);
      const tag = element.localName;
      if (isInteractive(element)) {
        this.number(element, depth, this.control(element));
        if (more.nested) this.children(element, depth + 1, "control");
        return;
      }
      if (where === "control") return this.children(element, depth, where);
      if (tag === "tr") return this.row(element, depth);
      if (tag === "iframe") return this.frame(element, depth);
      if (SECTIONS.has(tag)) {
        const label = labelOf(element);
        this.number(element, depth, `<${tag}${element.open ? " open" : ""}>${label && ` ${label}`}`);
        return this.children(element, depth + 1, "open");
      }
      const isContent = CONTENT.has(tag) && where !== "cell";
      if (HEADINGS.has(tag)) this.number(element, depth, `<${tag}>${this.text(element)}</${tag}>`);
      else if (tag === "img") this.number(element, depth, imageTag(element));
      else if (tag === "pre") this.number(element, depth, preTag(element.innerText));
      else if (isContent) this.content(element, depth);
      const said = where === "open" && (isContent || HEADINGS.has(tag) || tag === "pre");
      this.children(element, depth, said ? "said" : where);
    }

    // The cells of a row share one line, followed by the interactive elements inside them. A cell that only wraps controls is empty,
    // because their text is in their own lines.
    row(row, depth) {
      this.number(row, depth, `<tr>${labelOf(row) && ` ${labelOf(row)}`}`);
      const cells = [...nodesOf(row)].filter((node) => node.localName === "td" || node.localName === "th");
      const shown = cells.filter((cell) => this.fate(cell) === "shown" && !isInteractive(cell));
      const words = (cell) => {
        const own = { controls: false };
        const text = this.text(cell, true, own);
        return own.controls ? "" : text;
      };
      const line = shown.map((cell) => `<${cell.localName}>${words(cell)}</${cell.localName}>`).join("");
      if (line) this.push(row, depth + 1, line);
      for (const node of nodesOf(row)) {
        if (node.nodeType !== Node.ELEMENT_NODE) continue;
        if (shown.includes(node)) this.children(node, depth + 1, "cell");
        else this.element(node, depth + 1, "open");
      }
    }

    // A document inside the page. Scripts of this page cannot access one of another origin, so its address is shown, and its contents
    // come from a dump in its own world.
    frame(frame, depth) {
      const page = documentOf(frame);
      const name = labelOf(frame) || squeeze(frame.title);
      const address = page ? "" : ` src="${attribute(frame.src)}"`;
      this.number(frame, depth, `<iframe${address}>${name && ` ${name}`}`);
      if (page) return this.children(page.body, depth + 1, "open");
      this.hosts.push(frame);
      const lines = this.inner[hosts.indexOf(frame)] ?? [];
      for (const line of lines) {
        const inside = line.id === undefined ? frame : insideOf(frame, line);
        const id = line.id === undefined ? undefined : this.nextId(inside, line.body);
        this.add(depth + 1 + line.depth, line.arrow, line.body, id, inside);
      }
    }

    content(element, depth) {
      const tag = element.localName;
      const own = { controls: false };
      const text = tag === "meter" || tag === "progress" ? gauge(element) : this.text(element, false, own);
      // A list item that only wraps a link is covered by the link's own line.
      if (text && !own.controls) this.push(element, depth, `<${tag}>${text}</${tag}>`);
    }

    number(element, depth, body) {
      this.push(element, depth, body, this.nextId(element, body));
    }

    nextId(element, body) {
      this.numbered += 1;
      return style === "hashes" ? hashOf(element, body) : String(this.numbered);
    }

    push(element, depth, body, id) {
      if (this.full) return;
      const box = this.boxes.get(element) ?? element.getBoundingClientRect();
      const top = this.at.y + offsetOf(element).y;
      const arrow = box.bottom + top <= 0 ? "↑" : box.top + top >= this.at.height ? "↓" : "";
      this.add(depth, arrow, body, id, element);
    }

    add(depth, arrow, body, id, element) {
      if (this.full) return;
      const text = "\t".repeat(depth) + arrow + (id === undefined ? body : `[${id}]${body}`);
      const line = { text, length: count(text), id, element, depth, arrow, body };
      this.lines.push(line);
      this.length += line.length + 1;
      this.full = this.length > this.maxLength;
    }

    finish() {
      const room = this.maxLength - count(TRUNCATED) - 1;
      if (this.full) {
        let cut = null;
        while (this.lines.length > 0 && this.length > room) {
          cut = this.lines.pop();
          this.length -= cut.length + 1;
        }
        // Part of an element would be confusing, but part of a paragraph is still useful.
        const left = room - this.length - 1;
        if (cut && cut.id === undefined && left > 0) this.lines.push({ text: first(cut.text, left) });
        this.lines.push({ text: TRUNCATED });
      }
      const text = first(this.lines.map((line) => line.text).join("\n"), this.maxLength);
      return { text, truncated: this.full, kept: this.lines.filter((line) => line.id !== undefined) };
    }

    // Returns "dropped" (with its contents), "through" (only its contents are shown), or "shown".
    fate(element) {
      let fate = this.fates.get(element);
      if (fate === undefined) {
        fate = this.decide(element);
        this.fates.set(element, fate);
      }
      return fate;
    }

    decide(element) {
      const isFrame = element.localName === "iframe";
      if (DROPPED.has(element.localName) && !(isFrame && more.frames)) return "dropped";
      if (element.classList.contains("dddk-skip") || element.hasAttribute("data-dddk-skip")) return "dropped";
      if (!this.passes(element)) return "dropped";
      const box = element.getBoundingClientRect();
      const area = box.width > 0 && box.height > 0;
      if (area && element.checkVisibility({ visibilityProperty: true })) {
        this.boxes.set(element, box);
        return "shown";
      }
      const css = getComputedStyle(element);
      if (css.display === "none") return "dropped";
      if (css.visibility !== "visible") this.unseen.add(element);
      if (css.display !== "contents" && !element.checkVisibility()) return "dropped";
      if (css.display !== "contents" && !area) {
        if (css.overflow !== "visible") return "dropped";
        if (box.width === 0 && box.height === 0) {
          if (FIELDS.has(element.localName)) return "dropped";
          this.unseen.add(element); // its text is scaled to nothing, for example
        }
      }
      const parts = isInteractive(element) ? this.parts(element) : [];
      // Controls inside it have their own lines.
      if (parts.length === 0 || parts.some(isInteractive)) return "through";
      this.boxes.set(element, this.boxes.get(parts[0]));
      return "shown";
    }

    // Returns the elements inside an element that are shown.
    parts(element) {
      const inside = [...nodesOf(element)].filter((node) => node.nodeType === Node.ELEMENT_NODE && this.fate(node) !== "dropped");
      return inside.flatMap((node) => [...(this.fate(node) === "shown" ? [node] : []), ...this.parts(node)]);
    }

    passes(element) {
      if (this.filter === null) return true;
      try {
        return this.filter(element) !== false;
      } catch (error) {
        this.filterError = new Error("filter", { cause: error });
        throw this.filterError;
      }
    }

    // Whether an element and all its contents are part of a line of text.
    flows(element) {
      if (!INLINE.has(element.localName) || this.fate(element) !== "shown" || FIELDS.has(element.localName)) return false;
      return [...nodesOf(element)].every((node) => node.nodeType !== Node.ELEMENT_NODE || this.fate(node) === "dropped" || this.flows(node));
    }

    // Returns the text of an element on one line. Omits elements with their own line, except controls, whose text belongs to the
    // sentence; sets `found.controls` if there are only controls.
    text(element, inCell = false, found = {}) {
      let plain = false;
      let controls = false;
      const gather = (parent, inControl) => {
        let out = "";
        for (const node of nodesOf(parent)) {
          if (node.nodeType === Node.TEXT_NODE) {
            if (this.unseen.has(parent)) continue;
            out += node.data;
            if (!inControl && node.data.trim()) plain = true;
          } else if (node.nodeType === Node.ELEMENT_NODE) out += this.part(node, inCell, inControl, gather, () => (controls = true));
        }
        return out;
      };
      const text = squeeze(gather(element, false));
      found.controls = controls && !plain;
      return text;
    }

    part(node, inCell, inControl, gather, sawControl) {
      const tag = node.localName;
      if (tag === "br") return " ";
      const fate = this.fate(node);
      if (fate === "dropped" || tag === "pre" || tag === "img") return "";
      if (fate === "shown") {
        if (SECTIONS.has(tag) || HEADINGS.has(tag)) return "";
        if (CONTENT.has(tag) && !inCell) return "";
        if (tag === "meter" || tag === "progress") return ` ${gauge(node)} `;
      }
      const control = fate === "shown" && isInteractive(node);
      if (control) sawControl();
      if (FIELDS.has(tag) || tag === "iframe") return " ";
      const inner = gather(node, inControl || control);
      return INLINE.has(tag) ? inner : ` ${inner} `;
    }

    control(element) {
      const tag = element.localName;
      const shown = attributes(element);
      if (tag === "input") return `<input${shown}${named(element)}>`;
      if (tag === "select") {
        const options = [...element.options].map(optionText).join(" | ");
        return `<select${shown}${named(element)}>${options}</select>`;
      }
      if (tag === "textarea") return `<textarea${shown}${named(element)}>${isSecret(element) ? "" : squeeze(element.value)}</textarea>`;
      const text = this.words(element);
      const name = labelOf(element);
      const extra = text && name && name !== text ? ` aria-label="${attribute(name)}"` : "";
      return `<${tag}${shown}${extra}>${text || name || squeeze(element.title) || pictured(element)}</${tag}>`;
    }

    // Returns all text in an interactive element. No element inside has its own line, so the text includes the control of a label.
    words(element) {
      const gather = (parent) => {
        let out = "";
        for (const node of nodesOf(parent)) {
          if (node.nodeType === Node.TEXT_NODE) out += this.unseen.has(parent) ? "" : node.data;
          else if (node.nodeType === Node.ELEMENT_NODE && node.localName !== "iframe" && this.fate(node) !== "dropped") {
            const inline = INLINE.has(node.localName);
            const value = FIELDS.has(node.localName) ? this.control(node) : gather(node);
            out += node.localName === "br" ? " " : inline ? value : ` ${value} `;
          }
        }
        return out;
      };
      return squeeze(gather(element));
    }
  }

  // Text directly inside an element that does not have a line for it, with inline elements in the text.
  class LooseText {
    constructor(walk, parent, depth) {
      Object.assign(this, { walk, parent, depth, text: "", controls: [] });
    }

    takes(node) {
      if (node.nodeType === Node.TEXT_NODE) {
        if (!this.walk.unseen.has(this.parent)) this.text += node.data;
        return true;
      }
      if (node.nodeType !== Node.ELEMENT_NODE || !this.walk.flows(node)) return false;
      if (isInteractive(node)) {
        // A single control is covered by its own line.
        if (this.text.trim() === "") return false;
        this.text += this.walk.words(node);
      } else this.text += this.walk.text(node);
      this.controls.push(node);
      return true;
    }

    end() {
      const text = squeeze(this.text);
      const tag = this.parent.localName;
      if (text) this.walk.push(this.parent, this.depth, `<${tag}>${text}</${tag}>`);
      for (const node of this.controls) this.walk.element(node, this.depth, "said");
      this.text = "";
      this.controls = [];
    }
  }

  function header() {
    const height = Math.max(document.documentElement.scrollHeight, document.body?.scrollHeight ?? 0);
    const above = Math.round(scrollY);
    const below = Math.max(0, Math.round(height - innerHeight - scrollY));
    const title = shorten(squeeze(document.title), TITLE_LIMIT);
    return { url: location.href, title, viewport: [above, innerHeight, below] };
  }

  function headLines({ url, title, viewport: [above, visible, below] }) {
    return [`URL: ${url}`, `TITLE: ${title}`, `VIEWPORT: ${above}px above · ${visible}px visible · ${below}px below`];
  }

  // Returns children as rendered: those of an open shadow root instead of its host's, and those assigned to a slot.
  function nodesOf(parent) {
    if (parent.shadowRoot) return parent.shadowRoot.childNodes;
    if (parent.localName === "slot") {
      const assigned = parent.assignedNodes({ flatten: true });
      if (assigned.length > 0) return assigned;
    }
    return parent.childNodes;
  }

  function isInteractive(element) {
    if (INTERACTIVE.has(element.localName)) return true;
    if (more.editable && isEditor(element)) return true;
    const role = element.getAttribute("role")?.trim().split(/\s+/)[0].toLowerCase();
    if (role && ROLES.has(role)) return true;
    return element.hasAttribute("tabindex") && element.tabIndex >= 0 && (labelOf(element) || squeeze(element.title)) !== "";
  }

  // Whether an element is editable but not a field; its contents belong to it.
  function isEditor(element) {
    return element.isContentEditable && !element.parentElement?.isContentEditable;
  }

  // Returns the document of a frame, if this world can access it.
  function documentOf(frame) {
    try {
      return frame.contentDocument;
    } catch {
      return null;
    }
  }

  // An element in a frame that this world cannot access, by its id in that frame.
  class Inside {
    constructor(host, id, about) {
      Object.assign(this, { host, id, about });
    }
  }

  function insideOf(host, { id, about }) {
    if (!insides.has(host)) insides.set(host, new Map());
    const known = insides.get(host);
    if (!known.has(id)) known.set(id, new Inside(host, id));
    return Object.assign(known.get(id), { about });
  }

  // Returns the top left corner of a frame's document, in pixels of the viewport.
  function cornerOf(host) {
    const box = host.getBoundingClientRect();
    const { x, y } = offsetOf(host);
    return { x: box.left + host.clientLeft + x, y: box.top + host.clientTop + y };
  }

  function hostAt(position) {
    return hosts[position];
  }

  // Returns the offset of an element's document from the corner of the page.
  function offsetOf(element) {
    const offset = { x: 0, y: 0 };
    let { frameElement } = element.ownerDocument.defaultView ?? {};
    for (; frameElement; frameElement = frameElement.ownerDocument.defaultView?.frameElement) {
      const box = frameElement.getBoundingClientRect();
      offset.x += box.left + frameElement.clientLeft;
      offset.y += box.top + frameElement.clientTop;
    }
    return offset;
  }

  function labelOf(element) {
    const own = squeeze(element.getAttribute("aria-label") ?? "");
    const ids = element.getAttribute("aria-labelledby");
    if (ids === null) return own;
    const root = element.getRootNode();
    const named = ids.trim().split(/\s+/).map((id) => root.getElementById?.(id)?.textContent ?? "");
    return squeeze(named.join(" ")) || own;
  }

  function named(element) {
    const name = labelOf(element) || squeeze(element.title);
    return name && ` aria-label="${attribute(name)}"`;
  }

  function pictured(element) {
    return squeeze([...element.querySelectorAll("img[alt], svg title")].map((node) => node.alt ?? node.textContent).join(" "));
  }

  function attributes(element) {
    const tag = element.localName;
    const out = [];
    const say = (name, value) => value !== null && value !== "" && out.push(` ${name}="${attribute(value)}"`);
    const flag = (name, on) => on && out.push(` ${name}`);
    if (tag === "a") say("href", element.getAttribute("href"));
    say("role", element.getAttribute("role"));
    if (tag === "input") say("type", element.type);
    if (tag === "input" || tag === "select" || tag === "textarea") {
      say("name", element.getAttribute("name"));
      if (tag === "select") say("value", [...element.selectedOptions].map((option) => squeeze(option.label)).join(" | "));
      if (tag === "input" && isSecret(element)) flag("filled", element.value !== "");
      else if (tag === "input" && element.type !== "checkbox") say("value", element.value);
      say("placeholder", element.getAttribute("placeholder"));
      flag("multiple", element.multiple);
      flag("required", element.required);
      flag("readonly", element.readOnly && tag !== "select");
    }
    if (more.editable) flag("contenteditable", isEditor(element));
    flag("checked", element.checked === true);
    flag("disabled", element.matches(":disabled") || element.getAttribute("aria-disabled") === "true");
    for (const name of STATES) say(name, element.getAttribute(name));
    return out.join("");
  }

  function optionText(option) {
    const isDisabled = option.disabled || option.parentElement?.disabled === true;
    return squeeze(option.label) + (isDisabled ? " (disabled)" : "");
  }

  function isSecret(element) {
    if (element.type === "password") secrets.add(element);
    if (secrets.has(element) || /(^|\s)(current|new)-password(\s|$)/i.test(element.getAttribute("autocomplete") ?? "")) {
      remember(element);
      return true;
    }
    return secretValues.has(element.value);
  }

  // A single character is not a useful secret and would hide every field that contains it.
  function remember(element) {
    const { value } = element;
    const before = held.get(element);
    if (typeof value !== "string" || value.length < 2 || value === before) return;
    // Prefixes of a password that is being typed are not secrets.
    if (before !== undefined && value.startsWith(before)) secretValues.delete(before);
    held.set(element, value);
    secretValues.add(value);
  }

  // Records the current values of secret fields, before the page can replace the fields.
  function rememberSecrets() {
    for (const page of documents(document)) for (const element of page.querySelectorAll("input, textarea")) isSecret(element);
  }

  // Returns a document and the accessible documents inside it that are shown.
  function documents(page) {
    const frames = more.frames ? [...page.querySelectorAll("iframe")] : [];
    return [page, ...frames.map(documentOf).filter(Boolean).flatMap(documents)];
  }

  function imageTag(image) {
    const alt = squeeze(image.alt);
    if (alt) return `<img alt="${attribute(alt)}">`;
    const path = (image.currentSrc || image.src).replace(/[?#].*$/, "");
    const file = /^data:|^blob:/.test(path) ? "" : path.slice(path.lastIndexOf("/") + 1);
    return file ? `<img src="${attribute(file)}">` : "<img>";
  }

  function preTag(text) {
    const whole = text.replace(/\n+$/, "");
    const kept = first(whole, PRE_LIMIT);
    return `<pre>${kept}</pre>${kept === whole ? "" : " …"}`;
  }

  function gauge(element) {
    if (element.localName === "progress" && !element.hasAttribute("value")) return "in progress";
    return `${element.value} / ${element.max}`;
  }

  function squeeze(text) {
    const trimmed = text.trim();
    return /\s\s|[^\S ]/.test(trimmed) ? trimmed.replace(/\s+/g, " ") : trimmed;
  }

  function attribute(value) {
    return shorten(squeeze(String(value)), ATTRIBUTE_LIMIT).replaceAll('"', "&quot;");
  }

  // Counts characters as code points, as readers of any language would.
  function count(text) {
    if (!/[\ud800-\udfff]/.test(text)) return text.length;
    let n = 0;
    for (const _ of text) n += 1;
    return n;
  }

  function first(text, limit) {
    return text.length <= limit ? text : [...text].slice(0, limit).join("");
  }

  function shorten(text, limit) {
    return text.length <= limit || count(text) <= limit ? text : first(text, limit) + "…";
  }

  function describe(element) {
    if (element instanceof Inside) return element.about;
    const name = element.id ? `#${element.id}` : element.getAttribute("name") ? `[name=${element.getAttribute("name")}]` : "";
    return element.localName + shorten(name, 60);
  }

  // Returns four hexadecimal digits of FNV-1a (http://www.isthe.com/chongo/tech/comp/fnv/), or six once too many of those are taken.
  function hashOf(element, body) {
    const known = hashes.get(element);
    if (known !== undefined) return known;
    const content = `${element.localName ?? ""}|${element.id}|${first(body, 100)}`;
    const digits = owners.size < 30000 ? 4 : 6;
    for (let salt = salts.get(content) ?? 0; ; salt += 1) {
      let hash = 0x811c9dc5;
      for (const unit of `${content}|${salt}`) hash = Math.imul(hash ^ unit.codePointAt(0), 0x01000193) >>> 0;
      const id = ((hash >>> 16) ^ (hash & (digits === 4 ? 0xffff : 0xffffff))).toString(16).padStart(digits, "0").slice(-digits);
      if (owners.has(id)) continue;
      owners.set(id, new WeakRef(element));
      hashes.set(element, id);
      salts.set(content, salt + 1);
      return id;
    }
  }

  // Resolves `5`, `[5]`, `↓[5]` or CSS to { element }, to { host, id } for an element in one of `hosts`, or to { problem, … }.
  function resolve(given) {
    const selector = given.trim().replace(/^[↑↓]\s*(?=\[)/, "");
    if (selector === "") return { problem: "malformed", reason: "it is empty" };
    const shape = style === "hashes" ? /^(\[?)([0-9a-f]{4}|[0-9a-f]{6}|\d+)(\]?)$/i : /^(\[?)(\d+)(\]?)$/;
    const match = shape.exec(selector);
    if (match && Boolean(match[1]) === Boolean(match[3])) return byId(match[2].toLowerCase());
    try {
      const element = document.querySelector(selector);
      return element ? { element } : { problem: "unmatched" };
    } catch (error) {
      return { problem: "malformed", reason: "it is neither an id of the dump nor CSS" };
    }
  }

  function byId(given) {
    const id = style === "hashes" ? given : given.replace(/^0+(?=\d)/, "");
    const element = index.get(id);
    const inside = element instanceof Inside;
    const shown = inside ? element.host : element;
    if (shown?.isConnected && shown.ownerDocument.defaultView) {
      return inside ? { host: hosts.indexOf(shown), id: element.id } : { element };
    }
    return { problem: element || owners.has(id) ? "stale" : "unknown", id };
  }

  // Runs before the page's own handlers, which may replace the field immediately.
  addEventListener("input", (event) => event.composedPath()[0] instanceof Element && isSecret(event.composedPath()[0]), true);

  return { dump, resolve, describe, nodesOf, rememberSecrets, offsetOf, cornerOf, hostAt };
})()
