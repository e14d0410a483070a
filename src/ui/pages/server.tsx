/** How the server is, from what it says of itself. */

import { useAnswer } from '../data/answer.js';
import { askStatus } from '../data/server.js';
import { printCount, printSeconds, printValue } from '../units.js';
import { AnswerView } from '../widgets/answer-view.js';
import { Icon } from '../widgets/icons.js';

import type { Status } from '../../client/client.js';
import type { ComponentChildren } from 'preact';

const kEveryMs = 5_000;

export function ServerPage() {
  const answer = useAnswer<Status>({
    question: askStatus,
    key: 'status',
    againAfterMs: () => kEveryMs,
  });
  return (
    <>
      <h1>Server</h1>
      <AnswerView answer={answer}>{(status) => <State status={status} />}</AnswerView>
    </>
  );
}

function State({ status }: { readonly status: Status }) {
  return (
    <>
      <Condition status={status} />
      <div class="cards">
        <Stored figures={status.storage} />
        <Memory figures={status.memory} />
        <Writes runtime={status.runtime} storage={status.storage} />
        <Build status={status} />
      </div>
      <AllFigures status={status} />
    </>
  );
}

function Condition({ status }: { readonly status: Status }) {
  const isOk = status.status === 'ok';
  return (
    <>
      <p class="condition">
        <span class={isOk ? 'badge good' : 'badge bad'}>
          {isOk ? '●' : '▲'} {status.status}
        </span>
        <span>seriesdb {status.version}</span>
        <span class="quiet">up {printSeconds(Math.round(status.uptime_seconds))}</span>
        <span class="quiet">looked at every {printSeconds(kEveryMs / 1000)}</span>
      </p>
      {(status.reasons ?? []).map((reason) => (
        <p class="notice bad" role="alert" key={reason}>
          <Icon name="warning" />
          {reason}
        </p>
      ))}
      {(status.warnings ?? []).map((warning) => (
        <p class="notice" key={warning}>
          <Icon name="warning" />
          {warning}
        </p>
      ))}
    </>
  );
}

type Figures = Readonly<Record<string, number>>;

const bytes = (value = 0): string => printValue(value, 'bytes');
const count = (value = 0): string => printCount(value);

function Card({
  title,
  children,
}: {
  readonly title: string;
  readonly children: ComponentChildren;
}) {
  return (
    <section class="card" aria-label={title}>
      <h2>{title}</h2>
      {children}
    </section>
  );
}

function Facts({ facts }: { readonly facts: readonly (readonly [string, string])[] }) {
  return (
    <dl class="facts">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function Stored({ figures }: { readonly figures: Figures }) {
  const { memtable_samples: inMemory = 0, segment_samples: inSegments = 0 } = figures;
  return (
    <Card title="Stored">
      <Facts
        facts={[
          ['Series', count(figures['series'])],
          ['Samples', count(inMemory + inSegments)],
          ['Segments', `${count(figures['segments'])}, ${bytes(figures['segment_bytes'])}`],
          ['Log on disk', bytes(figures['wal_disk_bytes'])],
          ['Room on the disk', freeText(figures['disk_free_bytes'])],
        ]}
      />
    </Card>
  );
}

const freeText = (free: number | undefined): string =>
  free === undefined ? 'unknown' : bytes(free);

function Memory({ figures }: { readonly figures: Figures }) {
  const { memory_limit_bytes: limit = 0, memory_used_bytes: used = 0 } = figures;
  const share = limit === 0 ? 0 : used / limit;
  return (
    <Card title="Memory of the storage">
      <meter aria-label="Memory in use" min={0} max={1} high={0.8} value={share} />
      <Facts
        facts={[
          ['In use', `${bytes(used)} of ${bytes(limit)}`],
          ['Samples', bytes(figures['memory_memtable_bytes'])],
          ['Index of series', bytes(figures['memory_index_bytes'])],
          ['Queries', bytes(figures['memory_query_bytes'])],
        ]}
      />
    </Card>
  );
}

interface WriteOptions {
  readonly runtime: Figures;
  readonly storage: Figures;
}

function Writes({ runtime, storage }: WriteOptions) {
  const { wal_append_total: appends = 0, wal_append_seconds_total: seconds = 0 } = runtime;
  return (
    <Card title="Writes since the start">
      <Facts
        facts={[
          ['Samples', count(runtime['ingest_total'])],
          ['Lines refused', count(runtime['ingest_rejected_total'])],
          ['Waiting requests', count(runtime['queue_depth'])],
          ['Mean write to the log', appends === 0 ? '–' : printSeconds(seconds / appends)],
          ['Taken now', storage['writes_blocked'] === 0 ? 'yes' : 'no'],
        ]}
      />
    </Card>
  );
}

function Build({ status }: { readonly status: Status }) {
  return (
    <Card title="Set up">
      <Facts
        facts={[
          ['Unit of timestamps', status.timestamp_unit],
          ['Asks for a token', status.auth_required ? 'yes' : 'no'],
          ['Description kept', status.cas_mode],
          ['Description read', status.metadata_read_mode],
          ['Engine of queries', status.query_compiler_mode],
        ]}
      />
    </Card>
  );
}

function AllFigures({ status }: { readonly status: Status }) {
  const { storage, memory, runtime, compatibility_debt: debt } = status;
  const figures = Object.entries({ ...storage, ...memory, ...runtime, ...debt });
  return (
    <details class="figures">
      <summary>All {figures.length} figures</summary>
      <table class="rows">
        <caption class="unseen">All figures</caption>
        <thead>
          <tr>
            <th scope="col">Figure</th>
            <th scope="col" class="number">
              Value
            </th>
          </tr>
        </thead>
        <tbody>
          {figures.map(([name, value]) => (
            <tr key={name}>
              <th scope="row">
                <span class="name">{name}</span>
              </th>
              <td class="number">{Number.isInteger(value) ? printCount(value) : value}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}
