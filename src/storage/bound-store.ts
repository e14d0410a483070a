/**
 * A store bound to labels. It shows only data with all of these labels, and adds them to all data
 * written.
 */

import { AppError } from '../common/errors/app-error.js';
import { kLabelCountMax } from '../common/model/names.js';

import type { LabelPairs, Selector } from '../common/model/selector.js';
import type { DatabaseTime } from '../common/model/timestamp-unit.js';
import type {
  AnnotationFilter,
  BatchStream,
  ByteStream,
  ColumnStream,
  WindowComparison,
  Discovery,
  GroupQuery,
  StoredIngestOptions,
  IngestRequest,
  LabelQuestion,
  MathFunction,
  NewAnnotation,
  PreparedTexts,
  RemoteRead,
  RowQuery,
  SeriesFilter,
  SeriesRemoval,
  SeriesStore,
  OpenedSteps,
  ShortTexts,
  StepAnswer,
  StepLimits,
  StepPrint,
  StepQuery,
  StoredTable,
  TextPiece,
  TextQuery,
} from './storage.js';

export class BoundStore implements SeriesStore {
  readonly math: MathFunction;
  readonly #store: SeriesStore;
  readonly #labels: LabelPairs;

  /** `store` itself must be unbound. */
  constructor(store: SeriesStore, labels: LabelPairs) {
    if (store instanceof BoundStore) throw new Error('a store is bound once');
    this.math = store.math;
    this.#store = store;
    this.#labels = labels;
  }

  beginIngest(options: StoredIngestOptions): IngestRequest {
    return this.#store.beginIngest({ ...options, required: this.#labels });
  }

  openRange(selector: Selector, start: DatabaseTime, end: DatabaseTime): ByteStream {
    return this.#store.openRange(this.#selector(selector), start, end);
  }

  openDiscovery(discovery: Discovery): ByteStream {
    return this.#store.openDiscovery({ ...discovery, filter: this.#filter(discovery.filter) });
  }

  openRemoteRead(read: RemoteRead): ByteStream {
    return this.#store.openRemoteRead({ ...read, queries: this.#queries(read) });
  }

  openLabels(question: LabelQuestion): ByteStream {
    return this.#store.openLabels({ ...question, queries: this.#queries(question) });
  }

  /** The ids must come from this store. */
  openScan(seriesIds: BigUint64Array, start: DatabaseTime, end: DatabaseTime): ColumnStream {
    return this.#store.openScan(seriesIds, start, end);
  }

  openGroups(query: GroupQuery): BatchStream<StoredTable> {
    return this.#store.openGroups(this.#ofSeries(query));
  }

  openRows(query: RowQuery): ColumnStream {
    return this.#store.openRows(this.#ofSeries(query));
  }

  openTexts(query: TextQuery): BatchStream<TextPiece> {
    return this.#store.openTexts({ ...query, of: this.#ofSeries(query.of) });
  }

  prepareTexts(query: TextQuery): PreparedTexts {
    const prepared = this.#store.prepareTexts({ ...query, of: this.#ofSeries(query.of) });
    return { answer: (read) => prepared.answer(this.#ofSeries(read)) };
  }

  openSteps(queries: readonly StepQuery[], limits: StepLimits): readonly OpenedSteps[] {
    const bound = queries.map((query) =>
      'rowCount' in query.of ? query : { ...query, of: this.#filter(query.of) },
    );
    return this.#store.openSteps(bound, limits);
  }

  answerSteps(query: StepAnswer): ShortTexts | OpenedSteps {
    return this.#store.answerSteps({ ...query, of: this.#filter(query.of) });
  }

  printSteps(print: StepPrint): Uint8Array | ByteStream {
    return this.#store.printSteps(print);
  }

  compare(comparison: WindowComparison): Promise<string> {
    return this.#store.compare({ ...comparison, selector: this.#selector(comparison.selector) });
  }

  annotate(annotation: NewAnnotation): Promise<string> {
    const labels = [...annotation.labels];
    for (const [key, value] of this.#labels) {
      const given = labels.find(([one]) => one === key);
      if (given === undefined) labels.push([key, value]);
      else if (given[1] !== value) return Promise.reject(otherLabel(key, value));
    }
    if (labels.length > kLabelCountMax) return Promise.reject(tooManyLabels());
    const required = [...(annotation.required ?? []), ...this.#labels];
    return this.#store.annotate({ ...annotation, labels, required });
  }

  deleteAnnotation(id: bigint, required: LabelPairs = []): Promise<string> {
    return this.#store.deleteAnnotation(id, [...required, ...this.#labels]);
  }

  remove(removal: SeriesRemoval): Promise<number> {
    return this.#store.remove(this.#ofSeries(removal));
  }

  openAnnotations(filter: AnnotationFilter): ByteStream {
    const required = [...(filter.required ?? []), ...this.#labels];
    return this.#store.openAnnotations({ ...filter, required });
  }

  #selector(selector: Selector): Selector {
    return { ...selector, required: this.#labels };
  }

  #filter(filter: SeriesFilter): SeriesFilter {
    return { ...filter, required: this.#labels.flat() };
  }

  #queries({ queries }: Pick<RemoteRead, 'queries'>): RemoteRead['queries'] {
    return queries.map((one) => ({ ...one, filter: this.#filter(one.filter) }));
  }

  /** Ids were filtered when they were found; filters are bound here. */
  #ofSeries<Query extends { readonly series: BigUint64Array | SeriesFilter }>(query: Query): Query {
    if (query.series instanceof BigUint64Array) return query;
    return { ...query, series: this.#filter(query.series) };
  }
}

function otherLabel(key: string, value: string): AppError {
  const label = `${JSON.stringify(key)} must be ${JSON.stringify(value)}`;
  return new AppError('invalid_labels', `the label ${label}: the token allows no other value`);
}

function tooManyLabels(): AppError {
  const most = `labels has more than ${kLabelCountMax} keys`;
  return new AppError('invalid_labels', `${most}, including those of the token`);
}
