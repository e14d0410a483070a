/**
 * An object store on loopback for tests: the part of Amazon's interface that is used, with the
 * signatures checked by code of its own, and with faults that real stores have.
 */
import { createHash, createHmac } from 'node:crypto';
import http from 'node:http';
import type { AddressInfo } from 'node:net';

interface Faults {
  /** Overwrites in spite of `If-None-Match`, as Ceph with versioning on. */
  readonly isIgnoring?: boolean;
  /** Answers 501 to a condition, as Swift's interface. */
  readonly isWithoutConditions?: boolean;
  /** Stores what it refuses. */
  readonly isStoringRefused?: boolean;
  /** Does not compare bytes with their hash. */
  readonly isBlind?: boolean;
  /** Ignores `Range`. */
  readonly isWhole?: boolean;
  /** Lists also what begins alike. */
  readonly isListingAll?: boolean;
  /** Keeps what is deleted. */
  readonly isKeeping?: boolean;
  readonly versioning?: 'Enabled' | 'Suspended';
  /** A rule that expires what begins with this prefix. */
  readonly expiring?: string;
  /** A rule that moves what begins with this prefix to Glacier. */
  readonly freezing?: string;
  /** The clock of the store, beside that of this machine. */
  readonly skewMs?: number;
  /** Breaks the connection of every request whose number it divides, half of them when served. */
  readonly breaksEvery?: number;
  /** Milliseconds before each answer. */
  readonly delayMs?: number;
  /** Keys of a page of a list, at most; few if left out. */
  readonly pageMost?: number;
}

export interface ObjectStore {
  readonly url: string;
  readonly objects: ReadonlyMap<string, Buffer>;
  /** Each request as `METHOD /path?query`. */
  readonly asked: string[];
  /** Away: every connection breaks, and no request takes effect. */
  setAway(isAway: boolean): void;
  close(): void;
}

export const keys = { accessKeyId: 'AKTEST', secretAccessKey: 'secret/+= #of; a test' };
export const bucketName = 'metrics';
const kRegion = 'us-east-1';
/** Fewer than of a real store, so that tests meet a second page. */
const kPageMost = 7;
const kSkewMostMs = 15 * 60_000;

interface Asked {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: Buffer;
}

interface Reply {
  readonly status: number;
  readonly body?: Buffer | string;
  readonly headers?: Readonly<Record<string, string>>;
}

const sha256 = (bytes: string | Buffer): string => createHash('sha256').update(bytes).digest('hex');
const hmac = (key: string | Buffer, text: string): Buffer =>
  createHmac('sha256', key).update(text).digest();

function refusal(status: number, code: string): Reply {
  const body = `<?xml version="1.0"?><Error><Code>${code}</Code><Message>for a test &amp; no more</Message></Error>`;
  return { status, body };
}

const rfc3986 = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (one) => `%${one.charCodeAt(0).toString(16)}`);

/** By the specification of AWS Signature Version 4, from the request as it came. */
function signatureOf({ method, path, query, headers }: Asked, signed: readonly string[]): string {
  const pairs = [...query].map(([name, value]) => `${rfc3986(name)}=${rfc3986(value)}`);
  const lines = signed.map((name) => `${name}:${String(headers[name]).trim()}\n`);
  const upper = (text: string): string =>
    text.replace(/%[0-9a-f]{2}/gi, (one) => one.toUpperCase());
  const canonical = [
    ...[method, upper(path), upper(pairs.sort().join('&')), lines.join('')],
    ...[signed.join(';'), String(headers['x-amz-content-sha256'])],
  ].join('\n');
  const time = String(headers['x-amz-date']);
  const scope = `${time.slice(0, 8)}/${kRegion}/s3/aws4_request`;
  const text = ['AWS4-HMAC-SHA256', time, scope, sha256(canonical)].join('\n');
  const parts = [time.slice(0, 8), kRegion, 's3', 'aws4_request'];
  const key = parts.reduce<string | Buffer>(hmac, `AWS4${keys.secretAccessKey}`);
  return hmac(key, text).toString('hex');
}

