// Light and dark where the theme's own script does not run: Debian 12 has it as a module, which is loaded as none.
addEventListener("DOMContentLoaded", () => {
  const root = document.documentElement, dark = matchMedia("(prefers-color-scheme: dark)");
  if (!root.classList.contains("no-js")) return;
  root.classList.remove("no-js");
  const show = () => {
    const chosen = localStorage.getItem("theme");
    document.body.dataset.theme = chosen === "light" || chosen === "dark" ? chosen : dark.matches ? "dark" : "light";
  };
  for (const button of document.getElementsByClassName("theme-toggle"))
    button.addEventListener("click", () => {
      localStorage.setItem("theme", document.body.dataset.theme === "dark" ? "light" : "dark");
      show();
    });
  dark.addEventListener("change", show);
  show();
});
