/** The page Server: the state of the server. It is read-only. */

import { useAnswer } from '../data/answer.js';
import { askServer, moments, type ServerView } from '../data/figures.js';
import { printSeconds } from '../units.js';
import { AnswerView } from '../widgets/answer-view.js';
import { FaultNotice } from '../widgets/fault-notice.js';
import { Icon } from '../widgets/icons.js';
import { DebtCard, LogCard, ProcessCard, SetUpCard, StoredCard } from './server-cards.js';
import { AllFigures } from './server-figures.js';
import { MemoryCard, QueriesCard, WritesCard } from './server-work.js';

import type { Status } from '../../client/client.js';

const kEveryMs = 5_000;
/** Faster at first, so that sparklines have points. */
const kFirstMs = 2_000;
const kFirstLooks = 3;

export function ServerPage() {
  const answer = useAnswer<ServerView>({
    question: askServer,
    key: 'server',
    againAfterMs: () => (moments.value.length < kFirstLooks ? kFirstMs : kEveryMs),
  });
  return (
    <>
      <h1>Server</h1>
      <AnswerView answer={answer}>{(view) => <State view={view} />}</AnswerView>
    </>
  );
}

function State({ view }: { readonly view: ServerView }) {
  return (
    <>
      <Condition status={view.status} />
      <div class="cards">
        <WritesCard view={view} />
        <QueriesCard view={view} />
        <MemoryCard view={view} />
        <StoredCard view={view} />
        <LogCard view={view} />
        <ProcessCard view={view} />
        <SetUpCard view={view} />
        <DebtCard view={view} />
      </div>
      <p class="count">
        {spanWords(view)} Lines are of what this tab saw, ten minutes at most: the server keeps no
        history of itself.
      </p>
      <AllFigures status={view.status} />
    </>
  );
}

function spanWords({ isSinceStart, seconds }: ServerView): string {
  if (isSinceStart) return 'Rates and times are since the start of the server.';
  return `Rates and times are of the last ${printSeconds(Math.round(seconds))}.`;
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
        <span class="quiet">refreshed every {printSeconds(kEveryMs / 1000)}</span>
      </p>
      {(status.reasons ?? []).map((reason) => (
        <FaultNotice key={reason} text={reason} />
      ))}
      {(status.warnings ?? []).map((warning) => (
        <p class="notice" key={warning}>
          <Icon name="warning" />
          <span class="reason">{warning}</span>
        </p>
      ))}
    </>
  );
}
