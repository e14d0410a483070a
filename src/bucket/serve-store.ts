/**
 * Answers the requests of native code to an object store. Threads of native code wait for them, so
 * nothing here may wait for libuv's pool, on which they may stand: addresses are known beforehand,
 * signatures are made at once, and no file is read.
 */

import { thrownMessage } from '../common/errors/thrown-message.js';

import { listQuery, parseListPage } from './list-page.js';
import { elementTexts, isDone, type StoreAnswer } from './store-answer.js';

import type {
  NativeStore,
  NativeStoreAnswer,
  NativeStoreRequest,
} from '../storage/native/store-contract.js';
import type { OpenStore } from './open-store.js';
import type { StoreCounts } from './store-counts.js';
import type { StoreRequest } from './store-client.js';

/** The largest object that native code reads as a whole, and what its headers take. */
const kMostBytes = 66 * 1024 * 1024;

const nothing: NativeStoreAnswer = {
  ...{ outcome: 'notKnown', body: new Uint8Array(), keys: [], sizes: new Float64Array() },
  ...{ hasMore: false, text: '', reason: '' },
};

const notKnown = (reason: string): NativeStoreAnswer => ({ ...nothing, reason });

/** A store that native code may ask. */
export interface ServedStore {
  /** By which native code knows it. */
  readonly number: number;
  /** Requests that wait end as not known. Idempotent. */
  close(): Promise<void>;
}

/** From now on this thread answers what native code asks the store, and counts it. */
export function serveStore(
  native: NativeStore,
  store: OpenStore,
  counts: Pick<StoreCounts, 'count'> | null = null,
): ServedStore {
  const served = serve(native, store, counts).then(() => store.close());
  return {
    number: native.share(),
    close: () => {
      native.close();
      return served;
    },
  };
}

/** Resolves when `native` is closed. */
async function serve(
  native: NativeStore,
  store: OpenStore,
  counts: Pick<StoreCounts, 'count'> | null,
): Promise<void> {
  // The address that answered last, until it does not.
  const used = { at: 0 };
  for (;;) {
    const requests = await native.take();
    if (requests === null) return;
    for (const request of requests) {
      void answerTo(request, store, used).then((answer) => {
        const bytes = (request.body?.byteLength ?? 0) + answer.body.length;
        counts?.count(request.op, answer.outcome, bytes);
        native.settle(request.id, answer);
      });
    }
  }
}

async function answerTo(
  request: NativeStoreRequest,
  { clients, prefix }: OpenStore,
  used: { at: number },
): Promise<NativeStoreAnswer> {
  try {
    const { at } = used;
    const client = clients[at % clients.length];
    if (client === undefined) return notKnown('the store has no address');
    const { timeoutMs } = request;
    const answer = await client.ask(sentFor(request, prefix), { mostBytes: kMostBytes, timeoutMs });
    if (answer.status === 0 && used.at === at) used.at = at + 1;
    return heard(request, answer, prefix);
  } catch (error) {
    return notKnown(thrownMessage(error));
  }
}

/** The request as HTTP. `prefix` is the database's. */
function sentFor(request: NativeStoreRequest, prefix: string): StoreRequest {
  const { op, key, upload } = request;
  switch (op) {
    case 'put': {
      const condition = request.isCreate ? { 'If-None-Match': '*' } : {};
      return { method: 'PUT', key, ...bodyOf(request, condition) };
    }
    case 'get':
      return { method: 'GET', key, ...rangeOf(request) };
    case 'delete':
      return { method: 'DELETE', key };
    case 'list': {
      const { after, countMax } = request;
      const from = after === '' ? '' : prefix + after;
      return { method: 'GET', query: listQuery({ prefix: prefix + key, after: from, countMax }) };
    }
    case 'beginUpload':
      return { method: 'POST', key, query: { uploads: '' } };
    case 'putPart': {
      const query = { partNumber: String(request.part), uploadId: upload };
      return { method: 'PUT', key, query, ...bodyOf(request, {}) };
    }
    case 'endUpload':
      return { method: 'POST', key, query: { uploadId: upload }, body: partList(request) };
    case 'dropUpload':
      return { method: 'DELETE', key, query: { uploadId: upload } };
  }
}

