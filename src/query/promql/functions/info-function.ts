/**
 * info(v, {…}): rows get labels of the info metrics (target_info, unless the selector names others)
 * that have the same job and instance. Of several the one with the newest sample counts.
 */

import { AppError } from '../../../common/errors/app-error.js';
import { ColumnBuilder } from '../labels/column.js';
import { kNameKey, type LabelTable } from '../labels/label-table.js';
import { jointIds, rowsById, type RowsById } from '../labels/row-ids.js';
import { asTheyAre, readSelector } from '../vectors/leaf.js';
import { mergeSame, vectorOf, withoutEmptyRows, type VectorValue } from '../vectors/value.js';
import { compileWholePattern } from '../../values/pattern.js';
import { vectorAt } from './arguments.js';

import type { Guard } from '../../limits/guard.js';
import type { SeriesMatcher } from '../../../common/model/series-matcher.js';
import type { VectorSelector } from '../syntax/ast.js';
import type { CellAccount } from '../vectors/cells.js';
import type { AskedCall } from '../vectors/context.js';
import { definePromql, type PromqlFunction } from './promql-function.js';

const identifying: readonly string[] = ['instance', 'job'];

/** What the selector says: which info metrics, and which of their labels. */
interface WantedInfo {
  readonly selector: VectorSelector;
  /** Whether a metric is one of these. */
  readonly isInfo: (name: string) => boolean;
  /** Labels that are named; none: all are wanted. */
  readonly keys: readonly string[];
  /** Without info metrics a row stays: the selector would take labels that are missing. */
  readonly isKeptBare: boolean;
}

function wantedOf({ call }: AskedCall): WantedInfo {
  const given = call.args[1];
  const asked = given?.kind === 'selector' ? given.matchers : [];
  const named = asked.filter(({ key }) => key === kNameKey);
  const names =
    named.length > 0 ? named : [{ key: kNameKey, op: '=', value: 'target_info' } as const];
  const data = asked.filter(({ key }) => key !== kNameKey);
  const selector: VectorSelector = {
    ...{ kind: 'selector', name: '', offset: null, at: null },
    matchers: [...names, ...data],
    place: given?.place ?? call.place,
  };
  const isInfo = testOf(names);
  return {
    selector,
    isInfo: (name) => isInfo(() => name),
    keys: data.map(({ key }) => key),
    isKeptBare: testOf(data)(() => ''),
  };
}

/** Whether all of these hold for what `textOf` says of their keys. */
function testOf(matchers: readonly SeriesMatcher[]): (textOf: (key: string) => string) => boolean {
  const tests = matchers.map(({ key, op, value }) => {
    const isLike = op === '=~' || op === '!~' ? compileWholePattern(value) : null;
    const isWanted = op === '=' || op === '=~';
    return { key, holds: (text: string) => (isLike?.matches(text) ?? text === value) === isWanted };
  });
  return (textOf) => tests.every(({ key, holds }) => holds(textOf(key)));
}

/** The rows of info metrics: when the sample of each cell was, which is all that counts of it. */
function readInfos({ frame, evaluate }: AskedCall, { selector }: WantedInfo): Promise<VectorValue> {
  const wanted = { fn: 'last_time', args: [], ...asTheyAre } as const;
  return readSelector(evaluate.context, { selector, frame, wanted });
}

async function info(asked: AskedCall): Promise<VectorValue> {
  const wanted = wantedOf(asked);
  const base = await vectorAt(asked, 0);
  const infos = await readInfos(asked, wanted);
  const { labels } = base;
  const steps = asked.frame.count;
  const tables = { left: labels, right: infos.labels };
  const { guard, cells } = asked.evaluate.context;
  const ids = await jointIds(tables, { isWithout: false, labels: identifying }, guard);
  const byId = await rowsById({ ids: ids.right, count: ids.count }, guard);
  const made = new MadeRows(steps);
  for (let row = 0; row < labels.rowCount; row += 1) {
    const isInfo = wanted.isInfo(labels.textOf(row, kNameKey));
    for (let step = 0; step < steps; step += 1) {
      const cell = row * steps + step;
      if (base.present !== null && base.present[cell] !== 1) continue;
      const chosen = isInfo ? [] : newest(infos, byId, { id: ids.left[row] ?? 0, step, steps });
      if (chosen.length > 0 || isInfo || wanted.isKeptBare) {
        made.put({ row, chosen }, step, base.values[cell] ?? NaN);
      }
    }
    await guard.breathe();
  }
  cells.giveBack(base.values);
  cells.giveBack(infos.values);
  return made.finish(cells, { base, infos: infos.labels, wanted, guard });
}

