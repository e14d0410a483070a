/**
 * A storage in memory, for tests of the layers above the port. It parses with JSON.parse, so it is
 * exact only for small integers, and supports only what those tests need.
 */

import { AppError } from '../../src/common/errors/app-error.js';
import { Later } from '../../src/common/model/later.js';

import type { NativeLineProtocol } from '../../src/storage/native/ingest-contract.js';
import type { ErrorCode } from '../../src/common/errors/catalog.js';
import type { Selector } from '../../src/common/model/selector.js';
import type {
  AnnotationFilter,
  BatchStream,
  ByteStream,
  ColumnStream,
  Collection,
  StoredCollectionRequest,
  WindowComparison,
  Discovery,
  StoredIngestOptions,
  StoredIngestReport,
  IngestRequest,
  NewAnnotation,
  StoredRepairWishes,
  SeriesRemoval,
  StageTimes,
  ShortTexts,
  Storage,
  StoredTable,
  StorageLimits,
  OpenedSteps,
  PreparedTexts,
  TextPiece,
  Inspected,
  Undelete,
  EncodedBody,
} from '../../src/storage/storage.js';

export interface FakeSample {
  readonly name: string;
  readonly labels: string;
  readonly ts: bigint;
  readonly value: number;
}

const scriptMath = {
  exp: Math.exp,
  ln: Math.log,
  log10: Math.log10,
  log2: Math.log2,
  pow: Math.pow,
};

export class FakeStorage implements Storage {
  readonly note = '';
  readonly kernel = 'none';
  readonly math = (name: keyof typeof scriptMath, x: number, y: number) => scriptMath[name](x, y);
  readonly samples: FakeSample[] = [];
  readonly calls: string[] = [];
  readonly reasons: string[] = [];
  writesBlocked = 0;
  lastIngest: StoredIngestOptions | null = null;
  lastRange: { selector: Selector; start: bigint; end: bigint } | null = null;
  lastDiscovery: Discovery | null = null;
  /** Thrown by the next calls, when set. */
  beginError: ErrorCode | null = null;
  commitError: Error | null = null;
  lastComparison: WindowComparison | null = null;
  compareError: Error | null = null;
  lastAnnotation: NewAnnotation | null = null;
  annotateError: Error | null = null;
  lastFilter: AnnotationFilter | null = null;
  /** Answers ranges, remote reads and discovery, when set. */
  stream: ByteStream | null = null;
  commitGate: Promise<void> = Promise.resolve();
  openIngests = 0;
  /** A clock for the turns of tests: only parsing takes time on it. */
  clockMs = 0;
  lineMs = 0;
  limits: StorageLimits | null = null;

  beginIngest(options: StoredIngestOptions): IngestRequest {
    if (this.beginError !== null) throw new AppError(this.beginError, 'refused by the test');
    this.lastIngest = options;
    this.openIngests += 1;
    return new FakeIngest(this, options);
  }

  beginDecoder(): EncodedBody {
    throw new AppError('storage_unavailable', 'only the real storage decodes bodies');
  }

  openRange(selector: Selector, start: bigint, end: bigint): ByteStream {
    this.lastRange = { selector, start, end };
    if (this.stream !== null) return this.stream;
    const rows = this.samples.filter((s) => s.ts >= start && s.ts <= end && matches(s, selector));
    const body = rows.map((s) => `{"ts":${s.ts},"value":${s.value}}`).join(',');
    return piecesOf([Buffer.from(`[${body}]`)]);
  }

  openDiscovery(discovery: Discovery): ByteStream {
    this.lastDiscovery = discovery;
    return this.stream ?? piecesOf([Buffer.from('["fake"]')]);
  }

  openRemoteRead(): ByteStream {
    return this.stream ?? piecesOf([Buffer.of(0)]);
  }

  openLabels(): ByteStream {
    return this.stream ?? piecesOf([Buffer.from('{"status":"success","data":[]}')]);
  }

  openScan(): ColumnStream {
    throw new Error('these tests read no columns');
  }

  openGroups(): BatchStream<StoredTable> {
    throw new Error('these tests group nothing');
  }

  openRows(): ColumnStream {
    throw new Error('these tests read no rows');
  }

  openTexts(): BatchStream<TextPiece> {
    throw new Error('these tests print no rows');
  }

  prepareTexts(): PreparedTexts {
    throw new Error('these tests prepare no rows');
  }

  openSteps(): readonly OpenedSteps[] {
    throw new Error('these tests step through nothing');
  }

