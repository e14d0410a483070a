// Writers that note what a server acknowledged, and compare it later with what a server has. They
// send to whichever server lives, and send again what was not acknowledged.
import { setTimeout as sleep } from 'node:timers/promises';

const kHosts = 5;
/** Longer than a server lets a write wait for the bucket. */
const kAnswerMs = 20_000;

/** Resolves with null if nothing was heard. */
export async function askServer(server, target, { body, method = 'POST' } = {}) {
  try {
    const signal = AbortSignal.timeout(kAnswerMs);
    const answer = await fetch(server.url + target, { method, body, signal });
    return { status: answer.status, text: await answer.text() };
  } catch {
    return null;
  }
}

/** The number that a statement asks for. */
export async function numberOf(server, query) {
  const answer = await askServer(server, '/api/v1/seriesql', { body: JSON.stringify({ query }) });
  if (answer?.status === 200) return Number(JSON.parse(answer.text).rows[0]?.[0] ?? 0);
  if (answer?.text.includes('series_not_found')) return 0;
  throw new Error(`${query}: ${answer?.status} ${answer?.text}`);
}

const shown = (value) => (value === null ? 'nothing' : String(value));

/**
 * One writer with a metric of its own. Sample `i` has the time `i` seconds and belongs to the host
 * `i % 5`. A sample is written, perhaps written again with another value, perhaps deleted.
 */
export class Writer {
  acknowledged = 0;
  sentAgain = 0;
  deletions = 0;
  /** By sample: the value that was acknowledged, null: deleted, undefined: neither. */
  #values = [];
  /** By sample: what was sent and not acknowledged yet; it may hold as well. */
  #open = new Map();
  /** Annotations by their titles: ids that were acknowledged, and what else may be. */
  #notes = new Map();
  #next = 0;
  #isStopping = false;

  constructor({ metric, random, servers, complain }) {
    this.metric = metric;
    this.random = random;
    this.servers = servers;
    this.complain = complain;
  }

  async run() {
    while (!this.#isStopping) {
      const turn = this.random.below(100);
      if (turn < 85 || this.#next === 0) await this.#write(this.#fresh());
      else if (turn < 92) await this.#write(this.#older());
      else if (turn < 95) await this.#erase();
      else if (turn < 98) await this.#annotate();
      else await this.#forget();
      await sleep(this.random.below(30));
    }
  }

  stop() {
    this.#isStopping = true;
  }

  #fresh() {
    const first = this.#next;
    this.#next += 1 + this.random.below(100);
    return Array.from({ length: this.#next - first }, (_, i) => first + i);
  }

  #older() {
    const count = 1 + this.random.below(20);
    const chosen = Array.from({ length: count }, () => this.random.below(this.#next));
    return [...new Set(chosen)];
  }

  /** Until a server acknowledges it. Null: the writer was stopped before. */
  async #send(target, body, { isFine }) {
    for (let tries = 0; !this.#isStopping; tries += 1) {
      const servers = this.servers();
      if (servers.length === 0) {
        await sleep(20);
        continue;
      }
      const server = this.random.pick(servers);
      const answer = await askServer(server, target, { body });
      if (answer !== null && isFine(answer, tries)) return answer;
      this.sentAgain += 1;
      if (answer?.status === 503 && answer.text.includes('fenced')) server.isFenced = true;
      else if (answer !== null && answer.status !== 503) {
        this.complain(`${target} was answered with ${answer.status}: ${answer.text}`);
      }
      await sleep(10 + this.random.below(40));
    }
    return null;
  }

  #expect(samples, value) {
    for (const i of samples) this.#open.set(i, value());
  }

  #settle(samples) {
    for (const i of samples) {
      this.#values[i] = this.#open.get(i);
      this.#open.delete(i);
    }
  }

