/** The storage port over the native engine: the only user of native/. */
import { AppError, toAppError } from '../common/errors/app-error.js';
import { thrownMessage } from '../common/errors/thrown-message.js';
import { loadAddon } from './native/load.js';
import { nativeNames } from './native/names.js';
import { kStageBuckets, nativeBlockFigures } from './native/stats-contract.js';

import { AnswerRoom } from './answer-room.js';
import { guarded, guardedAsync } from './guarded.js';
import { NativeIngests, requiredOf } from './native-ingest.js';
import {
  AheadStream,
  NativeBatchStream,
  NativeByteStream,
  openedSteps,
  NativeTextStream,
  PrintedSteps,
} from './native-streams.js';
import { pollLines } from './poll-lines.js';
import { figuresOf, putFigures, toNativeQuery } from './step-query.js';

import type { NativeStore } from './native/store-contract.js';
import type { LabelPairs, Selector } from '../common/model/selector.js';
import type { DatabaseTime } from '../common/model/timestamp-unit.js';
import type {
  NativeAddon,
  NativeEngine,
  NativeEngineOptions,
  NativeJsonReader,
  NativeSelector,
  NativeDecoder,
} from './native/contract.js';
import type {
  NativeFileWork,
  NativePreviewRequest,
  NativeReportRequest,
  NativeTask,
} from './native/report-contract.js';
import type { NativeSockets } from './native/sockets-contract.js';
import type { NativeStats } from './native/stats-contract.js';
import type {
  AnnotationFilter,
  ByteStream,
  Discovery,
  BatchStream,
  ColumnStream,
  Collection,
  StoredCollectionRequest,
  GroupQuery,
  Inspected,
  WindowComparison,
  StoredIngestOptions,
  IngestRequest,
  LabelQuestion,
  MathFunction,
  NewAnnotation,
  RemoteRead,
  StoredRepairWishes,
  RowQuery,
  BlockSize,
  SeriesRemoval,
  StageTimes,
  OpenedSteps,
  ShortTexts,
  StepAnswer,
  StepLimits,
  StepPrint,
  StepQuery,
  Storage,
  StoredTable,
  StorageLimits,
  PreparedTexts,
  TextPiece,
  TextQuery,
  BucketBackup,
  Undelete,
  EncodedBody,
  BodyCoding,
} from './storage.js';

function toNativeSelector(selector: Selector): NativeSelector {
  const required = requiredOf(selector.required);
  if ('seriesId' in selector) return { seriesId: selector.seriesId, ...required };
  const labels = selector.labels === null ? null : selector.labels.flat();
  return { name: selector.name, labels, ...required };
}

/** RFC 9659 allows this window; `zstd --ultra` and `--long` may need more. */
const kWindowFault =
  'the zstd body needs a window of more than 8 MiB; compress it without --ultra, at most --long=23';

function decoderFault(coding: BodyCoding, cause: unknown): AppError {
  const fault = toAppError(cause);
  if (fault.code === 'payload_too_large') {
    if (coding === 'snappy') return fault;
    return new AppError('unsupported_encoding', kWindowFault, { cause });
  }
  return new AppError('invalid_encoding', `the ${coding} body is damaged or cut short`, { cause });
}

/** Shared by all bodies: each piece is used before the next is decoded. */
const decodedPiece = new Uint8Array(128 * 1024);

class NativeEncodedBody implements EncodedBody {
  readonly #native: NativeDecoder;
  readonly #coding: BodyCoding;

  constructor(native: NativeDecoder, coding: BodyCoding) {
    this.#native = native;
    this.#coding = coding;
  }

  decode(chunk: Uint8Array, mode: 'keep' | 'more' | 'last'): Uint8Array | null {
    try {
      const size = this.#native.decode(chunk, mode, decodedPiece);
      return size === null ? null : decodedPiece.subarray(0, size);
    } catch (cause) {
      throw decoderFault(this.#coding, cause);
    }
  }

  close(): void {
    this.#native.close();
  }
}

class NativeStorage implements Storage {
  readonly kernel: string;
  readonly note: string;
  readonly math: MathFunction;
  readonly #engine: NativeEngine;
  readonly #ingests: NativeIngests;
  readonly #addon: NativeAddon;
  #answerRoom: AnswerRoom | null = null;

