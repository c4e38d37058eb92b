// Charts over time: lines that end in their last value, with a limit where there is one.

const ABOVE = 1.15; // of a chart with a limit, so that the limit can be named
const ROOM = { left: 48, right: 64, top: 12, bottom: 42 };

function shape(name, attributes, ...inside) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...inside.map(visible));
  return made;
}

// Round numbers from 0 up to the most, so many at most.
function ticks(most, wanted, whole) {
  const rough = most / wanted;
  const power = 10 ** Math.floor(Math.log10(rough));
  const fits = (step) => step >= rough && (!whole || Number.isInteger(step));
  const step = [1, 2, 2.5, 5, 10].map((one) => one * power).find(fits) ?? 1;
  return Array.from({ length: Math.floor(most / step + 1e-9) + 1 }, (_, place) => place * step);
}

// The path through points; one without a value breaks it. Counts go in steps.
function path(points, steps) {
  let broken = true;
  let words = "";
  for (const [x, y] of points) {
    if (y === null) {
      broken = true;
      continue;
    }
    words += broken ? `M${x} ${y}` : steps ? `H${x}V${y}` : `L${x} ${y}`;
    broken = false;
  }
  return words;
}

const clock = (time, from, to) => new Date(time).toISOString().slice(from, to).replace("T", " ");

// An axis of points: where each is between 0 and 1, and what stands below. It is time, unless all are one moment.
function axisOf(points) {
  const times = points.map((one) => Date.parse(one.at));
  const [first, last] = [times[0], Math.max(...times)];
  const span = last - first;
  if (span < 1000) {
    const place = (_, index) => index / Math.max(1, points.length - 1);
    return { places: points.map(place), words: [], title: `${many(points.length)} decisions, in order` };
  }
  const [from, to] = span < 600000 ? [11, 19] : span < 86400000 ? [11, 16] : [5, 16];
  const every = [0, 0.5, 1].map((part) => [part, clock(first + part * span, from, to)]);
  const words = every.filter(([part, said]) => part !== 0.5 || (said !== every[0][1] && said !== every[2][1]));
  const day = from === 11 ? `, from ${clock(first, 0, 10)}` : "";
  return { places: times.map((time) => Math.max(0, time - first) / span), words, title: `time (UTC${day})` };
}

// A chart of values at the places of an axis. `most` is the top of the scale, `limit` a line that may be reached.
function chart({ name, title, says, axis, values, most, format, width, height, limit = null, steps = false }) {
  const [wide, tall] = [width - ROOM.left - ROOM.right, height - ROOM.top - ROOM.bottom];
  const across = (part) => Number((ROOM.left + wide * part).toFixed(1));
  const up = (value) => Number((ROOM.top + tall * (1 - value / most)).toFixed(1));
  const label = (x, y, words, attributes) => shape("text", { x, y, ...attributes }, words);
  const parts = [];
  const level = (kind, value) =>
    shape("line", { class: kind, x1: ROOM.left, x2: width - ROOM.right, y1: up(value), y2: up(value) });
  for (const tick of ticks(limit === null ? most : most / ABOVE, 4, steps)) {
    parts.push(level("grid", tick));
    parts.push(label(ROOM.left - 8, up(tick) + 4, format(tick), { "text-anchor": "end" }));
  }
  for (const [part, words] of axis.words.filter(([part]) => wide > 250 || part !== 0.5)) {
    parts.push(label(across(part), height - 24, words, { "text-anchor": "middle" }));
  }
  const below = { class: "axis", "text-anchor": "middle" };
  parts.push(label(ROOM.left + wide / 2, height - 5, axis.title, below));
  const drawn = values.map((value, place) => [across(axis.places[place]), value === null ? null : up(value)]);
  if (steps) {
    const area = `${path(drawn, true)}V${up(0)}H${drawn[0][0]}Z`;
    parts.push(shape("path", { class: "area", d: area }));
  }
  parts.push(shape("path", { class: "curve", d: path(drawn, steps) }));
  if (limit !== null) {
    parts.push(level("limit", limit), label(ROOM.left + 4, up(limit) - 6, "limit", {}));
  }
  const [end, value] = [axis.places.at(-1), values.at(-1)];
  if (value !== null) {
    const over = limit !== null && value >= limit ? " over" : "";
    parts.push(shape("circle", { class: `end${over}`, cx: across(end), cy: up(value), r: 3.5 }));
    parts.push(label(across(end) + 9, up(value) + 4, format(value), { class: `now${over}` }));
  }
  return shape(
    "svg",
    { width, height, role: "img", "aria-labelledby": `${name}-title ${name}-says` },
    shape("title", { id: `${name}-title` }, title),
    shape("desc", { id: `${name}-says` }, says),
    ...parts,
  );
}

// Figures side by side, each chart as wide as there is room for once all of them stand there.
function figures(inside, asked) {
  const boxes = asked.map(() => make("div", { class: "chart" }));
  inside.replaceChildren(
    ...asked.map((one, place) => make("figure", {}, make("h3", {}, one.title), boxes[place])),
  );
  const widths = boxes.map((box) => Math.max(240, box.clientWidth));
  asked.forEach((one, place) => boxes[place].append(chart({ ...one, width: widths[place] })));
}
