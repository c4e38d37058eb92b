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
const sha256 = (...parts) => parts.reduce((hash, part) => hash.update(part), createHash("sha256")).digest();

class Fault extends Error {}
const must = (right, sentence) => { if (!right) throw new Fault(sentence); };

// -- JSON by RFC 8785: numbers and texts as JavaScript writes them, names in the order of UTF-16 units ----------

function canonical(value) {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  return `{${Object.keys(value).sort().map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`).join(",")}}`;
}

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

const rootOf = (peaks) => (peaks.length ? peaks.reduceRight((found, left) => nodeHash(left, found)) : sha256()).toString("hex");

// One more leaf, on complete subtrees of which the largest is first.
function grow(peaks, size, entryHash) {
  let found = leafHash(entryHash);
  for (let place = size; place % 2 === 1; place = (place - 1) / 2) found = nodeHash(peaks.pop(), found);
  peaks.push(found);
}

// The root to which a path leads from a leaf: its last hash is that of the other part of the whole tree.
function climbed(leaf, place, size, path) {
  if (size === 1 || !path.length) return size === 1 && !path.length ? leaf : null;
  const half = 2 ** Math.floor(Math.log2(size - 1)); // leaves of the first part
  const [left, other, rest] = [place < half, Buffer.from(path.at(-1), "hex"), path.slice(0, -1)];
  const own = left ? climbed(leaf, place, half, rest) : climbed(leaf, place - half, size - half, rest);
  return own && (left ? nodeHash(own, other) : nodeHash(other, own));
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
    const both = isRight(said, asKey(said.old), signature) && isRight(once, asKey(said.new), countersignature);
    must(both, "A hand-over of the key was not signed by the old and the new key.");
  }
  const keys = handOvers.length ? [handOvers[0].old, ...handOvers.map((one) => one.new)] : [asHex(trusted)];
  must(keys.includes(asHex(trusted)) && handOvers.every(({ old }, place) => old === keys[place]), "The key was not handed over from the one that is trusted.");
  const ends = handOvers.map((one) => (one.chain === chain ? one : { epoch: -1, count: 0 })); // begun later: never signed
  must(!ends.some((one, place) => place && isLater(ends[place - 1], one)), "The hand-overs of the key are out of order.");
  const first = (place) => ends.slice(0, place).findLast(({ epoch }) => epoch >= 0) ?? { epoch: 0, count: 0 };
  return keys.map((hex, place) => ({ key: asKey(hex), first: first(place), last: ends[place] }));
}

const isSigned = ({ signature, ...said }, holder) => holder.some(({ key, first, last }) =>
  !isLater(first, said) && !(last && isLater(said, last)) && isRight(said, key, signature));

// -- an export: a line for each entry, then checkpoints, then the key --------------------------------------------

const read = (path) => readFileSync(path, "utf-8");

function lines(path) {
  const text = read(path);
  must(text.endsWith("\n"), "The last line is cut off.");
  return text.slice(0, -1).split("\n").map((line, place) => {
    const value = JSON.parse(line);
    const [name, ...more] = Object.keys(value);
    const known = !more.length && ["entry", "checkpoint", "hand_over", "public_key"].includes(name);
    must(known && canonical(value) === line, `Line ${place + 1} is of no known kind, or not in its one spelling.`);
    return [name, value[name]];
  });
}

function documents(path) {
  try {
    return [parsed(read(path))];
  } catch {
    return read(path).split("\n").filter((line) => line.trim()).map(parsed);
  }
}

const fieldsOf = (body) => (typeof body === "string" ? JSON.parse(body) : body); // as text where it was spelled otherwise once

// The hash of every entry and the root after it; entries say what came before them.
function follow(entries) {
  const [hashes, peaks] = [[START], []];
  const roots = [rootOf(peaks)];
  for (const { chain, index, at, kind, body, hash, ...more } of entries) {
    const [expected, text] = [hashes.length, typeof body === "string" ? body : canonical(body)];
    must(Object.keys(more).join() === "seal", `Entry ${expected} has not the fields of an entry.`); // no hash covers others
    must(index === expected && chain === entries[0].chain, `Entry ${expected} is missing or out of place.`);
    const made = sha256(canonical([hashes[index - 1], chain, index, at, kind, text])).toString("hex");
    must(made === hash, `Entry ${index} does not follow from the entries before it.`);
    grow(peaks, index - 1, hash);
    roots[hashes.push(hash) - 1] = rootOf(peaks);
  }
  return { hashes, roots };
}

function check({ log, "--public-key": publicKey, "--checkpoints": elsewhere, "--proof": proof }) {
  const given = lines(log);
  const of = (wanted) => given.filter(([name]) => name === wanted).map(([, value]) => value);
  const entries = of("entry");
  must(entries.length, "The export has no entries.");
  const [{ chain }, { hashes, roots }, [own, ...more]] = [entries[0], follow(entries), of("public_key")];
  must(own && !more.length, "The export does not have one public key.");
  const losses = entries.filter(({ kind }) => kind === "reconciled").map(({ index, body }) => ({ ...fieldsOf(body), index }));
  const [answer, others] = [proof && parsed(read(proof)), elsewhere ? documents(elsewhere) : []];
  const logged = entries.slice(losses.at(-1)?.index ?? 0).filter(({ kind }) => kind === "key handed over").flatMap(({ body }) => body.hand_overs).filter((one) => one.chain === chain);
  const shown = [...others, answer ?? {}].flatMap((one) => ("hand_overs" in one ? one.hand_overs : one.hand_over ?? []));
  const key = tenures(createPublicKey(publicKey ? readFileSync(publicKey) : own), [...of("hand_over"), ...logged, ...shown], chain);
  const kept = others.map((one) => one.checkpoint ?? one).filter((one) => one.chain === chain && one.signature && !one.countersignature);
  if (elsewhere && !kept.length) throw new Error(`The file ${elsewhere} has no checkpoints of this log.`);
  const signed = [...of("checkpoint"), ...kept];
  for (const one of signed) must(one.chain === chain && isSigned(one, key), `A checkpoint after entry ${one.count} was not signed by the holder.`);
  // A loss that the holder accepted, and has signed since, sets those checkpoints free that are of what is lost.
  const believed = losses.filter((loss) => signed.some((one) => one.epoch >= loss.epoch && one.count >= loss.index));
  const bound = signed.filter((one) => !believed.some((loss) => one.epoch < loss.epoch && one.count > loss.from));
  for (const { count, head, root } of bound) {
    must(count <= entries.length, `Entry ${entries.length + 1} is missing: a checkpoint was signed after entry ${count}.`);
    must(hashes[count] === head, `Entries were rewritten: the log is not as signed at entry ${count}.`);
    must(root === undefined || roots[count] === root, `A checkpoint was signed for another tree than that of ${count} entries.`);
  }
  const last = Math.max(0, ...bound.map(({ count }) => count));
  must(last >= entries.length, `Entry ${last + 1} and later entries have no checkpoint.`);
  const proved = answer ? checkProof(answer, key, entries, hashes, roots) : 0;
  return { chain, entries: entries.length, checkpoints: bound.length, proved, unproved: (answer?.answers?.length ?? proved) - proved, root: roots.at(-1), own: !publicKey };
}

// An answer, or a batch of them: the entry is in the tree that was signed, that tree is the log's, and the entry says
// what the answer says of its decision and ticket. Nothing here proves the record in an answer.
function checkProof(answer, key, entries, hashes, roots) {
  const { checkpoint, checkpoint: { count, root } } = answer;
  const isError = (one) => "error" in one && Object.keys(one).every((name) => name === "error" || name === "message");
  const answers = "answers" in answer ? answer.answers.filter((one) => !isError(one)) : [answer];
  if (!answers.length) throw new Error("The file of --proof has no answers.");
  must(isSigned(checkpoint, key), "The answer's checkpoint was not signed by the holder.");
  must(count < hashes.length, `Entry ${hashes.length} is missing: the answer's checkpoint was signed after entry ${count}.`);
  must(roots[count] === root, "The answer is of another log.");
  for (const { index, hash, proof, decision, ticket } of answers) {
    const whole = [hash, root, ...proof].every((one) => typeof one === "string" && HASH.test(one)) && Number.isInteger(index) && index > 0 && index <= count;
    must(whole && climbed(leafHash(hash), index - 1, count, proof)?.toString("hex") === root, `The answer's entry ${index} is not in the log that was signed.`);
    must(hashes[index] === hash, `Entry ${index} of the log is not the answer's.`);
    const [{ kind }, told] = [entries[index - 1], fieldsOf(entries[index - 1].body)];
    const outcome = { left: "released", withdrawn: "withdrawn" }[kind] ?? told.verdict;
    const own = told.tickets?.length ? told.tickets.includes(ticket) : (ticket ?? null) === null;
    must((decision ?? null) === (outcome ?? null) && own, `The answer is not what entry ${index} says.`);
  }
  return answers.length;
}

function asked([log, ...options]) {
  const [names, found] = [["--public-key", "--checkpoints", "--proof"], { log }];
  for (let place = 0; place < options.length; place += 2) {
    const [name, value] = options.slice(place, place + 2);
    if (!names.includes(name) || !value || found[name]) throw new Error(`Not understood: ${name}. Give each of ${names.join(", ")} once at most, with a file.`);
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
