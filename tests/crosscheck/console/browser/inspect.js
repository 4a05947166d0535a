// What a page shows, as data for the tests to judge. Returns {texts, headings, inputs, drawings, ids, wider, tables}.
const shown = (element) => element.checkVisibility({ visibilityProperty: true, opacityProperty: true });
const short = (text) => text.trim().replace(/\s+/g, " ").slice(0, 60);

// The backgrounds that lie under an element, the undermost first.
function grounds(element) {
  const found = [];
  for (let at = element; at; at = at.parentElement) found.unshift(getComputedStyle(at).backgroundColor);
  return found;
}

// In a drawing text lies on shapes: on the one right before it, and else on the rectangles that cover its middle.
function drawnGrounds(element) {
  const svg = element.ownerSVGElement;
  const box = element.getBoundingClientRect();
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  const under = [...svg.querySelectorAll("rect, circle")].filter((shape) => {
    const at = shape.getBoundingClientRect();
    const before = shape.compareDocumentPosition(element) & Node.DOCUMENT_POSITION_FOLLOWING;
    return before && at.left <= x && x <= at.right && at.top <= y && y <= at.bottom;
  });
  return [...grounds(svg), ...under.map((shape) => getComputedStyle(shape).fill)].filter((colour) => colour !== "none");
}

const texts = [];
const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
while (walker.nextNode()) {
  const element = walker.currentNode.parentElement;
  const words = short(walker.currentNode.data);
  if (!words || ["SCRIPT", "STYLE", "title", "desc"].includes(element.tagName) || !shown(element)) continue;
  const style = getComputedStyle(element);
  const drawn = element instanceof SVGElement;
  texts.push({
    words,
    colour: drawn ? style.fill : style.color,
    grounds: drawn ? drawnGrounds(element) : grounds(element),
    pixels: parseFloat(style.fontSize),
    weight: parseInt(style.fontWeight, 10),
  });
}

const headings = [...document.querySelectorAll("h1, h2, h3, h4, h5, h6")].filter(shown)
  .map((heading) => ({ level: Number(heading.tagName[1]), words: short(heading.textContent) }));

const inputs = [...document.querySelectorAll("input:not([type=hidden]), select, textarea, button")].map((input) => ({
  name: input.name || short(input.textContent),
  label: short([...(input.labels || [])].map((label) => label.textContent).join(" ")
    || input.getAttribute("aria-label") || (input.tagName === "BUTTON" ? input.textContent : "")),
  width: input.offsetWidth,
  height: input.offsetHeight,
}));

const drawings = [...document.querySelectorAll("svg")].map((svg) => ({
  hidden: svg.getAttribute("aria-hidden") === "true",
  role: svg.getAttribute("role"),
  named: (svg.getAttribute("aria-labelledby") || "").split(" ").map((id) => short(document.getElementById(id)?.textContent || "")).join(""),
}));

const tables = [...document.querySelectorAll("table")].map((table) => ({
  caption: short(table.caption?.textContent || ""),
  unscoped: table.querySelectorAll("th:not([scope])").length,
}));

const ids = [...document.querySelectorAll("[id]")].map((element) => element.id);
const wider = document.documentElement.scrollWidth - document.documentElement.clientWidth;
const styled = document.querySelectorAll("[style], style, script:not([src]):not([type='application/json'])").length;

return { texts, headings, inputs, drawings, tables, ids, wider, styled, title: document.title, lang: document.documentElement.lang };