/** The hash is known already; else the signature would take another one. */
function bodyOf(
  { body, bodyHash }: NativeStoreRequest,
  headers: Readonly<Record<string, string>>,
): Pick<StoreRequest, 'body' | 'headers'> {
  const told = { 'X-Amz-Content-Sha256': bodyHash, ...headers };
  return { body: Buffer.from(body ?? new ArrayBuffer(0)), headers: told };
}

function rangeOf({ range }: NativeStoreRequest): Pick<StoreRequest, 'headers'> {
  if (range === null) return {};
  const last = range.offset + range.size - 1;
  return { headers: { Range: `bytes=${String(range.offset)}-${String(last)}` } };
}

function partList({ tags }: NativeStoreRequest): Buffer {
  const parts = tags.map((tag, at) => {
    const safe = tag.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
    return `<Part><PartNumber>${String(at + 1)}</PartNumber><ETag>${safe}</ETag></Part>`;
  });
  return Buffer.from(`<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`);
}

/** What is known after the answer. A code that says nothing of the object is not known. */
function heard(
  request: NativeStoreRequest,
  answer: StoreAnswer,
  prefix: string,
): NativeStoreAnswer {
  const { op, isCreate, range } = request;
  if (isDone(answer)) return done(request, answer, prefix);
  const isGone = answer.status === 404 && answer.code !== 'NoSuchBucket';
  if (op === 'get' && isGone) return { ...nothing, outcome: 'notFound' };
  if ((op === 'delete' || op === 'dropUpload') && isGone) return { ...nothing, outcome: 'done' };
  if ((op === 'putPart' || op === 'endUpload') && isGone) {
    return { ...nothing, outcome: 'notFound' };
  }
  // The range begins behind the end of the object.
  if (op === 'get' && range !== null && answer.status === 416) {
    return { ...nothing, outcome: 'done' };
  }
  if (isCreate && answer.status === 412) return { ...nothing, outcome: 'exists' };
  return isFinal(answer)
    ? { ...nothing, outcome: 'refused', reason: answer.reason }
    : notKnown(answer.reason);
}

/** The same request would be answered alike: without a right, a bucket, or an interface. */
function isFinal({ status, code }: StoreAnswer): boolean {
  const isOfRequest = status >= 400 && status < 500 && ![408, 409, 412, 429].includes(status);
  return status === 501 || (isOfRequest && code !== 'RequestTimeTooSkewed');
}

function done(
  { op }: NativeStoreRequest,
  { body, headers }: StoreAnswer,
  prefix: string,
): NativeStoreAnswer {
  const text = (): string => body.toString('utf8');
  switch (op) {
    case 'get':
      return { ...nothing, outcome: 'done', body };
    case 'list': {
      const { keys, sizes, hasMore } = parseListPage(text());
      if (!keys.every((key) => key.startsWith(prefix))) return notKnown('it lists other keys');
      const own = keys.map((key) => key.slice(prefix.length));
      return { ...nothing, outcome: 'done', keys: own, sizes: Float64Array.from(sizes), hasMore };
    }
    case 'beginUpload': {
      const [id] = elementTexts(text(), 'UploadId');
      return id === undefined
        ? notKnown('no id of an upload')
        : { ...nothing, outcome: 'done', text: id };
    }
    case 'putPart': {
      const tag = headers['etag'];
      return tag === undefined
        ? notKnown('no tag of a part')
        : { ...nothing, outcome: 'done', text: tag };
    }
    case 'endUpload': {
      // Amazon sends its 200 before it knows.
      if (text().includes('<CompleteMultipartUploadResult')) return { ...nothing, outcome: 'done' };
      const [code = 'no result of an upload'] = elementTexts(text(), 'Code');
      return notKnown(code);
    }
    default:
      return { ...nothing, outcome: 'done' };
  }
}
