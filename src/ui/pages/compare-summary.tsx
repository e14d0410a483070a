/** The totals of a comparison, in one line. */

import { changeOf, differenceOf, roundedChange, totalOf, type Total } from '../comparison.js';
import { alikePrinter, printCount, printValue } from '../units.js';

import type { Aggregate, MetricDescriptor } from '../../client/client.js';
import type { ComparedRows } from '../data/compare.js';

interface SummaryOptions {
  readonly comparison: ComparedRows;
  readonly descriptor: MetricDescriptor;
  readonly aggregate: Aggregate;
}

export function CompareSummary({ comparison, descriptor, aggregate }: SummaryOptions) {
  const { one, now, then } = comparison;
  const current = one?.current ?? totalOf(aggregate, now);
  const before = one?.baseline ?? totalOf(aggregate, then);
  if (current === null || before === null) return null;
  const unit = unitOf(descriptor, aggregate);
  const change = changeOf(current.value, before.value);
  const values = valuesOf(current.value, before.value);
  const print = alikePrinter(values, { unit, isFine: false });
  return (
    <dl class="figures-row" aria-label="Both windows">
      <Figure name="now" total={current} print={print} />
      <Figure name="then" total={before} print={print} />
      <div>
        <dt>change</dt>
        <dd>
          <Difference now={current.value} then={before.value} unit={unit} />
          <Change change={change} />
        </dd>
      </div>
    </dl>
  );
}

/** The values of both windows, and their difference if there are both. */
function valuesOf(now: number | null, then: number | null): readonly number[] {
  const both = [now, then].flatMap((value) => value ?? []);
  return now === null || then === null ? both : [...both, differenceOf(now, then)];
}

/** A count of samples has no unit. */
export const unitOf = ({ unit = '' }: MetricDescriptor, aggregate: Aggregate): string =>
  aggregate === 'count' ? '' : unit;

interface FigureOptions {
  readonly name: string;
  readonly total: Total;
  readonly print: (value: number) => string;
}

function Figure({ name, total, print }: FigureOptions) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        <b>{total.value === null ? '–' : print(total.value)}</b>
        <span class="quiet">
          {printCount(total.samples)} {total.samples === 1 ? 'sample' : 'samples'}
        </span>
      </dd>
    </div>
  );
}

interface DifferenceOptions {
  readonly now: number | null;
  readonly then: number | null;
  readonly unit: string;
}

/** A difference of percentages is in points; in percent it would look like the change. */
function Difference({ now, then, unit }: DifferenceOptions) {
  if (now === null || then === null) return <b>–</b>;
  const factor = { percent: 1, '%': 1, ratio: 100 }[unit.toLowerCase()];
  const size = differenceOf(now, then);
  const scaled = valuesOf(now, then).map((value) => value * (factor ?? 1));
  const print = alikePrinter(scaled, {
    unit: factor === undefined ? unit : 'points',
    isFine: false,
  });
  const text = print(size * (factor ?? 1));
  return <b>{size > 0 ? `+${text}` : text}</b>;
}

/** `▲ +11.6 %` */
export function Change({ change }: { readonly change: number | null }) {
  if (change === null) return <span class="quiet">–</span>;
  const rounded = roundedChange(change);
  const text = printValue(rounded, 'percent');
  if (rounded === 0) return <span class="change">= {text}</span>;
  return <span class="change">{change > 0 ? `▲ +${text}` : `▼ ${text}`}</span>;
}
