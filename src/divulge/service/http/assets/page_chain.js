// Whether an entry of the log follows from the one before it: the hash is made here as the service makes it.

const START = "0".repeat(64);

// JSON by RFC 8785, which has numbers and texts as JavaScript does.
function canonical(value) {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  const pairs = Object.keys(value).sort().map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`);
  return `{${pairs.join(",")}}`;
}

// An entry that was written before bodies were spelled like this comes with its body as text.
const bodyText = ({ body }) => (typeof body === "string" ? body : canonical(body));
const bodyFields = ({ body }) => (typeof body === "string" ? JSON.parse(body) : body);

async function hashed(previous, entry) {
  const said = canonical([previous, entry.chain, entry.index, entry.at, entry.kind, bodyText(entry)]);
  const found = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(said));
  return Array.from(new Uint8Array(found), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

// The outcome in a word and a sentence, from what the service sent of an entry and the one before it.
async function following(text, index) {
  const entries = new Map(JSON.parse(text).entries.map((entry) => [entry.index, entry]));
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
