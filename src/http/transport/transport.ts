/**
 * The interface of an HTTP server, so that uWebSockets.js and our own are interchangeable. A
 * transport only moves bytes: it decides nothing about routes, errors or limits.
 */

import type { ListenAddress } from '../../common/model/listen-address.js';
import type { TlsFiles } from './tls-files.js';
import type { UnreadAnswers } from './unread-answers.js';

/** The head of a request. Values are unchanged; absent ones are undefined. */
export interface RequestHead {
  /** Upper case. */
  method: string;
  /** The part before the question mark, not decoded. */
  path: string;
  /** The part after the question mark, not decoded; empty if there is none. */
  query: string;
  contentLength: string | undefined;
  contentEncoding: string | undefined;
  contentType: string | undefined;
  transferEncoding: string | undefined;
  authorization: string | undefined;
  accept: string | undefined;
  acceptEncoding: string | undefined;
  ifNoneMatch: string | undefined;
  /** Absent in HTTP/1.0 only; the transport refuses other requests without it. */
  host: string | undefined;
  origin: string | undefined;
  /** Sec-Fetch-Site, by which the browser reports the page's site. */
  fetchSite: string | undefined;
  requestId: string | undefined;
  /** The User-Agent header. */
  userAgent: string | undefined;
  /** True if the head has Access-Control-Request-Method. */
  isPreflight: boolean;
  /** True if a header that may occur only once occurred twice. */
  hasDuplicate: boolean;
}

export interface AnswerHead {
  /** Some statuses have no body: see `hasNoBody`. */
  readonly status: number;
  /** Empty if there is none. */
  readonly contentType: string;
  /** A name may occur twice. */
  readonly headers?: readonly (readonly [string, string])[];
}

export interface BodySink {
  /** `chunk` is lent for the call. */
  onChunk(chunk: Uint8Array): void;
  onEnd(): void;
}

/** One request and its answer. After `onGone` fires, every method is a no-op. */
export interface Exchange {
  readonly head: RequestHead;
  /** The address of the peer; empty if it is gone. */
  peerAddress(): string;
  /** Called if the client disconnects before the answer is complete. Set it first. */
  onGone: () => void;
  /** Call at most once, before the first turn of the event loop ends. */
  receive(sink: BodySink): void;
  /**
   * Declares that the request stores: it has the scope `write`, or changes samples. Its answer is
   * sent however late it is, also to a client that has closed its sending side, and before a next
   * request is read.
   */
  promiseAnswer(): void;
  pause(): void;
  resume(): void;
  /**
   * Restarts the timeouts of both sides. Without a call every few seconds, the transport may cut
   * the connection.
   */
  holdOpen(): void;
  /**
   * Sends the complete answer; the transport owns `body`. `closes`: close the connection
   * afterwards.
   */
  answer(head: AnswerHead, body: string | Uint8Array, options: { readonly closes: boolean }): void;
  /** Sends the head of an answer whose length is unknown. */
  begin(head: AnswerHead): void;
  /** Sends a piece; the transport owns it. False if the reader is slow: wait for `onWritable`. */
  write(piece: Uint8Array): boolean;
  onWritable: () => void;
  finish(): void;
  /** Closes the connection at once. */
  cut(): void;
}

/** Answers with status 204 or 304 have neither body nor length. */
export function hasNoBody(status: number): boolean {
  return status === 204 || status === 304;
}

export interface Listener {
  readonly address: ListenAddress;
  /**
   * Returns a function that installs the certificate. New connections get it; open ones keep theirs
   * and continue. Throws `invalid_configuration` without any change. Only for a listener that began
   * with TLS.
   */
  prepareTls(tls: TlsFiles): () => void;
  /** Distributes new connections over these and this listener in turn. [] means only this one. */
  shareWith(others: readonly Share[]): void;
  /**
   * Accepts the connections that are waiting, whose requests may have arrived, and no others. Then
   * resolves. Idle connections are closed.
   */
  stopAccepting(): Promise<void>;
  /** Closes all open connections. */
  close(): void;
}

/** A listener of another thread, seen from the accepting thread. */
export interface Share {
  /** Its `SharingListener.address`. */
  readonly address: number;
  /** Passes an accepted connection; the receiver owns the descriptor. */
  readonly take: (descriptor: number) => void;
}

