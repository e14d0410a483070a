/**
 * What was sent and what was answered, request by request, so that after a crash every sample can
 * be judged. A request writes `count` samples whose value is its tag, spread over the series of its
 * writer, and overwrites the writer's one "latest" sample. Its samples may be deleted later, all of
 * them by one statement, and written again.
 */
import { assert } from 'chai';

import { maximumTs, minimumTs, type Client, type Sample } from '../support/client.js';
import type { Random } from '../support/random.js';

type Fate = 'acknowledged' | 'unknown' | 'absent';

interface Entry {
  readonly tag: number;
  readonly writer: number;
  readonly count: number;
  /** The fate of its samples; "unknown" while a request or deletion of them is in progress. */
  fate: Fate;
  /** Its samples were there once, and so its write of "latest". */
  wasStored: boolean;
  /** The number of changes of its fate. */
  changes: number;
}

/** The samples found of one series; there is at least one. */
interface Summary {
  readonly labels: { readonly writer: string; readonly part: string };
  readonly count: number;
  readonly first: bigint;
  readonly last: Sample;
}

const seriesPerWriter = 3;
// Room for the samples of one request between the timestamps of two.
const tsPerTag = 1_000n;

export class Ledger {
  private readonly entries = new Map<number, Entry>();
  private nextTag = 1;

  /** Enters a request that is about to be sent, its fate unknown as yet. */
  open(writer: number, count: number): Entry {
    const start = { fate: 'unknown', wasStored: false, changes: 0 } as const;
    const entry: Entry = { tag: this.nextTag++, writer, count, ...start };
    this.entries.set(entry.tag, entry);
    return entry;
  }

  /** An earlier request of the writer whose samples are there, or gone; null when there is none. */
  pick(writer: number, fate: 'acknowledged' | 'absent', random: Random): Entry | null {
    const all = [...this.entries.values()].filter(
      (entry) => entry.writer === writer && entry.wasStored && entry.fate === fate,
    );
    return all.length === 0 ? null : random.pick(all);
  }

  settleOne(entry: Entry, fate: Fate): void {
    entry.fate = fate;
    entry.changes += 1;
    if (fate === 'acknowledged') entry.wasStored = true;
  }

  /** The statement that deletes the samples of a request. */
  deletionOf({ tag, writer }: Entry): string {
    const start = BigInt(tag) * tsPerTag;
    const range = `time between ${String(start)} and ${String(start + tsPerTag - 1n)}`;
    return `delete from ledger{writer='${String(writer)}'} where ${range}`;
  }

  /** The lines of a request; without the one of "latest" when it is written again. */
  linesOf({ tag, writer, count, wasStored }: Entry): string {
    const lines: string[] = [];
    for (let at = 0; at < count; at++) {
      const ts = BigInt(tag) * tsPerTag + BigInt(at);
      const labels = `{"writer":"${String(writer)}","part":"${String(at % seriesPerWriter)}"}`;
      lines.push(
        `{"metric":"ledger","labels":${labels},"ts":${String(ts)},"value":${String(tag)}}`,
      );
    }
    if (wasStored) return lines.join('\n');
    const labels = `{"writer":"${String(writer)}"}`;
    lines.push(`{"metric":"latest","labels":${labels},"ts":0,"value":${String(tag)}}`);
    return lines.join('\n');
  }

  get acknowledgedCount(): number {
    return [...this.entries.values()].filter(({ fate }) => fate === 'acknowledged').length;
  }

  /**
   * Reads everything back and judges it. Whatever is found of an unknown request settles its fate
   * for all later rounds. Returns how many unknown requests turned out to be stored.
   */
  async check(client: Client, writers: number): Promise<number> {
    const found = new Map<number, number>();
    const summaries: Summary[] = [];
    for (let writer = 0; writer < writers; writer++) {
      for (let part = 0; part < seriesPerWriter; part++) {
        const labels = { writer: String(writer), part: String(part) };
        const samples = await readAll(client, 'ledger', labels);
        this.countTags(samples, writer, part, found);
        const [first, last] = [samples.at(0), samples.at(-1)];
        if (first === undefined || last === undefined) continue;
        summaries.push({ labels, count: samples.length, first: first.ts, last });
      }
    }
    await checkSummaries(client, summaries);
    const surfaced = this.settle(found);
    for (let writer = 0; writer < writers; writer++) await this.checkLatest(client, writer);
    return surfaced;
  }

