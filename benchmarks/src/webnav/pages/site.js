// What the pages share: the data of their world, and elements made of it. As a module, data is there before a page has loaded.

export { default as data } from "/data.js";

// An element with attributes (functions become listeners) and children.
export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name, value);
    else if (value !== false) element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat());
  return element;
}

export function show(where, ...children) {
  document.querySelector(where).replaceChildren(...children.flat());
}

// The last part of the address: the 3 of /person/3.
export function lastPart() {
  return decodeURIComponent(location.pathname.split("/").pop());
}

// A form of one button that sends its fields.
export function sender(action, fields, label) {
  const hidden = Object.entries(fields).map(([name, value]) => make("input", { type: "hidden", name, value }));
  return make("form", { method: "post", action: `/do/${action}` }, hidden, make("button", {}, label));
}

export function term(name, value) {
  return [make("dt", {}, name), make("dd", {}, value)];
}
