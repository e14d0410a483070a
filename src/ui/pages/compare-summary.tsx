/** The totals of a comparison, in one line. */

import { changeOf, totalOf, type Total } from '../comparison.js';
import { printCount, printValue } from '../units.js';

import type { Aggregate, MetricDescriptor } from '../../client/client.js';
import type { Comparison } from '../data/compare.js';

interface SummaryOptions {
  readonly comparison: Comparison;
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
  return (
    <dl class="figures-row" aria-label="Both windows">
      <Figure name="now" total={current} unit={unit} />
      <Figure name="then" total={before} unit={unit} />
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

/** A count of samples has no unit. */
export const unitOf = ({ unit = '' }: MetricDescriptor, aggregate: Aggregate): string =>
  aggregate === 'count' ? '' : unit;

interface FigureOptions {
  readonly name: string;
  readonly total: Total;
  readonly unit: string;
}

function Figure({ name, total, unit }: FigureOptions) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        <b>{total.value === null ? '–' : printValue(total.value, unit)}</b>
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
  const size = now - then;
  const text = factor === undefined ? printValue(size, unit) : printValue(size * factor, 'points');
  return <b>{size > 0 ? `+${text}` : text}</b>;
}

/** `▲ +11.6 %` */
export function Change({ change }: { readonly change: number | null }) {
  if (change === null) return <span class="quiet">–</span>;
  const text = printValue(Math.round(change * 10) / 10, 'percent');
  if (change === 0) return <span class="change">= {text}</span>;
  return <span class="change">{change > 0 ? `▲ +${text}` : `▼ ${text}`}</span>;
}