  /**
   * Reads one series while its writer goes on: what was settled before the read and is so after it
   * must be in the answer whole, or not at all; and nothing that nobody sent.
   */
  async checkLive(client: Client, writer: number, part: number): Promise<void> {
    const before = [...this.entries.values()]
      .filter((entry) => entry.writer === writer && entry.fate !== 'unknown')
      .map((entry) => ({ entry, changes: entry.changes }));
    const labels = { writer: String(writer), part: String(part) };
    const found = new Map<number, number>();
    this.countTags(await readAll(client, 'ledger', labels), writer, part, found);
    for (const { entry, changes } of before) {
      if (entry.changes !== changes) continue;
      const own = Math.ceil((entry.count - part) / seriesPerWriter);
      const expected = entry.fate === 'acknowledged' ? Math.max(own, 0) : 0;
      const what = `request ${String(entry.tag)} (${entry.fate}) in part ${String(part)}`;
      assert.strictEqual(found.get(entry.tag) ?? 0, expected, what);
    }
  }

  private countTags(
    samples: readonly Sample[],
    writer: number,
    part: number,
    found: Map<number, number>,
  ): void {
    let before = minimumTs;
    for (const { ts, value } of samples) {
      const tag = Number(value);
      const entry = this.entries.get(tag);
      const at = Number(ts - BigInt(tag) * tsPerTag);
      const belongs = entry?.writer === writer && at % seriesPerWriter === part;
      if (!belongs || at < 0 || at >= entry.count || ts <= before) {
        assert.fail(
          `a sample that nobody sent: writer ${String(writer)}, ts ${String(ts)}, ${String(value)}`,
        );
      }
      before = ts;
      found.set(tag, (found.get(tag) ?? 0) + 1);
    }
  }

  private settle(found: ReadonlyMap<number, number>): number {
    let surfaced = 0;
    for (const entry of this.entries.values()) {
      const stored = found.get(entry.tag) ?? 0;
      const what = `request ${entry.tag} (${entry.fate}) of ${entry.count} samples has`;
      if (entry.fate === 'acknowledged') {
        assert.strictEqual(stored, entry.count, `lost: ${what}`);
      } else if (entry.fate === 'absent') {
        assert.strictEqual(stored, 0, `came back from nowhere: ${what}`);
      } else if (stored === 0) {
        entry.fate = 'absent';
      } else {
        assert.strictEqual(stored, entry.count, `half a request: ${what}`);
        this.settleOne(entry, 'acknowledged');
        surfaced += 1;
      }
    }
    return surfaced;
  }

  // A writer sends one request at a time, so its last stored one owns the overwritten sample.
  private async checkLatest(client: Client, writer: number): Promise<void> {
    const stored = [...this.entries.values()].filter(
      (entry) => entry.writer === writer && entry.wasStored,
    );
    const samples = await readAll(client, 'latest', { writer: String(writer) });
    const last = stored.at(-1);
    const expected = last === undefined ? [] : [{ ts: 0n, value: last.tag }];
    assert.deepEqual(samples, expected, `the last write of writer ${String(writer)}`);
  }
}

// Checks that chunk headers and discovery agree with the samples.
async function checkSummaries(client: Client, summaries: readonly Summary[]): Promise<void> {
  const rows = summaries.map(({ labels, count, first, last }) => {
    const numbers = [count, first, last.ts, last.value].map(String);
    return `["${labels.writer}","${labels.part}",${numbers.join(',')}]`;
  });
  const body =
    'select tag.writer, tag.part, count(*), min(time), max(time), last(value) from ledger ' +
    'where time >= 0 group by 1, 2';
  const answer = await client.request('POST', '/api/v1/seriesql', { body });
  if (answer.status !== 404) assert.include(answer.body, `"rows":[${rows.join(',')}]`);
  const bounds = summaries.map(({ labels, first, last }) => {
    const text = `{"part":"${labels.part}","writer":"${labels.writer}"}`;
    return `${text},"first_ts":${String(first)},"last_ts":${String(last.ts)}`;
  });
  const found = await client.postJson('/api/v1/series/find', '{"metric":"ledger"}');
  const objects = [...found.body.matchAll(/"labels":(\{.*?\},"first_ts":\d+,"last_ts":\d+)/g)];
  assert.deepEqual(objects.map(([, text]) => text).sort(), bounds.sort());
}

async function readAll(client: Client, metric: string, labels: Record<string, string>) {
  return client.rangeGet({ metric, labels, start: minimumTs, end: maximumTs });
}
