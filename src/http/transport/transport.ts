/**
 * The interface of an HTTP server, so that uWebSockets.js and our own are interchangeable. A
 * transport only moves bytes: it decides nothing about routes, errors or limits.
 */

import type { ListenAddress } from '../../common/model/listen-address.js';
import type { TlsFiles } from './tls-files.js';
import type { UnreadAnswers } from './unread-answers.js';

/** The head of a request. Values are as sent; absent ones are undefined. */
export interface RequestHead {
  /** Upper case. */
  method: string;
  /** Before the question mark, not decoded. */
  path: string;
  /** After the question mark, not decoded; empty when there is none. */
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
  /** Sec-Fetch-Site: the browser's statement of the page's site. */
  fetchSite: string | undefined;
  requestId: string | undefined;
  /** What the client calls itself. */
  userAgent: string | undefined;
  /** It has Access-Control-Request-Method. */
  isPreflight: boolean;
  /** A header that may occur only once occurred twice. */
  hasDuplicate: boolean;
}

export interface AnswerHead {
  /** Some statuses have no body: `hasNoBody`. */
  readonly status: number;
  /** Empty: none. */
  readonly contentType: string;
  /** A name may occur twice. */
  readonly headers?: readonly (readonly [string, string])[];
}

export interface BodySink {
  /** `chunk` is lent for the call. */
  onChunk(chunk: Uint8Array): void;
  onEnd(): void;
}

/** One request and its answer. After `onGone` fired, every method is a no-op. */
export interface Exchange {
  readonly head: RequestHead;
  /** The address of the peer; empty if it is gone. */
  peerAddress(): string;
  /** Called if the client goes away before the answer is complete. Set it first. */
  onGone: () => void;
  /** Call at most once, before the first turn of the event loop ends. */
  receive(sink: BodySink): void;
  pause(): void;
  resume(): void;
  /**
   * Restarts the clocks of both sides: without a call every few seconds, the transport may cut the
   * connection.
   */
  holdOpen(): void;
  /**
   * The complete answer; `body` is owned by the transport. `closes`: close the connection
   * afterwards.
   */
  answer(head: AnswerHead, body: string | Uint8Array, options: { readonly closes: boolean }): void;
  /** The first bytes of an answer whose length is not known. */
  begin(head: AnswerHead): void;
  /** `piece` is owned by the transport. False: the reader is slow, wait for `onWritable`. */
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
   * Returns what makes the change: new connections then get this certificate, open ones keep theirs
   * and go on. Throws `invalid_configuration`, and then nothing was changed. Only for a listener
   * that began with TLS.
   */
  prepareTls(tls: TlsFiles): () => void;
  /** Shares new connections among these and this one in turn. [] is only this one. */
  shareWith(others: readonly Share[]): void;
  /**
   * Takes the connections that wait to be accepted, whose requests may have come already, and no
   * others. Resolves then; idle ones are closed.
   */
  stopAccepting(): Promise<void>;
  /** Closes what is still open. */
  close(): void;
}

/** A listener of another thread, seen from the accepting thread. */
export interface Share {
  /** Its `SharingListener.address`. */
  readonly address: number;
  /** Passes an accepted connection; the descriptor is handed over. */
  readonly take: (descriptor: number) => void;
}

/** Serves connections that another thread's listener accepts. */
export interface SharingListener {
  /** The serving address, if the transport has one; it changes with the certificate. */
  readonly address: number;
  take(descriptor: number): void;
  prepareTls(tls: TlsFiles): () => void;
  /** Closes everything that is still open. */
  close(): void;
}

/** Counts the connections of a listener. */
export interface ConnectionShare {
  /** False: no room; close the connection at once. */
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

/** A request with the same headers. Written out: V8 copies objects slowly by spread. */
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
