/**
 * The order in which queries that work on texts have the event loop. One that works long on a row
 * uses up the turn of the loop. The others wait and have a turn each, one after the other, so that
 * requests are read and other queries go on between any two of them.
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
