/** The legend: every series with its figures, drawn ones first. */

import { useMemo, useState } from 'preact/hooks';

import { Swatch } from '../chart/swatch.js';
import { alikePrinter, printCount } from '../units.js';
import { VirtualTable } from '../widgets/virtual-table.js';
import { orderWords } from './wish.js';

import type { Ranking } from '../chart-statements.js';
import type { LineStyle } from '../chart/colours.js';
import type { RankedSeries } from '../chart/picture.js';
import type { FilterOperator } from '../series-filter.js';
import type { SeriesNames } from './series-names.js';

interface LegendOptions {
  readonly ranked: readonly RankedSeries[];
  readonly names: SeriesNames;
  /** Has the styles of the drawn lines only. */
  readonly styles: ReadonlyMap<string, LineStyle>;
  readonly hidden: ReadonlySet<string>;
  readonly unit: string;
  /** The unit of the last value; a counter's last value is no growth. */
  readonly latestUnit: string;
  readonly order: Ranking;
  readonly onOrder: (order: Ranking) => void;
  readonly onOnly: (id: string) => void;
  readonly onToggle: (id: string) => void;
  readonly onFilter: (key: string, op: FilterOperator, value: string) => void;
  readonly onLift: (id: string | null) => void;
}

const figures: readonly Ranking[] = ['lo', 'hi', 'mean', 'latest', 'n'];
/** The most label columns; further labels are in the names. */
const kOthersMax = 3;

export function Legend(options: LegendOptions) {
  const { ranked, names, order } = options;
  const [word, setWord] = useState('');
  const [sortedBy, setSortedBy] = useState<string | null>(null);
  const keys = names.others.slice(0, kOthersMax);
  const found = matching(ranked, { word, names });
  const rows = sortedBy === null ? found : [...found].sort(byLabel(sortedBy, names));
  const sort = (by: string): void => {
    const figure = figures.find((one) => one === by);
    setSortedBy(figure === undefined ? by : null);
    if (figure !== undefined) options.onOrder(figure);
  };
  const head = { keys, now: sortedBy ?? order, sort };
  const { unit, latestUnit } = options;
  const printers = useMemo(
    () => printersOf(ranked, { unit, latestUnit }),
    [ranked, unit, latestUnit],
  );
  return (
    <div class="legend">
      <div class="above">
        <input
          type="search"
          aria-label="Filter the legend"
          placeholder="Filter the legend"
          value={word}
          onInput={(event) => {
            setWord(event.currentTarget.value);
          }}
        />
        <p class="quiet">
          {word === '' ? '' : `${printCount(found.length)} of ${printCount(ranked.length)}. `}
          Click shows a line alone, Ctrl+click adds or hides it.
        </p>
      </div>
      <VirtualTable
        name="Legend"
        listKey={`${word} ${head.now}`}
        rowCount={rows.length}
        head={<Head {...head} />}
        row={(at) => {
          const one = rows[at];
          return one === undefined ? null : (
            <Row key={one.id} {...{ at, one, keys, options, printers }} />
          );
        }}
      />
    </div>
  );
}

function matching(
  ranked: readonly RankedSeries[],
  { word, names }: { readonly word: string; readonly names: SeriesNames },
): readonly RankedSeries[] {
  const wanted = word.trim().toLowerCase();
  if (wanted === '') return ranked;
  return ranked.filter(({ id, labels }) =>
    [names.names.get(id) ?? '', ...Object.values(labels)].some((text) =>
      text.toLowerCase().includes(wanted),
    ),
  );
}

const collator = new Intl.Collator('en', { numeric: true });

const byLabel = (key: string, { names }: SeriesNames) => {
  const textOf = ({ id, labels }: RankedSeries): string =>
    (key === '' ? names.get(id) : labels[key]) ?? '';
  return (one: RankedSeries, two: RankedSeries): number =>
    collator.compare(textOf(one), textOf(two));
};

interface LegendHeadOptions {
  readonly keys: readonly string[];
  readonly now: string;
  readonly sort: (by: string) => void;
}

