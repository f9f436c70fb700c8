"use strict";
// Light and dark: as the system has it, or as the switch says, which is remembered where the browser allows it.
(() => {
  const THEMES = ["auto", "light", "dark"];
  const SIGNS = { auto: "◐", light: "☀", dark: "☾" };
  const NAMES = { auto: "as the system", light: "light", dark: "dark" };
  const stored = () => { try { return localStorage.getItem("herald-theme"); } catch { return null; } };
  const store = theme => { try { localStorage.setItem("herald-theme", theme); } catch { /* private windows have no store */ } };
  let theme = THEMES.includes(stored()) ? stored() : "auto";
  function apply() {
    if (theme === "auto") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
    for (const button of document.querySelectorAll("[data-theme-switch]")) {
      button.textContent = SIGNS[theme];
      button.title = `Colours: ${NAMES[theme]}`;
      button.setAttribute("aria-label", button.title);
    }
  }
  apply();
  document.addEventListener("DOMContentLoaded", apply);
  document.addEventListener("click", event => {
    if (!event.target.closest("[data-theme-switch]")) return;
    theme = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length];
    store(theme);
    apply();
  });
})();
