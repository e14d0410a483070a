/** The commands of the prompt itself: lines that start with a backslash, and `help`. */

import { functionList } from '../../query/seriesql/functions/function-list.js';

import { queryFormats } from '../querying/query-form.js';
import { CommandFailure } from '../session/failure.js';
import { printTable } from '../session/table.js';

import { tellMetric, tellMetrics } from './metrics.js';

import type { PromptState } from './prompt-state.js';

interface PromptOrder {
  readonly form: string;
  readonly about: string;
  /** The completions of the argument. */
  readonly argument?: 'metric' | readonly string[];
  readonly run: (state: PromptState, argument: string) => Promise<void> | void;
}

const functionNames = functionList.map(({ name }) => name);

const help: PromptOrder = {
  form: '\\? [FUNCTION]',
  about: 'this help, or that of a function; also: help',
  argument: functionNames,
  run: ({ context: { terminal } }, name) => {
    terminal.write(name === '' ? helpPage() : functionPage(name));
  },
};

const orders: ReadonlyMap<string, PromptOrder> = new Map([
  ['\\?', help],
  ['help', help],
  [
    '\\d',
    {
      form: '\\d [METRIC]',
      about: 'list metrics, or describe one: labels, series, times and health',
      argument: 'metric',
      run: ({ context }, name) => (name === '' ? tellMetrics(context) : tellMetric(context, name)),
    },
  ],
  [
    '\\format',
    {
      form: '\\format FORM',
      about: `output format: ${queryFormats.join(', ')}`,
      argument: queryFormats,
      run: (state, name) => {
        state.chooseFormat(name);
      },
    },
  ],
  [
    '\\timing',
    {
      form: '\\timing [on|off]',
      about: 'print the total time of each answer',
      argument: ['on', 'off'],
      run: (state, word) => {
        state.chooseTiming(word);
      },
    },
  ],
  [
    '\\o',
    {
      form: '\\o [FILE]',
      about: 'write answers to a file; without a file, to the screen',
      run: (state, file) => {
        state.chooseOutput(file);
      },
    },
  ],
  // The prompt handles this command itself.
  ['\\q', { form: '\\q', about: 'quit; also: exit, quit, Ctrl-D', run: () => undefined }],
]);

/** For Tab completion. */
export const orderWords: ReadonlyMap<string, 'metric' | readonly string[]> = new Map(
  [...orders].map(([name, { argument }]) => [name, argument ?? []]),
);

/** Rejects with CommandFailure, or with an error of the client. */
export async function obey(state: PromptState, line: string): Promise<void> {
  const [, name = '', argument = ''] = /^(\S+)\s*(.*)$/.exec(line) ?? [];
  const order = orders.get(name.toLowerCase());
  if (order === undefined) {
    throw new CommandFailure(`unknown command ${name}; \\? lists the commands`);
  }
  await order.run(state, argument);
}

function helpPage(): string {
  const rows = [...new Set(orders.values())].map(({ form, about }) => [form, about]);
  const table = printTable([{ name: '' }, { name: '' }], rows, {
    hasHead: false,
    width: null,
  });
  return (
    'A statement of SeriesQL ends with a semicolon and may span lines:\n' +
    '  select tag.host, avg(value) from cpu.load where time >= now() - 1h group by tag.host;\n' +
    '  show metrics;  show labels from cpu.load;  explain select …;\n' +
    'Tab completes metrics, labels, functions and words; Ctrl-C cancels the running statement\n' +
    'or discards the unfinished one; the arrow keys recall earlier statements.\n\n' +
    `${table}\nFunctions: ${wrapped(functionNames)}\n`
  );
}

/** Wraps names into lines of at most 76 characters. */
function wrapped(names: readonly string[]): string {
  const lines: string[] = [''];
  for (const name of names) {
    const line = lines.at(-1) ?? '';
    if (line.length + name.length > 76) lines.push(`  ${name}`);
    else lines[lines.length - 1] = line === '' ? name : `${line} ${name}`;
  }
  return lines.join('\n');
}

function functionPage(name: string): string {
  const wanted = name.toLowerCase();
  const found = functionList.filter((one) => one.name === wanted);
  if (found.length === 0) throw new CommandFailure(`there is no function ${name}; \\? lists them`);
  return found
    .map(({ kind, forms, sentence, example, answer }) => {
      const heads = forms.map((form) => `${form}  (${kind})\n`).join('');
      return `${heads}  ${sentence}\n  ${example};  -- ${answer}\n`;
    })
    .join('\n');
}
