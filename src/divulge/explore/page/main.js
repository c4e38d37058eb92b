// The page as a whole: what is told is shown, section by section.
import { ask, download } from "./api.js";
import { byId, make, quantity, show } from "./dom.js";
import { showFigures } from "./figures.js";
import { showAttacker, showPopulation } from "./attacker.js";
import { showComparison } from "./before_after.js";
import { showData } from "./opening.js";
import { showRoles } from "./roles.js";
import { moveSliders, showLevels } from "./levels.js";
import { showSteps } from "./steps.js";
import { showMap } from "./map.js";
import { showRecords } from "./records.js";
import { showFiles, showTray } from "./releases.js";

/** @type {ExplorerEntry|null} */
let last = null;
let before = { scene: "", data: "" };

/** @param {ExplorerEntry|null} told what the process says of now; null where it refused, and all is as it was */
function shown(told) {
  if (!told) {
    if (last) {
      before.scene = "";
      shown(last);
    }
    return;
  }
  last = told;
  byId("name").textContent = told.name;
  byId("about").textContent = `${quantity(told.records, "record")}, ${quantity(told.attributes.length, "attribute")}`;
  /** @type {HTMLButtonElement} */ (byId("undo")).disabled = !told.undo;
  /** @type {HTMLButtonElement} */ (byId("redo")).disabled = !told.redo;
  showFigures(told);
  byId("announced").textContent = told.figures?.sentence ?? ""; // for who does not see the figures change
  showFiles(told);
  const focused = document.activeElement;
  const active = focused?.getAttribute("name");
  const { levels: _, known: __, ...rest } = told.choices;
  const scene = JSON.stringify([rest, told.unlocked]);
  const moving = active?.startsWith("level-") && scene === before.scene;
  showRecords(told); // those of another release are not of this one
  showComparison(told, shown);
  if (moving) {
    moveSliders(told);
  } else {
    showRoles(told, shown);
    showAttacker(told, shown);
    showLevels(told, shown);
    void showSteps(told, shown);
  }
  showTray(told, shown);
  if (!moving) {
    const again = active ? `[name="${CSS.escape(active)}"]` : focused?.id ? `#${CSS.escape(focused.id)}` : null;
    if (again) /** @type {HTMLElement|null} */ (document.querySelector(again))?.focus();
  }
  showPopulation(told);
  const data = JSON.stringify([told.unlocked, told.reading, told.choices.types]);
  if (before.data !== data) void showData(told, shown);
  if (told.figures) showMap(told, shown);
  else show("map", "");
  before = { scene, data };
  document.documentElement.dataset.turn = String(Number(document.documentElement.dataset.turn ?? 0) + 1);
}

byId("undo").addEventListener("click", async () => shown(await ask("undo")));
byId("redo").addEventListener("click", async () => shown(await ask("redo")));
byId("save").addEventListener("click", () => void download("session", "session.divulge"));
byId("export").addEventListener("click", async (event) => {
  const button = /** @type {HTMLButtonElement} */ (event.currentTarget);
  button.disabled = true;
  button.textContent = "Exporting …"; // the comparison in it takes its time
  await download("archive", "release.zip");
  button.disabled = false;
  button.textContent = "Export release";
  button.focus();
});
addEventListener("focus", async () => shown(await ask("now"))); // another tab may have changed something
addEventListener("pageshow", async (event) => {
  if (event.persisted) shown(await ask("now")); // the browser went back to a page that it had kept
});
addEventListener("load", async () => {
  const told = await ask("now");
  if (told) shown(told);
  else show("data", make("p", {}, "Nothing to show."));
});
