/** Runs a statement of either language until it is done or cancelled. */

import { signal } from '@preact/signals';

import { SeriesDbError } from '../../client/client.js';
import { announce } from '../announce.js';
import { ask } from '../data/server.js';
import { ResultReader } from '../data/result-reader.js';
import { errorOf } from '../data/fault.js';
import { counted } from './counted.js';
import { seriesqlHistory } from './asked.js';
import { headed } from './statement.js';

import type { SentText } from '../editor/window-words.js';
import type { QueryResult } from '../../client/client.js';

/** The most rows read for the page; a download has all of them. */
export const rowsMax = 10_000;

export interface RanStatement extends QueryResult {
  /** The statement as the user wrote it. */
  readonly written: string;
  readonly sent: SentText;
  /** True if the answer has more rows than were read. */
  readonly isCut: boolean;
  readonly tookMs: number;
}

/** A written statement and the text sent for it. */
interface AskingStatement {
  readonly written: string;
  readonly sent: SentText;
}

export interface Failed extends AskingStatement {
  readonly error: Error;
}

interface Running {
  readonly written: string;
  readonly rowCount: number;
  readonly sinceMs: number;
}

/** These signals outlive the page Ask, so that a returning user finds the result. */
export const ran = signal<RanStatement | null>(null);
export const failed = signal<Failed | null>(null);
export const running = signal<Running | null>(null);

let controller: AbortController | null = null;

interface AskWork<Found> {
  /** `count` reports the rows read so far. */
  readonly read: (signal: AbortSignal, count: (rowCount: number) => void) => Promise<Found>;
  /** Stores the result and returns a summary for the announcement. Not called after a cancel. */
  readonly keep: (found: Found, tookMs: number) => string;
}

/** Cancels the running statement, then runs this one. */
export async function attempt<Found>(asking: AskingStatement, work: AskWork<Found>): Promise<void> {
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

/** Runs a SeriesQL statement and reads at most `rowsMax` rows. */
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

/** Cancels on the server too. The shown result stays. */
export function cancelRun(): void {
  if (running.value === null) return;
  controller?.abort();
  controller = null;
  running.value = null;
  announce('Cancelled');
}

type FoundResult = QueryResult & { readonly isCut: boolean };

/** Reads the first rows of an answer, with the page's headings, and says whether there are more. */
export function read(
  text: string,
  signal: AbortSignal,
  count: (rowCount: number) => void = () => undefined,
): Promise<FoundResult> {
  return ask(async (client) => {
    const reader = new ResultReader();
    const decoder = new TextDecoder();
    const rows: QueryResult['rows'][number][] = [];
    for await (const piece of client.streamSeriesql(text, { format: 'json', signal })) {
      rows.push(...reader.read(decoder.decode(piece, { stream: true })));
      count(rows.length);
      // Leaving the loop cancels the query.
      if (rows.length > rowsMax) {
        const columns = headed(text, reader.columns);
        return { columns, rows: rows.slice(0, rowsMax), stats: {}, isCut: true };
      }
    }
    const stats = reader.finish();
    return { columns: headed(text, reader.columns), rows, stats, isCut: false };
  });
}

const kLimit = /\bmax_query_\w+/;

/** The setting behind the server's refusal; null: no setting. */
export function settingOf(error: Error): string | null {
  if (!(error instanceof SeriesDbError)) return null;
  if (error.code === 'query_timeout') return 'query_timeout_ms';
  return kLimit.exec(error.message)?.[0] ?? null;
}
