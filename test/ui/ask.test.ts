/** The page Ask's analysis of statements and answers, without a browser. */

import { assert } from 'chai';

import { matching, readAsked, withAsked, type AskedText } from '../../src/ui/ask/asked-list.js';
import { arranged, cellOf, digitsOf, tsvOf } from '../../src/ui/ask/cells.js';
import { examplesFor } from '../../src/ui/ask/example-statements.js';
import { moved, type GridArea } from '../../src/ui/ask/grid-moves.js';
import { planOf } from '../../src/ui/ask/plan-lines.js';
import {
  changeOf,
  explanationOf,
  headed,
  isHarmless,
  mayBeKept,
  statementOf,
} from '../../src/ui/ask/statement.js';
import { windowValues } from '../../src/ui/ask/window-values.js';

import type { MetricDescriptor, QueryColumn } from '../../src/client/client.js';

const asOne = (text: string, more: Partial<AskedText> = {}): AskedText => ({
  ...{ text, atMs: 1, rows: 2, ms: 3 },
  ...more,
});

describe('a statement before it is sent', () => {
  it('runs from a link only where it changes nothing', () => {
    const harmless = ['select 1', 'show metrics', 'explain select 1', ' SELECT 1;'];
    const others = [
      ...['insert into m values (1, 2)', 'delete from m where time < 1', 'sel', ''],
      'explain delete from m where time < 1',
    ];
    for (const text of harmless) assert.isTrue(isHarmless(statementOf(text)), text);
    for (const text of others) assert.isFalse(isHarmless(statementOf(text)), text);
  });

  it('needs confirmation if it changes data', () => {
    assert.isNull(changeOf('select 1'));
    assert.deepEqual(changeOf("delete from cpu.load{host='a'} where time < 5;"), {
      ...{ verb: 'DELETE', target: "cpu.load{host='a'}", what: 'time < 5' },
      count: "select count(*), count(distinct series_id) from cpu.load{host='a'} where time < 5",
    });
    const insert = changeOf("insert into m{a='b'} values (1, 2), (3, 4)");
    assert.deepInclude(insert, { verb: 'INSERT', target: "m{a='b'}", what: '2 samples' });
  });

  it('is explained once, and executed for EXPLAIN only if it reads', () => {
    assert.strictEqual(explanationOf('select 1;'), 'explain analyze select 1');
    assert.strictEqual(explanationOf('explain bytecode select 1'), 'explain analyze select 1');
    assert.strictEqual(explanationOf('show metrics'), 'explain show metrics');
    assert.strictEqual(explanationOf('sel'), 'explain sel');
  });
});

describe('the headings of an answer', () => {
  const headingsOf = (text: string, ...names: readonly string[]): readonly string[] => {
    const columns = names.map((name) => ({ name, type: 'float' as const, nullable: true }));
    return headed(text, columns).map(({ name }) => name);
  };

  it('are the written texts of expressions, and else the names of the answer', () => {
    const text = 'select tag.host, avg(value), (1 +\n  2) * 3, max(value) as top from m';
    assert.deepEqual(headingsOf(text, 'tag.host', 'avg_1', 'expr_2', 'top'), [
      ...['tag.host', 'avg(value)', '(1 + 2) * 3', 'top'],
    ]);
  });

  it('stay the names of the answer where a text would stand twice', () => {
    const names = ['avg_0', 'avg_1', 'max(value)', 'max_3'];
    const text = 'select avg(value), avg(value), value as "max(value)", max(value) from m';
    assert.deepEqual(headingsOf(text, ...names), ['avg(value)', ...names.slice(1)]);
  });

  it('stay the names of the answer for a star and for other statements', () => {
    assert.deepEqual(headingsOf('select *, value * 2 from m', 'time', 'value', 'expr_1'), [
      ...['time', 'value', 'expr_1'],
    ]);
    assert.deepEqual(headingsOf('show metrics', 'metric'), ['metric']);
  });
});

describe('the statement history', () => {
  it('keeps the last 200, starred ones always, and no INSERT', () => {
    let list: readonly AskedText[] = [asOne('kept', { isStarred: true })];
    for (let at = 0; at < 250; at += 1) list = withAsked(list, asOne(`select ${at}`));
    assert.strictEqual(list.length, 200);
    assert.strictEqual(list[0]?.text, 'select 249');
    assert.strictEqual(list.at(-1)?.text, 'kept');
    assert.strictEqual(withAsked(list, asOne('INSERT into m values (1, 2)')), list);
    assert.isFalse(mayBeKept('explain insert into m values (1, 2)'));
  });

  it('lists each statement once, keeps its star, and finds it by a word', () => {
    const list = withAsked([asOne('b'), asOne('A', { isStarred: true })], asOne('A'));
    assert.deepEqual(
      list.map(({ text }) => text),
      ['A', 'b'],
    );
    assert.isTrue(list[0]?.isStarred);
    assert.deepEqual(matching(list, 'B'), [asOne('b')]);
  });

  it('is empty if the stored value is invalid', () => {
    for (const text of ['', '{', '{}', '[1, null, {"text":1}]']) {
      assert.deepEqual(readAsked(text), []);
    }
  });
});

const column = (type: string): QueryColumn => ({ name: type, type, nullable: true });
const told = { clock: { unit: 'ms', zone: 'Europe/Berlin' }, digits: null } as const;

