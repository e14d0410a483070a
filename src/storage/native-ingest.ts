/**
 * Bodies being ingested. Most bodies have one of a few forms. Parsing the options and making an
 * object per body would take longer than parsing ten lines. So later bodies of the same form reuse
 * the addon's objects.
 */

import { AppError, toAppError } from '../common/errors/app-error.js';
import { Later } from '../common/model/later.js';
import { guarded } from './guarded.js';

import type { LabelPairs } from '../common/model/selector.js';
import type { NativeRequired } from './native/annotation-contract.js';
import type { NativeEngine } from './native/contract.js';
import type { NativeIngest, NativeIngestReport } from './native/ingest-contract.js';
import type { StoredIngestOptions, StoredIngestReport, IngestRequest } from './storage.js';

const ndjson = { kind: 'ndjson' } as const;
const formatsWithOptions: readonly string[] = ['influx', 'csv', 'otlp', 'otlp_json'];
/** The most idle objects per form; the garbage collector takes the rest. */
const kIdleMax = 64;

export class NativeIngests {
  readonly #engine: NativeEngine;
  /** Keyed by form. Units, modes and formats bound the number of forms. */
  readonly #idle = new Map<string, NativeIngest[]>();

  constructor(engine: NativeEngine) {
    this.#engine = engine;
  }

  begin(options: StoredIngestOptions): IngestRequest {
    const idle = this.#idleOf(options);
    return new NativeIngestRequest(
      guarded(() => this.#next(options, idle)),
      idle,
    );
  }

  #next(options: StoredIngestOptions, idle: NativeIngest[] | null): NativeIngest {
    const ready = idle?.at(-1);
    if (ready === undefined) {
      const { required, ...form } = options;
      return this.#engine.beginIngest({ ...form, ...requiredOf(required) });
    }
    // It stays in the pool if memory has no room for a body.
    ready.again();
    idle?.pop();
    return ready;
  }

  /** Null for a form with free texts, whose number is unbounded. */
  #idleOf(options: StoredIngestOptions): NativeIngest[] | null {
    const { precision, isLenient, format = ndjson, required } = options;
    if (required !== undefined || formatsWithOptions.includes(format.kind)) return null;
    const key = `${precision} ${isLenient} ${format.kind}`;
    let idle = this.#idle.get(key);
    if (idle === undefined) this.#idle.set(key, (idle = []));
    return idle;
  }
}

class NativeIngestRequest implements IngestRequest {
  /** Null after its end: the object may already serve another body. */
  #ingest: NativeIngest | null;
  readonly #idle: NativeIngest[] | null;

  constructor(ingest: NativeIngest, idle: NativeIngest[] | null) {
    this.#ingest = ingest;
    this.#idle = idle;
  }

  write(chunk: Uint8Array, ms?: number): boolean {
    if (this.#ingest === null) throw isOver();
    try {
      return this.#ingest.write(chunk, ms);
    } catch (error) {
      throw toAppError(error);
    }
  }

  commit(): Later<StoredIngestReport> {
    const report = new Later<StoredIngestReport>();
    const ingest = this.#ingest;
    try {
      if (ingest === null) throw isOver();
      ingest.commit((ingested, lines, told) => {
        if (told instanceof Error) report.fail(toAppError(told));
        else report.settle(told ?? plainReport(ingested, lines));
      });
      this.#leave(ingest);
    } catch (error) {
      report.fail(toAppError(error));
    }
    return report;
  }

  abort(): void {
    if (this.#ingest === null) return;
    this.#ingest.abort();
    this.#leave(this.#ingest);
  }

  #leave(ingest: NativeIngest): void {
    this.#ingest = null;
    if (this.#idle !== null && this.#idle.length < kIdleMax) this.#idle.push(ingest);
  }
}

const none: readonly never[] = [];

function plainReport(ingested: number, lines: number): NativeIngestReport {
  return { ingested, rejected: 0, lines, rejectedBy: none, errors: none, skipped: none };
}

function isOver(): AppError {
  return new AppError('closed', 'the body was committed or given up');
}

export function requiredOf(required: LabelPairs | undefined): NativeRequired {
  return required === undefined ? {} : { required: required.flat() };
}
