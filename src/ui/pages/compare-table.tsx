/** The series of both windows, the greatest change first. */

import { useMemo } from 'preact/hooks';

import { hasFew, type Compared, type MeasuredSeries } from '../comparison.js';
import { seriesMax, type ComparedRows, type CompareStretch } from '../data/compare.js';
import { lookAddress } from '../links.js';
import { place } from '../location.js';
import { filterOf } from '../statements.js';
import { alikePrinter, printCount } from '../units.js';
import { changed, printPlace } from '../url.js';
import { clock } from '../view.js';
import { LongTable } from '../widgets/long-table.js';
import { SaveButton } from '../widgets/save-button.js';
import { epochMs, printIso } from '../zone.js';
import { Change, unitOf } from './compare-summary.js';

import type { Aggregate, MetricDescriptor } from '../../client/client.js';

interface CompareTableOptions {
  readonly comparison: ComparedRows;
  readonly descriptor: MetricDescriptor;
  readonly aggregate: Aggregate;
  readonly window: CompareStretch;
}

export function CompareTable({ comparison, descriptor, aggregate, window }: CompareTableOptions) {
  const { rows, isCut } = comparison;
  const unit = unitOf(descriptor, aggregate);
  const print = useMemo(
    () => alikePrinter(rows.flatMap(valuesIn), { unit, isFine: false }),
    [rows, unit],
  );
  return (
    <>
      <div class="titled">
        <p class="count">
          {printCount(rows.length)} series.
          {isCut ? ` Of more than ${printCount(seriesMax)}: narrow them by a filter.` : ''}
        </p>
        <SaveSeries rows={rows} metric={descriptor.metric} />
      </div>
      <LongTable
        name="Series compared"
        head={head}
        rows={rows}
        keyOf={({ id }) => String(id)}
        classOf={(row) => (hasFew(row) ? 'few' : '')}
      >
        {(row) => <Cells {...{ row, print, window, metric: descriptor.metric }} />}
      </LongTable>
    </>
  );
}

interface CompareSaveOptions {
  readonly rows: readonly Compared[];
  readonly metric: string;
}

function SaveSeries({ rows, metric }: CompareSaveOptions) {
  const partsOf = (one: MeasuredSeries | null) => [one?.value ?? null, one?.samples ?? 0];
  return (
    <SaveButton
      name={`compare-${metric}`}
      head={['series_id', 'labels', 'now', 'samples', 'then', 'samples_then', 'change_percent']}
      rows={() =>
        rows.map((row) => [
          ...[row.id, filterOf(row.labels), ...partsOf(row.now), ...partsOf(row.then)],
          row.change,
        ])
      }
    />
  );
}

const head = (
  <>
    <th scope="col">Series</th>
    <th scope="col" class="wide number">
      Now
    </th>
    <th scope="col" class="wide number">
      Then
    </th>
    <th scope="col" class="number">
      Change
    </th>
    <th scope="col" class="wide">
      <span class="unseen">Links</span>
    </th>
  </>
);

interface CompareCellOptions {
  readonly row: Compared;
  readonly print: (value: number) => string;
  readonly window: CompareStretch;
  readonly metric: string;
}

function Cells({ row, print, window, metric }: CompareCellOptions) {
  const { labels, now, then } = row;
  const filter = filterOf(labels);
  return (
    <>
      <th scope="row">
        <a class="name" data-step href={printPlace(changed(place.value, { w: filter }))}>
          {filter}
        </a>
        <span class="quiet narrow">
          {valueText(now, print)} now, {valueText(then, print)} then
        </span>
      </th>
      <td class="wide number" title={now?.value?.toString()}>
        {valueText(now, print)}
      </td>
      <td class="wide number" title={then?.value?.toString()}>
        {valueText(then, print)}
      </td>
      <td class="number">
        <ChangeCell row={row} />
      </td>
      <td class="wide number">
        <a href={lookAddress(metric, labels, textOf(window))}>Look</a>
      </td>
    </>
  );
}

const valueText = (one: MeasuredSeries | null, print: (value: number) => string): string =>
  one?.value === null || one === null ? '–' : print(one.value);

const valuesIn = ({ now, then }: Compared): readonly number[] =>
  [now?.value, then?.value].flatMap((value) => value ?? []);

/** A change from few samples shows their numbers. */
function ChangeCell({ row }: { readonly row: Compared }) {
  const { now, then, change } = row;
  if (now === null) return <span class="badge">gone</span>;
  if (then === null) return <span class="badge counter">new</span>;
  if (!hasFew(row)) return <Change change={change} />;
  const samples = `${printCount(now.samples)} and ${printCount(then.samples)} samples`;
  return (
    <span class="quiet">
      <Change change={change} /> of {samples}
    </span>
  );
}

function textOf({ start, end }: CompareStretch): string {
  const { unit } = clock.value;
  const isKnown = epochMs(start, unit) !== null && epochMs(end, unit) !== null;
  return isKnown ? `${printIso(start, unit)}..${printIso(end, unit)}` : 'all';
}