function Head({ keys, now, sort }: LegendHeadOptions) {
  const cells = [
    { by: '', words: 'Series', kind: 'series' },
    ...keys.map((key) => ({ by: key, words: key, kind: 'wide' })),
    ...figures.map((by) => ({ by, words: orderWords[by], kind: kindOf(by) })),
  ];
  return (
    <tr>
      {cells.map(({ by, words, kind }) => (
        <th key={by} scope="col" class={kind} aria-sort={ariaSort(by, now)}>
          <button
            type="button"
            class="sort"
            onClick={() => {
              sort(by);
            }}
          >
            {words}
            {by === now ? (
              <span aria-hidden="true">{by === 'lo' || !isFigure(by) ? ' ▲' : ' ▼'}</span>
            ) : null}
          </button>
        </th>
      ))}
    </tr>
  );
}

const isFigure = (by: string): boolean => figures.some((one) => one === by);
const kindOf = (by: Ranking): string => (by === 'hi' || by === 'latest' ? 'number' : 'number wide');

function ariaSort(by: string, now: string): 'ascending' | 'descending' | undefined {
  if (by !== now) return undefined;
  return isFigure(by) && by !== 'lo' ? 'descending' : 'ascending';
}

interface LegendRowOptions {
  readonly at: number;
  readonly one: RankedSeries;
  readonly keys: readonly string[];
  readonly options: LegendOptions;
  readonly printers: Printers;
}

function Row({ at, one, keys, options, printers }: LegendRowOptions) {
  const { id, labels } = one;
  const { onLift, onOnly, onToggle } = options;
  const style = options.styles.get(id);
  const name = options.names.names.get(id) ?? id;
  const isShown = style !== undefined && !options.hidden.has(id);
  const pick = (event: MouseEvent): void => {
    if (event.ctrlKey || event.metaKey) onToggle(id);
    else onOnly(id);
  };
  return (
    <tr
      aria-rowindex={at + 1}
      class={isShown ? undefined : 'off'}
      onMouseEnter={() => {
        if (isShown) onLift(id);
      }}
      onMouseLeave={() => {
        onLift(null);
      }}
    >
      <th scope="row" class="series">
        <div>
          <input
            type="checkbox"
            aria-label={`Show ${name}`}
            checked={isShown}
            onChange={() => {
              onToggle(id);
            }}
          />
          <button type="button" class="only" title={`Only ${name}`} onClick={pick}>
            {style === undefined ? <span class="swatch" /> : <Swatch look={style} />}
            <span class="text">{name}</span>
          </button>
        </div>
      </th>
      {keys.map((key) => (
        <LabelCell key={key} name={key} value={labels[key]} onFilter={options.onFilter} />
      ))}
      {figures.map((figure) => (
        <td key={figure} class={kindOf(figure)} title={one[figure]?.toString()}>
          {one[figure] === null ? '–' : printers[figure](one[figure])}
        </td>
      ))}
    </tr>
  );
}

interface LegendLabelOptions {
  readonly name: string;
  readonly value: string | undefined;
  readonly onFilter: LegendOptions['onFilter'];
}

function LabelCell({ name, value, onFilter }: LegendLabelOptions) {
  if (value === undefined) return <td class="wide quiet">–</td>;
  return (
    <td class="wide">
      <button
        type="button"
        class="only"
        title={`Only ${name} = ${value}; with Alt none of it`}
        onClick={(event) => {
          onFilter(name, event.altKey ? '!=' : '=', value);
        }}
      >
        <span class="text">{value}</span>
      </button>
    </td>
  );
}

type Printers = Readonly<Record<Ranking, (value: number) => string>>;

/** The values of a column have the same decimal places, unless their unit depends on their size. */
function printersOf(
  ranked: readonly RankedSeries[],
  { unit, latestUnit }: Pick<LegendOptions, 'unit' | 'latestUnit'>,
): Printers {
  const of = (figure: Ranking, unitOf: string): ((value: number) => string) =>
    alikePrinter(
      ranked.flatMap((one) => one[figure] ?? []),
      { unit: unitOf, isFine: false },
    );
  return {
    ...{ lo: of('lo', unit), hi: of('hi', unit), mean: of('mean', unit) },
    ...{ latest: of('latest', latestUnit), n: printCount },
  };
}
