/** Counters inside a page: drawing, and the length of tasks and frames. */

import type { Page } from './browser-types.js';

export interface Counted {
  /** Points of lines and areas on any canvas. */
  readonly points: number;
  /** The number of full redraws of lines. */
  readonly paints: number;
  /** Tasks of more than 50 ms. */
  readonly longTasks: number;
  /** The longest time between two frames, in milliseconds. */
  readonly worstFrameMs: number;
}

/** Counts from the first script of the page on. */
export const probe = `(() => {
  const none = () => ({ points: 0, paints: 0, longTasks: 0, worstFrameMs: 0 });
  window.counted = none();
  window.countAnew = () => { window.counted = none(); };
  const { lineTo, clip } = CanvasRenderingContext2D.prototype;
  Object.assign(CanvasRenderingContext2D.prototype, {
    lineTo(...at) { window.counted.points += 1; return lineTo.apply(this, at); },
    clip(...of) { window.counted.paints += 1; return clip.apply(this, of); },
  });
  new PerformanceObserver((list) => {
    window.counted.longTasks += list.getEntries().length;
  }).observe({ type: 'longtask' });
  let before = performance.now();
  const frame = (now) => {
    window.counted.worstFrameMs = Math.max(window.counted.worstFrameMs, now - before);
    before = now;
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
})();`;

/**
 * Holds the timers that the page starts until `window.releaseTimers()`. So a busy machine cannot
 * let one end between two inputs of a test.
 */
const holdTimers = `(() => {
  const { setTimeout, clearTimeout } = window;
  const held = new Map();
  const started = new Map();
  let last = 0;
  window.setTimeout = (...call) => {
    last -= 1;
    held.set(last, call);
    return last;
  };
  window.clearTimeout = (id) => {
    held.delete(id);
    clearTimeout(started.get(id) ?? id);
  };
  window.releaseTimers = () => {
    window.setTimeout = setTimeout;
    for (const [id, call] of held) started.set(id, setTimeout(...call));
    held.clear();
  };
})()`;

export const counted = async (page: Page): Promise<Counted> =>
  (await page.evaluate('({ ...window.counted })')) as Counted;

export const countAnew = (page: Page): Promise<unknown> => page.evaluate('window.countAnew()');

/**
 * Milliseconds from running `begin` until a chart with a matching name is drawn and nothing is
 * pending.
 */
export async function untilDrawn(page: Page, begin: string, name: RegExp): Promise<number> {
  const script = `new Promise((resolve) => {
    const began = performance.now();
    ${begin};
    const look = () => {
      const chart = document.querySelector('figure.chart');
      const isThere = ${String(name)}.test(chart?.getAttribute('aria-label') ?? '') &&
        chart.querySelector('canvas') !== null && document.querySelector('[aria-busy=true]') === null;
      requestAnimationFrame(isThere ? () => resolve(performance.now() - began) : look);
    };
    look();
  })`;
  return Number(await page.evaluate(script));
}

/**
 * Zooms by Ctrl and the wheel in the middle of the plot, one step for each of these. The page sees
 * no pause between them, however busy the machine is.
 */
export async function turnWheel(page: Page, steps: readonly number[]): Promise<void> {
  const box = await page.locator('.chart .over').boundingBox();
  if (box === null) throw new Error('the plot is not in sight');
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await page.keyboard.down('Control');
  await page.evaluate(holdTimers);
  for (const step of steps) await page.mouse.wheel(0, step);
  await page.evaluate('window.releaseTimers()');
  await page.keyboard.up('Control');
}
