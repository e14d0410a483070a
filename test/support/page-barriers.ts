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

export const widthBeyond = (page: Page): Promise<unknown> =>
  page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
