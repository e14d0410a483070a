/** Helpers of tests of the built-in page: samples, accessibility, widths. */

import { assert } from 'chai';

import { barriers, widthBeyond } from './page-barriers.js';

import type { Locator, Page } from './browser-types.js';
import type { Server } from './server.js';

export async function ask(server: Server, route: string, body: unknown): Promise<unknown> {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const url = `${server.url}/api/v1/${route}`;
  const response = await fetch(url, { method: 'POST', body: text });
  const answer = await response.text();
  assert.isBelow(response.status, 300, answer);
  return JSON.parse(answer) as unknown;
}

export async function writeLines(server: Server, lines: readonly object[]): Promise<void> {
  await ask(server, 'ingest', lines.map((line) => JSON.stringify(line)).join('\n'));
}

/** Waits for content that the page shows within ten seconds; puts its clock forward. */
export async function untilLater(page: Page, shown: Locator): Promise<void> {
  for (let second = 0; second < 10 && !(await shown.isVisible()); second += 1) {
    await page.clock.fastForward(1_000);
    // The answer has to arrive too, even on a busy machine.
    for (let look = 0; look < 10 && !(await shown.isVisible()); look += 1) {
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
  }
  await shown.waitFor();
}

/**
 * Checks at the current width and at that of a small phone: no accessibility violation, no
 * horizontal scrolling.
 */
export async function expectAccess(page: Page): Promise<void> {
  await page.setViewportSize({ width: 1280, height: 800 });
  assert.deepEqual(await barriers(page), [], 'wide');
  for (const width of [390, 360]) {
    await page.setViewportSize({ width, height: 844 });
    assert.deepEqual(await barriers(page), [], `at ${width} px`);
    assert.strictEqual(await widthBeyond(page), 0, `sideways at ${width} px`);
  }
}
