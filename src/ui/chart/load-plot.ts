/** What draws is heavy, and so loaded when there is something to draw. */

import type { Plot as Loaded } from './plot.js';

export async function loadPlot(): Promise<typeof Loaded> {
  giveLanguage();
  const { Plot } = await import('./plot.js');
  return Plot;
}

/** uPlot makes a format of the browser's language as it is loaded, and some are no language. */
function giveLanguage(): void {
  try {
    new Intl.NumberFormat(navigator.language);
  } catch {
    Object.defineProperty(navigator, 'language', { value: 'en', configurable: true });
  }
}
