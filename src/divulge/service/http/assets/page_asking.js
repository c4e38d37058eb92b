// Asking the service, with a key that stays in this tab.

const EVERY = 4; // seconds

let key = sessionStorage.getItem("key");
let dataset = null;

// What came in the way of an answer, and in how many seconds to ask again.
class Problem extends Error {
  constructor(message, status = 0, wait = EVERY) {
    super(message);
    Object.assign(this, { status, wait });
  }
}

async function ask(path, options = {}) {
  const headers = { Authorization: `Bearer ${key}` };
  if (options.body) headers["Content-Type"] = "application/json";
  let answer, text;
  try {
    answer = await fetch(path, { cache: "no-store", credentials: "omit", ...options, headers });
    text = await answer.text();
  } catch {
    throw new Problem("The service does not answer.");
  }
  if (answer.ok) return text;
  const wait = Number(answer.headers.get("Retry-After")) || EVERY;
  throw new Problem(parsed(text).message, answer.status, wait);
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    throw new Problem("The answer did not come from the service.");
  }
}

const read = async (path, options) => parsed(await ask(path, options));
const of = (part = "") => `datasets/${encodeURIComponent(dataset)}${part}`;
