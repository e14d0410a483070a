/** A request in JSON on its way in: turned into protobuf when it is whole, a resource at a time. */

import { createRequire } from 'node:module';
import { setImmediate as nextTurn } from 'node:timers/promises';

import { parse as parseLosslessly } from 'lossless-json';

import { AppError } from '../../errors/app-error.js';
import { Later } from '../../model/later.js';
import { JsonDepth } from './json-depth.js';
import { otlpMessages } from './messages.js';

import type { Ingest, IngestReport } from '../../operations/ingest.js';
import type protojson from 'protobufjs/ext/protojson.js';

/** Loaded with the first body in JSON, as `otlpMessages`. */
const loadProtojson = (): typeof protojson =>
  createRequire(import.meta.url)('protobufjs/ext/protojson.js') as typeof protojson;

/** Read at once, which blocks others; who sends more sends protobuf. */
const kJsonSizeMax = 16 * 1024 * 1024;

/** Outside of a text: an integer that a double may not equal. */
const kLongInteger = /[[:,]\s*-?\d{16}/;

/** What bodies in JSON may hold together, before the engine counts any of it. */
export class JsonRoom {
  #left: number;

  constructor(bytes: number) {
    this.#left = bytes;
  }

  /** Throws `ingest_backpressure`. */
  take(bytes: number): void {
    if (bytes > this.#left) {
      throw new AppError('ingest_backpressure', 'bodies in JSON hold all memory that is for them');
    }
    this.#left -= bytes;
  }

  give(bytes: number): void {
    this.#left += bytes;
  }
}

const allRoom = new JsonRoom(8 * kJsonSizeMax);

export class JsonIngest implements Ingest {
  readonly #messages: Ingest;
  readonly #room: JsonRoom;
  #chunks: Uint8Array[] = [];
  #size = 0;
  readonly #depth = new JsonDepth();

  /** What it reads is written to `messages`. */
  constructor(messages: Ingest, room = allRoom) {
    this.#messages = messages;
    this.#room = room;
  }

  write(chunk: Uint8Array): boolean {
    if (this.#size + chunk.length > kJsonSizeMax) {
      throw new AppError(
        'payload_too_large',
        `a body in JSON may have ${kJsonSizeMax} bytes, decompressed; send protobuf`,
      );
    }
    this.#depth.follow(chunk);
    this.#room.take(chunk.length);
    this.#size += chunk.length;
    // A copy: what comes is lent.
    this.#chunks.push(chunk.slice());
    return false;
  }

  commit(): Later<IngestReport> {
    return Later.from(this.#translated());
  }

  async #translated(): Promise<IngestReport> {
    const resources = resourcesIn(textOf(Buffer.concat(this.#chunks)));
    this.#chunks = [];
    for (const resource of resources) {
      this.#messages.write(messageOf(resource), Infinity);
      await nextTurn();
    }
    this.#leave();
    return this.#messages.commit();
  }

  abort(): void {
    this.#leave();
    this.#messages.abort();
  }

  #leave(): void {
    this.#room.give(this.#size);
    this.#size = 0;
    this.#chunks = [];
  }
}

function textOf(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new AppError('parse_failed', 'the body is not UTF-8', { cause });
  }
}

function resourcesIn(text: string): readonly unknown[] {
  const body = valueOf(text);
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw new AppError('parse_failed', 'the body is no object of JSON');
  }
  const { resourceMetrics = [] } = body as Record<string, unknown>;
  if (Array.isArray(resourceMetrics)) return resourceMetrics;
  throw new AppError('parse_failed', 'resourceMetrics must be a list');
}

function valueOf(text: string): unknown {
  try {
    // Exact at a tenth of the speed; encoders write such integers as texts.
    if (kLongInteger.test(text)) return parseLosslessly(text, null, numberOf);
    return JSON.parse(text);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new AppError('parse_failed', `the body is no JSON: ${why}`, { cause });
  }
}

/** As text, where a double may not equal it. */
function numberOf(text: string): number | string {
  return /^-?\d{16,}$/.test(text) ? text : Number(text);
}

function messageOf(resource: unknown): Uint8Array {
  try {
    const json = { resourceMetrics: [resource] };
    const { exportRequest } = otlpMessages();
    const read = loadProtojson().fromJson(exportRequest, json, { ignoreUnknownFields: true });
    return exportRequest.encode(read).finish();
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new AppError('parse_failed', `the body is no request of OTLP: ${why}`, { cause });
  }
}
