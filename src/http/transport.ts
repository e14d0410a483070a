/**
 * What an HTTP server must offer, so that uWebSockets.js and node:http are interchangeable. A
 * transport only moves bytes: it decides nothing about routes, errors or limits.
 */

import type { ListenAddress } from '../model/listen-address.js';

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
  transferEncoding: string | undefined;
  authorization: string | undefined;
  /** A header that may stand only once came twice. */
  hasDuplicate: boolean;
}

export interface AnswerHead {
  readonly status: number;
  readonly contentType: string;
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
  /** The client went away before the answer was complete. Set before anything else is called. */
  onGone: () => void;
  /** Call at most once, before the first turn of the event loop ends. */
  receive(sink: BodySink): void;
  pause(): void;
  resume(): void;
  /** The whole answer. `closes`: end the connection with it. */
  answer(head: AnswerHead, body: string | Uint8Array, options: { readonly closes: boolean }): void;
  /** The first bytes of an answer whose length is not known. */
  begin(head: AnswerHead): void;
  /** False: the reader is slow, wait for `onWritable`. */
  write(piece: Uint8Array): boolean;
  onWritable: () => void;
  finish(): void;
  /** Cuts the connection without ceremony. */
  cut(): void;
}

export interface Listener {
  readonly address: ListenAddress;
  /** Takes no new connections; idle ones are closed. */
  stopAccepting(): void;
  /** Closes what is still open. */
  close(): void;
}

export interface Transport {
  readonly name: 'uws' | 'node';
  /** Rejects with `listen_failed`, naming the address. */
  listen(address: ListenAddress, accept: (exchange: Exchange) => void): Promise<Listener>;
}

export function emptyHead(method: string, path: string, query: string): RequestHead {
  return {
    method,
    path,
    query,
    contentLength: undefined,
    contentEncoding: undefined,
    transferEncoding: undefined,
    authorization: undefined,
    hasDuplicate: false,
  };
}

/** Files one header, lower case name, under the head. `seen` counts Host, which has no field. */
export function addHeader(
  head: RequestHead,
  name: string,
  value: string,
  seen: { host: boolean },
): void {
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
    case 'host':
      head.hasDuplicate ||= seen.host;
      seen.host = true;
      break;
    default:
  }
}
