/** The toolbar above the chart: choice of lines and links. */

import { orderWords } from './wish.js';
import { rankings, type Ranking } from '../chart-statements.js';
import { Icon, type IconName } from '../widgets/icons.js';
import { Choice, Menu } from '../widgets/menu.js';

import type { ValueScale } from '../chart/value-axis.js';

interface PickOptions<T> {
  readonly icon: IconName;
  readonly name: string;
  readonly label?: string;
  readonly now: T;
  readonly choices: readonly (readonly [T, string])[];
  readonly onPick: (value: T) => void;
}

function Pick<T>({ icon, name, label = '', now, choices, onPick }: PickOptions<T>) {
  const shown = choices.find(([value]) => value === now)?.[1] ?? String(now);
  return (
    <Menu icon={icon} name={name} label={label} shown={shown}>
      {(close) =>
        choices.map(([value, words]) => (
          <Choice
            key={words}
            isChosen={value === now}
            onChoose={() => {
              onPick(value);
              close();
            }}
          >
            {words}
          </Choice>
        ))
      }
    </Menu>
  );
}

interface PicksOptions {
  readonly keys: readonly string[];
  readonly by: string | null;
  readonly lines: number;
  readonly order: Ranking;
  readonly scale: ValueScale;
  readonly onBy: (by: string | null) => void;
  readonly onLines: (lines: number) => void;
  readonly onOrder: (order: Ranking) => void;
  readonly onScale: (scale: ValueScale) => void;
}

/** The last one is the number of ranked lines. */
const lineCounts = [1, 5, 10, 20, 50, 100, 1_000];
const scales = [
  [null, 'auto'],
  ['0', 'from 0'],
  ['log', 'logarithmic'],
] as const satisfies readonly (readonly [ValueScale, string])[];

export function Picks(options: PicksOptions) {
  const counts = [...new Set([...lineCounts, options.lines])].sort((one, two) => one - two);
  const { scale } = options;
  const isOwn = scale?.includes('..') === true;
  const splits = [[null, 'none'], ...options.keys.map((key) => [key, key] as const)] as const;
  return (
    <>
      <Pick
        icon="split"
        name="Group by"
        label="Group by: "
        now={options.by}
        choices={splits}
        onPick={options.onBy}
      />
      <Pick
        icon="metrics"
        name="Most lines"
        label="Lines: "
        now={options.lines}
        choices={counts.map((count) => [count, count > 100 ? 'all' : String(count)] as const)}
        onPick={options.onLines}
      />
      <Pick
        icon="down"
        name="Lines by"
        label="Rank by: "
        now={options.order}
        choices={rankings.map((one) => [one, orderWords[one]] as const)}
        onPick={options.onOrder}
      />
      <Pick<ValueScale>
        icon="axis"
        name="Axis"
        label="Axis: "
        now={options.scale}
        choices={isOwn ? [...scales, [scale, scale.replace('..', ' to ')]] : scales}
        onPick={options.onScale}
      />
    </>
  );
}

interface ToolbarStepOptions {
  readonly icon: IconName;
  readonly name: string;
  readonly isOff?: boolean;
  readonly onClick: () => void;
}

export function Step({ icon, name, isOff = false, onClick }: ToolbarStepOptions) {
  return (
    <button
      type="button"
      class="tool"
      aria-label={name}
      title={name}
      disabled={isOff}
      onClick={onClick}
    >
      <Icon name={icon} />
    </button>
  );
}