/** Serves connections that another thread's listener accepts. */
export interface SharingListener {
  /** The address of the serving app, if the transport has one. It changes with the certificate. */
  readonly address: number;
  take(descriptor: number): void;
  prepareTls(tls: TlsFiles): () => void;
  /** Closes all open connections. */
  close(): void;
}

/** Counts the connections of a listener. */
export interface ConnectionShare {
  /** False if there is no room: close the connection at once. */
  open(): boolean;
  /** Call once per opened connection. */
  close(): void;
}

/** Receives connections and their requests. */
export interface Serving {
  readonly accept: (exchange: Exchange) => void;
  readonly connections: ConnectionShare;
  /** Shared by all listeners of one event loop. */
  readonly unread: UnreadAnswers;
  /** Null: plain HTTP. */
  readonly tls: TlsFiles | null;
}

export interface ListenOptions extends Serving {
  readonly address: ListenAddress;
}

export interface Transport {
  readonly name: 'uws' | 'node';
  /** Rejects with `listen_failed`, naming the address. */
  listen(options: ListenOptions): Promise<Listener>;
  share(serving: Serving): SharingListener;
}

export function emptyHead(method: string, path: string, query: string): RequestHead {
  return {
    method,
    path,
    query,
    contentLength: undefined,
    contentEncoding: undefined,
    contentType: undefined,
    transferEncoding: undefined,
    authorization: undefined,
    accept: undefined,
    acceptEncoding: undefined,
    ifNoneMatch: undefined,
    host: undefined,
    origin: undefined,
    fetchSite: undefined,
    requestId: undefined,
    userAgent: undefined,
    isPreflight: false,
    hasDuplicate: false,
  };
}

/**
 * A request with the same headers. All members are listed, since V8 is slow at spreading objects.
 */
export function headWith(
  fields: RequestHead,
  { method, path, query }: Pick<RequestHead, 'method' | 'path' | 'query'>,
): RequestHead {
  return {
    method,
    path,
    query,
    contentLength: fields.contentLength,
    contentEncoding: fields.contentEncoding,
    contentType: fields.contentType,
    transferEncoding: fields.transferEncoding,
    authorization: fields.authorization,
    accept: fields.accept,
    acceptEncoding: fields.acceptEncoding,
    ifNoneMatch: fields.ifNoneMatch,
    host: fields.host,
    origin: fields.origin,
    fetchSite: fields.fetchSite,
    requestId: fields.requestId,
    userAgent: fields.userAgent,
    isPreflight: fields.isPreflight,
    hasDuplicate: fields.hasDuplicate,
  };
}

/** Stores one header, lower-case name, in the head. */
export function addHeader(head: RequestHead, name: string, value: string): void {
  switch (name) {
    case 'content-length':
      head.hasDuplicate ||= head.contentLength !== undefined;
      head.contentLength = value;
      break;
    case 'authorization':
      head.hasDuplicate ||= head.authorization !== undefined;
      head.authorization = value;
      break;
    case 'transfer-encoding':
      head.hasDuplicate ||= head.transferEncoding !== undefined;
      head.transferEncoding = value;
      break;
    case 'content-encoding':
      head.contentEncoding =
        head.contentEncoding === undefined ? value : `${head.contentEncoding},${value}`;
      break;
    case 'content-type':
      head.contentType = head.contentType === undefined ? value : `${head.contentType},${value}`;
      break;
    case 'origin':
      head.hasDuplicate ||= head.origin !== undefined;
      head.origin = value;
      break;
    case 'sec-fetch-site':
      head.fetchSite = head.fetchSite === undefined ? value : `${head.fetchSite},${value}`;
      break;
    case 'x-request-id':
      head.requestId ??= value;
      break;
    case 'user-agent':
      head.userAgent ??= value;
      break;
    case 'access-control-request-method':
      head.isPreflight = true;
      break;
    case 'accept':
      head.accept = head.accept === undefined ? value : `${head.accept},${value}`;
      break;
    case 'accept-encoding':
      head.acceptEncoding =
        head.acceptEncoding === undefined ? value : `${head.acceptEncoding},${value}`;
      break;
    case 'if-none-match':
      head.ifNoneMatch = head.ifNoneMatch === undefined ? value : `${head.ifNoneMatch},${value}`;
      break;
    case 'host':
      head.hasDuplicate ||= head.host !== undefined;
      head.host = value;
      break;
    default:
  }
}