  answerSteps(): ShortTexts {
    throw new Error('these tests answer nothing at once');
  }

  printSteps(): Uint8Array {
    throw new Error('these tests print no steps');
  }

  compare(comparison: WindowComparison): Promise<string> {
    this.lastComparison = comparison;
    return this.compareError === null
      ? Promise.resolve('{"series_id":1}')
      : Promise.reject(this.compareError);
  }

  configure(limits: StorageLimits): void {
    this.limits = limits;
  }

  deleteAnnotation(id: bigint): Promise<string> {
    return Promise.resolve(`{"id":${String(id)}}`);
  }

  annotate(annotation: NewAnnotation): Promise<string> {
    this.lastAnnotation = annotation;
    return this.annotateError === null
      ? Promise.resolve('{"id":1}')
      : Promise.reject(this.annotateError);
  }

  remove({ series, ranges }: SeriesRemoval): Promise<number> {
    const ids = series instanceof BigUint64Array ? series : new BigUint64Array();
    this.calls.push(`remove ${ids.join()} ${ranges.join()}`);
    return Promise.resolve(ids.length);
  }

  openAnnotations(filter: AnnotationFilter): ByteStream {
    this.lastFilter = filter;
    return this.stream ?? piecesOf([Buffer.from('[]')]);
  }

  openVerification(): ByteStream {
    this.calls.push('openVerification');
    return this.stream ?? piecesOf([Buffer.from('{}\n')]);
  }

  flush(): Promise<void> {
    this.calls.push('flush');
    return Promise.resolve();
  }

  openCompaction(): ByteStream {
    this.calls.push('openCompaction');
    return this.stream ?? piecesOf([Buffer.from('{}\n')]);
  }

  openMigration(): ByteStream {
    this.calls.push('openMigration');
    return this.stream ?? piecesOf([Buffer.from('{}\n')]);
  }

  collect({ isDryRun, isOfHistory }: StoredCollectionRequest): Promise<Collection> {
    this.calls.push(`collect ${isDryRun} ${isOfHistory}`);
    return Promise.resolve({ files: 2, bytes: 700, commits: 1, refsBytes: 90, kept: 0 });
  }

  createSnapshot(name: string): Promise<void> {
    this.calls.push(`createSnapshot ${name}`);
    return Promise.resolve();
  }

  deleteSnapshot(name: string): Promise<void> {
    this.calls.push(`deleteSnapshot ${name}`);
    return Promise.resolve();
  }

  openInspection({ report, number }: Inspected): ByteStream {
    this.calls.push(`openInspection ${report} ${String(number)}`);
    return this.stream ?? piecesOf([Buffer.from('{}\n')]);
  }

  openSnapshots(): ByteStream {
    this.calls.push('openSnapshots');
    return this.stream ?? piecesOf([Buffer.from('{}\n')]);
  }

  openBucketBackup(): ByteStream {
    throw new Error('the fake has no object store');
  }

  openBackup(directory: string): ByteStream {
    this.calls.push(`openBackup ${directory}`);
    return this.stream ?? piecesOf([Buffer.from('{}\n')]);
  }

  openUndelete({ past }: Undelete): ByteStream {
    this.calls.push(`openUndelete ${String(past.snapshot)}`);
    return this.stream ?? piecesOf([Buffer.from('{}\n')]);
  }

  openRepair(wishes: StoredRepairWishes): ByteStream {
    this.calls.push(`openRepair ${JSON.stringify(wishes)}`);
    return this.stream ?? piecesOf([Buffer.from('{}\n')]);
  }

  stats(): Readonly<Record<string, number>> {
    const { length } = this.samples;
    return { ingest_total: length, segment_bytes: 7, writes_blocked: this.writesBlocked };
  }

  stageTimes(): StageTimes {
    return { bounds: [1], stages: [{ stage: 'parse', counts: new Float64Array([2, 1]), sum: 3 }] };
  }

  blockSizes(): null {
    return null;
  }

  degradedReasons(): readonly string[] {
    return this.reasons;
  }

  degradedKinds(): readonly string[] {
    return this.reasons.map(() => 'write');
  }

  holdUnread(): number {
    return Infinity;
  }

  narrowConnections(port: number, isNarrow: boolean): void {
    this.calls.push(`narrow ${port} ${isNarrow}`);
  }

  close(): Promise<void> {
    this.calls.push('close');
    return Promise.resolve();
  }
}

