/** Counts of samples per ingest protocol, and of samples that were not stored. */

import type { MetricSample } from './exposition.js';

interface Brought {
  readonly ingested: number;
  readonly rejectedBy: readonly Counted[];
  readonly skipped: readonly Counted[];
}

interface Counted {
  readonly reason: string;
  readonly count: number;
}

/** The counts of one protocol. */
interface ProtocolTally {
  samples: number;
  readonly requests: Map<string, number>;
  readonly rejected: Map<string, number>;
  readonly skipped: Map<string, number>;
}

/** All counts by protocol, in a form that can be sent to another thread. */
export type ProtocolFigures = ReadonlyMap<string, ProtocolTally>;

export class ProtocolMetrics {
  readonly #tallies = new Map<string, ProtocolTally>();

  recordRequest(protocol: string, status: number): void {
    addTo(this.#tallyOf(protocol).requests, [{ reason: String(status), count: 1 }]);
  }

  recordSamples(protocol: string, { ingested, rejectedBy, skipped }: Brought): void {
    const tally = this.#tallyOf(protocol);
    tally.samples += ingested;
    addTo(tally.rejected, rejectedBy);
    addTo(tally.skipped, skipped);
  }

  figures(): ProtocolFigures {
    return this.#tallies;
  }

  /** Adds the counts of another thread. */
  add(figures: ProtocolFigures): void {
    for (const [protocol, { samples, requests, rejected, skipped }] of figures) {
      const tally = this.#tallyOf(protocol);
      tally.samples += samples;
      addTo(tally.requests, countedIn(requests));
      addTo(tally.rejected, countedIn(rejected));
      addTo(tally.skipped, countedIn(skipped));
    }
  }

  #tallyOf(protocol: string): ProtocolTally {
    const known = this.#tallies.get(protocol);
    if (known !== undefined) return known;
    const tally: ProtocolTally = {
      samples: 0,
      requests: new Map(),
      rejected: new Map(),
      skipped: new Map(),
    };
    this.#tallies.set(protocol, tally);
    return tally;
  }

  samples(): readonly MetricSample[] {
    return [...this.#tallies].map(([protocol, { samples: value }]) => ({
      labels: { protocol },
      value,
    }));
  }

  /** Samples with the label `protocol`, and the label `name` for the key of the counts. */
  counts(of: 'requests' | 'rejected' | 'skipped', name: string): readonly MetricSample[] {
    return [...this.#tallies].flatMap(([protocol, { [of]: counts }]) =>
      [...counts].map(([reason, value]) => ({ labels: { protocol, [name]: reason }, value })),
    );
  }
}

function addTo(counts: Map<string, number>, added: readonly Counted[]): void {
  for (const { reason, count } of added) counts.set(reason, (counts.get(reason) ?? 0) + count);
}

function countedIn(counts: ReadonlyMap<string, number>): readonly Counted[] {
  return [...counts].map(([reason, count]) => ({ reason, count }));
}
