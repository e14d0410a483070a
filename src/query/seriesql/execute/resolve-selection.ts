/**
 * Resolves conditions on one label, or on the metric alone, to lists of values. Each value that the
 * index holds is tested. The addon then selects any such condition by postings.
 */

import { some } from '../plan/check/expr.js';
import { emptyRow, type Evaluator } from '../plan/evaluate.js';

import { objectTexts, stringTexts } from './json-texts.js';
import { filterOf } from './selection-filter.js';
import { textTest } from './selection-match.js';
import { TextPacker } from '../../values/text-packer.js';

import type { ByteStream, Discovery, PackedTexts, SeriesFilter } from '../../../storage/storage.js';
import type { Expr, PlannedLabelTerm, PlannedSelection } from '../plan/plan.js';
import type { SeriesInfo } from '../plan/series.js';
import type { Guard } from '../../limits/guard.js';

/** The storage functions that know names and values. */
export interface LabelIndex {
  openDiscovery(discovery: Discovery): ByteStream;
}

/** The query on whose behalf a selection is resolved. */
interface Resolving {
  readonly guard: Guard;
  readonly evaluator: Evaluator;
}

/** A test of a value. Null stands for a missing label. */
type TextTest = (value: string | null) => boolean;

/** Tests of the metric name, and of labels by key. */
export interface Tests {
  readonly metric: TextTest[];
  readonly labels: Map<string, TextTest[]>;
}

/** Null if a condition reads more than one thing, or tests ids other than by a list. */
export async function resolveSelection(
  run: Resolving,
  index: LabelIndex,
  selection: PlannedSelection,
): Promise<SeriesFilter | null> {
  const { filter, terms, conditions } = filterOf(selection);
  const tests: Tests = { metric: [], labels: new Map() };
  for (const term of terms) addTest(tests, term.on, ofTerm(term));
  for (const condition of conditions) {
    const subject = subjectOf(condition);
    if (subject === null) return null;
    addTest(tests, subject, ofCondition(run, condition, subject));
  }
  return resolveTests(run.guard, index, { filter, tests });
}

/** A filter and its tests. If the filter lists names, only these are tested. */
interface Tested {
  readonly filter: SeriesFilter & { readonly names: readonly string[] | null };
  readonly tests: Tests;
}

/** The filter, with the values that pass the tests as lists. */
export async function resolveTests(
  guard: Guard,
  index: LabelIndex,
  { filter, tests }: Tested,
): Promise<SeriesFilter> {
  const { names } = filter;
  let resolved: SeriesFilter = filter;
  if (tests.metric.length > 0) {
    const test = allOf(tests.metric);
    const batches = names === null ? namesOf(index, filter.namePrefix) : [names];
    resolved = { ...filter, namePrefix: null, names: await packed(guard, batches, test) };
  }
  for (const [key, all] of tests.labels) {
    const test = allOf(all);
    const values = await packed(guard, valuesOf(index, resolved, key), test);
    const term = { key, values, isNegated: false, acceptsMissing: test(null) };
    resolved = { ...resolved, terms: [...resolved.terms, term] };
  }
  return resolved;
}

export function addTest(
  { metric, labels }: Tests,
  subject: PlannedLabelTerm['on'],
  test: TextTest,
): void {
  if (subject.kind === 'metric') {
    metric.push(test);
    return;
  }
  const known = labels.get(subject.key);
  if (known === undefined) labels.set(subject.key, [test]);
  else known.push(test);
}

const allOf =
  (tests: readonly TextTest[]): TextTest =>
  (value) =>
    tests.every((test) => test(value));

function ofTerm(term: PlannedLabelTerm): TextTest {
  const test = textTest(term);
  return (value) => value !== null && test(value);
}

/** The condition reads only the subject, so the other parts of the series may be empty. */
function ofCondition(run: Resolving, condition: Expr, subject: PlannedLabelTerm['on']): TextTest {
  const seriesOf = (value: string | null): SeriesInfo => {
    if (value === null) return emptyRow.series;
    if (subject.kind === 'metric') return { ...emptyRow.series, name: value };
    return { ...emptyRow.series, labels: [[subject.key, value]] };
  };
  return (value) => run.evaluator.isTrue(condition, { ...emptyRow, series: seriesOf(value) });
}

/** The only thing that a condition reads; null if it reads several, or ids. */
function subjectOf(condition: Expr): PlannedLabelTerm['on'] | null {
  const subjects = new Map<string, PlannedLabelTerm['on']>();
  const readsIds = some(condition, (part) => {
    if (part.kind === 'label') subjects.set(`label ${part.key}`, { kind: 'label', key: part.key });
    if (part.kind === 'column' && part.column === 'metric') subjects.set('', { kind: 'metric' });
    return part.kind === 'column' && part.column === 'series_id';
  });
  const [only, ...more] = subjects.values();
  return readsIds || only === undefined || more.length > 0 ? null : only;
}

const question = { labelKey: '', valuePrefix: '', limit: Infinity, inactiveBefore: null } as const;

/** Reads the names alone. Lists of all labels might take longer than they save. */
async function* namesOf(
  index: LabelIndex,
  namePrefix: string | null,
): AsyncGenerator<readonly string[]> {
  const filter = { namePrefix, names: null, terms: [], isAny: false };
  const stream = index.openDiscovery({ answer: 'metrics', filter, ...question });
  try {
    for await (const text of objectTexts(stream)) {
      yield [(JSON.parse(text) as { metric: string }).metric];
    }
  } finally {
    stream.close();
  }
}

async function* valuesOf(
  index: LabelIndex,
  filter: SeriesFilter,
  labelKey: string,
): AsyncGenerator<readonly string[]> {
  const stream = index.openDiscovery({ answer: 'labelValues', filter, ...question, labelKey });
  try {
    yield* stringTexts(stream);
  } finally {
    stream.close();
  }
}

/** Characters tested before the guard checks whether others need a turn. */
const kCharactersPerBreath = 2048;

/** The texts that pass the test. Yields to other work in between. */
async function packed(
  guard: Guard,
  batches: AsyncIterable<readonly string[]> | readonly (readonly string[])[],
  test: TextTest,
): Promise<PackedTexts> {
  const packer = new TextPacker();
  let characters = 0;
  for await (const texts of batches) {
    for (const text of texts) {
      if (test(text)) {
        guard.texts.holdText(text);
        packer.add(text);
      }
      characters += 64 + text.length;
      if (characters < kCharactersPerBreath && !guard.isTextDue) continue;
      characters = 0;
      await guard.breathe();
    }
  }
  return packer.texts();
}
