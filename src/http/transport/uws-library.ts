/**
 * Loads uWebSockets.js. Its refusals of requests are HTML, built into the binary, and no setting
 * changes them. So a copy of the binary is loaded whose refusals are JSON as those of all routes.
 */

import { closeSync, openSync, readFileSync, unlinkSync, writeSync } from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { getEnvironmentData, setEnvironmentData } from 'node:worker_threads';

import { createUwsTransport } from './uws-transport.js';

import type { Transport } from './transport.js';
import type { UwsModule } from './uws-types.js';

const kClose = 'Connection: close\r\n\r\n';
const kMark = '<hr><i>uWebSockets/20 Server</i>';
const kJson = 'Content-Type:application/json\r\n';
const jsonOf = (error: string, status: number, code = 'invalid_request'): string =>
  JSON.stringify({ error, code, status });

/**
 * Texts of the library, and their replacements, which may not be longer. The answer of 400 has no
 * room for a content type; no answer has room for a reason phrase.
 */
const replacements: readonly (readonly [string, string])[] = [
  [
    `HTTP/1.1 400 Bad Request\r\n${kClose}<h1>Bad Request</h1>${kMark}`,
    `HTTP/1.1 400 \r\n${kClose}${jsonOf('invalid HTTP', 400)}`,
  ],
  [
    `HTTP/1.1 431 Request Header Fields Too Large\r\n${kClose}` +
      `<h1>Request Header Fields Too Large</h1>${kMark}`,
    `HTTP/1.1 431 \r\n${kJson}${kClose}${jsonOf('the head is too large', 431)}`,
  ],
  [
    `HTTP/1.1 505 HTTP Version Not Supported\r\n${kClose}<h1>HTTP Version Not Supported</h1>` +
      `<p>This server does not support HTTP/1.0.</p>${kMark}`,
    `HTTP/1.1 505 \r\n${kJson}${kClose}${jsonOf('only HTTP/1.1 is supported', 505)}`,
  ],
  [
    `<html><body><h1>File Not Found</h1>${kMark}</body></html>`,
    jsonOf('no such path', 404, 'not_found'),
  ],
];

/** All threads of a process load the same file, since connections pass between them. */
const kLoaded = 'seriesdb.uws-library';

/** Null if no build fits this machine. */
export function loadUwsTransport(): Transport | null {
  const uws = loadLibrary();
  return uws === null ? null : createUwsTransport(uws);
}

function loadLibrary(): UwsModule | null {
  const known = getEnvironmentData(kLoaded);
  if (typeof known === 'string') return openLibrary(known);
  for (const file of candidates()) {
    const copy = copyOf(file);
    const library = copy === null ? null : openLibrary(copy.path);
    if (library !== null) {
      setEnvironmentData(kLoaded, copy?.path);
      return library;
    }
    if (copy !== null) closeSync(copy.descriptor);
  }
  return null;
}

/** A copy that the user installed from upstream takes precedence over the repacked builds. */
function* candidates(): Generator<string> {
  const require = createRequire(import.meta.url);
  const { platform, arch } = process;
  const { node, modules } = process.versions;
  const [major = ''] = node.split('.');
  for (const name of [
    `uWebSockets.js/uws_${platform}_${arch}_${modules}.node`,
    `@uwsjs/${platform}-${arch}-${major}/uws.node`,
  ]) {
    try {
      yield require.resolve(name);
    } catch {
      // It is not installed.
      continue;
    }
  }
}

/**
 * A copy with JSON in place of HTML, in a file that exists as long as the process. Null if the file
 * cannot be read, or has other texts.
 */
function copyOf(file: string): { readonly descriptor: number; readonly path: string } | null {
  const copy = path.join(os.tmpdir(), `seriesdb-uws-${process.pid}-${process.hrtime.bigint()}`);
  try {
    const bytes = readFileSync(file);
    if (!replacements.every(([text, by]) => replaceOnly(bytes, text, by))) return null;
    const descriptor = openSync(copy, 'wx', 0o700);
    unlinkSync(copy);
    for (let at = 0; at < bytes.length;) at += writeSync(descriptor, bytes, at);
    return { descriptor, path: `/proc/${process.pid}/fd/${descriptor}` };
  } catch {
    return null;
  }
}

/** False if the text does not occur exactly once, or is shorter than its replacement. */
function replaceOnly(bytes: Buffer, text: string, by: string): boolean {
  const at = bytes.indexOf(text, 0, 'latin1');
  if (at < 0 || bytes.includes(text, at + 1, 'latin1') || by.length > text.length) return false;
  bytes.write(by.padEnd(text.length), at, 'latin1');
  return true;
}

/** Null if it is built for another C library. */
function openLibrary(file: string): UwsModule | null {
  const loaded = { exports: {} };
  try {
    process.dlopen(loaded, file);
  } catch {
    return null;
  }
  return loaded.exports as UwsModule;
}