class FakeIngest implements IngestRequest {
  readonly #storage: FakeStorage;
  readonly #options: StoredIngestOptions;
  readonly #staged: FakeSample[] = [];
  /** Keeps the bytes of a character that two chunks share. */
  readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  #rest = '';
  #line = 0;
  #rejected: { line: number; code: string; error: string }[] = [];
  #isOpen = true;

  constructor(storage: FakeStorage, options: StoredIngestOptions) {
    this.#storage = storage;
    this.#options = options;
  }

  write(chunk: Uint8Array, ms = Infinity): boolean {
    this.#rest += this.#decoder.decode(chunk, { stream: true });
    const until = this.#storage.clockMs + ms;
    let at = 0;
    let end = this.#rest.indexOf('\n');
    for (; end >= 0 && this.#storage.clockMs < until; end = this.#rest.indexOf('\n', at)) {
      this.#take(this.#rest.slice(at, end));
      this.#storage.clockMs += this.#storage.lineMs;
      at = end + 1;
    }
    this.#rest = this.#rest.slice(at);
    return end >= 0;
  }

  #take(line: string): void {
    this.#line += 1;
    if (line.trim() === '') return;
    try {
      const { format } = this.#options;
      if (format?.kind === 'influx') {
        this.#staged.push(sampleOfLine(line, format));
        return;
      }
      const record = JSON.parse(line) as Record<string, unknown>;
      const name = record['metric'];
      if (typeof name !== 'string') throw new AppError('invalid_record', 'no metric');
      this.#staged.push({
        name,
        labels: JSON.stringify(record['labels'] ?? {}),
        ts: BigInt(Number(record['ts'])),
        value: Number(record['value']),
      });
    } catch (thrown) {
      const error = thrown instanceof AppError ? thrown : new AppError('invalid_json', 'not JSON');
      const message = `line ${this.#line}: ${error.message}`;
      if (!this.#options.isLenient) throw new AppError(error.code, message);
      this.#rejected.push({ line: this.#line, code: error.code, error: message });
    }
  }

  commit(): Later<StoredIngestReport> {
    return Later.from(this.#stored());
  }

  async #stored(): Promise<StoredIngestReport> {
    for (const line of this.#rest.split('\n')) this.#take(line);
    await this.#storage.commitGate;
    if (this.#storage.commitError !== null) throw this.#storage.commitError;
    this.#storage.samples.push(...this.#staged);
    this.#close();
    const [ingested, rejected] = [this.#staged.length, this.#rejected.length];
    const errors = this.#rejected;
    const rejectedBy = errors.map(({ code }) => ({ reason: code, count: 1 }));
    return { ingested, rejected, lines: ingested + rejected, rejectedBy, errors, skipped: [] };
  }

  abort(): void {
    this.#close();
  }

  #close(): void {
    if (this.#isOpen) this.#storage.openIngests -= 1;
    this.#isOpen = false;
  }
}

/** Accepts only `name value=NUMBER TIME`. */
function sampleOfLine(line: string, { labels }: NativeLineProtocol): FakeSample {
  const [, name = '', value = '', ts = ''] = /^(\w+) value=(\d+) (\d+)$/.exec(line) ?? [];
  if (name === '') throw new AppError('invalid_record', `unable to parse '${line}': no field`);
  const pairs = labels.length === 0 ? {} : { [labels[0] ?? '']: labels[1] };
  return { name, labels: JSON.stringify(pairs), ts: BigInt(ts), value: Number(value) };
}

function matches(sample: FakeSample, selector: Selector): boolean {
  if ('seriesId' in selector) return selector.seriesId === 1n;
  const { name, labels } = selector;
  if (name !== sample.name) return false;
  return labels === null || JSON.stringify(Object.fromEntries(labels)) === sample.labels;
}

export interface CountedPieces extends ByteStream {
  pulled: number;
  isClosed: boolean;
}

/** A stream of these pieces; a function in place of a piece makes the stream fail. */
export function piecesOf(pieces: Iterable<Uint8Array | (() => Error)>): CountedPieces {
  const iterator = pieces[Symbol.iterator]();
  return {
    pulled: 0,
    isClosed: false,
    next() {
      const step = iterator.next();
      if (step.done === true) return Promise.resolve(null);
      this.pulled += 1;
      const piece = step.value;
      return typeof piece === 'function' ? Promise.reject(piece()) : Promise.resolve(piece);
    },
    close() {
      this.isClosed = true;
    },
  };
}
