/** A state of the page, and the actions that reach it. */

import type { Page } from '../support/browser-types.js';

export interface Shot {
  readonly name: string;
  readonly url: string;
  /** Brings the page into the state. */
  readonly reach?: (page: Page) => Promise<void>;
}

export const drawn = (page: Page): Promise<void> => page.locator('.chart canvas').first().waitFor();

/** Moves the pointer over the plot, so that its values are shown. */
export async function point(page: Page): Promise<void> {
  await drawn(page);
  const box = await page.locator('.chart .over').boundingBox();
  if (box !== null) await page.mouse.move(box.x + box.width * 0.62, box.y + box.height * 0.4);
}

export const press = (name: string | RegExp) => (page: Page) =>
  page.getByRole('button', { name }).click();
