/** The names of a metric's series, made of the labels that tell them apart. */

import type { RankedSeries } from '../chart/picture.js';

export interface SeriesNames {
  /** Labels that are equal in every series; shown once. */
  readonly common: readonly (readonly [string, string])[];
  /** The keys whose values form a name. */
  readonly naming: readonly string[];
  /** Other keys with differing values. */
  readonly others: readonly string[];
  /** Names by series id. */
  readonly names: ReadonlyMap<string, string>;
}

export function namesOf(ranked: readonly RankedSeries[]): SeriesNames {
  const keys = [...new Set(ranked.flatMap(({ labels }) => Object.keys(labels)))];
  const valuesOf = (key: string): Set<string | undefined> =>
    new Set(ranked.map(({ labels }) => labels[key]));
  const counts = new Map(keys.map((key) => [key, valuesOf(key).size]));
  const varying = keys.filter((key) => (counts.get(key) ?? 0) > 1);
  const same = ranked.length > 1 ? keys.filter((key) => counts.get(key) === 1) : [];
  const single = varying.find((key) => counts.get(key) === ranked.length);
  const naming = single !== undefined ? [single] : ranked.length > 1 ? varying : keys;
  const nameOf = ({ labels }: RankedSeries): string => {
    const parts = naming.flatMap((key) => labels[key] ?? []);
    return parts.length > 0 ? parts.join(' · ') : '(no labels)';
  };
  return {
    common: same.map((key) => [key, ranked[0]?.labels[key] ?? ''] as const),
    naming,
    others: varying.filter((key) => !naming.includes(key)),
    names: new Map(ranked.map((one) => [one.id, nameOf(one)])),
  };
}
