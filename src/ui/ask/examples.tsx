/** Example statements for an empty editor. */

import { useAnswer } from '../data/answer.js';
import { ask } from '../data/server.js';
import { clock } from '../view.js';
import { AnswerView } from '../widgets/answer-view.js';

import type { MetricDescriptor } from '../../client/client.js';
import type { Example, ExampleNow } from './example-statements.js';

const kLookedAt = 50;

interface ExamplesOptions {
  readonly of: (metrics: readonly MetricDescriptor[], now: ExampleNow) => readonly Example[];
  readonly take: (text: string) => void;
}

export function Examples({ of, take }: ExamplesOptions) {
  const answer = useAnswer<readonly MetricDescriptor[]>({
    question: (signal) => ask((client) => client.findMetrics({ limit: kLookedAt }, { signal })),
    key: 'examples',
    againAfterMs: () => null,
  });
  return (
    <section class="examples" aria-label="Examples">
      <AnswerView answer={answer}>
        {(metrics) => (
          <ul>
            {of(metrics, { unit: clock.value.unit, nowMs: Date.now() }).map((one) => (
              <li key={one.title}>
                <button
                  type="button"
                  onClick={() => {
                    take(one.statement);
                  }}
                >
                  <strong>{one.title}</strong>
                  <code>{one.statement}</code>
                </button>
              </li>
            ))}
          </ul>
        )}
      </AnswerView>
    </section>
  );
}
