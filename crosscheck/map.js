"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const { points, sources, question } = data;
  const canvas = document.getElementById("map");
  const card = document.getElementById("card");
  const pen = canvas.getContext("2d");
  const hits = points.filter((point) => point.hit).sort((a, b) => a.hit - b.hit);
  const off = new Set(); // numbers of the sources that are not shown
  const view = { x: 0, y: 0, size: 1, fit: 1, touched: false }; // the unit square on the screen, in CSS pixels
  const colours = {};
  let kept = null; // the point whose card stays open
  let over = null; // the point under the mouse
  let waiting = false;

  const shown = (point) => !off.has(point.source);
  const at = (thing) => [view.x + thing.x * view.size, view.y + (1 - thing.y) * view.size];
  const radius = () => Math.min(9, Math.max(1.8, Math.min(3.2, view.fit / 200)) * Math.sqrt(Math.max(1, view.size / view.fit)));

  // Corners of each shape around (0, 0); a circle has none.
  const SHAPES = {
    circle: null,
    square: [[-0.9, -0.9], [0.9, -0.9], [0.9, 0.9], [-0.9, 0.9]],
    triangle: [[0, -1.2], [1.1, 0.85], [-1.1, 0.85]],
    wedge: [[0, 1.2], [-1.1, -0.85], [1.1, -0.85]],
    diamond: [[0, -1.3], [1.15, 0], [0, 1.3], [-1.15, 0]],
    hexagon: [[-0.6, -1.05], [0.6, -1.05], [1.2, 0], [0.6, 1.05], [-0.6, 1.05], [-1.2, 0]],
    plus: [[-0.4, -1.2], [0.4, -1.2], [0.4, -0.4], [1.2, -0.4], [1.2, 0.4], [0.4, 0.4],
      [0.4, 1.2], [-0.4, 1.2], [-0.4, 0.4], [-1.2, 0.4], [-1.2, -0.4], [-0.4, -0.4]],
    cross: [[-0.6, -1.15], [0, -0.55], [0.6, -1.15], [1.15, -0.6], [0.55, 0], [1.15, 0.6],
      [0.6, 1.15], [0, 0.55], [-0.6, 1.15], [-1.15, 0.6], [-0.55, 0], [-1.15, -0.6]],
  };
  const STAR = Array.from({ length: 10 }, (_, i) => {
    const far = i % 2 ? 0.5 : 1.25;
    return [far * Math.sin(i * Math.PI / 5), -far * Math.cos(i * Math.PI / 5)];
  });

  function trace(onto, corners, x, y, r) {
    onto.beginPath();
    if (!corners) onto.arc(x, y, r, 0, 2 * Math.PI);
    else corners.forEach(([dx, dy], i) => (i ? onto.lineTo(x + dx * r, y + dy * r) : onto.moveTo(x + dx * r, y + dy * r)));
    onto.closePath();
  }

  function mark(onto, source, x, y, r) {
    trace(onto, SHAPES[sources[source].shape], x, y, r);
    onto.fillStyle = sources[source].colour;
    onto.fill();
    onto.stroke();
  }

  function draw() {
    waiting = false;
    const ratio = window.devicePixelRatio || 1;
    const { clientWidth: width, clientHeight: height } = canvas;
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, width, height);
    const r = radius();
    pen.lineWidth = 0.6;
    pen.strokeStyle = colours.edge;
    pen.globalAlpha = question ? 0.6 : 0.85;
    for (const point of points) {
      const [x, y] = at(point);
      if (shown(point) && !point.hit && x > -r && y > -r && x < width + r && y < height + r) mark(pen, point.source, x, y, r);
    }
    pen.globalAlpha = 1;
    drawHits(r);
    for (const point of [kept, over]) if (point && shown(point)) ring(point, r);
  }

  function drawHits(r) {
    const there = hits.filter(shown);
    pen.strokeStyle = colours.soft;
    pen.lineWidth = 1.2;
    for (const hit of question ? there : []) line(at(question), at(hit));
    pen.strokeStyle = colours.ink;
    for (const hit of there) mark(pen, hit.source, ...at(hit), r + 1.5);
    if (question) {
      trace(pen, STAR, ...at(question), 10);
      pen.fillStyle = colours.ink;
      pen.strokeStyle = colours.page;
      pen.lineWidth = 2;
      pen.stroke();
      pen.fill();
    }
    const taken = question ? [at(question)] : [];
    for (const hit of there) number(hit, taken);
  }

  // A hit's number stands beside it, where it covers no other number.
  function number(hit, taken) {
    const [x, y] = at(hit);
    let free = null;
    for (let away = 18; !free; away += 10) {
      for (let turn = 0; turn < 12 && !free; turn++) {
        const there = [x + away * Math.sin(turn * Math.PI / 6), y - away * Math.cos(turn * Math.PI / 6)];
        if (away > 90 || taken.every(([a, b]) => Math.hypot(a - there[0], b - there[1]) > 20)) free = there;
      }
    }
    taken.push(free);
    pen.strokeStyle = colours.ink;
    pen.lineWidth = 1;
    line([x, y], free);
    trace(pen, null, ...free, 9);
    pen.fillStyle = colours.ink;
    pen.fill();
    pen.fillStyle = colours.page;
    pen.font = "600 11px system-ui, sans-serif";
    pen.textAlign = "center";
    pen.textBaseline = "middle";
    pen.fillText(String(hit.hit), free[0], free[1] + 0.5);
  }

  function line(from, to) {
    pen.beginPath();
    pen.moveTo(...from);
    pen.lineTo(...to);
    pen.stroke();
  }

  function ring(point, r) {
    trace(pen, null, ...at(point), r + 5);
    pen.strokeStyle = colours.ink;
    pen.lineWidth = 2;
    pen.stroke();
  }

  function redraw() {
    if (!waiting) requestAnimationFrame(draw);
    waiting = true;
    beside();
  }

  // The card: what a point is. Everything in it comes from outside and is set as text.

  function element(name, text) {
    const made = document.createElement(name);
    made.textContent = text;
    made.dir = "auto";
    return made;
  }

  function tell() {
    const point = kept || over;
    card.hidden = !point;
    card.classList.toggle("kept", point !== null && point === kept);
    if (point) {
      const told = [
        element("strong", point.title),
        element("span", `${point.kind} in ${sources[point.source].name}${point.hit ? `, hit ${point.hit}` : ""}`),
        element("span", point.place),
      ];
      if (point === kept && point.url) {
        const link = element("a", "Open");
        link.href = point.url;
        link.target = "_blank";
        link.rel = "noopener noreferrer";
        told.push(link);
      }
      card.replaceChildren(...told);
    }
    redraw();
  }

  function beside() {
    const point = kept || over;
    if (!point) return;
    const [x, y] = at(point);
    const most = [canvas.clientWidth - card.offsetWidth - 6, canvas.clientHeight - card.offsetHeight - 6];
    const below = y + 16 <= most[1] ? y + 16 : y - card.offsetHeight - 16;
    card.style.left = `${Math.max(6, Math.min(most[0], x + 14))}px`;
    card.style.top = `${Math.max(6, Math.min(most[1], below))}px`;
  }

  function keep(point) {
    kept = point;
    tell();
  }

  function nearest(x, y, reach) {
    let best = null;
    let least = reach * reach;
    for (const point of points) {
      if (!shown(point)) continue;
      const [a, b] = at(point);
      const distance = (a - x) ** 2 + (b - y) ** 2 - (point.hit ? 25 : 0); // a hit is drawn above its neighbours
      if (distance < least) [best, least] = [point, distance];
    }
    return best;
  }

  // Moving and zooming.

  function fit() {
    const { clientWidth: width, clientHeight: height } = canvas;
    const ratio = window.devicePixelRatio || 1;
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
    const before = view.fit;
    view.fit = Math.max(50, Math.min(width, height) - 56);
    if (view.touched) {
      view.size *= view.fit / before;
    } else {
      view.size = view.fit;
      view.x = (width - view.size) / 2;
      view.y = (height - view.size) / 2;
    }
    redraw();
  }

  function zoom(factor, x, y) {
    const size = Math.max(view.fit * 0.5, Math.min(view.fit * 60, view.size * factor));
    view.x = x - (x - view.x) * size / view.size;
    view.y = y - (y - view.y) * size / view.size;
    view.size = size;
    view.touched = true;
    redraw();
  }

  function zoomFromMiddle(factor) {
    if (factor) return zoom(factor, canvas.clientWidth / 2, canvas.clientHeight / 2);
    view.touched = false;
    return fit();
  }

  function move(dx, dy) {
    view.x += dx;
    view.y += dy;
    view.touched = true;
    redraw();
  }

  const fingers = new Map(); // pointers that are down, where they were last
  let travelled = 0;

  function spot(event) {
    const box = canvas.getBoundingClientRect();
    return [event.clientX - box.left - canvas.clientLeft, event.clientY - box.top - canvas.clientTop];
  }

  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    if (!fingers.size) travelled = 0;
    fingers.set(event.pointerId, spot(event));
  });

  canvas.addEventListener("pointermove", (event) => {
    const now = spot(event);
    const last = fingers.get(event.pointerId);
    if (!last) {
      const under = nearest(...now, radius() + 6);
      canvas.classList.toggle("over", under !== null);
      if (under !== over) {
        over = under;
        tell();
      }
      return;
    }
    const [dx, dy] = [now[0] - last[0], now[1] - last[1]];
    travelled += Math.hypot(dx, dy);
    const other = [...fingers].find(([id]) => id !== event.pointerId);
    fingers.set(event.pointerId, now);
    if (other) {
      const [a, b] = other[1];
      move(dx / 2, dy / 2);
      zoom(Math.hypot(now[0] - a, now[1] - b) / Math.max(1, Math.hypot(last[0] - a, last[1] - b)), (now[0] + a) / 2, (now[1] + b) / 2);
    } else if (travelled > 4) {
      canvas.classList.add("moving");
      move(dx, dy);
    }
  });

  canvas.addEventListener("pointerup", (event) => {
    if (fingers.size === 1 && travelled <= 4) keep(nearest(...spot(event), event.pointerType === "touch" ? 22 : radius() + 6));
  });

  for (const ended of ["pointerup", "pointercancel"]) {
    canvas.addEventListener(ended, (event) => {
      fingers.delete(event.pointerId);
      canvas.classList.remove("moving");
    });
  }

  canvas.addEventListener("pointerleave", () => {
    over = null;
    tell();
  });

  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    zoom(Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : 0.0018)), ...spot(event));
  }, { passive: false });

  const KEYS = {
    ArrowLeft: () => move(60, 0), ArrowRight: () => move(-60, 0),
    ArrowUp: () => move(0, 60), ArrowDown: () => move(0, -60),
    "+": () => zoomFromMiddle(1.3), "=": () => zoomFromMiddle(1.3), "-": () => zoomFromMiddle(1 / 1.3),
    0: () => zoomFromMiddle(0), Escape: () => keep(null),
  };

  canvas.addEventListener("keydown", (event) => {
    if (!(event.key in KEYS) || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    KEYS[event.key]();
  });

  for (const button of document.querySelectorAll("[data-zoom]")) {
    button.addEventListener("click", () => zoomFromMiddle(Number(button.dataset.zoom)));
  }

  // The lists beside the map.

  function row(list, parts, pressed) {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...parts);
    button.addEventListener("click", () => pressed(button));
    const item = document.createElement("li");
    item.append(button);
    list.append(item);
    return button;
  }

  function sign(source) {
    const ratio = window.devicePixelRatio || 1;
    const small = document.createElement("canvas");
    small.width = small.height = Math.round(20 * ratio);
    const onto = small.getContext("2d");
    onto.scale(ratio, ratio);
    onto.strokeStyle = "rgb(0 0 0 / .45)";
    mark(onto, source, 10, 10, 6);
    return small;
  }

  const rows = hits.map((hit) => {
    const words = document.createElement("span");
    words.append(element("span", hit.title), element("small", `${hit.kind} in ${sources[hit.source].name}`));
    return row(document.getElementById("hits"), [element("b", hit.hit), words], () => {
      const [x, y] = at(hit);
      move(canvas.clientWidth / 2 - x, canvas.clientHeight / 2 - y);
      keep(hit);
    });
  });
  document.getElementById("found").hidden = !hits.length;

  sources.forEach((source, number) => {
    const { drawn, total } = source;
    const count = drawn === total ? total.toLocaleString("en") : `${drawn.toLocaleString("en")} of ${total.toLocaleString("en")}`;
    const button = row(document.getElementById("legend"), [sign(number), element("span", source.name), element("small", count)], () => {
      if (!off.delete(number)) off.add(number);
      button.setAttribute("aria-pressed", String(!off.has(number)));
      rows.forEach((hitRow, i) => {
        hitRow.disabled = !shown(hits[i]);
        hitRow.classList.toggle("off", hitRow.disabled);
      });
      if (kept && !shown(kept)) kept = null;
      over = null;
      tell();
    });
    button.setAttribute("aria-pressed", "true");
  });

  function paint() {
    const style = getComputedStyle(document.documentElement);
    for (const name of ["ink", "soft", "page"]) colours[name] = style.getPropertyValue(`--${name}`).trim();
    colours.edge = matchMedia("(prefers-color-scheme: dark)").matches ? "rgb(0 0 0 / .6)" : "rgb(0 0 0 / .35)";
    redraw();
  }

  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", paint);
  new ResizeObserver(fit).observe(canvas);
  paint();
  fit();
})();
