/** Metrics without kind, unit or description, and a command that sets them. */

import { useState } from 'preact/hooks';

import { printPoint } from '../../client/client.js';
import { useAnswer } from '../data/answer.js';
import { curlOf, shellText } from '../data/curl.js';
import { findLastSample, findUndocumented, heldMax, type LastSample } from '../data/health.js';
import { printCount } from '../units.js';
import { clock } from '../view.js';
import { AnswerView } from '../widgets/answer-view.js';
import { Copyable } from '../widgets/copyable.js';
import { LongTable } from '../widgets/long-table.js';
import { SaveButton } from '../widgets/save-button.js';
import { tsOfMs } from '../zone.js';
import {
  FilteredList,
  ListCount,
  LookCell,
  NameCell,
  openMetric,
  useMetricList,
  type MetricList,
} from './health-list.js';
import { LastSeen } from './metric-table.js';

import type { MetricHealth } from '../../client/client.js';

export function UndocumentedTab() {
  const answer = useMetricList({
    find: (prefix, signal) => findUndocumented({ prefix, most: heldMax }, signal),
    key: 'undocumented',
  });
  return (
    <FilteredList
      answer={answer}
      save={(list) => <SaveUndocumented list={list} />}
      none={<AllDocumented />}
    >
      {(list) => <UndocumentedMetrics list={list} />}
    </FilteredList>
  );
}

const AllDocumented = () => (
  <p class="nothing good-news">
    <span class="badge good">● all well</span> Every metric has a kind, a unit and a description.
  </p>
);

function SaveUndocumented({ list }: { readonly list: MetricList }) {
  return (
    <SaveButton
      name="undocumented-metrics"
      head={['metric', 'missing', 'series']}
      rows={() =>
        list.rows.map((row) => [row.metric, row.missing_metadata.join(' '), row.series_count])
      }
    />
  );
}

interface UndocumentedRow {
  readonly kind: 'metric' | 'line';
  readonly metric: MetricHealth;
}

function UndocumentedMetrics({ list }: { readonly list: MetricList }) {
  const open = openMetric();
  const rows = list.rows.flatMap((metric): readonly UndocumentedRow[] => [
    { kind: 'metric', metric },
    ...(metric.metric === open ? [{ kind: 'line', metric } as const] : []),
  ]);
  return (
    <>
      <ListCount list={list} what="without a full description" />
      <LongTable
        name="Undocumented metrics"
        head={head}
        rows={rows}
        keyOf={({ kind, metric }) => `${kind} ${metric.metric}`}
        classOf={({ kind }) => (kind === 'line' ? 'below' : '')}
      >
        {({ kind, metric }) =>
          kind === 'metric' ? <Cells metric={metric} /> : <TellingCell metric={metric} />
        }
      </LongTable>
    </>
  );
}

const head = (
  <>
    <th scope="col">Metric</th>
    <th scope="col">Missing</th>
    <th scope="col" class="wide number">
      Series
    </th>
    <th scope="col" class="wide number">
      Last seen
    </th>
    <th scope="col" class="wide">
      <span class="unseen">Links</span>
    </th>
  </>
);

function Cells({ metric }: { readonly metric: MetricHealth }) {
  const { missing_metadata: missing, series_count: count, last_ts: last } = metric;
  return (
    <>
      <NameCell metric={metric.metric} />
      <td class="badges">
        {missing.map((one) => (
          <span key={one} class="badge">
            {one}
          </span>
        ))}
      </td>
      <td class="wide number">{printCount(count)}</td>
      <td class="wide number">
        <LastSeen last={last} now={tsOfMs(Date.now(), clock.value.unit)} />
      </td>
      <LookCell metric={metric.metric} />
    </>
  );
}

function TellingCell({ metric }: { readonly metric: MetricHealth }) {
  const answer = useAnswer<readonly LastSample[]>({
    question: (signal) => findLastSample(metric.metric, signal),
    key: metric.metric,
    againAfterMs: () => null,
  });
  return (
    <td colSpan={5}>
      <AnswerView answer={answer}>
        {([last]) =>
          last === undefined ? (
            <p>It has no samples yet: its first sample may carry all of these.</p>
          ) : (
            <Telling last={last} metric={metric} />
          )
        }
      </AnswerView>
    </td>
  );
}

type Facts = Readonly<Record<string, string>>;

/** Placeholders until the user types a value. */
const example: Facts = { kind: 'gauge', unit: 'UNIT', description: 'WHAT IT IS' };

interface TellingOptions {
  readonly last: LastSample;
  readonly metric: MetricHealth;
}

function Telling({ last, metric }: TellingOptions) {
  const [written, setWritten] = useState<Facts>({});
  const { missing_metadata: missing } = metric;
  const facts = Object.fromEntries(missing.map((key) => [key, written[key] ?? example[key] ?? '']));
  return (
    <div class="telling">
      <div class="fields">
        {missing.map((key) => (
          <FactField
            key={key}
            name={key}
            write={(text) => {
              setWritten({ ...written, [key]: text === '' ? (example[key] ?? '') : text });
            }}
          />
        ))}
      </div>
      <Copyable name="Command that describes the metric" text={commandOf(last, facts)} />
      <p class="quiet">
        It writes the last sample of one series again, as it is: nothing changes but the
        description. A kind or unit that was told once stays.
      </p>
    </div>
  );
}

interface UndocumentedFieldOptions {
  readonly name: string;
  readonly write: (text: string) => void;
}

function FactField({ name, write }: UndocumentedFieldOptions) {
  const change = (event: { readonly currentTarget: { readonly value: string } }): void => {
    write(event.currentTarget.value.trim());
  };
  return (
    <label>
      {name[0]?.toUpperCase()}
      {name.slice(1)}
      {name === 'kind' ? (
        <select onChange={change}>
          <option>gauge</option>
          <option>counter</option>
        </select>
      ) : (
        <input
          type="text"
          placeholder={name === 'unit' ? 'bytes, percent, ms …' : 'What it counts or measures'}
          onInput={change}
        />
      )}
    </label>
  );
}

/** Writing the last sample again changes no data, but stores the metadata beside it. */
function commandOf({ series, sample }: LastSample, facts: Facts): string {
  const { metric, labels } = series;
  const line = printPoint({ metric, labels, ts: sample.ts, value: sample.value ?? 0, ...facts });
  return curlOf('ingest', shellText(line));
}
