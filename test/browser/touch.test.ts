/** Touch gestures on a chart: one finger shows values, two zoom, a long press selects. */

import { assert } from 'chai';

import { onPages } from '../support/browser.js';
import { writeLines } from '../support/page-checks.js';
import { killServers, startServer, temporaryDirectory, type Server } from '../support/server.js';

import type { CdpSession, ContextOptions, Page } from '../support/browser-types.js';

/** 21 November 2026, 10:00 in Berlin. */
const start = 1_795_251_600_000;
const kMinute = 60_000;
const phone: ContextOptions = { hasTouch: true, viewport: { width: 390, height: 844 } };

/** Positions of the fingers, as fractions of the plot's width. */
type Fingers = readonly number[];

class Hand {
  readonly #cdp: CdpSession;
  readonly #at: (part: number) => { readonly x: number; readonly y: number };

  private constructor(
    cdp: CdpSession,
    box: { x: number; y: number; width: number; height: number },
  ) {
    this.#cdp = cdp;
    this.#at = (part) => ({ x: box.x + box.width * part, y: box.y + box.height / 2 });
  }

  static async over(page: Page): Promise<Hand> {
    const plot = page.locator('.chart .over');
    await page.locator('.chart canvas').waitFor();
    const box = await plot.boundingBox();
    if (box === null) throw new Error('the plot is not in sight');
    return new Hand(await page.context().newCDPSession(page), box);
  }

  async #send(type: string, fingers: Fingers): Promise<void> {
    const touchPoints = fingers.map((part, id) => ({ ...this.#at(part), id }));
    await this.#cdp.send('Input.dispatchTouchEvent', { type, touchPoints });
  }

  down = (...fingers: number[]): Promise<void> => this.#send('touchStart', fingers);
  move = (...fingers: number[]): Promise<void> => this.#send('touchMove', fingers);
  up = (): Promise<void> => this.#send('touchEnd', []);
}

const window = (page: Page): string => /[?&]t=([^&]*)/.exec(page.url())?.[1] ?? '';

async function untilWindow(page: Page, wanted: (text: string) => boolean): Promise<void> {
  for (let tries = 0; !wanted(window(page)); tries += 1) {
    assert.isBelow(tries, 100, `the window is ${window(page)}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

const minutes = (text: string): number => {
  const [from = '', to = ''] = text.split('..');
  return (Date.parse(to) - Date.parse(from)) / kMinute;
};

describe('a chart on a touch screen', () => {
  let server: Server;
  const sixHours = 't=2026-11-21T09:00:00Z..2026-11-21T15:00:00Z';
  const address = (): string => `${server.url}/#/look?m=room.temperature&${sixHours}`;

  before(async () => {
    server = await startServer({ dataDir: temporaryDirectory() });
    const of = (at: number) => ({
      metric: 'room.temperature',
      ts: start + at * kMinute,
      value: at,
    });
    await writeLines(
      server,
      Array.from({ length: 361 }, (_, at) => of(at)),
    );
  });
  after(killServers);

  it(
    'shows values below one finger, and does not move with it',
    onPages(async (open) => {
      const page = await open(address(), phone);
      const hand = await Hand.over(page);
      const before = window(page);
      await hand.down(0.25);
      const tip = page.getByRole('tooltip');
      await tip.waitFor();
      const first = await tip.innerText();
      assert.match(first, /2026-11-21 11:\d\d:00 \+01:00/);
      await hand.move(0.4);
      await hand.move(0.75);
      await page
        .getByText(/2026-11-21 14:[23]\d:00 \+01:00/)
        .first()
        .waitFor();
      await hand.up();
      assert.strictEqual(window(page), before);
      await tip.waitFor();
    }),
  );

  it(
    'zooms in and out by two fingers, and by Back',
    onPages(async (open) => {
      const page = await open(address(), phone);
      const hand = await Hand.over(page);
      const before = window(page);
      await hand.down(0.4, 0.6);
      await hand.move(0.3, 0.7);
      await hand.move(0.2, 0.8);
      await hand.up();
      await untilWindow(page, (text) => text !== before);
      const near = window(page);
      // Three times as far apart.
      assert.approximately(minutes(near), 120, 15);
      await hand.down(0.2, 0.8);
      await hand.move(0.4, 0.6);
      await hand.up();
      await untilWindow(page, (text) => text !== near);
      assert.approximately(minutes(window(page)), 360, 45);
      await page.goBack();
      await untilWindow(page, (text) => text === near);
      assert.strictEqual(await page.getByRole('dialog', { name: 'New note' }).count(), 0);
    }),
  );

  it(
    'opens a new annotation on a long press',
    onPages(async (open) => {
      const page = await open(address(), phone);
      const hand = await Hand.over(page);
      await hand.down(0.5);
      await page.getByRole('dialog', { name: 'New note' }).waitFor();
      await hand.up();
      assert.match(
        await page.getByLabel('Start').inputValue(),
        /^2026-11-21 12:5|^2026-11-21 13:0/,
      );
    }),
  );
});
