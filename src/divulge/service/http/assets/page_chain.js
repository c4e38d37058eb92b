// Whether an entry of the log follows from the one before it: the hash is made here as the service makes it.

const START = "0".repeat(64);
const MARK = "a number"; // no entry has a field of this name
const TOKENS = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

class Written {
  constructor(text) {
    this.text = text;
  }
}

// JSON whose numbers keep their spelling: 1.0 and 1 are different numbers to a hash.
function exactly(text) {
  const marked = text.replace(TOKENS, (token) => (token.startsWith('"') ? token : `{"${MARK}":"${token}"}`));
  return JSON.parse(marked, (_, value) => (value?.[MARK] ? new Written(spelled(value[MARK])) : value));
}

// A number as Python's repr has it: whole numbers as they stand, others by their shortest digits.
function spelled(token) {
  if (!/[.eE]/.test(token)) return token;
  const [digits, power] = Number(token.replace(/^-/, "")).toExponential().split("e");
  const [figures, exponent] = [digits.replace(".", ""), Number(power)];
  const minus = token.startsWith("-") ? "-" : "";
  if (exponent < -4 || exponent >= 16) {
    return `${minus}${digits}e${exponent < 0 ? "-" : "+"}${String(Math.abs(exponent)).padStart(2, "0")}`;
  }
  if (exponent < 0) return `${minus}0.${"0".repeat(-exponent - 1)}${figures}`;
  const whole = figures.slice(0, exponent + 1).padEnd(exponent + 1, "0");
  return `${minus}${whole}.${figures.slice(exponent + 1) || "0"}`;
}

function quoted(words) {
  return JSON.stringify(words).replace(
    /[\u007f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

function canonical(value) {
  if (value instanceof Written) return value.text;
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (typeof value === "string") return quoted(value);
  if (value === null || typeof value !== "object") return String(value);
  const pairs = Object.keys(value).sort().map((key) => `${quoted(key)}:${canonical(value[key])}`);
  return `{${pairs.join(",")}}`;
}

async function hashed(previous, entry) {
  const said = canonical([previous, entry.chain, entry.index, entry.at, entry.kind, canonical(entry.body)]);
  const found = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(said));
  return Array.from(new Uint8Array(found), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

// The outcome in a word and a sentence, from what the service sent of an entry and the one before it.
async function following(text, index) {
  const entries = new Map(exactly(text).entries.map((entry) => [Number(entry.index.text), entry]));
  const [entry, before] = [entries.get(index), entries.get(index - 1)];
  if (entry === undefined) return ["fail", `Entry ${many(index)} is missing from the log.`];
  if (index > 1 && before === undefined) return ["fail", `Entry ${many(index - 1)} is missing from the log.`];
  if (!globalThis.crypto?.subtle) {
    return ["open", "Not checked: browsers make hashes on pages that come over TLS or from this machine."];
  }
  const made = await hashed(index > 1 ? before.hash : START, entry);
  if (index === 1 && made === entry.hash) return ["pass", "Its hash is that of a first entry."];
  if (made === entry.hash) return ["pass", `Its hash follows from entry ${many(index - 1)}.`];
  return ["fail", "Its hash does not follow: this entry or the one before it is not what it was."];
}
