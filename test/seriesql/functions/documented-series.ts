/** The series for the examples of docs/seriesql.md, in a real storage. */

import { readFileSync } from 'node:fs';

import { printFloat } from '../../../src/query/seriesql/plan/evaluate.js';
import { openNativeStorage } from '../../../src/storage/native-storage.js';
import { addonPath, freshDirectory, optionsFor } from '../../native/addon.js';
import { parseSeries } from '../../support/transcript.js';

import type { Storage } from '../../../src/storage/storage.js';

export async function openDocumentedSeries(): Promise<Storage> {
  const page = readFileSync(new URL('../../../../docs/seriesql.md', import.meta.url), 'utf8');
  const load = /^```load\n([\s\S]*?)^```$/m.exec(page)?.[1] ?? '';
  const storage = await openNativeStorage(optionsFor(freshDirectory()), addonPath);
  const request = storage.beginIngest({ precision: 'ms', isLenient: false });
  for (const line of load.trim().split('\n')) {
    const { name, labels, isCounter, samples } = parseSeries(line);
    const kind = isCounter ? { kind: 'counter' } : {};
    const head = JSON.stringify({ metric: name, labels: Object.fromEntries(labels), ...kind });
    for (const { time, value } of samples) {
      const point = `${head.slice(0, -1)},"ts":${time},"value":${printFloat(value)}}\n`;
      request.write(Buffer.from(point));
    }
  }
  await request.commit();
  return storage;
}
