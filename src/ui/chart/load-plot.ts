/** Loads the plot code, which is large, when there is something to draw. */

import type { Plot as Loaded } from './plot.js';

export async function loadPlot(): Promise<typeof Loaded> {
  giveLanguage();
  const { Plot } = await import('./plot.js');
  return Plot;
}

/**
 * uPlot builds a number format of the browser's language on load; an invalid language would throw.
 */
function giveLanguage(): void {
  try {
    new Intl.NumberFormat(navigator.language);
  } catch {
    Object.defineProperty(navigator, 'language', { value: 'en', configurable: true });
  }
}
