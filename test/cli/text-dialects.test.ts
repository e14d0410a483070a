/** Prometheus' text as lines of JSON: what each line becomes, or why none. */
import { text as textOf } from 'node:stream/consumers';

import { assert } from 'chai';

import { expositionDialect } from '../../src/cli/loading/exposition-dialect.js';
import { formatOfText } from '../../src/common/tables/text-format.js';
import { RowFault } from '../../src/common/tables/table-fault.js';
import { translatedInput, type Dialect } from '../../src/cli/loading/translated-input.js';
import { parseDecimalTime } from '../../src/common/model/decimal-time.js';
import { unitOfMagnitude } from '../../src/common/model/time-magnitude.js';

const times = { unit: 'ms', at: 5n } as const;
const exposition = (isDescribing = false): Dialect => expositionDialect(times, { isDescribing });

/** The lines as values, and what was left out. */
function translated(dialect: Dialect, ...lines: string[]): { made: unknown[]; left: string[] } {
  const left: string[] = [];
  const made = lines.flatMap((line) => dialect.translate(line, (what) => left.push(what)));
  return { made: made.map((line) => JSON.parse(line) as unknown), left };
}

function refusal(dialect: Dialect, line: string): string {
  try {
    dialect.translate(line, () => undefined);
  } catch (error) {
    assert.instanceOf(error, RowFault);
    return error.message;
  }
  return assert.fail(`${line} is taken`);
}

describe("Prometheus' text", () => {
  it('keeps names and labels, with times in milliseconds or the seconds of OpenMetrics', () => {
    const { made, left } = translated(
      exposition(),
      String.raw`http_requests_total{method="post",path="/\"a\"\\\n",gone="",} 1027 1395066363000`,
      '{"my.metric", "a b"="c"} 1 1395066363.5',
      'rpc_sum 1.7560473e+07 1.395066363e9 # {trace="x"} 3 1',
      'up 1',
      'bad NaN',
      'large{le="+Inf"} +Inf 5',
    );
    assert.deepEqual(made, [
      {
        ...{ metric: 'http_requests_total', ts: 1_395_066_363_000, value: 1027 },
        labels: { method: 'post', path: '/"a"\\\n' },
      },
      { metric: 'my.metric', labels: { 'a b': 'c' }, ts: 1_395_066_363_500, value: 1 },
      { metric: 'rpc_sum', labels: {}, ts: 1_395_066_363_000, value: 17_560_473 },
      { metric: 'up', labels: {}, ts: 5, value: 1 },
    ]);
    assert.deepEqual(left, Array(2).fill('samples that are not finite numbers'));
  });

  it('yields the family of each metric once', () => {
    const lines = [
      '# HELP a The \\\\ first.',
      '# TYPE a counter',
      '# UNIT a seconds',
      'a_total 1',
      'a_total{b="c"} 1',
      '# TYPE h histogram',
      'h_bucket{le="1"} 1',
      'h 2',
      '# TYPE g gauge',
      '# HELP g_sum Another family.',
      'g 1',
      'other 1',
      '# EOF',
    ];
    const described = translated(exposition(true), ...lines).made as Record<string, unknown>[];
    assert.deepEqual(
      described.map(({ metric, kind, unit, description }) => [metric, kind, unit, description]),
      [
        ['a_total', 'counter', 'seconds', 'The \\ first.'],
        ['a_total', undefined, undefined, undefined],
        ['h_bucket', 'counter', undefined, undefined],
        ['h', undefined, undefined, undefined],
        ['g', 'gauge', undefined, undefined],
        ['other', undefined, undefined, undefined],
      ],
    );
    const plain = translated(exposition(), ...lines).made as Record<string, unknown>[];
    assert.isTrue(plain.every((line) => !('kind' in line) && !('description' in line)));
  });

  it('says why a line is invalid', () => {
    for (const [line, reason] of [
      ['up', /it ends where a value should be \(column 3\)/],
      ['up{a=b} 1', /"b} 1" where a text in quotes should be \(column 6\)/],
      ['up{a="b" 1', /"1" where "," or "}" should be/],
      ['up{a="b",a="c"} 1', /the label "a" occurs twice/],
      ['up{__name__="b"} 1', /"__name__" cannot be a label/],
      ['up one', /the value "one" is not a finite number/],
      ['up 1 soon', /"soon" is not a time/],
      ['up 1 2 3', /"3" where the end of the line should be/],
      ['9up 1', /the name of a metric/],
    ] as const) {
      assert.match(refusal(exposition(), line), reason, line);
    }
  });
});

