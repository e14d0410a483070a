/** Declared query strings: parsing, refusals, and the order of refusals. */
import { expect } from 'chai';

import { AppError } from '../../src/common/errors/app-error.js';
import {
  defaultsTo,
  parameter,
  querySchema,
  requiredParameter,
} from '../../src/http/fields/query-schema.js';

const fields = {
  start: requiredParameter(parameter.ts('')),
  end: parameter.ts(''),
  series_id: parameter.u64(''),
  labels: parameter.labels(''),
  name: parameter.text(''),
  op: defaultsTo(parameter.choice(['and', 'or'], ''), 'and'),
  dry_run: parameter.flag(''),
};
const schema = querySchema(fields);
const told = { warn: () => undefined };

function refusalOf(query: string, strict = false): readonly unknown[] {
  try {
    querySchema(fields, { refusesUnknown: strict }).read(query, told);
    return [];
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return [error.code, error.message];
  }
}

describe('a declared query string', () => {
  it('returns every value of a repeatable parameter', () => {
    const lists = querySchema({ 'match[]': parameter.texts(''), other: parameter.text('') });
    const none = { 'match[]': [], other: undefined };
    expect(lists.read('', told)).to.deep.equal(none);
    expect(lists.read('match[]=a&other=1&match%5B%5D=b+c&match[]&other=2', told)).to.deep.equal({
      ...{ 'match[]': ['a', 'b c', ''], other: '1' },
    });
    expect(() => lists.read('match[]=a&match[]=%', told)).to.throw(AppError);
  });

  it('converts each parameter to its type, and absent ones to their default', () => {
    const query =
      'start=-9223372036854775808&series_id=18446744073709551615&labels=%7B%22a%22:1%7D';
    expect(schema.read(`${query}&name=a+b&name=c&dry_run=true&other=1`, told)).to.deep.equal({
      start: -(2n ** 63n),
      end: undefined,
      series_id: 2n ** 64n - 1n,
      labels: [['a', '1']],
      name: 'a b',
      op: 'and',
      dry_run: true,
    });
    expect(schema.read('start=0&name=&op=or', told)).to.include({
      name: '',
      op: 'or',
      dry_run: false,
    });
  });

  it('skips empty pairs, however many there are', () => {
    const read = { start: 1n, name: '' };
    expect(schema.read('&&name&&start=1&', told)).to.include(read);
    expect(schema.read(`${'&'.repeat(1 << 20)}start=1&name`, told)).to.include(read);
    expect(schema.read(`name&start=1${'&a'.repeat(1 << 19)}`, told)).to.include(read);
  });

  it('reports invalid before missing parameters, in the order of declaration', () => {
    expect(refusalOf('')).to.deep.equal(['missing_start', 'start is required']);
    expect(refusalOf('end=x')).to.deep.equal(['invalid_end', 'end must be a 64-bit integer']);
    expect(refusalOf('series_id=-1&end=')).to.have.property('0', 'invalid_end');
    expect(refusalOf('labels=1&start=1')).to.have.property('0', 'invalid_labels');
    expect(refusalOf('op=xor')).to.deep.equal(['invalid_op', 'op must be and or or']);
    const flag = ['invalid_flag', 'dry_run must be true or false'];
    expect(refusalOf('dry_run=1&start=1')).to.deep.equal(flag);
    expect(refusalOf('start=%')).to.have.property('0', 'invalid_query_string');
  });

  it('rejects unknown parameters only if declared strict', () => {
    expect(refusalOf('start=1&strat=2')).to.deep.equal([]);
    expect(refusalOf('strat=2&start=x', true)).to.have.property('0', 'unknown_field');
  });

  it('warns only of likely misspellings, in bounded work', () => {
    const warnings: string[] = [];
    const taking = { warn: (text: string) => warnings.push(text) };
    schema.read('start=1&nocache=1&sereis_id=2', taking);
    expect(warnings).to.deep.equal([
      'sereis_id is not known and was ignored; did you mean series_id?',
    ]);
    const many = Array.from({ length: 100_000 }, (_, at) => `start${at % 10}${at}`);
    schema.read(`start=1&${many.join('&')}`, taking);
    expect(warnings.length).to.be.lessThan(20);
  });

  it('names every code that parsing can throw', () => {
    expect(schema.shape.errors).to.have.members([
      ...['missing_start', 'invalid_start', 'invalid_end', 'invalid_series_id', 'invalid_labels'],
      ...['invalid_op', 'invalid_flag', 'invalid_query_string'],
    ]);
    expect(querySchema({}, { refusesUnknown: true }).shape.errors).to.include('unknown_field');
    expect(() => querySchema({ colour: parameter.ts('') })).to.throw('invalid_colour');
  });
});
