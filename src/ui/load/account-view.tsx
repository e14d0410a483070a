/** The report of a load: samples stored and lines skipped. */

import { lookAddress } from '../links.js';
import { printValue } from '../units.js';
import { FaultNotice } from '../widgets/fault-notice.js';
import { Icon } from '../widgets/icons.js';
import { accountWords, stopLoading, type Loading } from './loading.js';
import { Complaints } from './preview-view.js';

import type { LoadPlan } from './plan.js';

export function AccountView({ loading }: { readonly loading: Loading }) {
  const { state, account, file, fault, plan } = loading;
  const left = account.refused + account.cells;
  const hasStored = account.samples > 0;
  return (
    <section class="card account" aria-label="Account of the load">
      <p class="account-words">
        {state === 'done' && hasStored ? <Icon name="check" /> : null}
        {accountWords(loading)}
      </p>
      {state === 'running' ? (
        <div class="account-bar">
          <progress
            aria-label={`Loading ${file.name}`}
            value={account.position}
            max={Math.max(1, file.size)}
          />
          <span class="quiet">
            {printValue(account.position, 'bytes')} of {printValue(file.size, 'bytes')}
          </span>
          <button type="button" class="button" onClick={stopLoading}>
            Stop
          </button>
        </div>
      ) : null}
      <FaultNotice text={fault} />
      {state === 'stopped' ? (
        <p class="quiet">
          What was stored stays. Loading the file again stores the same samples only once.
        </p>
      ) : null}
      {account.warnings.map((text) => (
        <FaultNotice key={text} text={text} role="status" />
      ))}
      <Complaints complaints={account.complaints} count={left} of="the file" />
      {state === 'done' && hasStored ? <Links plan={plan} /> : null}
    </section>
  );
}

/** The most metrics that are linked. */
const kLinksMax = 8;

function Links({ plan }: { readonly plan: LoadPlan }) {
  const metrics = metricsOf(plan);
  return (
    <p class="account-links">
      {metrics.slice(0, kLinksMax).map((metric) => (
        <a key={metric} href={lookAddress(metric, {}, null)}>
          Look at {metric}
        </a>
      ))}
      <a href="#/">All metrics</a>
    </p>
  );
}

/** The metrics of the file; empty if its rows name them. */
function metricsOf(plan: LoadPlan): readonly string[] {
  if (plan.kind === 'lines' || plan.mapping.metric === null) return [];
  const { metric, valueColumns } = plan.mapping;
  return valueColumns.length < 2 ? [metric] : valueColumns.map((column) => `${metric}.${column}`);
}