/** The row of each info metric that counts at a step. */
function newest(
  { labels, values, present }: VectorValue,
  { starts, rows: members }: RowsById,
  { id, step, steps }: { readonly id: number; readonly step: number; readonly steps: number },
): readonly number[] {
  const best = new Map<string, number>();
  for (let at = starts[id] ?? 0; at < (starts[id + 1] ?? 0); at += 1) {
    const row = members[at] ?? 0;
    const cell = row * steps + step;
    if (present !== null && present[cell] !== 1) continue;
    const name = labels.textOf(row, kNameKey);
    const other = best.get(name);
    const order =
      other === undefined ? 1 : (values[cell] ?? 0) - (values[other * steps + step] ?? 0);
    if (order === 0) throw duplicate(name);
    if (order > 0) best.set(name, row);
  }
  return [...best.values()].sort((a, b) => a - b);
}

function duplicate(name: string): AppError {
  return new AppError('execution_error', `found duplicate series for info metric: ${name}`);
}

interface Pair {
  readonly row: number;
  readonly chosen: readonly number[];
}

interface Finishing {
  readonly base: VectorValue;
  readonly infos: LabelTable;
  readonly wanted: WantedInfo;
  readonly guard: Guard;
}

/** A row of the answer for each row with other info rows. */
class MadeRows {
  readonly #steps: number;
  readonly #pairs = new Map<string, Pair & { readonly known: Map<number, number> }>();

  constructor(steps: number) {
    this.#steps = steps;
  }

  put(pair: Pair, step: number, value: number): void {
    const key = `${pair.row} ${pair.chosen.join(' ')}`;
    let known = this.#pairs.get(key);
    if (known === undefined) this.#pairs.set(key, (known = { ...pair, known: new Map() }));
    known.known.set(step, value);
  }

  async finish(
    cells: CellAccount,
    { base, infos, wanted, guard }: Finishing,
  ): Promise<VectorValue> {
    const pairs = [...this.#pairs.values()];
    const values = cells.make(pairs.length * this.#steps);
    const present = new Uint8Array(values.length);
    pairs.forEach(({ known }, place) => {
      for (const [step, value] of known) {
        values[place * this.#steps + step] = value;
        present[place * this.#steps + step] = 1;
      }
    });
    const { dropsName } = base;
    const drops = dropsName && Uint8Array.from(pairs, ({ row }) => dropsName[row] ?? 0);
    const labels = await enriched(base.labels, infos, { pairs, wanted, guard });
    const made = vectorOf({ labels, values, present, dropsName: drops });
    return mergeSame(await withoutEmptyRows(made, guard), guard);
  }
}

/** Labels that rows have themselves stay as they are. */
async function enriched(
  base: LabelTable,
  infos: LabelTable,
  {
    pairs,
    wanted,
    guard,
  }: Pick<Finishing, 'wanted' | 'guard'> & { readonly pairs: readonly Pair[] },
): Promise<LabelTable> {
  let labels = await base.pick(
    Uint32Array.from(pairs, ({ row }) => row),
    guard,
  );
  const keys = wanted.keys.length > 0 ? wanted.keys : infos.columns.keys();
  for (const key of new Set(keys)) {
    if (key === kNameKey || identifying.includes(key)) continue;
    const builder = new ColumnBuilder(pairs.length, guard.texts);
    pairs.forEach(({ row, chosen }, place) => {
      const own = base.textOf(row, key);
      const told = chosen.map((one) => infos.textOf(one, key)).find((text) => text !== '');
      builder.set(place, builder.codeOf(own === '' ? (told ?? '') : own));
    });
    labels = labels.with(key, builder.finish());
  }
  return labels;
}

export const infoFunctions: readonly PromqlFunction[] = [
  definePromql({
    name: 'info',
    takes: ['vector', 'vector'],
    optional: 1,
    isExperimental: true,
    worksOnTexts: true,
    sentence:
      'Adds the labels of the info metric (target_info) that has the same job and instance.',
    example: 'info(requests_total{job="api"}, {version=~".+"})',
    answer: 'requests_total{instance="1", job="api", version="1.2"} 600',
    evaluate: info,
  }),
];
