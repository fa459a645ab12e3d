// A page with two routes, `#/write` and `#/all`. Notes are stored in the browser; the button that
// saves a note is a custom element.
const notes = () => JSON.parse(localStorage.getItem("notes") ?? "[]");

class SaveButton extends HTMLElement {
  connectedCallback() {
    const root = this.attachShadow({ mode: "open" });
    root.innerHTML = "<style>button { height: 32px }</style><button>Save the note</button>";
    root.querySelector("button").addEventListener("click", () => this.dispatchEvent(new Event("save")));
  }
}
customElements.define("save-button", SaveButton);

const views = {
  "#/write": (view) => {
    view.innerHTML = '<h2>Write</h2><div id="note" role="textbox" aria-label="Your note" contenteditable="true"></div><save-button></save-button>';
    view.querySelector("save-button").addEventListener("save", () => {
      localStorage.setItem("notes", JSON.stringify([...notes(), view.querySelector("#note").innerText.trim()]));
      location.hash = "#/all";
    });
  },
  "#/all": (view) => {
    view.innerHTML = "<h2>All notes</h2><ul></ul>";
    for (const note of notes()) view.querySelector("ul").append(Object.assign(document.createElement("li"), { textContent: note }));
  },
};
const show = () => (views[location.hash] ?? views["#/all"])(document.querySelector("#view"));
addEventListener("hashchange", show);
show();
