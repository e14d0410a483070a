/**
 * Loads uWebSockets.js. Its refusals of requests are HTML, built into the binary, and no setting
 * changes them. So a copy of the binary is loaded whose refusals are JSON as those of all routes.
 */

import { closeSync, openSync, readFileSync, unlinkSync, writeSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { getEnvironmentData, setEnvironmentData } from 'node:worker_threads';

import { thrownMessage } from '../../common/errors/thrown-message.js';
import { uwsHashes } from './uws-hashes.js';
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

/** A sentence if no build loads on this machine. */
export function loadUwsTransport(): Transport | string {
  const known = getEnvironmentData(kLoaded);
  const loaded = typeof known === 'string' ? openLibrary(known) : loadLibrary();
  return typeof loaded === 'string' ? loaded : createUwsTransport(loaded);
}

function loadLibrary(): UwsModule | string {
  const reasons: string[] = [];
  for (const candidate of candidates()) {
    const loaded = loadFrom(candidate);
    if (typeof loaded !== 'string') return loaded;
    reasons.push(loaded);
  }
  if (reasons.length === 0) return 'no build of uWebSockets.js is installed for this machine';
  return `uWebSockets.js does not load: ${reasons.join('; ')}`;
}

interface Candidate {
  readonly file: string;
  /** SHA-256 in hex; null for a copy that the user has chosen. */
  readonly hash: string | null;
}

function loadFrom({ file, hash }: Candidate): UwsModule | string {
  try {
    const read = readFileSync(file);
    if (hash !== null && hash !== createHash('sha256').update(read).digest('hex')) {
      return `${file} is not the recorded file: do not use it, but find out where it is from`;
    }
    const bytes = withJson(read);
    return bytes === null ? `${file} has other error texts than those to replace` : loadCopy(bytes);
  } catch (error) {
    return thrownMessage(error);
  }
}

/** A copy that the user installed from upstream takes precedence over the repacked builds. */
function* candidates(): Generator<Candidate> {
  const require = createRequire(import.meta.url);
  const { platform, arch } = process;
  const { node, modules } = process.versions;
  const [major = ''] = node.split('.');
  const machine = `${platform}-${arch}-${major}`;
  for (const [name, hash] of [
    [`uWebSockets.js/uws_${platform}_${arch}_${modules}.node`, null],
    [`@uwsjs/${machine}/uws.node`, uwsHashes[machine] ?? ''],
  ] as const) {
    try {
      yield { file: require.resolve(name), hash };
    } catch {
      // It is not installed.
      continue;
    }
  }
}

/** The library with JSON in place of HTML. Null if a text does not occur exactly once. */
function withJson(bytes: Buffer): Buffer | null {
  for (const [text, by] of replacements) {
    const at = bytes.indexOf(text, 0, 'latin1');
    const isOnce = at >= 0 && !bytes.includes(text, at + 1, 'latin1');
    if (!isOnce || by.length > text.length) return null;
    bytes.write(by.padEnd(text.length), at, 'latin1');
  }
  return bytes;
}

/**
 * Loads a file without a name, which exists as long as the process. Programs may not be loaded from
 * every folder of temporary files, so there is a second one.
 */
function loadCopy(bytes: Buffer): UwsModule | string {
  const reasons: string[] = [];
  for (const folder of [os.tmpdir(), '/dev/shm']) {
    let descriptor: number | null = null;
    try {
      descriptor = openNameless(folder);
      for (let at = 0; at < bytes.length;) at += writeSync(descriptor, bytes, at);
      const file = `/proc/self/fd/${descriptor}`;
      const loaded = openLibrary(file);
      if (typeof loaded !== 'string') {
        setEnvironmentData(kLoaded, file);
        return loaded;
      }
      reasons.push(`from ${folder}: ${loaded}`);
    } catch (error) {
      reasons.push(`in ${folder}: ${thrownMessage(error)}`);
    }
    if (descriptor !== null) closeSync(descriptor);
  }
  return reasons.join('; ');
}

function openNameless(folder: string): number {
  const file = path.join(folder, `seriesdb-uws-${process.pid}-${process.hrtime.bigint()}`);
  const descriptor = openSync(file, 'wx+', 0o700);
  unlinkSync(file);
  return descriptor;
}

/** A sentence if it is built for another C library, or may not be loaded from its folder. */
function openLibrary(file: string): UwsModule | string {
  const loaded = { exports: {} };
  try {
    process.dlopen(loaded, file);
  } catch (error) {
    return thrownMessage(error);
  }
  return loaded.exports as UwsModule;
}
