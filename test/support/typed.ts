/** Text in a field, as hands put it there: whatever redraws a page meets each key. */

import { assert } from 'chai';

import type { Locator } from './browser-types.js';

/** In the place of what stands there. */
export async function typeInto(field: Locator, text: string): Promise<void> {
  await field.click();
  await field.press('Control+A');
  await field.press('Delete');
  await field.pressSequentially(text);
  assert.strictEqual(await field.inputValue(), text);
}
