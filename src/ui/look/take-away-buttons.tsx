/** Buttons that export a chart. */

import { announce, tell } from '../announce.js';
import { stylesOf } from '../chart/colours.js';
import { rawOf } from '../chart-statements.js';
import { download } from '../data/download.js';
import { sentenceOf } from '../data/fault.js';
import { place } from '../location.js';
import { changed, printPlace } from '../url.js';
import { clock } from '../view.js';
import { AddToBoard } from '../widgets/add-to-board.js';
import { copied } from '../widgets/copyable.js';
import { Menu } from '../widgets/menu.js';
import { printIso } from '../zone.js';
import { csvOf, fileName, pngOf, save } from './take-away.js';
import { countWords } from './chart-label.js';
import { Step } from './toolbar.js';
import { windowWords } from './window-words.js';

import type { MetricDescriptor } from '../../client/client.js';
import type { Picture } from '../chart/picture.js';
import type { TimeStretch } from '../chart/time-scale.js';
import type { Condition } from '../series-filter.js';

interface TakeAwayOptions {
  readonly metric: MetricDescriptor;
  readonly conditions: readonly Condition[];
  readonly picture: Picture;
  readonly hidden: ReadonlySet<string>;
  readonly by: string | null;
  readonly names: ReadonlyMap<string, string>;
  readonly window: TimeStretch;
  readonly canvas: { readonly current: HTMLCanvasElement | null };
}

export function TakeAway(options: TakeAwayOptions) {
  const { metric, picture, hidden, names, window } = options;
  const { unit } = clock.value;
  const files = [
    [
      'As drawn',
      () => {
        const text = csvOf(picture, { names, hidden, unit });
        save(new Blob([text], { type: 'text/csv' }), fileName(metric.metric, 'csv'));
      },
    ],
    [
      'All samples',
      () => {
        void saveSamples(options);
      },
    ],
  ] as const;
  return (
    <>
      <AddToBoard />
      <Menu icon="download" name="CSV">
        {(close) =>
          files.map(([words, take]) => (
            <button
              key={words}
              type="button"
              class="choice"
              onClick={() => {
                take();
                close();
              }}
            >
              {words}
            </button>
          ))
        }
      </Menu>
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

/** Saves the samples of all visible lines, however many. */
async function saveSamples(options: TakeAwayOptions): Promise<void> {
  const { metric, conditions, picture, hidden, by, window } = options;
  const seen = new Set(picture.lines.map(({ id }) => id).filter((id) => !hidden.has(id)));
  const lines = picture.ranked.filter(({ id }) => seen.has(id)).map(({ key }) => key);
  const looked = { metric: metric.metric, conditions, window, isCounter: false, by, zone: '' };
  const text = rawOf(looked, lines, metric.label_keys);
  announce('Reading all samples into a file');
  try {
    await download({ text, format: 'csv', name: fileName(metric.metric, 'samples') });
  } catch (error) {
    announce(sentenceOf(error));
  }
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
  const blob = await pngOf(canvas.current, { title: metric.metric, below, lines });
  if (blob !== null) save(blob, fileName(metric.metric, 'png'));
}

/** The link has fixed times, so that it shows the same data later. */
async function copyLink({ start, end }: TimeStretch): Promise<void> {
  const { unit } = clock.value;
  const t = `${printIso(start, unit)}..${printIso(end, unit)}`;
  const fragment = printPlace(changed(place.value, { t, live: null }));
  const isCopied = await copied(`${location.href.replace(/#.*$/, '')}${fragment}`);
  if (isCopied) tell('Copied: a link with fixed times');
}
