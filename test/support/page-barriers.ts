/** What keeps somebody out of a page, and what makes it scroll sideways. */

import { axe } from './browser.js';

import type { Page } from './browser-types.js';

/** What axe finds that keeps somebody out. To read it takes longer than to run it. */
export async function barriers(page: Page): Promise<readonly string[]> {
  if ((await page.evaluate('typeof axe')) === 'undefined') await page.evaluate(axe());
  const found = (await page.evaluate(
    `axe.run({
      resultTypes: ['violations'],
      runOnly: ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa', 'best-practice'],
    })
      .then(({ violations }) => violations.map((one) =>
        one.id + ': ' + one.nodes.map((node) => node.target.join(' ')).join(', ')))`,
  )) as readonly string[];
  return found;
}

const kFrames = 60;

/** What cannot be seen without scrolling sideways, once what follows the width has followed it. */
export const widthBeyond = (page: Page): Promise<unknown> =>
  page.evaluate(`new Promise((resolve) => {
    const look = (left) => {
      const { scrollWidth, clientWidth } = document.documentElement;
      const beyond = scrollWidth - clientWidth;
      if (beyond === 0 || left === 0) resolve(beyond);
      else requestAnimationFrame(() => look(left - 1));
    };
    requestAnimationFrame(() => look(${kFrames}));
  })`);
