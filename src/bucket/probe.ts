/**
 * Finds out whether an object store keeps the one promise that a database on it stands on: a PUT
 * with `If-None-Match: *` succeeds for one writer of a key, over all its gateways. A wrong success
 * fails the probe; silence is asked again. See docs/bucket.md.
 */

import { createHash, randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import { thrownMessage } from '../common/errors/thrown-message.js';

import { listQuery, parseListPage } from './list-page.js';
import { elementTexts, isDone, isTaken, type StoreAnswer } from './store-answer.js';

import type { TestFinding, NamedFinding } from '../common/model/finding.js';
import type { StoreClient, StoreRequest } from './store-client.js';

export interface ProbedStore {
  /** One for each address of the store's host, at least one. */
  readonly clients: readonly StoreClient[];
  /** The prefix of the database's keys; see BucketPlace. */
  readonly prefix: string;
}

const kCreates = 20;
const kTries = 5;
const kPauseMs = 50;
/** Answers without a body that take this long wait for delayed acknowledgements of TCP. */
const kDelayedMs = [35, 60] as const;
const kBytes = 4096;

interface ProbeFinding extends NamedFinding {
  /** A request of the test was never answered: the store may be fit. */
  readonly isUnheard?: boolean;
}

/** What a test of the store works with: keys of its own, which are removed afterwards. */
class Probing {
  readonly #clients: readonly StoreClient[];
  readonly #signal: AbortSignal;
  readonly #keys = new Set<string>();
  /** A request of the current test was not answered. */
  isUnheard = false;
  readonly folder = `nodes/probe-${randomBytes(8).toString('hex')}/`;
  readonly prefix: string;

  constructor({ clients, prefix }: ProbedStore, signal: AbortSignal) {
    this.#clients = clients;
    this.#signal = signal;
    this.prefix = prefix;
  }

  key(name: string): string {
    const key = this.folder + name;
    this.#keys.add(key);
    return key;
  }

  /** One request by the client of that number. */
  once(request: StoreRequest, at = 0): Promise<StoreAnswer> {
    const client = this.#clients[at % this.#clients.length];
    if (client === undefined) throw new Error('a probe needs a client');
    return client.ask(request, { signal: this.#signal });
  }

  /** The same until it is answered; only for requests that may be carried out twice. */
  async ask(request: StoreRequest): Promise<StoreAnswer> {
    for (let tries = 1; ; tries += 1) {
      const answer = await this.once(request, tries);
      if (!isPassing(answer)) return answer;
      if (tries === kTries) {
        this.isUnheard = true;
        return answer;
      }
      await sleep(kPauseMs * 2 ** tries, undefined, { signal: this.#signal });
    }
  }

  async clean(): Promise<void> {
    await Promise.all([...this.#keys].map((key) => this.ask({ method: 'DELETE', key })));
  }
}

/** The next try may be answered otherwise. */
const isPassing = ({ status }: StoreAnswer): boolean =>
  status === 0 || status === 429 || (status >= 500 && status !== 501);

const failed = (text: string): TestFinding => ({ verdict: 'failed', text });
const ok = (text: string): TestFinding => ({ verdict: 'ok', text });

const createOnly = { 'If-None-Match': '*' } as const;

async function testAccess(probing: Probing): Promise<TestFinding> {
  const times: number[] = [];
  for (let at = 0; at < kTries; at += 1) {
    const answer = await probing.ask({ method: 'GET', key: probing.key('nothing') });
    const refused = accessRefused(answer);
    if (refused !== null) return failed(refused);
    times.push(answer.ms);
  }
  const ms = times.sort((one, other) => one - other)[Math.floor(times.length / 2)] ?? 0;
  const text = `answers in ${ms.toFixed(1)} ms (p50)`;
  const [from, to] = kDelayedMs;
  const isDelayed = ms >= from && ms <= to;
  const warning = 'as one that waits for delayed acknowledgements; Ceph needs tcp_nodelay=1';
  const figures = { get_p50_ms: Number(ms.toFixed(3)) };
  return isDelayed
    ? { verdict: 'warning', text: `${text}, ${warning}`, figures }
    : { verdict: 'ok', text, figures };
}

/** Null if the store lets us look for a key. */
function accessRefused({ status, code, reason, headers }: StoreAnswer): string | null {
  if (status === 404 && code !== 'NoSuchBucket') return null;
  if (status === 0) return `the store does not answer: ${reason}`;
  if (code === 'NoSuchBucket') return 'there is no such bucket';
  const region = headers['x-amz-bucket-region'];
  if (region !== undefined && (status === 301 || status === 400)) {
    return `the bucket is in the region ${region}`;
  }
  // Without the right to list, Amazon answers 403 for a key that is not there.
  if (status === 403) return `the keys may not read and list the bucket: ${reason}`;
  return `a GET of a key that is not there: ${reason === '' ? String(status) : reason}`;
}

async function testCreate(probing: Probing): Promise<TestFinding> {
  for (let tries = 1; ; tries += 1) {
    const finding = await raceOnce(probing, tries);
    if (finding !== null) return finding;
    if (tries === kTries) {
      probing.isUnheard = true;
      return failed('no create was answered');
    }
  }
}

/** Null if too little was heard to say. */
async function raceOnce(probing: Probing, round: number): Promise<TestFinding | null> {
  const key = probing.key(`create-${String(round)}`);
  const bodies = Array.from({ length: kCreates }, () => randomBytes(64));
  const answers = await Promise.all(
    bodies.map((body, at) => probing.once({ method: 'PUT', key, headers: createOnly, body }, at)),
  );
  const winners = answers.flatMap((answer, at) => (isDone(answer) ? [at] : []));
  if (winners.length > 1) {
    return failed(
      `${String(winners.length)} of ${String(kCreates)} writers created the same key: the store ` +
        'ignores If-None-Match: * (Ceph does in a bucket with versioning on)',
    );
  }
  const foreign = answers.find((one) => !isDone(one) && !isTaken(one) && !isPassing(one));
  if (foreign !== undefined) return failed(`the store refuses a create: ${foreign.reason}`);
  const stored = await probing.ask({ method: 'GET', key });
  if (!isDone(stored)) return winners.length === 0 ? null : failed('what was created is gone');
  const at = bodies.findIndex((body) => body.equals(stored.body));
  const writer = answers[at];
  if (writer === undefined) return failed('what was created has other bytes');
  if (isTaken(writer)) return failed('a create that was refused is stored');
  if (winners.length === 1 && !isDone(writer)) return failed('two creates of one key were stored');
  return ok(`one of ${String(kCreates)} writers created a key, the others were refused`);
}

async function testTaken(probing: Probing): Promise<TestFinding> {
  const key = probing.key('taken');
  const [first, second] = [randomBytes(kBytes), randomBytes(kBytes)];
  const made = await probing.ask({ method: 'PUT', key, body: first });
  if (!isDone(made)) return failed(`a PUT: ${made.reason}`);
  const again = await probing.ask({ method: 'PUT', key, headers: createOnly, body: second });
  if (isDone(again)) return failed('a create replaced what was there');
  if (!isTaken(again)) return failed(`a create of a key that is there: ${again.reason}`);
  const read = await probing.ask({ method: 'GET', key });
  if (!read.body.equals(first)) return failed('a GET does not return what was PUT');
  return ok('a key that is there is not created again, and reads as it was written');
}

async function testHash(probing: Probing): Promise<TestFinding> {
  const key = probing.key('hash');
  const claimed = createHash('sha256').update('other bytes').digest('hex');
  const headers = { 'X-Amz-Content-Sha256': claimed };
  const body = randomBytes(kBytes);
  const answer = await probing.ask({ method: 'PUT', key, headers, body });
  if (isDone(answer)) return failed('the store took bytes that do not match their SHA-256');
  if (answer.status < 400 || answer.status >= 500) return failed(`a PUT: ${answer.reason}`);
  return ok('bytes that do not match their SHA-256 are refused');
}

async function testRange(probing: Probing): Promise<TestFinding> {
  const key = probing.key('range');
  const body = randomBytes(kBytes);
  const made = await probing.ask({ method: 'PUT', key, body });
  if (!isDone(made)) return failed(`a PUT: ${made.reason}`);
  const headers = { Range: 'bytes=100-1123' };
  const part = await probing.ask({ method: 'GET', key, headers });
  if (part.status !== 206) return failed(`a GET of a part is answered with ${String(part.status)}`);
  if (!part.body.equals(body.subarray(100, 1124))) return failed('a GET of a part: other bytes');
  return ok('parts of an object are read');
}

async function testList(probing: Probing): Promise<TestFinding> {
  const names = ['list/a', 'list/b', 'list0'];
  for (const name of names) {
    const body = Buffer.from(name);
    const made = await probing.ask({ method: 'PUT', key: probing.key(name), body });
    if (!isDone(made)) return failed(`a PUT: ${made.reason}`);
  }
  const whole = `${probing.prefix}${probing.folder}`;
  const answer = await probing.ask({
    method: 'GET',
    query: listQuery({ prefix: `${whole}list/` }),
  });
  if (!isDone(answer)) return failed(`a listing: ${answer.reason}`);
  const { keys } = parseListPage(answer.body.toString('utf8'));
  const wanted = ['list/a', 'list/b'].map((name) => whole + name);
  if (keys.join() !== wanted.join()) return failed(`a listing has ${keys.join(', ') || 'nothing'}`);
  return ok('keys are listed by their prefix');
}

async function testDelete(probing: Probing): Promise<TestFinding> {
  const key = probing.key('delete');
  await probing.ask({ method: 'PUT', key, body: randomBytes(16) });
  const gone = await probing.ask({ method: 'DELETE', key });
  if (!isDone(gone)) return failed(`a DELETE: ${gone.reason}`);
  const read = await probing.ask({ method: 'GET', key });
  return read.status === 404 ? ok('what is deleted is gone') : failed('what is deleted is there');
}

async function testVersioning(probing: Probing): Promise<TestFinding> {
  const answer = await probing.ask({ method: 'GET', query: { versioning: '' } });
  if (!isDone(answer)) return ok(`not told (${answer.reason})`);
  const [status = ''] = elementTexts(answer.body.toString('utf8'), 'Status');
  if (status !== 'Enabled') return ok('off');
  const text = 'on: each object that is deleted stays, and is paid for; switch it off';
  return { verdict: 'warning', text };
}

async function testLifecycle(probing: Probing): Promise<TestFinding> {
  const answer = await probing.ask({ method: 'GET', query: { lifecycle: '' } });
  if (answer.status === 404) return ok('no rule');
  if (!isDone(answer)) return ok(`not told (${answer.reason})`);
  const rules = answer.body.toString('utf8').split('<Rule>').slice(1);
  const ours = rules.filter((rule) => isOurs(rule, probing.prefix));
  // Objects of these classes are read only after an order that takes hours.
  if (ours.some((rule) => /<StorageClass>(GLACIER|DEEP_ARCHIVE)</.test(rule))) {
    return failed('a rule moves objects of the database where they cannot be read at once');
  }
  if (!ours.some((rule) => /<Expiration>\s*<(Days|Date)>/.test(rule))) {
    return ok('no rule takes objects of the database away');
  }
  return failed('a rule expires objects of the database; take its prefix out of the rule');
}

function isOurs(rule: string, prefix: string): boolean {
  const [status = ''] = elementTexts(rule, 'Status');
  const [ruled = ''] = elementTexts(rule, 'Prefix');
  return status === 'Enabled' && (prefix.startsWith(ruled) || ruled.startsWith(prefix));
}

const tests: readonly (readonly [string, (probing: Probing) => Promise<TestFinding>])[] = [
  ['access', testAccess],
  ['create', testCreate],
  ['taken', testTaken],
  ['hash', testHash],
  ['range', testRange],
  ['list', testList],
  ['delete', testDelete],
  ['versioning', testVersioning],
  ['lifecycle', testLifecycle],
];

/** The findings in turn; the first failure of access is the last one. */
export async function* probe(
  store: ProbedStore,
  signal: AbortSignal,
): AsyncGenerator<ProbeFinding, void, undefined> {
  const probing = new Probing(store, signal);
  let isReached = true;
  try {
    for (const [name, test] of tests) {
      probing.isUnheard = false;
      const finding = await test(probing).catch((error: unknown) => {
        signal.throwIfAborted();
        return failed(thrownMessage(error));
      });
      isReached &&= name !== 'access' || finding.verdict !== 'failed';
      yield { test: name, ...finding, isUnheard: probing.isUnheard };
      if (!isReached) return;
    }
  } finally {
    if (isReached && !signal.aborted) await probing.clean();
  }
}