/** Null if the request may be carried out. */
function unsigned(asked: Asked, { skewMs = 0, isBlind = false }: Faults): Reply | null {
  const form =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/[^ ]+, ?SignedHeaders=([^ ,]+), ?Signature=(\w+)$/;
  const [, id, signed = '', signature] = form.exec(asked.headers.authorization ?? '') ?? [];
  if (id !== keys.accessKeyId) return refusal(403, 'InvalidAccessKeyId');
  const time = String(asked.headers['x-amz-date']);
  const [, date = '', clock = ''] = /^(\d{8})T(\d{6})Z$/.exec(time) ?? [];
  const at = Date.parse(
    `${date.slice(0, 4)}-${date.slice(4, 6)}-${date.slice(6)}T` +
      `${clock.slice(0, 2)}:${clock.slice(2, 4)}:${clock.slice(4)}Z`,
  );
  if (!(Math.abs(Date.now() + skewMs - at) < kSkewMostMs)) {
    const headers = { date: new Date(Date.now() + skewMs).toUTCString() };
    return { ...refusal(403, 'RequestTimeTooSkewed'), headers };
  }
  const names = signed.split(';');
  const isWhole = ['host', 'x-amz-content-sha256', 'x-amz-date'].every((one) =>
    names.includes(one),
  );
  if (!isWhole || signatureOf(asked, names) !== signature) {
    return refusal(403, 'SignatureDoesNotMatch');
  }
  const isTrue = asked.headers['x-amz-content-sha256'] === sha256(asked.body);
  return isTrue || isBlind ? null : refusal(400, 'XAmzContentSHA256Mismatch');
}

class Store {
  readonly objects = new Map<string, Buffer>();
  readonly #uploads = new Map<string, Map<number, Buffer>>();
  readonly #faults: Faults;

  constructor(faults: Faults) {
    this.#faults = faults;
  }

  answer(asked: Asked): Reply {
    const refused = unsigned(asked, this.#faults);
    if (refused !== null) return refused;
    const [, bucket = '', encodedKey = ''] = /^\/([^/]*)\/(.*)$/s.exec(asked.path) ?? [];
    if (bucket !== bucketName) return refusal(404, 'NoSuchBucket');
    const key = decodeURIComponent(encodedKey);
    if (key === '') return this.#ofBucket(asked);
    if (asked.query.has('uploads') || asked.query.has('uploadId')) return this.#upload(key, asked);
    if (asked.method === 'PUT') return this.#put(key, asked);
    if (asked.method === 'GET') return this.#get(key, asked);
    if (this.#faults.isKeeping !== true) this.objects.delete(key);
    return { status: 204 };
  }

  #put(key: string, { headers, body }: Asked): Reply {
    const { isIgnoring, isWithoutConditions, isStoringRefused } = this.#faults;
    const isCreate = headers['if-none-match'] === '*';
    if (isCreate && isWithoutConditions === true) return refusal(501, 'NotImplemented');
    const isThere = this.objects.has(key);
    const isRefused = isCreate && isThere && isIgnoring !== true;
    if (!isRefused || isStoringRefused === true) this.objects.set(key, body);
    return isRefused ? refusal(412, 'PreconditionFailed') : { status: 200 };
  }

  /** An upload in parts: begun, a part, ended or dropped. */
  #upload(key: string, { method, query, body }: Asked): Reply {
    if (query.has('uploads')) {
      const made = `upload-${String(this.#uploads.size + 1)}&<`;
      this.#uploads.set(made, new Map());
      const told = made.replace('&', '&amp;').replace('<', '&lt;');
      return { status: 200, body: `<Result><UploadId>${told}</UploadId></Result>` };
    }
    const id = query.get('uploadId') ?? '';
    const parts = this.#uploads.get(id);
    if (parts === undefined) return refusal(404, 'NoSuchUpload');
    if (method === 'PUT') {
      const etag = `"${sha256(body)}"`;
      parts.set(Number(query.get('partNumber')), body);
      return { status: 200, headers: { etag } };
    }
    this.#uploads.delete(id);
    if (method === 'DELETE') return { status: 204 };
    const listed = [...body.toString().matchAll(/<PartNumber>(\d+)<\/PartNumber><ETag>([^<]*)</g)];
    const whole = listed.map(([, number, tag]) => {
      const part = parts.get(Number(number));
      return part !== undefined && `"${sha256(part)}"` === tag ? part : null;
    });
    const bytes = whole.filter((part) => part !== null);
    if (bytes.length !== listed.length)
      return { status: 200, body: '<Error><Code>InvalidPart</Code></Error>' };
    this.objects.set(key, Buffer.concat(bytes));
    return { status: 200, body: '<CompleteMultipartUploadResult></CompleteMultipartUploadResult>' };
  }

