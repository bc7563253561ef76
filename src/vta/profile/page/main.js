/* ---- Theme ---- */
const theme = () => {
  const system = window.matchMedia("(prefers-color-scheme: dark)");
  let chosen = null;
  const apply = () => {
    root.dataset.theme = chosen || (system.matches ? "dark" : "light");
    $("theme").textContent = root.dataset.theme === "dark" ? "Light" : "Dark";
    redraw();
  };
  $("theme").addEventListener("click", () => {
    chosen = root.dataset.theme === "dark" ? "light" : "dark";
    apply();
  });
  system.addEventListener("change", apply);
  apply();
};

canvas.style.height = `${rowY(rows.length - 1) + BOX + 16}px`;
theme();
head();
figures();
network();
legend();
mouse();
keys();
units();
roofline();
occupancy();
traffic();
critical();
stages();
mix();
compared();
show(0, cycles);
draw();
new ResizeObserver(redraw).observe(canvas);
root.dataset.ready = "true";