/** The translated input, and the line of a refusal. */
async function allOf(dialect: Dialect, ...pieces: Buffer[]): Promise<[string, unknown]> {
  async function* bytes(): AsyncGenerator<Buffer> {
    for (const piece of pieces) yield await Promise.resolve(piece);
  }
  const raw = { name: 'x', size: null, position: () => 0, bytes: bytes(), rows: null };
  const { rows, bytes: made } = translatedInput(raw, dialect, { isLenient: true });
  const text = await textOf(made);
  const lines = text.split('\n').length - 1;
  const refused = rows?.refused(0, lines) ?? [];
  return [text, refused.map(({ line, reason }) => [rows?.sourceOf(line), reason.slice(0, 20)])];
}

describe('a translated input', () => {
  it("is the same however its bytes are split, and gives each line's position", async () => {
    const text = Buffer.concat([
      Buffer.from('# x\r\na{k="ü"} 1 0\r\n\nbad\n'),
      Buffer.from([0x61, 0xff, 0x0a]),
      Buffer.from('b 2 0\nc{v="open'),
    ]);
    const whole = await allOf(exposition(), text);
    assert.deepEqual(whole[1], [
      [4, 'it ends where a valu'],
      [5, 'it is not UTF-8'],
      [7, 'found ""open" where '],
    ]);
    assert.include(whole[0], '"k":"ü"');
    for (const size of [1, 2, 7]) {
      const pieces = Array.from({ length: Math.ceil(text.length / size) }, (_, at) =>
        text.subarray(at * size, (at + 1) * size),
      );
      assert.deepEqual(await allOf(exposition(), ...pieces), whole);
    }
  });
});

describe('the format of a text', () => {
  it('is detected from its first lines', () => {
    for (const [text, form] of [
      ['{"metric":"a","ts":1,"value":1}\n', 'ndjson'],
      ['{ "metric": "a" }\n', 'ndjson'],
      [' {}\n', 'ndjson'],
      ['garbage, here\n{"metric":"a","ts":1,"value":1}\n', 'ndjson'],
      ['a,b\n1,"{""x"":1}"\n', 'csv'],
      ['{"a.b"} 1\n', 'prometheus'],
      ['x{a="b c=1"} 5\n', 'prometheus'],
      ['m#1,t=a v=1 5\n', 'influx'],
      ['{"a.b",x="1"} 1 17\n', 'prometheus'],
      ['# HELP a b\n', 'prometheus'],
      ['go_goroutines 7\n', 'prometheus'],
      ['a{b="c, d"} NaN\n', 'prometheus'],
      ['# a comment\nm,t=a v=1 5\n', 'influx'],
      ['m v="a b\n', 'influx'],
      ['m v=t', 'influx'],
      ['timestamp,value\n2014-07-01 00:00:00,10844\n', 'csv'],
      ['time;a b\n', 'csv'],
      ['a\tb\n', 'csv'],
      ['PAR1\0', 'parquet'],
      ['no JSON\n', null],
      ['', null],
    ] as const) {
      assert.strictEqual(formatOfText(text), form, text);
    }
  });
});

describe('numeric times', () => {
  it('are exact, whatever their unit and exponent, and round towards the past', () => {
    const ofSeconds = (text: string) => parseDecimalTime(text, { from: 's', to: 'ms' });
    assert.strictEqual(ofSeconds('1700000000.9999'), 1_700_000_000_999n);
    assert.strictEqual(ofSeconds('-0.0001'), -1n);
    assert.strictEqual(ofSeconds('1.520879607789e+09'), 1_520_879_607_789n);
    assert.strictEqual(
      parseDecimalTime('9007199254740993', { from: 'ns', to: 'ns' }),
      9_007_199_254_740_993n,
    );
    for (const text of ['', '.5', '1e999', 'now', '1_0', 'Infinity']) {
      assert.isNull(ofSeconds(text), text);
    }
  });

  it('reveal their unit if they are recent', () => {
    for (const [time, unit] of [
      [1_700_000_000, 's'],
      [-1_700_000_000_000, 'ms'],
      [1.7e15, 'us'],
      [1.7e18, 'ns'],
      [4000, null],
    ] as const) {
      assert.strictEqual(unitOfMagnitude(time), unit);
    }
  });
});
