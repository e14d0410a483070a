/** Accessibility violations of a page, and horizontal overflow. */

import { axe } from './browser.js';

import type { Page } from './browser-types.js';

/** The violations that axe finds. Loading axe takes longer than running it. */
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

/** The width that overflows the window, after the layout has settled. */
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