  constructor(engine: NativeEngine, addon: NativeAddon) {
    this.#engine = engine;
    this.#ingests = new NativeIngests(engine);
    this.#addon = addon;
    this.kernel = addon.facts().kernel;
    this.note = engine.note ?? '';
    this.math = (name, x, y) => addon.math(nativeNames.math.indexOf(name), x, y);
  }

  /** For another storage opened beside this one. */
  get engine(): NativeEngine {
    return this.#engine;
  }

  #bytesOf(reader: NativeJsonReader): ByteStream {
    return new NativeByteStream(reader, this.#addon.freeBuffer);
  }

  beginIngest(options: StoredIngestOptions): IngestRequest {
    return this.#ingests.begin(options);
  }

  beginDecoder(coding: BodyCoding): EncodedBody {
    const native = guarded(() => this.#engine.beginDecoder(coding));
    return new NativeEncodedBody(native, coding);
  }

  openRange(selector: Selector, start: DatabaseTime, end: DatabaseTime): ByteStream {
    const question = { answer: 'range', selector: toNativeSelector(selector), start, end } as const;
    return new AheadStream(this.#bytesOf(guarded(() => this.#engine.openAnswer(question))));
  }

  openDiscovery(discovery: Discovery): ByteStream {
    return this.#bytesOf(guarded(() => this.#engine.openAnswer(discovery)));
  }

  openRemoteRead(read: RemoteRead): ByteStream {
    const question = { answer: 'remoteRead', ...read } as const;
    return this.#bytesOf(guarded(() => this.#engine.openAnswer(question)));
  }

  openLabels(asked: LabelQuestion): ByteStream {
    const question = { answer: 'labels', ...asked } as const;
    return this.#bytesOf(guarded(() => this.#engine.openAnswer(question)));
  }

  openScan(seriesIds: BigUint64Array, start: DatabaseTime, end: DatabaseTime): ColumnStream {
    const ranges = start > end ? new BigInt64Array() : BigInt64Array.of(start, end);
    const query = { answer: 'columns', series: seriesIds, ranges } as const;
    return new NativeBatchStream(guarded(() => this.#engine.openQuery(query)));
  }

  openGroups(query: GroupQuery): BatchStream<StoredTable> {
    return new NativeBatchStream(guarded(() => this.#engine.openQuery(query)));
  }

  openRows(query: RowQuery): ColumnStream {
    return new NativeBatchStream(guarded(() => this.#engine.openQuery(query)));
  }

  openTexts(query: TextQuery): BatchStream<TextPiece> {
    return new NativeTextStream(
      guarded(() => this.#engine.openQuery(query)),
      this.#addon.freeBuffer,
    );
  }

  prepareTexts(query: TextQuery): PreparedTexts {
    return this.#room.prepared(guarded(() => this.#engine.prepareQuery(query)));
  }

  get #room(): AnswerRoom {
    return (this.#answerRoom ??= new AnswerRoom());
  }

  answerSteps(query: StepAnswer): ShortTexts | OpenedSteps {
    const asked = toNativeQuery(query);
    putFigures(this.#room.figures, query);
    const made = this.#room.filledBy((room) => this.#engine.openAnswer(asked, room));
    return 'text' in made ? made : openedSteps(made, this.#addon.freeBuffer);
  }

  openSteps(queries: readonly StepQuery[], limits: StepLimits): readonly OpenedSteps[] {
    const [asked, figures] = [queries.map(toNativeQuery), figuresOf(queries, limits)];
    const opened = guarded(() => this.#engine.openQuery(asked, figures));
    return opened.map((one) => openedSteps(one, this.#addon.freeBuffer));
  }

  printSteps(print: StepPrint): Uint8Array | ByteStream {
    const made = guarded(() => this.#engine.openAnswer({ answer: 'steps', ...print }));
    if (made instanceof ArrayBuffer) return new Uint8Array(made);
    return new PrintedSteps(new AheadStream(this.#bytesOf(made)), print);
  }

  async compare(comparison: WindowComparison): Promise<string> {
    const selector = toNativeSelector(comparison.selector);
    const question = { answer: 'comparison', ...comparison, selector } as const;
    const reader = guarded(() => this.#engine.openAnswer(question));
    const text = await guardedAsync(reader.next());
    return text === null ? '' : Buffer.from(text).toString();
  }

  configure(limits: StorageLimits): void {
    guarded(() => {
      this.#engine.configure(limits);
    });
  }

  annotate(annotation: NewAnnotation): Promise<string> {
    const { required, ...words } = annotation;
    const texts = { labels: annotation.labels.flat(), ...requiredOf(required) };
    return guardedAsync(this.#engine.change({ change: 'annotation', ...words, ...texts }));
  }

  deleteAnnotation(id: bigint, required?: LabelPairs): Promise<string> {
    const deletion = { change: 'deletion', id, ...requiredOf(required) } as const;
    return guardedAsync(this.#engine.change(deletion));
  }

  async remove(removal: SeriesRemoval): Promise<number> {
    return Number(await guardedAsync(this.#engine.change({ change: 'removal', ...removal })));
  }

  openAnnotations(filter: AnnotationFilter): ByteStream {
    const { required, ...wanted } = filter;
    const texts = { labels: filter.labels.flat(), ...requiredOf(required) };
    const question = { answer: 'annotations', ...wanted, ...texts } as const;
    return this.#bytesOf(guarded(() => this.#engine.openAnswer(question)));
  }

  openVerification(): ByteStream {
    return this.#bytesOf(guarded(() => this.#engine.openAnswer({ answer: 'verification' })));
  }

  openInspection(inspected: Inspected): ByteStream {
    const question = { answer: 'inspection', ...inspected } as const;
    return this.#bytesOf(guarded(() => this.#engine.openAnswer(question)));
  }

  flush(): Promise<void> {
    return guardedAsync(this.#engine.maintain('flush'));
  }

  openCompaction(): ByteStream {
    return this.#openTask('compaction');
  }

  openMigration(): ByteStream {
    return this.#openTask('migration');
  }

  #openTask(answer: NativeTask['answer']): ByteStream {
    const reader = guarded(() => this.#engine.openAnswer({ answer }));
    return pollLines(this.#bytesOf(reader));
  }

  collect(request: StoredCollectionRequest): Promise<Collection> {
    return guardedAsync(this.#engine.maintain('collect', request));
  }

  createSnapshot(name: string): Promise<void> {
    return guardedAsync(this.#engine.maintain('createSnapshot', name));
  }

  deleteSnapshot(name: string): Promise<void> {
    return guardedAsync(this.#engine.maintain('deleteSnapshot', name));
  }

  openSnapshots(): ByteStream {
    return this.#bytesOf(guarded(() => this.#engine.openAnswer({ answer: 'snapshots' })));
  }

  openBackup(target: string): ByteStream {
    const question = { answer: 'backup', target } as const;
    return this.#bytesOf(guarded(() => this.#engine.openAnswer(question)));
  }

  openBucketBackup(backup: BucketBackup): ByteStream {
    const question = { answer: 'bucketBackup', ...backup } as const;
    return this.#bytesOf(guarded(() => this.#engine.openAnswer(question)));
  }

  openUndelete(undelete: Undelete): ByteStream {
    const question = { answer: 'undelete', ...undelete } as const;
    return this.#bytesOf(guarded(() => this.#engine.openAnswer(question)));
  }

  openRepair(wishes: StoredRepairWishes): ByteStream {
    const question = { answer: 'repair', ...wishes } as const;
    return this.#bytesOf(guarded(() => this.#engine.openAnswer(question)));
  }

  stats(): Readonly<Record<string, number>> {
    return this.#stats().counts;
  }

  #stats(): NativeStats {
    return guarded(() => this.#engine.stats());
  }

  stageTimes(): StageTimes {
    const width = kStageBuckets + 1;
    const numbers = this.#stats().stages;
    return {
      bounds: [...numbers.subarray(0, kStageBuckets - 1)],
      stages: nativeNames.stages.map((stage, index) => {
        const row = numbers.subarray(kStageBuckets + index * width).subarray(0, width);
        return { stage, counts: row.subarray(0, kStageBuckets), sum: row[kStageBuckets] ?? 0 };
      }),
    };
  }

  blockSizes(): readonly BlockSize[] | null {
    const numbers = this.#stats().blocks;
    if (numbers === null) return null;
    const width = nativeBlockFigures.length;
    return Array.from({ length: numbers.length / width }, (_, row) => {
      const entries = nativeBlockFigures.map((name, at) => [name, numbers[row * width + at] ?? 0]);
      // The names are the members of BlockSize; the contract documents them.
      return Object.fromEntries(entries) as BlockSize;
    });
  }

  degradedReasons(): readonly string[] {
    return this.#stats().degraded;
  }

  degradedKinds(): readonly string[] {
    return this.#stats().degradedKinds;
  }

  holdUnread(bytes: number, cutCount: number): number {
    return this.#engine.holdUnread(bytes, cutCount);
  }

  narrowConnections(port: number, isNarrow: boolean): void {
    guarded(() => this.#addon.narrowConnections(port, isNarrow));
  }

  close(): Promise<void> {
    return guardedAsync(this.#engine.close());
  }
}

/** Throws AppError `invalid_configuration` if no addon loads. */
function loadedAddon(addonPath?: string): NativeAddon {
  try {
    return loadAddon(addonPath);
  } catch (error) {
    const reason = thrownMessage(error);
    throw new AppError('invalid_configuration', reason, { cause: error });
  }
}

export type StorageOptions = Omit<NativeEngineOptions, 'beside'>;

/**
 * Opens the data directory; creates or recovers the database. `addonPath` overrides the built
 * addon. Throws AppError `locked`, `unit_mismatch`, `storage_corrupt` or `io`, with a sentence for
 * the operator.
 */
export async function openNativeStorage(
  options: StorageOptions,
  addonPath?: string,
  beside: Storage | null = null,
): Promise<Storage> {
  const addon = loadedAddon(addonPath);
  const engine = beside instanceof NativeStorage ? beside.engine : null;
  const opened = addon.openEngine({ ...options, beside: engine });
  return new NativeStorage(await guardedAsync(opened), addon);
}

/** For joinNativeStorage() on another thread of the process. */
export function shareOf(storage: Storage): number {
  if (storage instanceof NativeStorage) return storage.engine.share();
  throw new Error('only what is open natively can be shared');
}

/** Socket functions for the HTTP server, by descriptor; see contract.ts. */
export function socketCalls(addonPath?: string): NativeSockets {
  const addon = loadedAddon(addonPath);
  return {
    copyDescriptor: (descriptor) => guarded(() => addon.copyDescriptor(descriptor)),
    sendNow: addon.sendNow,
    unconfirmedBytes: addon.unconfirmedBytes,
  };
}

/** Joins a storage that another thread opened. Its close() leaves that storage open. */
export function joinNativeStorage(share: number, addonPath?: string): Storage {
  const addon = loadedAddon(addonPath);
  return new NativeStorage(
    guarded(() => addon.joinEngine(share)),
    addon,
  );
}

/** Inspects a directory that no process has open; JSON lines. Changes no byte. */
export function openNativeReport(request: NativeReportRequest, addonPath?: string): ByteStream {
  const addon = loadedAddon(addonPath);
  return new NativeByteStream(
    guarded(() => addon.openReport(request)),
    addon.freeBuffer,
  );
}

/** The samples of a body that no database stores; JSON lines. Throws AppError. */
export function openNativePreview(request: NativePreviewRequest, addonPath?: string): ByteStream {
  const addon = loadedAddon(addonPath);
  return new NativeByteStream(
    guarded(() => addon.openReport(request)),
    addon.freeBuffer,
  );
}

/** A store whose requests this thread answers. */
export function makeNativeStore(addonPath?: string): NativeStore {
  return loadedAddon(addonPath).makeStore();
}

/** Restores or repairs a directory, a file per piece; JSON lines. */
export function openNativeWork(request: NativeFileWork, addonPath?: string): ByteStream {
  const addon = loadedAddon(addonPath);
  return new NativeByteStream(
    guarded(() => addon.openReport(request)),
    addon.freeBuffer,
  );
}
