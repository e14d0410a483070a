/** The content of the database in screenshots. */

import { hourlyLines } from './list-shots.js';

const words = ['cpu', 'disk', 'mem', 'net', 'http', 'queue'];
const facts = [
  ['usage_user', 'gauge', 'percent', 'CPU time in user mode'],
  ['bytes', 'counter', 'bytes', 'Bytes since the start'],
  ['latency', 'gauge', 'ms', ''],
  ['temperature', 'gauge', 'celsius', 'Of the hottest core'],
  ['requests', 'counter', 'requests', 'Requests that were answered'],
] as const;

export function fixedLines(nowMs: number): string {
  const lines = words.flatMap((word, at) =>
    facts.flatMap(([name, kind, unit, description], place) =>
      Array.from({ length: 1 + ((at * 7 + place * 3) % 40) }, (_, series) => ({
        ...{ metric: `${word}.${name}`, kind, unit, ts: nowMs - at * place * 3_700_000 - series },
        ...(description === '' ? {} : { description }),
        ...{ value: series, labels: { hostname: `host_${series}` } },
      })),
    ),
  );
  return [...lines, ...hourlyLines(nowMs)].map((line) => JSON.stringify(line)).join('\n');
}

const regions = ['eu', 'us', 'ap'] as const;

/** All series differ, and each region peaks at its own time. */
const wave = (at: number, series: number): number =>
  38 +
  ((series * 7_919) % 1_000) / 40 +
  11 * Math.sin(at / 28 + (series % regions.length) * 2.1) +
  (4 + (series % 5)) * Math.sin(at / (7 + (series % 4)) + series * 2.4);

/** Series with curves: a thousand, eight counters, one with a gap, one of many samples. */
export function* curves(nowMs: number): Generator<string> {
  const about = { kind: 'gauge', unit: 'percent', description: 'CPU time in user mode' };
  for (let series = 0; series < 1_000; series += 1) {
    const labels = { hostname: `host_${series}`, region: regions[series % regions.length] };
    for (let at = 0; at < 180; at += 1) {
      const ts = nowMs - (180 - at) * 120_000;
      const value = Number(wave(at, series).toFixed(2));
      yield JSON.stringify({ metric: 'host.cpu', ts, value, labels, ...about });
    }
  }
  for (let series = 0; series < 8; series += 1) {
    let value = 0;
    for (let at = 0; at < 2_160; at += 1) {
      value += Math.round(20_000 * (wave(at / 8, series) + 10));
      const labels = { host: `web-${series}`, dc: series % 2 === 0 ? 'ams' : 'fra' };
      const ts = nowMs - (2_160 - at) * 10_000;
      yield JSON.stringify({
        metric: 'host.sent',
        ts,
        value,
        labels,
        kind: 'counter',
        unit: 'bytes',
      });
    }
  }
  for (let at = 0; at < 2_160; at += 1) {
    if (at > 900 && at < 1_260) continue;
    const value = 21 + 3 * Math.sin(at / 200) + ((at * 7) % 10) / 25;
    const labels = { room: 'server' };
    const ts = nowMs - (2_160 - at) * 10_000;
    yield JSON.stringify({
      metric: 'room.warmth',
      ts,
      value,
      labels,
      kind: 'gauge',
      unit: 'celsius',
    });
  }
  const many = 1_000_000;
  for (let at = 0; at < many; at += 1) {
    const value = at === 654_321 ? 480 : 50 + 20 * Math.sin(at / 30_000) + ((at * 7_919) % 16);
    const ts = nowMs - (many - at) * 1_000;
    yield `{"metric":"host.load","ts":${ts},"value":${value.toFixed(2)}}`;
  }
}

export async function write(url: string, lines: Iterable<string>): Promise<void> {
  let body: string[] = [];
  const send = async (): Promise<void> => {
    const request = { method: 'POST', body: body.join('\n') };
    const { status } = await fetch(`${url}/api/v1/ingest`, request);
    if (status !== 200) throw new Error(`the samples were answered by ${status}`);
    body = [];
  };
  for (const line of lines) if (body.push(line) === 100_000) await send();
  await send();
}
