/** The filter of series: a chip for each condition, and a button for each other label. */

import { useState } from 'preact/hooks';

import { useAnswer } from '../data/answer.js';
import { ask } from '../data/server.js';
import { operators, type Condition, type FilterOperator } from '../series-filter.js';
import { printCount } from '../units.js';
import { AnswerView } from '../widgets/answer-view.js';
import { Icon } from '../widgets/icons.js';
import { Menu } from '../widgets/menu.js';

import type { LabelValueCount } from '../../client/client.js';

interface FilterBarOptions {
  readonly metric: string;
  readonly keys: readonly string[];
  readonly conditions: readonly Condition[];
  readonly onChange: (conditions: readonly Condition[]) => void;
}

/** The most labels without a condition that are shown at once. */
const kOfferedMax = 6;

export function FilterBar({ metric, keys, conditions, onChange }: FilterBarOptions) {
  const free = keys.filter((key) => !conditions.some((one) => one.key === key));
  const rest = free.slice(kOfferedMax);
  const [more, setMore] = useState(false);
  const offered = more ? free : free.slice(0, kOfferedMax);
  const add = (condition: Condition): void => {
    onChange([...conditions, condition]);
  };
  return (
    <div class="chips" role="group" aria-label="Filter">
      {conditions.map((one, at) => (
        <Chip
          key={`${one.key} ${at}`}
          {...{ metric, one, others: conditions.filter((other) => other !== one) }}
          onChange={(changed) => {
            onChange(conditions.flatMap((other) => (other === one ? (changed ?? []) : other)));
          }}
        />
      ))}
      {offered.map((key) => (
        <Menu key={key} icon="filter" name={`Filter by ${key}`} shown={key}>
          {(close) => (
            <ConditionForm
              {...{ metric, others: conditions, condition: { key, op: '=', value: '' } }}
              onDone={(condition) => {
                close();
                add(condition);
              }}
            />
          )}
        </Menu>
      ))}
      {rest.length === 0 || more ? null : (
        <button
          type="button"
          class="tool"
          onClick={() => {
            setMore(true);
          }}
        >
          {rest.length} more labels
        </button>
      )}
    </div>
  );
}

interface ChipOptions {
  readonly metric: string;
  readonly one: Condition;
  readonly others: readonly Condition[];
  /** Null: the condition was removed. */
  readonly onChange: (condition: Condition | null) => void;
}

function Chip({ metric, one, others, onChange }: ChipOptions) {
  const text = `${one.key} ${one.op} ${one.value}`;
  return (
    <span class="chip">
      <Menu icon="filter" name="Filter" shown={text}>
        {(close) => (
          <ConditionForm
            {...{ metric, others, condition: one }}
            onDone={(condition) => {
              close();
              onChange(condition);
            }}
          />
        )}
      </Menu>
      <button
        type="button"
        class="tool"
        aria-label={`Without ${text}`}
        title={`Without ${text}`}
        onClick={() => {
          onChange(null);
        }}
      >
        <Icon name="close" />
      </button>
    </span>
  );
}

const operatorWords: Readonly<Record<FilterOperator, string>> = {
  '=': 'is',
  '!=': 'is not',
  '=~': 'matches',
  '!~': 'matches not',
};

interface FormOptions {
  readonly metric: string;
  readonly others: readonly Condition[];
  readonly condition: Condition;
  readonly onDone: (condition: Condition) => void;
}

function ConditionForm({ metric, others, condition, onDone }: FormOptions) {
  const { key } = condition;
  const [op, setOp] = useState(condition.op);
  const [text, setText] = useState(condition.value);
  const isPattern = op === '=~' || op === '!~';
  const done = (value: string): void => {
    onDone({ key, op, value });
  };
  return (
    <form
      class="condition-form"
      onSubmit={(event) => {
        event.preventDefault();
        done(text);
      }}
    >
      <div class="operators" role="group" aria-label="Comparison">
        {operators.map((one) => (
          <button
            key={one}
            type="button"
            class="button small"
            aria-pressed={one === op}
            title={operatorWords[one]}
            onClick={() => {
              setOp(one);
            }}
          >
            <code>{one}</code>
          </button>
        ))}
      </div>
      <input
        type="text"
        aria-label={`${key} ${operatorWords[op]}`}
        placeholder={isPattern ? 'a regular expression, then Enter' : 'begins with …'}
        spellcheck={false}
        autocomplete="off"
        value={text}
        onInput={(event) => {
          setText(event.currentTarget.value);
        }}
      />
      {isPattern ? null : <Values {...{ metric, others, name: key, prefix: text, onPick: done }} />}
    </form>
  );
}

interface ValuesOptions {
  readonly metric: string;
  readonly others: readonly Condition[];
  readonly name: string;
  readonly prefix: string;
  readonly onPick: (value: string) => void;
}

const kValuesMax = 50;

/** The values of the label among series that match the other exact conditions. */
function Values({ metric, others, name, prefix, onPick }: ValuesOptions) {
  const exact = others
    .filter(({ op }) => op === '=')
    .map(({ key, value }) => [key, value] as const);
  const filter = {
    counted: 'value' as const,
    ...{ key: name, metric, labels: Object.fromEntries(exact), limit: kValuesMax + 1 },
    ...(prefix === '' ? {} : { prefix }),
  };
  const answer = useAnswer<readonly LabelValueCount[]>({
    question: (signal) => ask((client) => client.countLabelValues(filter, { signal })),
    key: JSON.stringify(filter),
    againAfterMs: () => null,
  });
  return (
    <AnswerView answer={answer}>
      {(values) => (
        <div class="values">
          {values.length === 0 ? <p class="quiet">No value has this prefix.</p> : null}
          {values.slice(0, kValuesMax).map(({ value, series_count: count }) => (
            <button
              key={value}
              type="button"
              class="choice"
              onClick={() => {
                onPick(value);
              }}
            >
              <span class="text">{value}</span>
              <span class="quiet">{printCount(count)}</span>
            </button>
          ))}
          {values.length > kValuesMax ? <p class="quiet">There are more: type a prefix.</p> : null}
        </div>
      )}
    </AnswerView>
  );
}
