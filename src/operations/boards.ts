/** Boards: named lists of charts and statements, stored as annotations of their own kind. */

import { AppError } from '../common/errors/app-error.js';
import { isName, isWellFormed, utf8Size } from '../common/model/names.js';
import { databaseTime, kFirstTime, kLastTime } from '../common/model/timestamp-unit.js';

import { check, knownId } from './annotate.js';
import { labelsOfBoards } from './board-label.js';
import { textOf } from './byte-streams.js';

import type { ErrorCode } from '../common/errors/catalog.js';
import type { SeriesStore } from '../storage/storage.js';

/** The largest name, range, refresh and panels as JSON, in bytes: about fifty panels. */
export const kBoardSizeMax = 16 * 1024;
/** All boards fit into one answer. */
export const kBoardCountMax = 100;
/** Boards have no time. */
const timeOfBoards = databaseTime(0n);
const kNameSizeMax = 1024;
const kWordSizeMax = 256;

export interface StoredPanel {
  readonly title: string;
  /** The metric of a chart, or a statement. */
  readonly metric?: string;
  readonly statement?: string;
  /** Language of the statement; SeriesQL if absent. */
  readonly language?: 'seriesql' | 'promql';
  /** View options of the page, keyed as in its URL, such as `by`. */
  readonly options?: Readonly<Record<string, string>>;
}

export interface BoardText {
  readonly name: string;
  /** Time range of all panels, as in the page's URL; absent: an hour. */
  readonly range?: string | undefined;
  /** Refresh interval of the panels, as in the page's URL; absent: never. */
  readonly refresh?: string | undefined;
  readonly panels: readonly StoredPanel[];
}

export interface KeptBoard extends BoardText {
  /** The id of its annotation, counted from 1. */
  readonly id: number;
}

/**
 * Stores a board, or replaces the board `id`. Resolves with the stored board. Rejects with
 * `invalid_name`, `invalid_range`, `invalid_refresh`, `invalid_panels`, `board_not_found`,
 * `board_limit`.
 */
export async function writeBoard(
  storage: SeriesStore,
  text: BoardText,
  id?: bigint,
): Promise<KeptBoard> {
  checkWords(text);
  const { name, ...rest } = text;
  const message = JSON.stringify(rest);
  check(
    utf8Size(message) + utf8Size(name) <= kBoardSizeMax,
    'invalid_panels',
    `a board must be at most ${String(kBoardSizeMax)} bytes of JSON`,
  );
  if (id === undefined) await checkCount(storage);
  const stored = await found(id, () =>
    storage.annotate({
      changes: id === undefined ? 0n : knownId(id),
      ...{ kind: 'board', title: name, message, metric: null, labels: labelsOfBoards },
      ...{ start: timeOfBoards, end: timeOfBoards, required: labelsOfBoards },
    }),
  );
  return boardOf(JSON.parse(stored));
}

/** Resolves with the deleted board. Rejects with `board_not_found`. */
export async function deleteBoard(storage: SeriesStore, id: bigint): Promise<KeptBoard> {
  const deleted = await found(id, () => storage.deleteAnnotation(knownId(id), labelsOfBoards));
  return boardOf(JSON.parse(deleted));
}

/** All boards, oldest first. */
export async function listBoards(storage: SeriesStore): Promise<readonly KeptBoard[]> {
  const stream = storage.openAnnotations({
    ...{ start: kFirstTime, end: kLastTime, labels: [], isAnyLabel: false },
    ...{ kind: null, metric: null, required: labelsOfBoards, limit: kBoardCountMax },
  });
  const records: unknown = JSON.parse(await textOf(stream));
  return Array.isArray(records) ? records.map(boardOf) : [];
}

async function checkCount(storage: SeriesStore): Promise<void> {
  const { length } = await listBoards(storage);
  check(
    length < kBoardCountMax,
    'board_limit',
    `there are ${String(kBoardCountMax)} boards already: delete one first`,
  );
}

/**
 * Stored boards were validated before. An old annotation with the label reads as an empty board.
 */
function boardOf(record: unknown): KeptBoard {
  const { id, title, message } = record as { id: number; title: string; message?: string };
  return { id, name: title, ...restOf(message ?? '') };
}

function restOf(message: string): Omit<BoardText, 'name'> {
  try {
    const rest = JSON.parse(message) as Omit<BoardText, 'name'>;
    return Array.isArray(rest.panels) ? rest : { panels: [] };
  } catch {
    return { panels: [] };
  }
}

function checkWords({ name, range, refresh, panels }: BoardText): void {
  check(
    isName(name, kNameSizeMax),
    'invalid_name',
    `name must be 1 to ${String(kNameSizeMax)} bytes without control characters`,
  );
  checkWord(range, 'range', 'invalid_range');
  checkWord(refresh, 'refresh', 'invalid_refresh');
  panels.forEach((panel, at) => {
    const where = `panels[${String(at)}]`;
    const { title, metric, statement, options = {} } = panel;
    const isOne = (metric === undefined) !== (statement === undefined);
    check(isOne, 'invalid_panels', `${where} must have either metric or statement`);
    const texts = [title, metric, statement, ...Object.entries(options).flat()];
    const areText = texts.every((text) => text === undefined || isWellFormed(text));
    check(areText, 'invalid_panels', `${where} has a string that is not valid Unicode`);
  });
}

function checkWord(text: string | undefined, key: string, code: ErrorCode): void {
  check(
    text === undefined || isName(text, kWordSizeMax),
    code,
    `${key} must be 1 to ${String(kWordSizeMax)} bytes without control characters`,
  );
}

/** Translates errors of annotations to errors of boards. */
async function found(id: bigint | undefined, work: () => Promise<string>): Promise<string> {
  try {
    return await work();
  } catch (error) {
    if (id !== undefined && error instanceof AppError && error.code === 'annotation_not_found') {
      throw new AppError('board_not_found', `there is no board ${String(id)}`);
    }
    throw error;
  }
}
