// Light or dark theme: the system's, or the one chosen by the button.

const order = ["system", "light", "dark"];
const marks = { system: "◐", light: "☀", dark: "☾" };

/** Applies the stored choice and listens to the button. */
export function startTheme() {
  const button = document.getElementById("theme");
  let theme = "system";
  try {
    theme = localStorage.getItem("theme") ?? "system";
  } catch {
    // Without storage, the choice lasts as long as the page.
  }
  const show = () => {
    if (theme === "system") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
    button.textContent = marks[theme] ?? marks.system;
    button.setAttribute("aria-label", `Colors: ${theme}`);
    button.title = `Colors: ${theme}`;
  };
  button.addEventListener("click", () => {
    theme = order[(order.indexOf(theme) + 1) % order.length];
    try {
      localStorage.setItem("theme", theme);
    } catch {
      // As above.
    }
    show();
  });
  show();
}
