/** The editor's knowledge of a statement, without a browser. */

import { assert } from 'chai';

import { faultsIn, readFaults } from '../../src/ui/editor/fault.js';
import { matching } from '../../src/ui/editor/matching.js';
import { paintedLines, spansIn } from '../../src/ui/editor/painted.js';
import { piecesOf } from '../../src/ui/editor/pieces.js';
import { suggest } from '../../src/ui/editor/suggestions.js';
import { withWindow } from '../../src/ui/editor/window-words.js';

const values = { from: "'2026-11-21T06:00:00Z'", to: "'2026-11-21T12:00:00Z'", width: '2m' };
const sentOf = (text: string) => withWindow(text, values);

describe("placeholders for the page's time range", () => {
  it('are replaced, except in texts and comments', () => {
    const text = "select ':from' from m where time between :FROM and :to -- :to";
    assert.strictEqual(
      sentOf(text).text,
      `select ':from' from m where time between ${values.from} and ${values.to} -- :to`,
    );
  });

  it('map positions after them back to the source', () => {
    const text = 'select :width, x, :to, y';
    const sent = sentOf(text);
    for (const mark of ['x', 'y']) {
      assert.strictEqual(sent.writtenAt(sent.text.indexOf(mark)), text.indexOf(mark));
    }
  });
});

describe('a reported error', () => {
  const of = (text: string) => faultsIn(text, sentOf(text))[0];

  it('is absent for an empty or a valid text', () => {
    for (const text of ['', ' \n', 'select 1', 'select time_bucket(:width, time) from m']) {
      assert.isUndefined(of(text), text);
    }
  });

  it('has a position in the source text, and a suggestion', () => {
    assert.deepEqual(of('selekt 1'), {
      ...{ span: { from: 0, to: 6 }, place: 'line 1, column 1', meant: 'select' },
      sentence: 'expected SELECT, INSERT, DELETE, DROP METRIC, SHOW or EXPLAIN, found "selekt"',
      hint: 'did you mean select?',
    });
    const later = of("select '😀', :width,\n  ,");
    assert.deepEqual(later?.span, { from: 23, to: 24 });
    assert.strictEqual(later?.place, 'line 2, column 3');
  });

  it('counts columns in code points, as the server does', () => {
    const text = "select '😀' tim, tim";
    const message = 'line 1, column 12: unknown column tim\n  …\n  ^\nhint: did you mean time?';
    const [fault] = readFaults(message, text, sentOf(text));
    assert.strictEqual(text.slice(fault?.span.from, fault?.span.to), 'tim');
    assert.strictEqual(fault?.place, 'line 1, column 12');
  });

  it('is one of several, and absent for a message without a position', () => {
    const text = 'select tim, fooo';
    const one = 'line 1, column 8: unknown column tim\n  …\nhint: did you mean time?';
    const message = `${one}\nline 1, column 13: unknown column fooo\n  …`;
    const faults = readFaults(message, text, sentOf(text));
    assert.deepEqual(
      faults.map(({ place, meant }) => [place, meant]),
      [
        ['line 1, column 8', 'time'],
        ['line 1, column 13', null],
      ],
    );
    assert.deepEqual(readFaults('the query took too long', text, sentOf(text)), []);
  });
});

describe('colours', () => {
  const looks = (text: string) =>
    piecesOf(text).map(({ start, end, look }) => [text.slice(start, end), look]);

  it('follow the token kinds of the language', () => {
    const text = "select avg(value), 'a' from from.x where time > 1h /* r */ -- s";
    assert.deepEqual(looks(text), [
      ['select', 'keyword'],
      ['avg', 'function'],
      ['value', 'column'],
      ["'a'", 'text'],
      ['from', 'keyword'],
      ['where', 'keyword'],
      ['time', 'column'],
      ['1h', 'number'],
      ['/* r */ -- s', 'remark'],
    ]);
  });

  it('are given to unfinished text', () => {
    assert.deepEqual(looks("select 'a -- b"), [
      ['select', 'keyword'],
      ["'a -- b", 'text'],
    ]);
    assert.deepEqual(looks('select 1 /* x'), [
      ['select', 'keyword'],
      ['1', 'number'],
      ['/* x', 'remark'],
    ]);
    assert.deepEqual(looks('limit :from'), [
      ['limit', 'keyword'],
      [':from', 'window'],
    ]);
  });
});

