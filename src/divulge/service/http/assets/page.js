// What the reader does, and a look at the service every few seconds while the page is seen.

const ROWS = 20; // entries of the log at a time
const WRONG = "This key is unknown or no longer valid.";
const OTHER = "This key is neither an auditor's nor a steward's. Only they can see this page.";

let me = null; // whose key it is
let versions = []; // of the policy
let auditor = null; // whether the key opens the log; one that may not is a steward's
let until = null; // the last entry that is listed, null for the newest
let status = null; // of the dataset, when it was last read
let points = [];
let drawn = null; // how many entries the log had when everything was drawn
let width = 0;
let shown = null; // the entry that is open
let turn = 0; // raised whenever an answer under way is no longer wanted
let underWay = 0;
let timer = 0;

// -- coming and going --------------------------------------------------------------------------------

async function enter() {
  const { datasets: names, guarded_tables: tables } = await read("datasets");
  me = await read("me");
  sessionStorage.setItem("key", key);
  at("who").textContent = `${me.person ?? "Nobody"}, ${me.role}`;
  at("door").hidden = true;
  at("tools").hidden = false;
  at("dataset").replaceChildren(...names.map((name) => make("option", {}, name)));
  const before = sessionStorage.getItem("dataset");
  if (names.length === 0) say("trouble", tables.length ? "" : "There is no dataset yet.");
  else await choose(names.includes(before) ? before : names[0]);
  await showTables(tables);
}

// Of tables that are asked queries: how many were answered and refused, and what was spent.
async function showTables(tables) {
  const all = await Promise.all(tables.map((name) => read(`datasets/${encodeURIComponent(name)}/queries`)));
  at("guarded-tables").replaceChildren(...all.map((one) => make("li", {}, tableLine(one))));
  at("guarded").hidden = all.length === 0;
}

async function choose(name) {
  turn += 1;
  [dataset, until, status, drawn] = [name, null, null, null];
  sessionStorage.setItem("dataset", name);
  at("dataset").value = name;
  at("name").textContent = name;
  document.title = `${name}: release service (divulge)`;
  at("parts").hidden = true;
  for (const id of ["held-to", "policy-says"]) say(id, "");
  auditor ??= await mayRead(of("/log?after=0&most=1"));
  await refresh();
  const active = versions.find((one) => one.status === "active");
  if (active) showRules(active);
}

async function mayRead(path) {
  try {
    await ask(path);
    return true;
  } catch (problem) {
    if (problem.status === 403) return false;
    throw problem;
  }
}

// Forget the key and everything that was shown with it.
function leave(words = "") {
  key = null;
  sessionStorage.clear();
  if (words) sessionStorage.setItem("said", words);
  location.reload();
}

function arrive() {
  say("trouble", sessionStorage.getItem("said") ?? "");
  sessionStorage.removeItem("said");
  at("door").hidden = false;
  at("key").focus();
}

// -- reading -----------------------------------------------------------------------------------------

async function refresh() {
  const asked = turn;
  const now = await read(of());
  if (asked !== turn) return;
  if (now.read_only) return showReadOnly(now); // nothing else is told of it
  const changed = drawn !== now.entries;
  const wanted = changed ? ["/queue?most=100", "/series?points=300", "/policies"] : ["/queue?most=100"];
  const [entries, queue, series, policies] = await Promise.all([
    changed ? listing(now.entries) : null,
    ...wanted.map((part) => read(of(part))),
  ]);
  if (asked !== turn) return;
  status = now;
  showParts();
  showVerdict(now);
  showQueue(queue);
  if (!changed) return;
  points = upToNow(series.points, now);
  drawCharts();
  versions = policies.policies;
  showPolicies(versions, auditor ? null : me.person, approve);
  showDecisions(entries, now.entries, auditor ? opening : null);
  drawn = now.entries;
}

function showReadOnly(now) {
  [status, drawn] = [now, null];
  showParts();
  showVerdict(now);
}

function showParts() {
  for (const id of ["parts", "ways"]) at(id).hidden = false;
  at("proposal").hidden = auditor;
}

function drawCharts() {
  showExposure(points);
  showFlow(points);
}

// Entries up to the one that is listed last, the newest first.
async function listing(total) {
  const last = Math.min(until ?? total, total);
  const first = Math.max(0, last - ROWS);
  const { decisions } = await read(of(`/decisions?after=${first}&most=${Math.max(1, last - first)}`));
  return decisions.reverse();
}

async function turnTo(entry) {
  const asked = turn;
  until = entry >= status.entries ? null : entry;
  const listed = await listing(status.entries);
  if (asked === turn) showDecisions(listed, status.entries, auditor ? opening : null);
}

