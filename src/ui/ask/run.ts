/** Running what was written, of either language, until it is done or somebody ends it. */

import { signal } from '@preact/signals';

import { SeriesDbError } from '../../client/client.js';
import { announce } from '../announce.js';
import { ask } from '../data/server.js';
import { ResultReader } from '../data/result-reader.js';
import { errorOf } from '../data/fault.js';
import { counted } from './counted.js';
import { seriesqlHistory } from './asked.js';

import type { SentText } from '../editor/window-words.js';
import type { QueryResult } from '../../client/client.js';

/** More are not read: who wants all of them takes them as a file. */
export const rowsMax = 10_000;

export interface Ran extends QueryResult {
  /** As a person wrote it. */
  readonly written: string;
  readonly sent: SentText;
  /** There are more rows than were read. */
  readonly isCut: boolean;
  readonly tookMs: number;
}

/** What a person wrote, and what became of it. */
interface Asking {
  readonly written: string;
  readonly sent: SentText;
}

export interface Failed extends Asking {
  readonly error: Error;
}

interface Running {
  readonly written: string;
  readonly rowCount: number;
  readonly sinceMs: number;
}

/** They outlive the page of Ask, so that who comes back finds them. */
export const ran = signal<Ran | null>(null);
export const failed = signal<Failed | null>(null);
export const running = signal<Running | null>(null);

let controller: AbortController | null = null;

interface Work<Found> {
  /** `count` is told how many rows there are by now. */
  readonly read: (signal: AbortSignal, count: (rowCount: number) => void) => Promise<Found>;
  /** Keeps what was found, and says in a word what it is. Not called where it was ended. */
  readonly keep: (found: Found, tookMs: number) => string;
}

/** Ends what runs, whatever it is. */
export async function attempt<Found>(asking: Asking, work: Work<Found>): Promise<void> {
  cancelRun();
  const own = new AbortController();
  controller = own;
  const sinceMs = performance.now();
  failed.value = null;
  const { written } = asking;
  running.value = { written, rowCount: 0, sinceMs };
  const count = (rowCount: number): void => {
    if (controller === own) running.value = { written, rowCount, sinceMs };
  };
  try {
    const found = await work.read(own.signal, count);
    if (controller === own) announce(work.keep(found, performance.now() - sinceMs));
  } catch (error) {
    if (controller === own) failed.value = { ...asking, error: errorOf(error) };
  } finally {
    if (controller === own) running.value = null;
  }
}

/** A statement of SeriesQL: its rows as they come, until they are enough. */
export function run(written: string, sent: SentText): Promise<void> {
  return attempt(
    { written, sent },
    {
      read: (signal, count) => read(sent.text, signal, count),
      keep: (found, tookMs) => {
        const { length: rows } = found.rows;
        ran.value = { ...found, written, sent, tookMs };
        const asked = { text: written, atMs: Date.now(), rows, ms: Math.round(tookMs) };
        seriesqlHistory.remember(asked);
        return counted(rows, 'row');
      },
    },
  );
}

/** On the server, too. What was shown stays. */
export function cancelRun(): void {
  if (running.value === null) return;
  controller?.abort();
  controller = null;
  running.value = null;
  announce('Cancelled');
}

type Found = QueryResult & { readonly isCut: boolean };

/** The first rows of an answer, and whether there are more. */
export function read(
  text: string,
  signal: AbortSignal,
  count: (rowCount: number) => void = () => undefined,
): Promise<Found> {
  return ask(async (client) => {
    const reader = new ResultReader();
    const decoder = new TextDecoder();
    const rows: QueryResult['rows'][number][] = [];
    for await (const piece of client.streamSeriesql(text, { format: 'json', signal })) {
      rows.push(...reader.read(decoder.decode(piece, { stream: true })));
      count(rows.length);
      // To leave the loop ends the query.
      if (rows.length > rowsMax) {
        return { columns: reader.columns, rows: rows.slice(0, rowsMax), stats: {}, isCut: true };
      }
    }
    return { columns: reader.columns, rows, stats: reader.finish(), isCut: false };
  });
}

const kLimit = /\bmax_query_\w+/;

/** The setting that the server's refusal is about; null: it is about none. */
export function settingOf(error: Error): string | null {
  if (!(error instanceof SeriesDbError)) return null;
  if (error.code === 'query_timeout') return 'query_timeout_ms';
  return kLimit.exec(error.message)?.[0] ?? null;
}
