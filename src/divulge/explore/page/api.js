// Questions to the process that holds the table. The key to it is in the address, after "#", which no server sees.
import { byId } from "./dom.js";

const STORED = "divulge-token";
const SILENT = "The process behind this page does not answer. Start divulge explore again, and open the address that it prints.";
const given = location.hash.slice(1);
if (/^[\w-]{20,}$/.test(given)) {
  sessionStorage.setItem(STORED, given);
  history.replaceState(null, "", location.pathname);
}
const token = sessionStorage.getItem(STORED) ?? "";
const tab = crypto.randomUUID();
let turn = 0;

/** @param {string} path @param {object} [said] @param {AbortSignal} [signal] @returns {Promise<Response>} */
function post(path, said = {}, signal) {
  return fetch(`/api/${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-divulge-token": token },
    body: JSON.stringify(said),
    signal,
    keepalive: path === "leave",
  });
}

/**
 * Say what went wrong, or nothing.
 * @param {string} text
 */
export function say(text) {
  const place = byId("message");
  place.textContent = text;
  place.hidden = text === "";
}

/**
 * Ask, and say what was refused.
 * @param {string} path @param {object} [said] @param {AbortSignal} [signal]
 * @param {boolean} [alone] whether it is what the person did, so that an earlier message is over
 * @returns {Promise<any>} the answer; null where it was refused or is no longer wanted
 */
export async function ask(path, said = {}, signal, alone = true) {
  try {
    const answer = await post(path, said, signal);
    const told = await answer.json();
    if (answer.status === 409) return null;
    if (alone || !answer.ok) say(answer.ok ? "" : told.message);
    return answer.ok ? told : null;
  } catch (error) {
    if (/** @type {Error} */ (error).name !== "AbortError") {
      say(SILENT);
    }
    return null;
  }
}

/**
 * Ask beside what the person does: a message that is shown stays.
 * @param {string} path
 * @returns {Promise<any>}
 */
export function askBeside(path) {
  return ask(path, {}, undefined, false);
}

/** @type {AbortController|null} */
let under_way = null;

/**
 * Change choices; of several quick changes only the last is shown.
 * @param {object} patch @returns {Promise<any>}
 */
export function change(patch) {
  under_way?.abort();
  under_way = new AbortController();
  turn += 1;
  return ask("change", { patch, turn, tab }, under_way.signal);
}

/**
 * A file for the user.
 * @param {Blob} content
 * @param {string} name
 */
export function save(content, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

/**
 * A file that the process makes.
 * @param {string} path
 * @param {string} name
 */
export async function download(path, name) {
  try {
    const answer = await post(path);
    if (answer.ok) save(await answer.blob(), name);
    say(answer.ok ? "" : (await answer.json()).message);
  } catch {
    say(SILENT);
  }
}

setInterval(() => void post("alive").catch(() => {}), 15000);
addEventListener("pagehide", () => void post("leave"));