  #get(key: string, { headers }: Asked): Reply {
    const body = this.objects.get(key);
    if (body === undefined) return refusal(404, 'NoSuchKey');
    const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(headers.range ?? '') ?? [];
    if (from === undefined || this.#faults.isWhole === true) return { status: 200, body };
    return { status: 206, body: body.subarray(Number(from), Number(to) + 1) };
  }

  #ofBucket({ query }: Asked): Reply {
    const { versioning, expiring, freezing, isListingAll, pageMost = kPageMost } = this.#faults;
    if (query.has('versioning')) {
      const status = versioning === undefined ? '' : `<Status>${versioning}</Status>`;
      return { status: 200, body: `<VersioningConfiguration>${status}</VersioningConfiguration>` };
    }
    if (query.has('lifecycle')) {
      const ruled = freezing ?? expiring;
      if (ruled === undefined) return refusal(404, 'NoSuchLifecycleConfiguration');
      const [kind, more] =
        freezing === undefined
          ? ['Expiration', '']
          : ['Transition', '<StorageClass>GLACIER</StorageClass>'];
      const filter = `<Filter><Prefix>${ruled}</Prefix></Filter><Status>Enabled</Status>`;
      const rule = `<Rule>${filter}<${kind}><Days>1</Days>${more}</${kind}></Rule>`;
      return { status: 200, body: `<LifecycleConfiguration>${rule}</LifecycleConfiguration>` };
    }
    const prefix = query.get('prefix') ?? '';
    const wanted = isListingAll === true ? prefix.replace(/\/$/, '') : prefix;
    const after = query.get('start-after') ?? '';
    const found = [...this.objects.keys()].filter((key) => key.startsWith(wanted) && key > after);
    const page = found.sort().slice(0, Math.min(Number(query.get('max-keys')), pageMost));
    const isMore = `<IsTruncated>${String(found.length > page.length)}</IsTruncated>`;
    const contents = page.map((key) => {
      const size = String(this.objects.get(key)?.length);
      return `<Contents><Key>${rfc3986(key).replaceAll('%2F', '/').replaceAll('%20', '+')}</Key><Size>${size}</Size></Contents>`;
    });
    const body = `<ListBucketResult>${isMore}${contents.join('')}</ListBucketResult>`;
    return { status: 200, body };
  }
}

/** Listens until it is closed. */
export async function startObjectStore(faults: Faults = {}): Promise<ObjectStore> {
  const store = new Store(faults);
  const asked: string[] = [];
  let isAway = false;
  const server = http.createServer((request, response) => {
    if (isAway) {
      request.socket.destroy();
      return;
    }
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      const { method = '', url = '', headers } = request;
      asked.push(`${method} ${url}`);
      const [path = '', query = ''] = url.split('?');
      const whole = { method, path, headers, body: Buffer.concat(pieces) };
      const every = faults.breaksEvery ?? Infinity;
      const isBreaking = asked.length % every === 0;
      const isServed = !isBreaking || (asked.length / every) % 2 === 0;
      const params = new URLSearchParams(query);
      const reply = isServed ? store.answer({ ...whole, query: params }) : null;
      if (isBreaking || reply === null) {
        request.socket.destroy();
        return;
      }
      setTimeout(() => {
        response.writeHead(reply.status, reply.headers).end(reply.body);
      }, faults.delayMs ?? 0);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    ...{ url: `http://127.0.0.1:${String(port)}`, objects: store.objects, asked },
    setAway: (now) => {
      isAway = now;
    },
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
