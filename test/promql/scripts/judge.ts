/** Compares an answer with a script's expectation. */
import { expect } from 'chai';

import { numberOf, readSeries, type Labels, type Noted } from './notation.js';

import type { EvalStep } from './script.js';
import type { PromAnswer, PromBody } from './world.js';

interface Row {
  readonly metric: Labels;
  readonly value?: readonly [number, string];
  readonly values?: readonly (readonly [number, string])[];
}

/** The relative tolerance of Prometheus' own tests. */
const kTolerance = 1e-6;

export function judge(step: EvalStep, answer: PromAnswer): void {
  if (step.fails) {
    expect(answer.body.status, JSON.stringify(answer.body).slice(0, 300)).to.equal('error');
    expect(answer.body.error).to.include(step.failMessage ?? '');
    return;
  }
  expect(answer.status, JSON.stringify(answer.body).slice(0, 300)).to.equal(200);
  judgeNotes(step, answer.body);
  judgeRows(step, answer.body);
}

/**
 * Judges the second step of the answer to `aroundOf(step)`. Annotations of the other steps are
 * ignored.
 */
export function judgeAround(step: EvalStep, answer: PromAnswer): void {
  if (step.fails) {
    judge(step, answer);
    return;
  }
  expect(answer.status, JSON.stringify(answer.body).slice(0, 300)).to.equal(200);
  const rows = (answer.body.data?.result ?? []) as readonly Row[];
  const result = rows.flatMap(({ metric, values = [] }) => {
    const value = values.find(([seconds]) => seconds === step.start / 1000);
    return value === undefined ? [] : [{ metric, value }];
  });
  judgeRows(step, { status: 'success', data: { resultType: 'vector', result } });
}

function judgeNotes(step: EvalStep, { warnings = [], infos = [] }: PromBody): void {
  const said = JSON.stringify({ warnings, infos });
  expect(warnings.length > 0, `warnings: ${said}`).to.equal(step.warns);
  expect(infos.length > 0, `infos: ${said}`).to.equal(step.informs);
}

function judgeRows(step: EvalStep, { data }: PromBody): void {
  if (data?.resultType === 'scalar' || data?.resultType === 'string') {
    const [, value] = data.result as [number, string];
    const [wanted = ''] = step.expected;
    if (data.resultType === 'string') expect(JSON.stringify(value)).to.equal(wanted);
    else
      expect(isAlmost(numberOf(value), numberOf(wanted)), `${value} for ${wanted}`).to.equal(true);
    return;
  }
  const rows = data?.result as readonly Row[];
  const wanted = step.expected.map((line) => readSeries(isNumber(line) ? `{} ${line}` : line));
  const shown = (): string => JSON.stringify(rows).slice(0, 600);
  expect(rows.length, shown()).to.equal(wanted.length);
  wanted.forEach(({ labels, values }, place) => {
    const row = step.isOrdered
      ? rows[place]
      : rows.find(({ metric }) => textOf(metric) === textOf(labels));
    expect(row === undefined ? null : textOf(row.metric), shown()).to.equal(textOf(labels));
    if (row !== undefined) judgeValues(step, row, values);
  });
}

function isNumber(line: string): boolean {
  return !Number.isNaN(numberOf(line)) || /^nan$/i.test(line);
}

function textOf(labels: Labels): string {
  return JSON.stringify(Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function judgeValues(step: EvalStep, row: Row, values: readonly Noted[]): void {
  const got = new Map((row.values ?? [row.value ?? [NaN, '']]).map(([t, v]) => [t, v]));
  let count = 0;
  values.forEach((value, place) => {
    if (value === null || value === 'stale') return;
    count += 1;
    const t = (step.start + place * (step.stepMs ?? 0)) / 1000;
    const text = got.get(t) ?? 'nothing';
    const shown = `${textOf(row.metric)} at ${t}: ${text} for ${value}`;
    expect(isAlmost(numberOf(text), value), shown).to.equal(true);
  });
  expect(got.size, JSON.stringify(row).slice(0, 300)).to.equal(count);
}

export function isAlmost(a: number, b: number): boolean {
  if (a === b || (Number.isNaN(a) && Number.isNaN(b))) return true;
  const difference = Math.abs(a - b);
  return difference <= kTolerance * (Math.abs(a) + Math.abs(b));
}
