/** The answer of an expression as CSV. */

import { printCsv } from '../csv.js';
import { printIso, tsOfMs } from '../zone.js';
import { labelKeys } from './answer.js';

import type { PromqlAnswer } from '../../client/client.js';

/** One row per value: labels, time and value. A scalar has time and value only. */
export function csvOfAnswer(answer: PromqlAnswer): string {
  const series = seriesIn(answer);
  const keys = labelKeys(series.map(({ labels }) => labels));
  const rows = series.flatMap(({ labels, points }) => {
    const texts = keys.map((key) => labels[key] ?? null);
    return points.map(([seconds, value]) => [...texts, isoOf(seconds), printNumber(value)]);
  });
  return printCsv([...keys, 'time', 'value'], rows);
}

interface AnswerPoints {
  readonly labels: Readonly<Record<string, string>>;
  readonly points: readonly (readonly [number, number | string])[];
}

function seriesIn(answer: PromqlAnswer): readonly AnswerPoints[] {
  switch (answer.resultType) {
    case 'matrix':
      return answer.result.map(({ metric, values }) => ({ labels: metric, points: values }));
    case 'vector':
      return answer.result.map(({ metric, value }) => ({ labels: metric, points: [value] }));
    default:
      return [{ labels: {}, points: [answer.result] }];
  }
}

const isoOf = (seconds: number): string => printIso(tsOfMs(Math.round(seconds * 1000), 'ms'), 'ms');

/** Infinities as Prometheus writes them. */
const printNumber = (value: number | string): string =>
  String(value).replace(/^(-?)Infinity$/, (_, sign: string) => `${sign === '' ? '+' : '-'}Inf`);
