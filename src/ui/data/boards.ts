/** Boards on the server, and the conversion of addresses to panels. */

import { titleOf } from './panel-title.js';
import { ask } from './server.js';
import { changed, placeOfPage, valueIn, type Key, type PagePlace } from '../url.js';

import type { Board, ChangedBoard, NewBoard, Panel } from '../../client/client.js';

export type { Board, NewBoard, Panel } from '../../client/client.js';

export function findBoards(signal?: AbortSignal): Promise<readonly Board[]> {
  return ask((client) => client.listBoards(signal === undefined ? {} : { signal }));
}

export function addBoard(board: NewBoard): Promise<Board> {
  return ask((client) => client.writeBoard(board));
}

export function saveBoard(board: ChangedBoard): Promise<Board> {
  return ask((client) => client.updateBoard(board));
}

export function deleteBoard(id: bigint): Promise<Board> {
  return ask((client) => client.deleteBoard(id));
}

/** The address keys of a panel; other keys belong to the whole board. */
const metricKeys: readonly Key[] = ['w', 'by', 'n', 'sort', 'y', 'only', 'hide'];
const statementKeys: readonly Key[] = ['over', 'step'];

/** The shown page as a panel; null if it is neither a chart nor a statement. */
export function panelOf(place: PagePlace): Panel | null {
  const metric = valueIn(place, 'm');
  if (place.page === 'look' && metric !== null) {
    const by = valueIn(place, 'by');
    const title = by === null ? metric : `${metric} by ${by}`;
    return { title, metric, ...optionsIn(place, metricKeys) };
  }
  const statement = valueIn(place, 'q');
  if (place.page !== 'ask' || statement === null) return null;
  const language = valueIn(place, 'lang') ?? 'seriesql';
  return { title: titleOf(statement), statement, language, ...optionsIn(place, statementKeys) };
}

function optionsIn(
  place: PagePlace,
  keys: readonly Key[],
): { readonly options?: Readonly<Record<string, string>> } {
  const pairs = keys.flatMap((key) => {
    const text = valueIn(place, key);
    return text === null ? [] : [[key, text] as const];
  });
  return pairs.length === 0 ? {} : { options: Object.fromEntries(pairs) };
}

/** The address of a panel's own page, with the time range and refresh of `board`. */
export function placeOfPanel(
  { metric, statement, language, options = {} }: Panel,
  board: PagePlace,
) {
  const base = placeOfPage(metric === undefined ? 'ask' : 'look', board);
  const keys = metric === undefined ? statementKeys : metricKeys;
  const known = Object.fromEntries(Object.entries(options).filter(([key]) => isOneOf(keys, key)));
  return changed(base, {
    ...(metric === undefined ? {} : { m: metric }),
    ...(statement === undefined ? {} : { q: statement }),
    ...(language === 'promql' ? { lang: 'promql' } : {}),
    ...known,
  });
}

const isOneOf = (keys: readonly string[], key: string): boolean => keys.includes(key);
