/** Compares two answers of the Prometheus API. */

import type { PromAnswer } from './scripts/world.js';

interface Row {
  readonly metric: Readonly<Record<string, string>>;
  readonly value?: readonly [number, string];
  readonly values?: readonly (readonly [number, string])[];
}

/** The relative tolerance. */
const kTolerance = 1e-9;

/** The difference; null: none. If `isNamed` is false, rows are compared in order, without names. */
export function sameAnswers(ours: PromAnswer, theirs: PromAnswer, isNamed = true): string | null {
  const [a, b] = [ours.body, theirs.body];
  if (a.status !== b.status) return `${a.status} ${a.error ?? ''} for ${b.status} ${b.error ?? ''}`;
  if (a.status === 'error') return null;
  const notes = differentNotes(a.warnings, b.warnings) ?? differentNotes(a.infos, b.infos);
  if (notes !== null) return notes;
  if (a.data?.resultType !== b.data?.resultType) {
    return `${String(a.data?.resultType)} for ${String(b.data?.resultType)}`;
  }
  if (b.data?.resultType === 'scalar') {
    const [one, other] = [a.data?.result, b.data.result] as [[number, string], [number, string]];
    return isNear(one[1], other[1]) ? null : `${one[1]} for ${other[1]}`;
  }
  const [one, other] = [a.data?.result, b.data?.result] as [Row[], Row[]];
  return isNamed
    ? differentRows(one, other)
    : differentRows(one.map(withoutName), other.map(withoutName));
}

function withoutName(row: Row): Row {
  const kept = Object.entries(row.metric).filter(([key]) => key !== '__name__');
  return { ...row, metric: Object.fromEntries(kept) };
}

function differentNotes(a: readonly string[] = [], b: readonly string[] = []): string | null {
  const [one, other] = [[...a].sort().join('; '), [...b].sort().join('; ')];
  return one === other ? null : `notes ${one} for ${other}`;
}

function differentRows(ours: readonly Row[], theirs: readonly Row[]): string | null {
  if (ours.length !== theirs.length) return `${ours.length} rows for ${theirs.length}`;
  const known = new Map(ours.map((row) => [keyOf(row), row]));
  for (const row of theirs) {
    const own = known.get(keyOf(row));
    if (own === undefined) return `no row ${keyOf(row)}`;
    const different = differentValues(own, row);
    if (different !== null) return `${keyOf(row)}: ${different}`;
  }
  return null;
}

function keyOf({ metric }: Row): string {
  return JSON.stringify(Object.entries(metric).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function differentValues(ours: Row, theirs: Row): string | null {
  const [a, b] = [ours.values ?? [ours.value], theirs.values ?? [theirs.value]];
  if (a.length !== b.length) return `${a.length} values for ${b.length}`;
  for (const [place, pair] of b.entries()) {
    const [ts, value] = pair ?? [NaN, ''];
    const [ownTs, own] = a[place] ?? [NaN, ''];
    if (ts !== ownTs) return `at ${ownTs} for ${ts}`;
    if (!isNear(own, value)) return `at ${ts}: ${own} for ${value}`;
  }
  return null;
}

function isNear(a: string, b: string): boolean {
  if (a === b) return true;
  const [one, other] = [Number(a), Number(b)];
  return Math.abs(one - other) <= kTolerance * Math.max(Math.abs(one), Math.abs(other));
}
