/** A line of JSON on its way in: every field that is read, as documents and the help tell them. */

interface LineField {
  readonly name: string;
  readonly type: string;
  /** Empty where the line may do without it. */
  readonly required: string;
  readonly meaning: string;
}

export const lineFields: readonly LineField[] = [
  {
    name: 'metric',
    type: 'text',
    required: 'this or series',
    meaning: 'The name, 1 to 255 bytes without control characters.',
  },
  {
    name: 'ts',
    type: 'integer',
    required: 'yes',
    meaning: 'The time, in the unit of the database or of `precision`.',
  },
  {
    name: 'value',
    type: 'number',
    required: 'this or fields',
    meaning: 'The sample of the metric itself.',
  },
  {
    name: 'fields',
    type: 'object of numbers',
    required: 'this or value',
    meaning: 'Each member is a sample of the metric `<metric>.<member>`.',
  },
  {
    name: 'labels',
    type: 'object of texts',
    required: '',
    meaning: 'At most 64; with the metric they make the series.',
  },
  {
    name: 'kind',
    type: '"gauge" or "counter"',
    required: '',
    meaning:
      'What the metric is. As `unit` and `description` written once: another one is refused.',
  },
  { name: 'unit', type: 'text', required: '', meaning: 'What the values of the metric count.' },
  { name: 'description', type: 'text', required: '', meaning: 'What the metric is, in words.' },
  {
    name: 'series',
    type: 'text',
    required: 'this or metric',
    meaning:
      'The older form: the name; without `value`, the first number of `fields` is the sample.',
  },
  {
    name: 'tags',
    type: 'object of texts',
    required: '',
    meaning: 'The older form: the labels of `series`.',
  },
];