describe('cells of an answer', () => {
  it('distinguish null from an empty text, and show integers to the last digit', () => {
    assert.strictEqual(cellOf(null, column('string'), told).text, '∅');
    assert.strictEqual(cellOf('', column('string'), told).look, 'empty');
    const large = cellOf(9007199254740993n, column('integer'), told);
    assert.strictEqual(large.text, '9007199254740993');
    assert.deepEqual(cellOf(1_795_227_120_000n, column('timestamp'), told), {
      ...{ text: '2026-11-21 03:12:00 +01:00', title: '1795227120000' },
    });
  });

  it('of floats have enough digits to differ in a column, and all on demand', () => {
    const textsOf = (values: readonly number[]): readonly string[] => {
      const [digits = null] = digitsOf(
        [column('float')],
        values.map((value) => [value]),
      );
      return values.map((value) => cellOf(value, column('float'), { ...told, digits }).text);
    };
    assert.deepEqual(textsOf([0.1 + 0.2, 2 / 3, 21.5]), ['0.3', '0.666667', '21.5']);
    assert.deepEqual(textsOf([99.12345678, 99.12345671, 1]), ['99.1234568', '99.1234567', '1']);
    assert.deepEqual(textsOf([1234567.5, 87654321]), ['1234568', '87654321']);
    assert.deepEqual(textsOf([123_456_789.125]), ['123456789']);
    assert.deepEqual(textsOf([1.5e-9, -2e300, 0]), ['1.5e-9', '-2e+300', '0']);
    assert.deepEqual(textsOf([0.1, 0.1 + 1e-17, 0.3, 0.1 + 0.2]), ['0.1', '0.1', '0.3', '0.3']);
    const third = { text: '0.333333', title: String(1 / 3) };
    assert.deepEqual(cellOf(1 / 3, column('float'), { ...told, digits: 6 }), third);
    assert.deepEqual(cellOf(1 / 3, column('float'), told), { text: String(1 / 3) });
  });

  it('are sorted with null last, whichever way, and filtered', () => {
    const rows = [[2n], [null], [10n], [1n]];
    const textOf = (value: unknown): string => String(value);
    const by = (isDown: boolean) =>
      arranged(rows, { filter: '', order: { column: 0, isDown } }, textOf);
    assert.deepEqual(by(false), [3, 0, 2, 1]);
    assert.deepEqual(by(true), [2, 0, 3, 1]);
    assert.deepEqual(arranged(rows, { filter: '1', order: null }, textOf), [2, 3]);
  });

  it('are copied without line breaks', () => {
    assert.strictEqual(tsvOf([[1n, 'a\tb\nc', null]]), '1\ta b c\t');
  });

  it('are navigated by keys within the table', () => {
    const none = { ctrlKey: false, metaKey: false, shiftKey: false, altKey: false };
    const size = { rows: 3, columns: 2, page: 10 };
    const first = moved(null, { ...none, key: 'ArrowDown' }, size);
    assert.deepEqual(first?.active, { row: 0, column: 0 });
    const press = (area: GridArea | null, key: string, more = {}) =>
      moved(area, { ...none, ...more, key }, size);
    assert.deepEqual(press(first, 'PageDown')?.active, { row: 2, column: 0 });
    assert.deepEqual(press(first, 'ArrowLeft')?.active, { row: 0, column: 0 });
    const all = press(first, 'a', { ctrlKey: true });
    assert.deepEqual(all, { anchor: { row: 0, column: 0 }, active: { row: 2, column: 1 } });
    const wide = press(first, 'ArrowRight', { shiftKey: true });
    assert.deepEqual(wide, { anchor: { row: 0, column: 0 }, active: { row: 0, column: 1 } });
    assert.isNull(press(first, 'x'));
  });
});

describe('a plan', () => {
  it('is recognized among answers, and nests by its indentation', () => {
    const columns = [column('string'), column('integer'), column('float')];
    const [text, ...figures] = columns.map((one, at) => ({ ...one, name: at === 0 ? 'plan' : '' }));
    const rows = [
      ['sort', 2n, 0.5],
      ['  project', null, null],
    ];
    assert.isNull(planOf({ columns, rows, stats: {} }));
    assert.deepEqual(
      planOf({ columns: text === undefined ? [] : [text, ...figures], rows, stats: {} }),
      [
        { text: 'sort', level: 1, rows: 2n, ms: 0.5 },
        { text: 'project', level: 2, rows: null, ms: null },
      ],
    );
  });
});

describe('examples', () => {
  const metric = (name: string, more: Partial<MetricDescriptor> = {}): MetricDescriptor => ({
    ...{ metric: name, kind: 'gauge', series_count: 1, label_keys: ['k8s.pod'] },
    ...{ first_ts: 0n, last_ts: 1_000n },
    ...more,
  });

  it('are eight valid statements, also for unusual names', () => {
    const metrics = [metric('odd-"name'), metric('requests', { kind: 'counter' })];
    const examples = examplesFor(metrics, { unit: 'ms', nowMs: 1e12 });
    assert.strictEqual(examples.length, 8);
    for (const { statement } of examples) {
      const plain = statement.replace(':width', '1h').replace(':from', '0').replace(':to', '1');
      assert.isTrue(isHarmless(statementOf(plain)), statement);
    }
    assert.strictEqual(examplesFor([], { unit: 'ms', nowMs: 0 }).length, 2);
  });
});

describe("the page's time range", () => {
  it('is inserted into statements with fitting buckets', () => {
    const nowMs = Date.UTC(2026, 10, 21, 12);
    assert.deepEqual(windowValues('6h', { unit: 'ms', zone: 'UTC', nowMs }), {
      ...{ from: "'2026-11-21T06:00:00Z'", to: "'2026-11-21T12:00:00Z'", width: '2m' },
    });
    assert.strictEqual(windowValues('all', { unit: 'ms', zone: 'UTC', nowMs }).width, '1d');
  });
});
