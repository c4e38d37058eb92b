// Every transformation as a point: risk against loss.
import { byId, make, many, percent, quantity, show } from "./dom.js";
import { askBeside, change } from "./api.js";

const HOVER = "Point at a release to see its levels. The shaded part is where releases meet the policy.";
const RISK = "average chance to be named, of records left";
const KINDS = ["does not meet the policy", "not decided by the map", "meets the policy", "front", "this release"];
const NARROW = 640; // pixels, below which the legend has a line for each kind
let asked = 0;
/** @type {(() => void)|null} */
let again = null; // draws the points that are shown
let narrow = false;
addEventListener("resize", () => {
  const plot = document.getElementById("plot");
  if (plot && again && plot.clientWidth < NARROW !== narrow) again();
});

/**
 * @param {ExplorerEntry} told
 * @param {(told: ExplorerEntry|null) => void} shown
 */
export function showMap(told, shown) {
  asked += 1;
  if (!document.getElementById("plot")) show("map", make("p", { class: "soft small", id: "map-state" }, ""), make("div", { id: "plot" }), make("p", { class: "small", id: "hovered" }, HOVER), make("div", { id: "undecided" }), make("div", { id: "front" }));
  const mine = asked;
  setTimeout(() => void follow(mine, shown), 300); // a hand on a slider does not wait for the map
}

/** @param {number} mine @param {(told: any) => void} shown */
async function follow(mine, shown) {
  if (mine !== asked) return;
  const found = await askBeside("transformations");
  if (!found || mine !== asked) return;
  byId("map-state").textContent = found.too_large
    ? `There are ${many(found.transformations)} transformations, too many to draw. Find the least loss searches them by bounds.`
    : `${many(found.done)} of ${many(found.transformations)} transformations evaluated. Each point is a release: click takes it.`;
  byId("undecided").replaceChildren(...undecided(found.undecided));
  listFront(found.points, shown);
  await draw(found, shown);
  if (!found.too_large && found.done < found.transformations) setTimeout(() => void follow(mine, shown), 400);
}

/**
 * What no point says: demands of the policy that only the release itself decides.
 * @param {string[]} demands
 */
function undecided(demands) {
  if (demands.length === 0) return [];
  return [make("p", { class: "small" }, "The map does not decide these demands of the policy. The exported summary has the checks of the release itself:"),
    make("ul", { class: "small" }, ...demands.map((one) => make("li", {}, one)))];
}

/**
 * The front as a list, for who does not point at things.
 * @param {any[]} points @param {(told: any) => void} shown
 */
function listFront(points, shown) {
  const front = points.filter((one) => one.front || one.possible).sort((one, other) => one.loss - other.loss);
  const open = front.filter((one) => !one.front).length;
  byId("front").replaceChildren(make("details", { open: byId("front").querySelector("details")?.open },
    make("summary", {}, `The front: ${quantity(front.length, "release")}${open ? `, ${many(open)} not decided by the map` : ""}`),
    make("ul", { class: "small" }, ...front.slice(0, 60).map((one) => make("li", {}, `loss ${one.loss.toFixed(4)}, ${RISK}: ${percent(one.risk)}${one.front ? "" : `, ${KINDS[1]}`} `,
      make("button", { type: "button", onclick: async () => shown(await change({ levels: one.levels })) }, "Take"))))));
}

/** @param {any} point */
function kindOf(point) {
  return point.front ? KINDS[3] : point.meets ? KINDS[2] : point.meets === null ? KINDS[1] : KINDS[0];
}

/** @param {any} found @param {(told: any) => void} shown */
async function draw(found, shown) {
  const embed = /** @type {any} */ (window).vegaEmbed;
  if (!embed || found.points.length === 0) return;
  const here = JSON.stringify(found.here);
  const values = found.points.map((/** @type {any} */ point) => ({
    ...point,
    state: kindOf(point),
    kind: JSON.stringify(point.levels) === here ? KINDS[4] : kindOf(point),
    size: JSON.stringify(point.levels) === here ? 130 : point.front || point.possible ? 70 : point.meets === false ? 18 : 26,
    words: Object.entries(point.levels).map(([name, level]) => `${name} ${level}`).join(", "),
  }));
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  const ink = dark ? "#aab4c3" : "#545f70";
  const colours = dark ? ["#5b6880", "#d9b45b", "#6ea3dd", "#74d3a0", "#ff9d94"] : ["#a9b3c1", "#a87400", "#4f8fd6", "#1c7a4a", "#b3261e"];
  const region = found.region.map((/** @type {number[]} */ [from, to, low, high]) => ({ from, to, low, high }));
  again = () => void draw(found, shown);
  narrow = byId("plot").clientWidth < NARROW;
  const drawn = await embed("#plot", {
    width: "container", height: 320, background: "transparent",
    layer: [...(region.length ? [{
      data: { values: region },
      mark: { type: "rect", color: colours[2], opacity: 0.15, tooltip: null },
      encoding: { x: { field: "from", type: "quantitative" }, x2: { field: "to" }, y: { field: "low", type: "quantitative" }, y2: { field: "high" } },
    }] : []), {
      data: { values },
      mark: { type: "point", filled: true, opacity: 0.85, cursor: "pointer" },
      encoding: {
        x: { field: "loss", type: "quantitative", title: "loss" },
        y: { field: "risk", type: "quantitative", title: RISK, axis: { format: "%" } },
        color: { field: "kind", type: "nominal", title: null, scale: { domain: KINDS, range: colours }, legend: { orient: "bottom", columns: narrow ? 1 : 0 } },
        size: { field: "size", type: "quantitative", scale: null, legend: null },
        order: { field: "size", type: "quantitative" },
      },
    }],
    config: { axis: { labelColor: ink, titleColor: ink, gridOpacity: 0.25 }, legend: { labelColor: ink }, view: { stroke: null } },
  }, { ast: true, actions: false, renderer: "svg", defaultStyle: false, tooltip: false });
  drawn.view.addEventListener("mouseover", (/** @type {any} */ _, /** @type {any} */ item) => {
    const one = item?.datum;
    if (one?.levels) byId("hovered").textContent = `${one.words}: loss ${one.loss.toFixed(4)}, ${RISK}: ${percent(one.risk)}, ${one.state}.`;
  });
  drawn.view.addEventListener("click", async (/** @type {any} */ _, /** @type {any} */ item) => {
    if (item?.datum?.levels) {
      const told = await change({ levels: item.datum.levels });
      if (told) shown(told);
    }
  });
}
