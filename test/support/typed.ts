/** Types text into a field key by key, so that redraws of the page meet each key. */

import { assert } from 'chai';

import type { Locator } from './browser-types.js';

/** The page may redraw for each key, which takes tens of milliseconds on a busy machine. */
const kKeyMs = 300;
const kFieldMs = 30_000;

/** Replaces the field's text. */
export async function typeInto(field: Locator, text: string): Promise<void> {
  await field.click();
  await field.press('Control+A');
  await field.press('Delete');
  await field.pressSequentially(text, { timeout: kFieldMs + kKeyMs * text.length });
  assert.strictEqual(await field.inputValue(), text);
}
