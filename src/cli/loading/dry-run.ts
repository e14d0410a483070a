/**
 * `seriesdb ingest --dry-run`: shows the detected formats of files and their first rows; needs no
 * server.
 */

import { previewRowsMax, previewRowsOf, type PreviewRow } from '../../common/tables/preview-row.js';
import { visible } from '../../common/model/visible-text.js';
import { printJson, type ClientContext } from '../session/client-context.js';
import { linesOf, type Directories } from '../session/directories.js';
import { exitCodes } from '../session/failure.js';
import { printTable } from '../session/table.js';

import { ingestLines, type IngestWishes } from './ingest-input.js';
import { shownName, standardInputName } from './file-list.js';
import { sourceOf, type Input } from './input.js';
import { previewOfLines } from './line-preview.js';
import { openSource } from './source.js';

import type { TimestampUnit } from '../../common/model/timestamp-unit.js';
import type { ChosenColumn } from '../../common/tables/chosen-columns.js';

/** The unit of intermediate times; a preview shows milliseconds. */
const unit = 'ms';

interface DryLoad {
  readonly files: readonly string[];
  readonly wishes: IngestWishes;
  readonly directories: Directories;
}

/** Prints the preview to standard output. */
export async function dryRun(
  context: ClientContext,
  { files, wishes, directories }: DryLoad,
): Promise<number> {
  const { terminal, signal, isJson } = context;
  let exitCode: number = exitCodes.ok;
  for (const name of files.length === 0 ? [standardInputName] : files) {
    const source = await openSource(name, { standardInput: terminal.standardInput, signal });
    source.settle();
    let columns: readonly ChosenColumn[] = [];
    let words = '';
    let judged: number | null = null;
    const shown: IngestWishes = {
      ...wishes,
      // A row that would stop the load must not hide the rows behind it.
      ...{ isLenient: true, say: (text: string) => (words = text) },
      showColumns: (all, judgedRows) => {
        columns = all;
        judged = judgedRows;
      },
    };
    const begunMs = Date.now();
    const input = await ingestLines(source.input, shown, {
      unit: () => Promise.resolve(unit),
      begunMs,
    });
    const { lineProtocol: form } = input;
    const { openPreview } = directories;
    const rows =
      form === undefined
        ? await firstRows(input, isCounted(input, columns) ? null : unit)
        : await previewOfLines(input.bytes, { form, unit, openPreview, signal });
    const text = isJson
      ? printJson({ file: shownName(name), words, columns, rows, judged_rows: judged })
      : preview({
          head: words === '' ? `${shownName(name)}: NDJSON` : words,
          columns,
          rows,
          judged,
        });
    terminal.write(text);
    const reason = rows.length === 0 ? whyNoRow(input) : null;
    if (reason === null) continue;
    terminal.writeError(`${reason}\n`);
    exitCode = exitCodes.skipped;
  }
  return exitCode;
}

/** Why no row can be read; null if there is none, or no fault was found. */
function whyNoRow(input: Input): string | null {
  const { name, rows } = input;
  const [first] = rows?.refused(0, Number.MAX_SAFE_INTEGER) ?? [];
  if (rows === null || first === undefined) return null;
  const place = `${shownName(name)}, ${sourceOf(input, first.line)}`;
  return `no ${rows.noun} can be read; ${place}: ${visible(first.reason)}`;
}

/** Whether times are in the database's unit. */
function isCounted(input: Input, columns: readonly ChosenColumn[]): boolean {
  if (input.rows === null) return true;
  return columns.some(({ role, type }) => role === 'time' && type.startsWith("in the database's"));
}

interface PrintedPreview {
  readonly head: string;
  readonly columns: readonly ChosenColumn[];
  readonly rows: readonly PreviewRow[];
  /** The number of rows that the column roles were detected from; null: not from rows. */
  readonly judged: number | null;
}

function preview({ head, columns, rows, judged }: PrintedPreview): string {
  const wide = { width: null };
  const columnTable = printTable(
    ['column', 'is', 'holds'].map((name) => ({ name })),
    columns.map(({ name, role, type }) => [name, role, type]),
    wide,
  );
  const rowTable = printTable(
    ['time', 'labels', 'samples'].map((name) => ({ name })),
    rows.map(({ time, series, samples }) => [time, series, samples]),
    wide,
  );
  const parts = [columns.length === 0 ? '' : columnTable, rows.length === 0 ? '' : rowTable];
  const count = judged?.toLocaleString('en') ?? '';
  const note =
    judged === null ? '' : `judged by the first ${count} ${judged === 1 ? 'row' : 'rows'} alone\n`;
  return [`${head}\n${note}`, ...parts.filter((part) => part !== '')].join('\n');
}

async function firstRows(
  input: Input,
  shownUnit: TimestampUnit | null,
): Promise<readonly PreviewRow[]> {
  const rows: PreviewRow[] = [];
  for await (const line of linesOf(input.bytes)) {
    rows.push(...previewRowsOf(line, shownUnit));
    if (rows.length >= previewRowsMax) break;
  }
  return rows.slice(0, previewRowsMax);
}
