/** Buttons by which a chart is taken along. */

import { announce } from '../announce.js';
import { stylesOf } from '../chart/colours.js';
import { place } from '../location.js';
import { changed, printPlace } from '../url.js';
import { clock } from '../view.js';
import { copied } from '../widgets/copyable.js';
import { printIso } from '../zone.js';
import { csvOf, fileName, pngOf, save } from './take-away.js';
import { countWords } from './chart-label.js';
import { Step } from './toolbar.js';
import { windowWords } from './window-words.js';

import type { Picture } from '../chart/picture.js';
import type { Stretch } from '../chart/time-scale.js';

interface TakeAwayOptions {
  readonly metric: string;
  readonly picture: Picture;
  readonly hidden: ReadonlySet<string>;
  readonly by: string | null;
  readonly names: ReadonlyMap<string, string>;
  readonly window: Stretch;
  readonly canvas: { readonly current: HTMLCanvasElement | null };
}

export function TakeAway(options: TakeAwayOptions) {
  const { metric, picture, hidden, names, window } = options;
  const { unit } = clock.value;
  return (
    <>
      <Step
        icon="download"
        name="CSV"
        onClick={() => {
          const text = csvOf(picture, { names, hidden, unit });
          save(new Blob([text], { type: 'text/csv' }), fileName(metric, 'csv'));
        }}
      />
      <Step
        icon="image"
        name="PNG"
        onClick={() => {
          void savePicture(options);
        }}
      />
      <Step
        icon="link"
        name="Copy link with fixed times"
        onClick={() => {
          void copyLink(window);
        }}
      />
    </>
  );
}

async function savePicture({
  metric,
  picture,
  hidden,
  by,
  names,
  window,
  canvas,
}: TakeAwayOptions): Promise<void> {
  if (canvas.current === null) return;
  const styles = stylesOf(picture.lines.map(({ id }) => id));
  const lines = picture.lines.flatMap(({ id }) => {
    const style = styles.get(id);
    return hidden.has(id) || style === undefined ? [] : [{ name: names.get(id) ?? id, style }];
  });
  const below = `${countWords({ picture, hidden, by })} · ${windowWords(window, clock.value)}`;
  const blob = await pngOf(canvas.current, { title: metric, below, lines });
  if (blob !== null) save(blob, fileName(metric, 'png'));
}

/** What is seen now is seen there, too, whenever it is opened. */
async function copyLink({ start, end }: Stretch): Promise<void> {
  const { unit } = clock.value;
  const t = `${printIso(start, unit)}..${printIso(end, unit)}`;
  const fragment = printPlace(changed(place.value, { t, live: null }));
  const isCopied = await copied(`${location.href.replace(/#.*$/, '')}${fragment}`);
  if (isCopied) announce('Copied: a link with fixed times');
}
