/**
 * The built-in page as it was built: few files, in memory from the first question for one on, each
 * in the forms in which clients take it. Which there are its manifest says, so that no other file
 * is ever read.
 */

import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import type { AnswerHead } from '../transport/transport.js';

/** The best comes first; `identity` is the file as it is. */
export const pageCodings = ['br', 'gzip'] as const;
type PageCoding = (typeof pageCodings)[number];
type FileForm = PageCoding | 'identity';

export interface PageFile {
  readonly contentType: string;
  /** Its name changes with its bytes. */
  readonly isNamedByHash: boolean;
  /** By how it is coded; `identity` is always there. */
  readonly forms: ReadonlyMap<FileForm, PageForm>;
}

interface PageForm {
  readonly bytes: Uint8Array;
  /** Of these bytes, with its quotes. */
  readonly tag: string;
}

interface Manifest {
  readonly page: string;
  readonly files: readonly string[];
  /** Pages of the documentation, and what they need. */
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

const endings: Readonly<Record<FileForm, string>> = { identity: '', br: '.br', gzip: '.gz' };

/** What of an answer says which form it is. */
export function formHeaders(coding: FileForm): NonNullable<AnswerHead['headers']> {
  return coding === 'identity' ? [] : [['content-encoding', coding]];
}

export class PageFiles {
  readonly #folder: string;
  #read: Pages | null = null;
  #docs: ReadonlyMap<string, PageFile> | null = null;

  private constructor(folder: string) {
    this.#folder = folder;
  }

  /** Null where no page was built. `url` ends in a slash. */
  static open(url: URL): PageFiles | null {
    // As a path: a URL of each file takes longer than to read it.
    const folder = fileURLToPath(url);
    return existsSync(folder + kManifest) ? new PageFiles(folder) : null;
  }

  get page(): PageFile {
    return this.#pages().page;
  }

  /** The file of that name below `/ui/`; undefined: there is none. */
  file(name: string): PageFile | undefined {
    return this.#pages().files.get(name) ?? this.#docsOf().get(name);
  }

  /** All at once when the first is asked for: they are of one build. */
  #pages(): Pages {
    return (this.#read ??= readPages(this.#folder));
  }

  /** All at once when something is asked for that the page itself does not have. */
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
  const forms = new Map<FileForm, PageForm>();
  for (const coding of ['identity', ...pageCodings] as const) {
    const place = folder + name + endings[coding];
    // What compression makes no smaller has no other form.
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
