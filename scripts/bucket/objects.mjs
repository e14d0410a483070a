// What stands below the prefix of a database whose home is a bucket, and whether all of it belongs
// there, by docs/format/bucket.md.
import { readdirSync } from 'node:fs';
import path from 'node:path';

import aws4 from 'aws4';

/** One signed request. Returns the bytes of the answer; throws unless it is a success. */
export async function askStore({ url, keys }, { method, target, body }) {
  const { host } = new URL(url);
  const headers = body === undefined ? {} : { 'content-type': 'application/xml' };
  const service = { host, service: 's3', region: 'us-east-1' };
  const signed = aws4.sign({ ...service, method, path: target, body, headers }, keys);
  const answer = await fetch(url + target, { method, headers: signed.headers, body });
  const bytes = Buffer.from(await answer.arrayBuffer());
  if (!answer.ok) throw new Error(`${method} ${target}: ${answer.status} ${bytes}`);
  return bytes;
}

/** The keys of a bucket that begin with `prefix`, without it. */
async function listed(store, prefix) {
  const found = [];
  for (;;) {
    const after = found.length === 0 ? '' : prefix + found.at(-1);
    const query = new URLSearchParams({
      ...{ 'list-type': '2', 'max-keys': '1000', prefix },
      ...(after === '' ? {} : { 'start-after': after }),
    });
    const target = `/${store.bucket}/?${query}`;
    const text = (await askStore(store, { method: 'GET', target })).toString();
    const keys = [...text.matchAll(/<Key>([^<]*)<\/Key>/g)].map(([, key]) => key);
    found.push(...keys.map((key) => key.slice(prefix.length)));
    if (keys.length === 0 || !text.includes('<IsTruncated>true<')) return found;
  }
}

class Bytes {
  #bytes;
  #at = 0;

  constructor(bytes, at) {
    this.#bytes = bytes;
    this.#at = at;
  }

  take(size) {
    this.#at += size;
    return this.#bytes.subarray(this.#at - size, this.#at);
  }

  number() {
    return Number(this.take(8).readBigUInt64LE());
  }

  varint() {
    for (let value = 0, scale = 1; ; scale *= 128) {
      const [byte] = this.take(1);
      value += (byte & 127) * scale;
      if (byte < 128) return value;
    }
  }

  text() {
    return this.take(this.varint()).toString();
  }
}

/** What of an entry says which objects are needed. */
function entryOf(bytes) {
  const head = new Bytes(bytes, 24);
  const [number, epoch] = [head.number(), head.number()];
  const rest = new Bytes(bytes, 24 + 24 + 16 + 32 + 8 + 8 + 8 + 8 + 32);
  const floor = { epoch: rest.number(), number: rest.number() };
  rest.number();
  rest.take(1);
  rest.varint();
  rest.text();
  rest.text();
  const ended = [];
  const endedCount = rest.varint();
  for (let at = 0; at < endedCount; at += 1) {
    ended.push({ epoch: epoch - endedCount + at, seal: rest.varint() });
    rest.varint();
    rest.varint();
  }
  const parts = [];
  for (let left = rest.varint(); left > 0; left -= 1) {
    rest.varint();
    parts.push(rest.take(32).toString('hex'));
  }
  return { number, epoch, floor, ended, parts };
}

/** Groups by epoch that the newest entry does not need, and seals that are missing. */
function problemsOfLog(entry, groups) {
  const problems = [];
  for (const [epoch, numbers] of groups) {
    const seal = entry.ended.find((one) => one.epoch === epoch)?.seal;
    const first = epoch === entry.floor.epoch ? entry.floor.number : 1;
    const isBelow = epoch < entry.floor.epoch;
    const last = numbers.at(-1);
    if (isBelow && numbers.length > 1) problems.push(`epoch ${epoch} has ${numbers.join()}`);
    if (seal !== undefined && last !== seal) problems.push(`epoch ${epoch} ends with ${last}`);
    if (isBelow) continue;
    if (numbers[0] < first) problems.push(`${epoch}/${numbers[0]} is below the floor`);
    if (last - numbers[0] + 1 !== numbers.length) problems.push(`epoch ${epoch} has a gap`);
  }
  for (const { epoch } of entry.ended) {
    if (!groups.has(epoch)) problems.push(`epoch ${epoch} has no seal`);
  }
  return problems;
}

const hashOf = (key) => key.split('/').slice(1).join('');

function compared(what, { there, needed }) {
  const extra = there.filter((one) => !needed.includes(one));
  const missing = needed.filter((one) => !there.includes(one));
  return [
    ...extra.map((one) => `${what} ${one} is named by nothing`),
    ...missing.map((one) => `${what} ${one} is missing`),
  ];
}

function segmentsIn(directory) {
  const objects = path.join(directory, 'objects');
  const folders = readdirSync(objects).filter((name) => /^[0-9a-f]{2}$/.test(name));
  return folders.flatMap((name) => readdirSync(path.join(objects, name)).map((one) => name + one));
}

/**
 * Compares what stands below the prefix with the newest entry and with the directory of the server
 * that wrote it. Objects of probes that were killed are counted, not complained about.
 */
export async function examineObjects(store, directory) {
  const keys = await listed(store, `${store.prefix}/`);
  const below = (folder) => keys.filter((key) => key.startsWith(folder));
  const spine = below('spine-').sort();
  const target = `/${store.bucket}/${store.prefix}/${spine.at(-1)}`;
  const entry = entryOf(await askStore(store, { method: 'GET', target }));
  const groups = new Map();
  for (const key of below('log-').sort()) {
    const [, epoch, number] = key.split('/').map(Number);
    groups.set(epoch, [...(groups.get(epoch) ?? []), number]);
  }
  const known = ['ROOT', ...['spine-', 'log-', 'objects/', 'parts/', 'nodes/']];
  const problems = [
    ...keys.filter((key) => !known.some((one) => key.startsWith(one))),
    ...(spine.length === entry.number ? [] : [`${spine.length} entries, not ${entry.number}`]),
    ...problemsOfLog(entry, groups),
    ...compared('part', { there: below('parts/').map(hashOf), needed: entry.parts }),
    ...compared('segment', {
      there: below('objects/').map(hashOf),
      needed: segmentsIn(directory),
    }),
  ];
  return { problems, objects: keys.length, probes: below('nodes/').length, entry };
}
