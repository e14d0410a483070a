/** The history of statements: adding, reading and searching entries. */

import { mayBeKept } from './statement.js';

export interface AskedText {
  readonly text: string;
  readonly atMs: number;
  readonly rows: number;
  readonly ms: number;
  readonly isStarred?: boolean;
}

const kMax = 200;

/** Adds an entry. Newest first; starred entries are never dropped. */
export function withAsked(list: readonly AskedText[], one: AskedText): readonly AskedText[] {
  if (!mayBeKept(one.text)) return list;
  const before = list.find(({ text }) => text === one.text);
  const star = before?.isStarred === true ? { isStarred: true } : {};
  const others = list.filter((other) => other !== before);
  return trimmed([{ ...one, ...star }, ...others]);
}

function trimmed(list: readonly AskedText[]): readonly AskedText[] {
  let over = list.length - kMax;
  return list
    .toReversed()
    .filter((one) => {
      if (over <= 0 || one.isStarred === true) return true;
      over -= 1;
      return false;
    })
    .toReversed();
}

/** The history entry before (-1) or after (1) `text`; `text` itself if there is none. */
export function stepped(list: readonly AskedText[], text: string, step: number): string {
  const at = list.findIndex((one) => one.text === text);
  const next = at < 0 ? (step < 0 ? 0 : -1) : at - step;
  return list[next]?.text ?? text;
}

export function matching(list: readonly AskedText[], word: string): readonly AskedText[] {
  const wanted = word.toLowerCase();
  const found = list.filter(({ text }) => text.toLowerCase().includes(wanted));
  const starred = found.filter((one) => one.isStarred === true);
  return [...starred, ...found.filter((one) => one.isStarred !== true)];
}

/** Skips malformed entries, so that no stored text makes the page fail. */
export function readAsked(text: string): readonly AskedText[] {
  try {
    const list: unknown = JSON.parse(text);
    return Array.isArray(list) ? list.filter(isAsked).slice(0, kMax) : [];
  } catch {
    return [];
  }
}

function isAsked(one: unknown): one is AskedText {
  const { text, atMs, rows, ms } = (one ?? {}) as Partial<AskedText>;
  return typeof text === 'string' && [atMs, rows, ms].every((value) => typeof value === 'number');
}
