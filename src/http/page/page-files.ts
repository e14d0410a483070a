/**
 * The files of the built-in page, in memory from the first request on, in all encodings. The
 * manifest lists the files; no other file is ever read.
 */

import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import type { AnswerHead } from '../transport/transport.js';

/** Preferred first; `identity` is uncompressed. */
export const pageCodings = ['br', 'gzip'] as const;
type PageCoding = (typeof pageCodings)[number];
type PageFileForm = PageCoding | 'identity';

export interface PageFile {
  readonly contentType: string;
  /** The file name contains a hash of its bytes. */
  readonly isNamedByHash: boolean;
  /** By encoding; `identity` always exists. */
  readonly forms: ReadonlyMap<PageFileForm, PageForm>;
}

interface PageForm {
  readonly bytes: Uint8Array;
  /** The ETag of these bytes, with quotes. */
  readonly tag: string;
}

interface Manifest {
  readonly page: string;
  readonly files: readonly string[];
  /** Documentation pages and their assets. */
  readonly docs: readonly string[];
}

interface Pages {
  readonly page: PageFile;
  readonly files: ReadonlyMap<string, PageFile>;
}

const kManifest = 'manifest.json';

const contentTypes: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
  txt: 'text/plain; charset=utf-8',
};

const endings: Readonly<Record<PageFileForm, string>> = { identity: '', br: '.br', gzip: '.gz' };

/** Headers that identify the encoding. */
export function formHeaders(coding: PageFileForm): NonNullable<AnswerHead['headers']> {
  return coding === 'identity' ? [] : [['content-encoding', coding]];
}

export class PageFiles {
  readonly #folder: string;
  #read: Pages | null = null;
  #docs: ReadonlyMap<string, PageFile> | null = null;

  private constructor(folder: string) {
    this.#folder = folder;
  }

  /** Null if no page was built. `url` ends in a slash. */
  static open(url: URL): PageFiles | null {
    // A plain path: creating a URL per file takes longer than reading the file.
    const folder = fileURLToPath(url);
    return existsSync(folder + kManifest) ? new PageFiles(folder) : null;
  }

  get page(): PageFile {
    return this.#pages().page;
  }

  /** A file below `/ui/`; undefined if there is no such file. */
  file(name: string): PageFile | undefined {
    return this.#pages().files.get(name) ?? this.#docsOf().get(name);
  }

  /** Loads all files at the first request, since they belong to one build. */
  #pages(): Pages {
    return (this.#read ??= readPages(this.#folder));
  }

  /** Loads all documentation at the first request for a file outside the page itself. */
  #docsOf(): ReadonlyMap<string, PageFile> {
    return (this.#docs ??= readFiles(this.#folder, readManifest(this.#folder).docs));
  }
}

function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(folder + kManifest, 'utf8')) as Manifest;
}

function readFiles(folder: string, names: readonly string[]): ReadonlyMap<string, PageFile> {
  return new Map(names.map((name) => [name, readFile(folder, name)] as const));
}

function readPages(folder: string): Pages {
  const { page, files } = readManifest(folder);
  return { page: readFile(folder, page), files: readFiles(folder, files) };
}

function readFile(folder: string, name: string): PageFile {
  const forms = new Map<PageFileForm, PageForm>();
  for (const coding of ['identity', ...pageCodings] as const) {
    const place = folder + name + endings[coding];
    // Without a gain from compression, the other forms are omitted.
    if (coding !== 'identity' && !existsSync(place)) continue;
    const bytes = readFileSync(place);
    const tag = `"${createHash('sha256').update(bytes).digest('base64url')}"`;
    forms.set(coding, { bytes, tag });
  }
  const ending = name.slice(name.lastIndexOf('.') + 1);
  const contentType = contentTypes[ending];
  if (contentType === undefined) throw new Error(`${name}: no type is known of this file`);
  return { contentType, isNamedByHash: /-[\w-]{8}\.\w+$/.test(name), forms };
}
