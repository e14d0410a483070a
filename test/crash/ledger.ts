/**
 * What was sent and what was answered, request by request, so that after a crash every sample can
 * be judged. A request writes `count` samples whose value is its tag, spread over the series of its
 * writer, and overwrites the writer's one "latest" sample.
 */
import { assert } from 'chai';

import { maximumTs, minimumTs, type Client, type Sample } from '../support/client.js';

type Fate = 'acknowledged' | 'unknown' | 'absent';

interface Entry {
  readonly tag: number;
  readonly writer: number;
  readonly count: number;
  fate: Fate;
}

const seriesPerWriter = 3;
// Room for the samples of one request between the timestamps of two.
const tsPerTag = 1_000n;

export class Ledger {
  private readonly entries = new Map<number, Entry>();
  private nextTag = 1;

  /** Enters a request that is about to be sent, its fate unknown as yet. */
  open(writer: number, count: number): Entry {
    const entry: Entry = { tag: this.nextTag++, writer, count, fate: 'unknown' };
    this.entries.set(entry.tag, entry);
    return entry;
  }

  linesOf({ tag, writer, count }: Entry): string {
    const lines: string[] = [];
    for (let at = 0; at < count; at++) {
      const ts = BigInt(tag) * tsPerTag + BigInt(at);
      const labels = `{"writer":"${String(writer)}","part":"${String(at % seriesPerWriter)}"}`;
      lines.push(
        `{"metric":"ledger","labels":${labels},"ts":${String(ts)},"value":${String(tag)}}`,
      );
    }
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
    for (let writer = 0; writer < writers; writer++) {
      for (let part = 0; part < seriesPerWriter; part++) {
        const labels = { writer: String(writer), part: String(part) };
        this.countTags(await readAll(client, 'ledger', labels), writer, part, found);
      }
    }
    const surfaced = this.settle(found);
    for (let writer = 0; writer < writers; writer++) await this.checkLatest(client, writer);
    return surfaced;
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
        entry.fate = 'acknowledged';
        surfaced += 1;
      }
    }
    return surfaced;
  }

  // A writer sends one request at a time, so its last stored one owns the overwritten sample.
  private async checkLatest(client: Client, writer: number): Promise<void> {
    const stored = [...this.entries.values()].filter(
      (entry) => entry.writer === writer && entry.fate === 'acknowledged',
    );
    const samples = await readAll(client, 'latest', { writer: String(writer) });
    const last = stored.at(-1);
    const expected = last === undefined ? [] : [{ ts: 0n, value: last.tag }];
    assert.deepEqual(samples, expected, `the last write of writer ${String(writer)}`);
  }
}

async function readAll(client: Client, metric: string, labels: Record<string, string>) {
  return client.rangeGet({ metric, labels, start: minimumTs, end: maximumTs });
}
