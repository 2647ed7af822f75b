// The button that turns a page dark or light; the choice is kept where the browser allows it.
const button = document.querySelector("button.theme");
if (button instanceof HTMLButtonElement) {
  const root = document.documentElement;
  const asked = window.matchMedia("(prefers-color-scheme: dark)");
  const dark = () => (root.dataset.theme ?? (asked.matches ? "dark" : "light")) === "dark";
  const show = () => {
    button.setAttribute("aria-pressed", String(dark()));
    button.querySelector(".theme-name").textContent = dark() ? "Light" : "Dark";
  };
  try {
    const kept = localStorage.getItem("demospec-theme");
    if (kept === "dark" || kept === "light") root.dataset.theme = kept;
  } catch {
    // a page that keeps nothing follows the system
  }
  button.addEventListener("click", () => {
    root.dataset.theme = dark() ? "light" : "dark";
    try {
      localStorage.setItem("demospec-theme", root.dataset.theme);
    } catch {
      // as above
    }
    show();
  });
  asked.addEventListener("change", show);
  button.hidden = false;
  show();
}
