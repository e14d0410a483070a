/** Chooses the answer's format by the Accept header. */

type AnswerFormat = 'json' | 'csv' | 'ndjson';

const formats: Readonly<Record<string, AnswerFormat>> = {
  'application/json': 'json',
  'application/*': 'json',
  '*/*': 'json',
  'text/csv': 'csv',
  'text/*': 'csv',
  'application/x-ndjson': 'ndjson',
  'application/ndjson': 'ndjson',
};

/** The format with the highest weight in the Accept header; JSON without a header. */
export function choosesFormat(accept: string | undefined): AnswerFormat {
  if (accept === undefined || accept === '*/*') return 'json';
  let best: AnswerFormat = 'json';
  let bestWeight = 0;
  for (const part of accept.split(',')) {
    const [range = '', ...parameters] = part.split(';').map((one) => one.trim().toLowerCase());
    const format = formats[range];
    const weight = weightOf(parameters);
    if (format === undefined || weight <= bestWeight) continue;
    best = format;
    bestWeight = weight;
  }
  return best;
}

function weightOf(parameters: readonly string[]): number {
  const given = parameters.find((one) => one.startsWith('q='));
  const weight = given === undefined ? 1 : Number(given.slice(2));
  return weight >= 0 && weight <= 1 ? weight : 0;
}