  async #write(samples) {
    this.#expect(samples, () => this.random.below(1e6) / 8);
    const lines = samples.map((i) =>
      JSON.stringify({
        metric: this.metric,
        labels: { host: `h${i % kHosts}` },
        ts: i * 1000,
        value: this.#open.get(i),
      }),
    );
    const isFine = ({ status }) => status === 200;
    if ((await this.#send('/api/v1/ingest', lines.join('\n'), { isFine })) === null) return;
    this.#settle(samples);
    this.acknowledged += samples.length;
  }

  async #erase() {
    const first = this.random.below(this.#next);
    const last = first + this.random.below(40);
    const host = this.random.below(kHosts);
    const all = Array.from({ length: last - first + 1 }, (_, i) => first + i);
    const samples = all.filter((i) => i % kHosts === host && i < this.#next);
    this.#expect(samples, () => null);
    const query =
      `delete from ${this.metric}{host='h${host}'} ` +
      `where time between ${first * 1000} and ${last * 1000}`;
    const isFine = ({ status }) => status === 200;
    const body = JSON.stringify({ query });
    if ((await this.#send('/api/v1/seriesql', body, { isFine })) === null) return;
    this.#settle(samples);
    this.deletions += 1;
  }

  async #annotate() {
    const title = `${this.metric} ${this.#notes.size}`;
    const note = { ids: [], isStored: false, isForgotten: false };
    this.#notes.set(title, note);
    const body = JSON.stringify({ kind: 'test', title, metric: this.metric, start: 1000 });
    const isFine = ({ status }) => status === 201;
    const answer = await this.#send('/api/v1/annotations/write', body, { isFine });
    if (answer === null) return;
    note.isStored = true;
    note.ids.push(JSON.parse(answer.text).id);
  }

  async #forget() {
    const kept = [...this.#notes.values()].filter((one) => one.isStored && !one.isForgotten);
    const note = this.random.pick([...kept, null]);
    if (note === null) return;
    note.isForgotten = true;
    const [id] = note.ids;
    // A deletion that was not acknowledged may have taken effect.
    const isFine = ({ status }, tries) => status === 200 || (status === 404 && tries > 0);
    const body = JSON.stringify({ id });
    const answer = await this.#send('/api/v1/annotations/delete', body, { isFine });
    if (answer === null) note.isStored = false;
    else note.goneId = id;
  }

  /** Problems of a server that should have all: lost, wrong, twice, or never sent. */
  async check(server) {
    const problems = [];
    const found = await this.#exported(server, problems);
    for (let i = 0; i < this.#next; i += 1) {
      const has = found[i] ?? null;
      const wanted = this.#values[i] ?? null;
      if (has === wanted || (this.#open.has(i) && this.#open.get(i) === has)) continue;
      problems.push(`${this.metric} ${i}: ${shown(has)} instead of ${shown(wanted)}`);
    }
    if (found.length > this.#next) problems.push(`${this.metric}: ${found.length - 1} unsent`);
    return [...problems, ...(await this.#checkNotes(server))];
  }

  async #exported(server, problems) {
    const found = [];
    const answer = await fetch(`${server.url}/api/v1/export?metric=${this.metric}&totals=true`);
    const text = await answer.text();
    let total = 0;
    for (const line of text.trim().split('\n')) {
      const { labels, ts, value, samples } = JSON.parse(line);
      if (samples !== undefined && samples !== total) problems.push(`${samples}, not ${total}`);
      if (ts === undefined) continue;
      total += 1;
      const i = ts / 1000;
      if (found[i] !== undefined) problems.push(`${this.metric} ${i} is there twice`);
      if (labels.host !== `h${i % kHosts}`) problems.push(`${this.metric} ${i} is misplaced`);
      found[i] = value;
    }
    if (!text.includes('"left_out"')) problems.push(`the export of ${this.metric} is cut short`);
    return found;
  }

  async #checkNotes(server) {
    const body = JSON.stringify({ start: 0, metric: this.metric });
    const answer = await askServer(server, '/api/v1/annotations/query', { body });
    if (answer?.status !== 200) return [`annotations: ${answer?.status} ${answer?.text}`];
    const there = new Map(JSON.parse(answer.text).map(({ id, title }) => [id, title]));
    const problems = [...there.values()]
      .filter((title) => !this.#notes.has(title))
      .map((title) => `annotation "${title}" was never sent`);
    for (const [title, { ids, isStored, isForgotten, goneId }] of this.#notes) {
      if (goneId !== undefined && there.has(goneId)) problems.push(`${goneId} was deleted`);
      const isThere = ids.every((id) => there.get(id) === title);
      if (isStored && !isForgotten && !isThere) problems.push(`annotation "${title}" is lost`);
    }
    return problems;
  }

  /** A quick look, with how many samples a server may have. */
  async look(server) {
    const from = `${this.metric} where time >= 0 and time < ${this.#next * 1000 + 1}`;
    const n = await numberOf(server, `select count(value) as n from ${from}`);
    let least = 0;
    for (let i = 0; i < this.#next; i += 1) {
      const held = this.#values[i] ?? null;
      if (held !== null && this.#open.get(i) !== null) least += 1;
    }
    const most = least + this.#open.size;
    return n >= least && n <= most ? [] : [`${this.metric}: ${n} of ${least} to ${most} samples`];
  }
}
