/** Queries of one long series, and clients that disconnect from them. */

import http from 'node:http';

import type { Answer } from './client.js';

export const seriesqlPath = '/api/v1/seriesql';
const bigCount = 400_000;

/** One series of distinct values. */
export function* bigLines(): Generator<string> {
  const step = 50_000;
  for (let from = 0; from < bigCount; from += step) {
    const line = (at: number) => `{"metric":"big","labels":{},"ts":${at},"value":${at / 7}}\n`;
    yield Array.from({ length: step }, (_, at) => line(from + at)).join('');
  }
}

const list = (count: number, item: (at: number) => string): string =>
  Array.from({ length: count }, (_, at) => item(at)).join(', ');

/** Each keeps its engine busy for seconds. `irate` always runs in the interpreter. */
export const heavyQueries = {
  compiled: `select ${list(2400, (at) => `percentile(value, 0.${at + 1000})`)} from big where time >= 0`,
  legacy: `select irate(value), ${list(400, (at) => `sum(value * ${at})`)} from big where time >= 0`,
  shadow: `select ${list(40, (at) => `percentile(value, 0.${at + 10})`)} from big where time >= 0`,
};

/** `ok`, or the code of the error. */
export const codeOf = (answer: Answer): string =>
  answer.status === 200 ? 'ok' : (JSON.parse(answer.body) as { code: string }).code;

/** Sends the query and reads nothing; disconnects when the result is called. */
export async function askAndWait(
  port: number,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<() => void> {
  const where = { host: '127.0.0.1', port, path: seriesqlPath };
  const options = { ...where, method: 'POST', headers, agent: false };
  const request = http.request(options);
  request.on('error', () => undefined);
  request.on('response', (response) => {
    response.on('error', () => undefined);
    response.pause();
  });
  await new Promise<void>((resolve) => {
    request.end(body, resolve);
  });
  return () => {
    request.destroy();
  };
}
