/**
 * The queue of queries that work on texts and wait for the event loop. A query that works long on a
 * row uses up a turn of the loop. The others wait for one turn each, so that requests are read and
 * other queries continue in between.
 */

import { beginTurn } from './text-work.js';

type GoOn = () => void;

const waiting: GoOn[] = [];

/** Resolves at the beginning of a turn, in the order of the calls. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    if (waiting.push(resolve) === 1) setImmediate(goOn);
  });
}

function goOn(): void {
  beginTurn();
  waiting.shift()?.();
  if (waiting.length > 0) setImmediate(goOn);
}
