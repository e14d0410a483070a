/** States of the page Ask. */

import { point, press, type Shot } from './shot-hands.js';

import type { Page } from '../support/browser-types.js';

const grouped =
  'select tag.hostname, count(*) as n, min(value) as least, max(value) as most\n' +
  'from queue.usage_user\nwhere time >= now() - 7d\n' +
  'group by tag.hostname order by most desc -- the busiest ones';

const curved =
  'select time_bucket(2m, time) as t, tag.region, avg(value) as mean, max(value) as most\n' +
  'from host.cpu where time >= now() - 6h\ngroup by t, tag.region';

async function typed(page: Page, text: string): Promise<void> {
  await page.getByRole('textbox', { name: 'SeriesQL statement' }).click();
  await page.keyboard.type(text);
  await page.getByRole('option').or(page.getByRole('alert')).first().waitFor();
}

export function askShots(url: string): readonly Shot[] {
  const of = (text: string): string => `${url}/#/ask?q=${encodeURIComponent(text)}`;
  const grid = (page: Page) => page.getByRole('grid').waitFor();
  return [
    { name: 'ask', url: `${url}/#/ask`, reach: (page) => page.getByText('Every metric').waitFor() },
    { name: 'ask-result', url: of(grouped), reach: grid },
    { name: 'ask-values', url: of("select 9007199254740993, null, '', now()"), reach: grid },
    {
      name: 'ask-chart',
      url: of(curved),
      reach: async (page) => {
        await grid(page);
        await page.getByRole('tab', { name: 'Chart' }).click();
        await point(page);
      },
    },
    {
      name: 'ask-words',
      url: `${url}/#/ask`,
      reach: (page) => typed(page, 'select value from cpu.'),
    },
    { name: 'ask-functions', url: `${url}/#/ask`, reach: (page) => typed(page, 'select p') },
    {
      name: 'ask-fault',
      url: of('select tim, avg(valu)\nfrom cpu.usage_user where time >= now() - 7d'),
      reach: (page) => page.getByRole('alert').first().waitFor(),
    },
    {
      name: 'ask-plan',
      url: of(`explain analyze ${grouped}`),
      reach: (page) => page.getByRole('tree').waitFor(),
    },
    {
      name: 'ask-delete',
      url: of('delete from cpu.usage_user where time between now() - 7d and now()'),
      reach: async (page) => {
        await press(/^Run/)(page);
        await page.getByText(/samples? in .* series/).waitFor();
      },
    },
    {
      name: 'ask-history',
      url: of(grouped),
      reach: async (page) => {
        await grid(page);
        await press('History')(page);
      },
    },
  ];
}
