/** What tests of pages of the built-in page share: samples, barriers, widths. */

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

/** What a page shows by itself within ten seconds, which pass faster. */
export async function untilLater(page: Page, shown: Locator): Promise<void> {
  for (let second = 0; second < 10 && !(await shown.isVisible()); second += 1) {
    await page.clock.fastForward(1_000);
    // What it asked for then has to arrive, on a busy machine, too.
    for (let look = 0; look < 10 && !(await shown.isVisible()); look += 1) {
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
  }
  await shown.waitFor();
}

/** As it stands, and as narrow as a small phone: nobody is kept out, nothing scrolls sideways. */
export async function expectAccess(page: Page): Promise<void> {
  await page.setViewportSize({ width: 1280, height: 800 });
  assert.deepEqual(await barriers(page), [], 'wide');
  for (const width of [390, 360]) {
    await page.setViewportSize({ width, height: 844 });
    assert.deepEqual(await barriers(page), [], `at ${width} px`);
    assert.strictEqual(await widthBeyond(page), 0, `sideways at ${width} px`);
  }
}