async function open(index) {
  const asked = turn;
  const text = await ask(of(`/log?after=${Math.max(0, index - 2)}&most=${index === 1 ? 1 : 2}`));
  const follows = await following(text, index);
  if (asked !== turn) return;
  shown = index;
  const entry = JSON.parse(text).entries.find((one) => one.index === index);
  showEntry(entry && { ...entry, body: bodyFields(entry) }, index, status.entries);
  sign("follows", ...follows);
  if (!at("entry").open) at("entry").showModal();
  at("entry").scrollTop = 0;
}

const opening = (index) => run(() => open(index));

async function approve(policy) {
  const chosen = at("approval");
  at("approval-title").textContent = `Approve version ${policy.version} of the policy?`;
  const trial = await read(of(`/policies/${policy.version}/dry-run`), {}).catch(({ message }) => message);
  say("approval-says", typeof trial === "string" ? trial : wouldDo(trial));
  chosen.returnValue = "";
  chosen.showModal();
  await new Promise((done) => chosen.addEventListener("close", done, { once: true }));
  if (chosen.returnValue !== "approve") return;
  const path = `/policies/${policy.version}/approval`;
  const words = ({ version, status: now, approvals, approvals_needed: needed }) =>
    now === "active"
      ? `Version ${version} is active now.`
      : `Version ${version} has ${many(approvals.length)} of ${many(needed)} approvals.`;
  await run(() => decide(path, { method: "POST" }, words));
}

async function propose() {
  const given = new FormData(at("proposal"));
  const body = { tests: given.getAll("tests"), degrees: given.get("degrees"), merging: given.get("merging") };
  for (const name of ["alpha", "samples", "seed", "approvals", "open_days"]) body[name] = Number(given.get(name));
  for (const name of ["familywise", "known_counts"]) body[name] = given.get(name) === "true";
  for (const name of ["form", "limits"]) body[name] = given.get(name);
  const asked = { method: "POST", body: JSON.stringify(body) };
  const words = ({ version, dry_run: trial, approvals_needed: needed, expires }) => {
    const who = needed === 1 ? "Another steward" : `${many(needed)} other stewards`;
    return `Version ${version} is proposed. ${who} can approve it until ${expires.slice(0, 10)}. ${wouldDo(trial)}`;
  };
  if (body.tests.length === 0) say("policy-says", "Choose at least one test.");
  else await decide("/policies", asked, words);
}

async function decide(path, options, words) {
  try {
    say("policy-says", words(await read(of(path), options)));
  } catch (problem) {
    if (!problem.status || problem.status === 401) throw problem;
    say("policy-says", problem.message);
  }
  await refresh();
}

// -- when --------------------------------------------------------------------------------------------

const look = () => run(dataset ? refresh : enter);

// Do something that asks the service, say what came in the way, and look again later.
async function run(work) {
  let wait = EVERY;
  underWay += 1;
  at("content").setAttribute("aria-busy", "true");
  try {
    await work();
    if (dataset) say("trouble", "");
  } catch (problem) {
    if (!(problem instanceof Problem)) throw problem;
    if (problem.status === 401) return leave(WRONG);
    if (problem.status === 403) return leave(OTHER);
    wait = problem.wait;
    say("trouble", status ? `${problem.message} The page shows the last known state.` : problem.message);
  } finally {
    underWay -= 1;
    at("content").setAttribute("aria-busy", String(underWay > 0));
  }
  clearTimeout(timer);
  if (!document.hidden) timer = setTimeout(look, 1000 * wait);
}

at("door").addEventListener("submit", (event) => {
  event.preventDefault();
  key = at("key").value.trim();
  if (!/^[\x21-\x7e]+$/.test(key)) return leave(WRONG); // a header can have no other signs
  return look().then(() => at("name").focus());
});
at("leave").addEventListener("click", () => leave());
at("dataset").addEventListener("change", (event) => run(() => choose(event.target.value)));
at("newest").addEventListener("click", () => run(() => turnTo(status.entries)));
at("newer").addEventListener("click", () => run(() => turnTo((until ?? status.entries) + ROWS)));
at("older").addEventListener("click", () => run(() => turnTo((until ?? status.entries) - ROWS)));
at("before").addEventListener("click", () => opening(shown - 1));
at("after").addEventListener("click", () => opening(shown + 1));
at("entry").addEventListener("close", () => {
  document.querySelector(`[data-name="entry-${shown}"]`)?.focus();
});
at("proposal").addEventListener("submit", (event) => {
  event.preventDefault();
  run(propose);
});
for (const part of document.querySelectorAll("details")) {
  part.addEventListener("toggle", () => folded.has(part.id) && unfold(part.id, folded.get(part.id)));
}
document.addEventListener("visibilitychange", () => key && !document.hidden && look());
new ResizeObserver(([{ contentRect }]) => {
  if (contentRect.width !== width && drawn !== null) drawCharts();
  width = contentRect.width;
}).observe(at("content"));

if (key) look();
else arrive();
