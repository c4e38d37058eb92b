// Verifies an exported log of a release service with nothing but Node.js (18 or later) and the holder's public key.
//
//   node verify_log.mjs EXPORT.jsonl [--public-key public.pem] [--checkpoints FILE] [--proof ANSWER.json]
//
// It makes the hash of every entry again, the tree over them, and checks every signature and hand-over of the key; an
// answer's proof is checked by itself and against the log. Exit code: 0 whole, 1 not, 2 cannot be read.
// How entries are hashed: docs/release-service.md, "How it is hashed".

import { createHash, createPublicKey, verify } from "node:crypto";
import { readFileSync } from "node:fs";

const [START, HASH] = ["0".repeat(64), /^[0-9a-f]{64}$/];

class Fault extends Error {}

// -- JSON by RFC 8785: numbers and texts as JavaScript writes them, names in the order of UTF-16 units ----------

function canonical(value) {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  const pairs = Object.keys(value).sort().map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`);
  return `{${pairs.join(",")}}`;
}

const sha256 = (...parts) => parts.reduce((hash, part) => hash.update(part), createHash("sha256")).digest();

// JSON that others wrote: no name stands twice in an object, and places and counts have no point or exponent.
function parsed(text) {
  const [value, open, path] = [JSON.parse(text), [], []];
  for (const [token, name, colon, number] of text.matchAll(/[{}]|("(?:[^"\\]+|\\.)*")(\s*:\s*)?(-?\d[\d.eE+-]*)?/g)) {
    if (token === "{") open.push(new Set());
    else if (token === "}") path.length = open.pop() && open.length;
    if (!colon) continue;
    path[open.length - 1] = JSON.parse(name);
    if (open.at(-1).size === open.at(-1).add(path.at(-1)).size) throw new Error("A name occurs twice in an object.");
    if (/[.eE]/.test(number ?? "") && /^((answers\.)?index|(checkpoint\.)?(count|epoch))$/.test(path.join("."))) throw new Error("A whole number is not spelled as one.");
  }
  return value;
}

// -- the tree of RFC 6962 ----------------------------------------------------------------------------------------

const leafHash = (entryHash) => sha256(Buffer.from([0]), Buffer.from(entryHash, "hex"));
const nodeHash = (left, right) => sha256(Buffer.from([1]), left, right);

class Tree {
  peaks = []; // hashes of complete subtrees, the largest first
  size = 0;
  add(entryHash) {
    let found = leafHash(entryHash);
    for (let place = this.size; place % 2 === 1; place = (place - 1) / 2) found = nodeHash(this.peaks.pop(), found);
    this.peaks.push(found);
    this.size += 1;
  }
  root() {
    return this.peaks.length ? this.peaks.reduceRight((found, left) => nodeHash(left, found)).toString("hex") : sha256().toString("hex");
  }
}

function isIncluded(entryHash, place, size, path, root) {
  let [here, last, found] = [place, size - 1, leafHash(entryHash)];
  if (!(Number.isInteger(place) && place >= 0 && place < size)) return false;
  for (const one of path) {
    const other = Buffer.from(one, "hex");
    if (last === 0) return false;
    if (here % 2 === 1 || here === last) {
      found = nodeHash(other, found);
      while (here && here % 2 === 0) [here, last] = [here / 2, Math.floor(last / 2)];
    } else found = nodeHash(found, other);
    [here, last] = [Math.floor(here / 2), Math.floor(last / 2)];
  }
  return last === 0 && found.toString("hex") === root;
}

// -- what is signed ----------------------------------------------------------------------------------------------

const isRight = (said, key, signature) => verify(null, Buffer.from(canonical(said)), key, Buffer.from(signature, "hex"));
const asKey = (hex) => createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x: Buffer.from(hex, "hex").toString("base64url") }, format: "jwk" });
const asHex = (key) => Buffer.from(key.export({ format: "jwk" }).x, "base64url").toString("hex");
const isLater = (one, other) => one.epoch > other.epoch || (one.epoch === other.epoch && one.count > other.count);

// Which key signs from which state of a chain to which: hand-overs lead from key to key, in their order.
function tenures(trusted, given, chain) {
  const own = given.filter((one) => one.chain === chain || !given.some(({ old, chain: its }) => old === one.old && its === chain));
  const handOvers = [...new Map(own.map((one) => [one.signature, one])).values()];
  for (const { countersignature, ...once } of handOvers) {
    const { signature, ...said } = once;
    if (!isRight(said, asKey(said.old), signature) || !isRight(once, asKey(said.new), countersignature)) throw new Fault("A hand-over of the key was not signed by the old and the new key.");
  }
  const keys = handOvers.length ? [handOvers[0].old, ...handOvers.map((one) => one.new)] : [asHex(trusted)];
  if (!keys.includes(asHex(trusted)) || handOvers.some(({ old }, place) => old !== keys[place])) throw new Fault("The key was not handed over from the one that is trusted.");
  const ends = handOvers.map((one) => (one.chain === chain ? one : { epoch: -1, count: 0 })); // begun later: never signed
  if (ends.some((one, place) => place && isLater(ends[place - 1], one))) throw new Fault("The hand-overs of the key are out of order.");
  const first = (place) => ends.slice(0, place).findLast(({ epoch }) => epoch >= 0) ?? { epoch: 0, count: 0 };
  return keys.map((hex, place) => ({ key: asKey(hex), first: first(place), last: ends[place] }));
}

const isSigned = ({ signature, ...said }, holder) => holder.some(({ key, first, last }) =>
  !isLater(first, said) && !(last && isLater(said, last)) && isRight(said, key, signature));

// -- an export: a line for each entry, then checkpoints, then the key --------------------------------------------

function lines(path) {
  const text = readFileSync(path, "utf-8");
  if (!text.endsWith("\n")) throw new Fault("The last line is cut off.");
  return text.slice(0, -1).split("\n").map((line, place) => {
    const value = JSON.parse(line);
    const [name, ...more] = Object.keys(value);
    if (more.length || !["entry", "checkpoint", "hand_over", "public_key"].includes(name) || canonical(value) !== line) throw new Fault(`Line ${place + 1} is of no known kind, or not in its one spelling.`);
    return [name, value[name]];
  });
}

function documents(path) {
  const text = readFileSync(path, "utf-8");
  try {
    return [parsed(text)];
  } catch {
    return text.split("\n").filter((line) => line.trim()).map(parsed);
  }
}

const fieldsOf = (body) => (typeof body === "string" ? JSON.parse(body) : body); // as text where it was spelled otherwise once

// The hash of every entry and the root after it; entries say what came before them.
function follow(entries) {
  const [hashes, roots, tree] = [[START], [sha256().toString("hex")], new Tree()];
  for (const { chain, index, at, kind, body, hash } of entries) {
    const expected = hashes.length;
    if (index !== expected || chain !== entries[0].chain) throw new Fault(`Entry ${expected} is missing or out of place.`);
    const text = typeof body === "string" ? body : canonical(body);
    const made = sha256(canonical([hashes[index - 1], chain, index, at, kind, text])).toString("hex");
    if (made !== hash) throw new Fault(`Entry ${index} does not follow from the entries before it.`);
    tree.add(hash);
    hashes.push(hash);
    roots.push(tree.root());
  }
  return { hashes, roots };
}

// The losses that the holder accepted; they set those checkpoints free that were signed of what is lost.
const losses = (entries) => entries.filter(({ kind }) => kind === "reconciled").map(({ index, body }) => ({ ...fieldsOf(body), index }));

function binding(checkpoints, entries) {
  const believed = losses(entries).filter((loss) => checkpoints.some((one) => one.epoch >= loss.epoch && one.count >= loss.index));
  return checkpoints.filter((one) => !believed.some((loss) => one.epoch < loss.epoch && one.count > loss.from));
}

function check({ log, publicKey, checkpoints: elsewhere, proof }) {
  const given = lines(log);
  const of = (wanted) => given.filter(([name]) => name === wanted).map(([, value]) => value);
  const entries = of("entry");
  if (!entries.length) throw new Fault("The export has no entries.");
  const { hashes, roots } = follow(entries);
  const [own, ...more] = of("public_key");
  if (!own || more.length) throw new Fault("The export does not have one public key.");
  const { chain } = entries[0];
  const [answer, others] = [proof && parsed(readFileSync(proof, "utf-8")), elsewhere ? documents(elsewhere) : []];
  const logged = entries.slice(losses(entries).at(-1)?.index ?? 0).filter(({ kind }) => kind === "key handed over").flatMap(({ body }) => body.hand_overs).filter((one) => one.chain === chain);
  const shown = [...others, answer ?? {}].flatMap((one) => one.hand_overs ?? one.hand_over ?? []);
  const key = tenures(createPublicKey(publicKey ? readFileSync(publicKey) : own), [...of("hand_over"), ...logged, ...shown], chain);
  const kept = others.map((one) => one.checkpoint ?? one).filter((one) => one.chain === chain && one.signature && !one.countersignature);
  if (elsewhere && !kept.length) throw new Error(`The file ${elsewhere} has no checkpoints of this log.`);
  const signed = [...of("checkpoint"), ...kept];
  const unsigned = signed.find((one) => one.chain !== chain || !isSigned(one, key));
  if (unsigned) throw new Fault(`A checkpoint after entry ${unsigned.count} was not signed by the holder.`);
  const bound = binding(signed, entries);
  for (const { count, head, root } of bound) {
    if (count > entries.length) throw new Fault(`Entry ${entries.length + 1} is missing: a checkpoint was signed after entry ${count}.`);
    if (hashes[count] !== head) throw new Fault(`Entries were rewritten: the log is not as signed at entry ${count}.`);
    if (root !== undefined && roots[count] !== root) throw new Fault(`A checkpoint was signed for another tree than that of ${count} entries.`);
  }
  const last = Math.max(0, ...bound.map(({ count }) => count));
  if (last < entries.length) throw new Fault(`Entry ${last + 1} and later entries have no checkpoint.`);
  const proved = answer ? checkProof(answer, key, entries, hashes, roots) : 0;
  return { chain, entries: entries.length, checkpoints: bound.length, proved, unproved: (answer?.answers?.length ?? proved) - proved, root: roots.at(-1), own: !publicKey };
}

// An answer, or a batch of them: the entry is in the tree that was signed, that tree is the log's, and the entry says
// what the answer says of its decision and ticket. Nothing here proves the record in an answer.
function checkProof(answer, key, entries, hashes, roots) {
  const { checkpoint } = answer;
  const isError = (one) => "error" in one && Object.keys(one).every((name) => name === "error" || name === "message");
  const answers = "answers" in answer ? answer.answers.filter((one) => !isError(one)) : [answer];
  if (!answers.length) throw new Error("The file of --proof has no answers.");
  if (!isSigned(checkpoint, key)) throw new Fault("The answer's checkpoint was not signed by the holder.");
  if (checkpoint.count >= hashes.length) throw new Fault(`Entry ${hashes.length} is missing: the answer's checkpoint was signed after entry ${checkpoint.count}.`);
  if (roots[checkpoint.count] !== checkpoint.root) throw new Fault("The answer is of another log.");
  for (const { index, hash, proof, decision, ticket } of answers) {
    const whole = [hash, checkpoint.root, ...proof].every((one) => typeof one === "string" && HASH.test(one));
    if (!whole || !Number.isInteger(index) || !isIncluded(hash, index - 1, checkpoint.count, proof, checkpoint.root)) throw new Fault(`The answer's entry ${index} is not in the log that was signed.`);
    if (hashes[index] !== hash) throw new Fault(`Entry ${index} of the log is not the answer's.`);
    const { kind, body } = entries[index - 1];
    const told = fieldsOf(body);
    const outcome = { left: "released", withdrawn: "withdrawn" }[kind] ?? told.verdict;
    const own = told.tickets?.length ? told.tickets.includes(ticket) : (ticket ?? null) === null;
    if ((decision ?? null) !== (outcome ?? null) || !own) throw new Fault(`The answer is not what entry ${index} says.`);
  }
  return answers.length;
}

function asked([log, ...options]) {
  const names = new Map([["--public-key", "publicKey"], ["--checkpoints", "checkpoints"], ["--proof", "proof"]]);
  const found = { log };
  for (let place = 0; place < options.length; place += 2) {
    const [name, value] = [names.get(options[place]), options[place + 1]];
    if (!name || !value || found[name]) throw new Error(`Not understood: ${options[place]}. Give each of ${[...names.keys()].join(", ")} once at most, with a file.`);
    found[name] = value;
  }
  return found;
}

try {
  console.log(JSON.stringify(check(asked(process.argv.slice(2)))));
} catch (error) {
  console.log(JSON.stringify({ fault: error.message }));
  process.exitCode = error instanceof Fault ? 1 : 2;
}
