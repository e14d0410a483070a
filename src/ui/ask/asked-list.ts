/** The list of the statements that were run: how it grows, is read and is searched. */

import { mayBeKept } from './statement.js';

export interface Asked {
  readonly text: string;
  readonly atMs: number;
  readonly rows: number;
  readonly ms: number;
  readonly isStarred?: boolean;
}

const kMax = 200;

/** The newest first, those with a star always kept. */
export function withAsked(list: readonly Asked[], one: Asked): readonly Asked[] {
  if (!mayBeKept(one.text)) return list;
  const before = list.find(({ text }) => text === one.text);
  const star = before?.isStarred === true ? { isStarred: true } : {};
  const others = list.filter((other) => other !== before);
  return trimmed([{ ...one, ...star }, ...others]);
}

function trimmed(list: readonly Asked[]): readonly Asked[] {
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

/** From what is written to an earlier or a later one of those that were run. */
export function stepped(list: readonly Asked[], text: string, step: number): string {
  const at = list.findIndex((one) => one.text === text);
  const next = at < 0 ? (step < 0 ? 0 : -1) : at - step;
  return list[next]?.text ?? text;
}

export function matching(list: readonly Asked[], word: string): readonly Asked[] {
  const wanted = word.toLowerCase();
  const found = list.filter(({ text }) => text.toLowerCase().includes(wanted));
  const starred = found.filter((one) => one.isStarred === true);
  return [...starred, ...found.filter((one) => one.isStarred !== true)];
}

/** Nothing that a later version or a person wrote there makes the page fail. */
export function readAsked(text: string): readonly Asked[] {
  try {
    const list: unknown = JSON.parse(text);
    return Array.isArray(list) ? list.filter(isAsked).slice(0, kMax) : [];
  } catch {
    return [];
  }
}

function isAsked(one: unknown): one is Asked {
  const { text, atMs, rows, ms } = (one ?? {}) as Partial<Asked>;
  return typeof text === 'string' && [atMs, rows, ms].every((value) => typeof value === 'number');
}