describe('suggestions', () => {
  const asked: unknown[] = [];
  const knowledge = {
    metricsLike: (prefix: string) =>
      Promise.resolve(
        ['cpu.load', 'my-metric']
          .filter((one) => one.startsWith(prefix))
          .map((metric) => ({
            ...({ metric, kind: 'gauge', unit: 'percent', series_count: 2 } as const),
            ...{ label_keys: ['host'], first_ts: null, last_ts: null },
          })),
      ),
    keysOf: (metric: string | null) =>
      Promise.resolve(metric === 'cpu.load' ? ['host', 'a.b'] : []),
    valuesOf: (filter: object) => {
      asked.push(filter);
      return Promise.resolve(["it's"]);
    },
  };
  /** Where the cursor stands is marked by a `|`. */
  const at = async (marked: string) => {
    const text = marked.replace('|', '');
    const signal = new AbortController().signal;
    const found = await suggest({ text, at: marked.indexOf('|'), signal }, knowledge);
    const results = found.options.map(
      (one) => text.slice(0, found.from) + one.text + text.slice(found.to),
    );
    return { ...found, results };
  };

  it('are metrics after FROM, with their metadata', async () => {
    const { options, results } = await at('select 1 from cp|');
    assert.deepEqual(results, ['select 1 from cpu.load']);
    assert.strictEqual(options[0]?.detail, 'gauge · % · 2 series');
    assert.deepEqual((await at('select 1 from my|')).results, ['select 1 from "my-metric"']);
    assert.deepEqual((await at('select 1 from "m|"')).results, ['select 1 from "my-metric"']);
  });

  it('are label keys of the metric, also of one named later', async () => {
    assert.include(
      (await at('select 1 from cpu.load{h|}')).results,
      'select 1 from cpu.load{host}',
    );
    assert.deepEqual((await at('select tag.| from cpu.load')).results, [
      'select tag.host from cpu.load',
      'select tag."a.b" from cpu.load',
    ]);
  });

  it('are values that match the other labels', async () => {
    const { results } = await at("select 1 from cpu.load{zone='x', host='|'}");
    assert.deepEqual(results, ["select 1 from cpu.load{zone='x', host='it''s'}"]);
    await at("select 1 from cpu.load where tag.host in ('a', |");
    assert.deepEqual(asked, [
      { key: 'host', metric: 'cpu.load', labels: { zone: 'x' }, prefix: '' },
      { key: 'host', metric: 'cpu.load', prefix: '' },
    ]);
  });

  it('are statements, columns and functions, clauses, and units, each in their place', async () => {
    const has = async (marked: string, text: string) => {
      const { options } = await at(marked);
      assert.include(
        options.map((one) => one.text),
        text,
        marked,
      );
    };
    await has('|', 'select ');
    await has('select |', 'value');
    await has('select a|', 'avg(');
    await has('select value as mean from m group by |', 'mean');
    await has('select value |', 'from ');
    await has('select value from m where time > now() - 5|', '5m');
    assert.deepEqual((await at("select '|")).results, []);
    assert.deepEqual((await at('select 1 -- |')).results, []);
  });
});

describe('painted lines', () => {
  const painted = (text: string, from = 0, to = 0) =>
    paintedLines(text, from === to ? [] : [{ from, to }], piecesOf);

  it('contain all of the text, line by line, whatever its content', () => {
    for (const text of ['', '\n', 'select 1', "select 'a\nb' -- c\n\n/* d\n e */ from m\n"]) {
      const lines = painted(text).map(({ parts }) => parts.map((part) => part.text).join(''));
      assert.strictEqual(lines.join('\n'), text);
    }
  });

  it('mark tokens, and underline an error only in its line', () => {
    const [first, second] = painted('select tim\nfrom m', 7, 10);
    const looks = first?.parts.map(({ text, look }) => [text, look]);
    assert.deepEqual(looks, [
      ['select', 'ql-keyword'],
      [' ', ''],
      ['tim', 'fault-text'],
    ]);
    assert.deepEqual([first?.isFaulty, second?.isFaulty], [true, false]);
  });
});

describe('the position of an error after an edit', () => {
  const moved = (earlier: string, text: string) => {
    const from = earlier.indexOf('tim');
    const fault = { span: { from, to: from + 3 }, place: '', sentence: '', hint: '', meant: null };
    const [span = { from: 0, to: 0 }] = spansIn(text, [fault], earlier);
    return text.slice(span.from, span.to);
  };

  it('moves with edits before it, and grows with insertions inside it', () => {
    assert.strictEqual(moved('select tim from m', 'select  tim from m'), 'tim');
    assert.strictEqual(moved('select tim from m', 'select timx from m'), 'tim');
    assert.strictEqual(moved('select tim from m', 'select tim from m where'), 'tim');
    assert.strictEqual(moved('select tim from m', 'select ti_m from m'), 'ti_m');
  });

  it('is the last letter if it was past the end', () => {
    assert.strictEqual(moved('select tim', 'sel'), 'l');
  });
});

describe('suggestions that fit', () => {
  const word = (text: string) => ({ label: text.trim(), text, kind: 'word' }) as const;
  const found = (typed: string, ...texts: readonly string[]) =>
    matching(texts.map(word), typed).map(({ option }) => option.label);

  it('are ranked by prefix, then by inner words, then by letters', () => {
    const texts = ['cumulative_sum', 'abs_max', 'ima', 'max', 'min'];
    assert.deepEqual(found('ma', ...texts), ['max', 'abs_max', 'ima', 'cumulative_sum']);
  });

  it('exclude the complete word, and ignore a quote before them', () => {
    assert.deepEqual(found('from', 'from ', 'from_here'), ['from_here']);
    assert.deepEqual(found("'it''s", "it's", 'its'), ["it's"]);
  });

  it('mark the letters that were typed', () => {
    const [one] = matching([word('disk.free')], 'fr');
    assert.deepEqual([...(one?.typed ?? [])], [5, 6]);
  });
});
