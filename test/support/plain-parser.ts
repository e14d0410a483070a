/**
 * The rules of an ingest body in the most obvious code, for comparison with the addon. It parses
 * every line anew, character by character, and keeps nothing except the database's descriptors.
 */

type PlainCode = 'invalid_json' | 'invalid_record' | 'line_too_long' | 'metric_descriptor_conflict';

export interface PlainSample {
  readonly name: string;
  /** Sorted by key. */
  readonly labels: readonly (readonly [string, string])[];
  /** Null: the time of arrival. */
  readonly ts: bigint | null;
  readonly value: number;
}

export interface PlainError {
  /** 1-based. */
  readonly line: number;
  readonly code: PlainCode;
  /** If a line has two faults, either may be reported first. */
  readonly mayAlsoBe?: PlainCode;
}

export interface PlainResult {
  readonly samples: readonly PlainSample[];
  /** All errors of a lenient request; only the first of a strict one, which then has no samples. */
  readonly errors: readonly PlainError[];
}

export interface PlainOptions {
  readonly isLenient: boolean;
  readonly maxLineBytes: number;
  /** An arriving ts is multiplied by this, then divided by the next. */
  readonly multiply: bigint;
  readonly divide: bigint;
}

/** Parts of descriptors by `metric\n part`. */
export type Descriptors = Map<string, string>;

type Json =
  | { readonly kind: 'null' | 'true' | 'false' | 'array' }
  | { readonly kind: 'number' | 'string'; readonly text: string }
  | { readonly kind: 'object'; readonly members: ReadonlyMap<string, Json> };

interface Reading {
  readonly json: Json;
  readonly depth: number;
}

class Refusal extends Error {
  readonly code: PlainCode;
  readonly mayAlsoBe: PlainCode | undefined;

  constructor(code: PlainCode, mayAlsoBe?: PlainCode) {
    super(code);
    this.code = code;
    this.mayAlsoBe = mayAlsoBe;
  }
}

/** Parses a whole body. `held` changes as a committed request would change it. */
export function parsePlainly(body: Buffer, held: Descriptors, options: PlainOptions): PlainResult {
  const samples: PlainSample[] = [];
  const errors: PlainError[] = [];
  const descriptors: Descriptors = new Map(held);
  for (const [index, bytes] of linesOf(body).entries()) {
    try {
      samples.push(...parseLine(bytes, descriptors, options));
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const { code, mayAlsoBe } = error;
      const line = index + 1;
      errors.push(mayAlsoBe === undefined ? { line, code } : { line, code, mayAlsoBe });
      if (!options.isLenient) return { samples: [], errors };
    }
  }
  for (const [key, text] of descriptors) held.set(key, text);
  return { samples, errors };
}

function linesOf(body: Buffer): Buffer[] {
  const lines: Buffer[] = [];
  let start = 0;
  for (;;) {
    const end = body.indexOf(10, start);
    if (end < 0) return [...lines, body.subarray(start)];
    lines.push(body.subarray(start, end));
    start = end + 1;
  }
}

function parseLine(bytes: Buffer, held: Descriptors, options: PlainOptions): PlainSample[] {
  const size = bytes.at(-1) === 13 ? bytes.length - 1 : bytes.length;
  if (size > options.maxLineBytes) throw new Refusal('line_too_long');
  if (bytes.every((byte) => byte === 32 || byte === 9 || byte === 13)) return [];
  const { json, depth } = new Reader(textOf(bytes)).readAll();
  if (depth > 8) throw new Refusal('invalid_record');
  if (json.kind !== 'object') throw new Refusal('invalid_record');
  // JSON null is an absent value.
  const record = new Map([...json.members].filter(([, value]) => value.kind !== 'null'));
  return record.has('metric') ? telemetry(record, held, options) : legacy(record, options);
}

function textOf(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new Refusal('invalid_json', 'invalid_record');
  }
}

type Members = ReadonlyMap<string, Json>;

function telemetry(record: Members, held: Descriptors, options: PlainOptions): PlainSample[] {
  const metric = nameOf(record.get('metric'));
  const labels = labelsOfEither(record, 'labels', 'tags');
  const ts = timestampOf(record, options);
  const samples: PlainSample[] = [];
  const value = record.get('value');
  if (value !== undefined) samples.push({ name: metric, labels, ts, value: doubleOf(value) });
  for (const [key, field] of objectOf(record.get('fields'))) {
    require(key !== '');
    samples.push({ name: checkName(`${metric}.${key}`), labels, ts, value: doubleOf(field) });
  }
  require(samples.length > 0);
  for (const sample of samples) checkIdentity(sample);
  describe(record, samples, held);
  return samples;
}

function legacy(record: Members, options: PlainOptions): PlainSample[] {
  const name = nameOf(record.get('series'));
  const labels = labelsOfEither(record, 'tags', 'labels');
  const ts = timestampOf(record, options);
  const fields = [...objectOf(record.get('fields')).values()];
  const value = record.get('value') ?? fields.find((field) => field.kind === 'number');
  const sample = { name, labels, ts, value: doubleOf(value) };
  checkIdentity(sample);
  return [sample];
}

function describe(record: Members, samples: readonly PlainSample[], held: Descriptors): void {
  const given: [string, string][] = [];
  for (const part of ['kind', 'unit', 'description']) {
    const text = record.get(part);
    if (text === undefined) continue;
    if (text.kind !== 'string') throw new Refusal('invalid_record');
    if (part === 'kind') require(text.text === 'gauge' || text.text === 'counter');
    for (const { name } of samples) given.push([`${name}\n${part}`, text.text]);
  }
  for (const [key, text] of given) {
    if ((held.get(key) ?? text) !== text) throw new Refusal('metric_descriptor_conflict');
  }
  for (const [key, text] of given) held.set(key, text);
}

function require(isSo: boolean): void {
  if (!isSo) throw new Refusal('invalid_record');
}

function nameOf(json: Json | undefined): string {
  if (json?.kind !== 'string') throw new Refusal('invalid_record');
  return checkName(json.text);
}

function checkName(name: string): string {
  const size = Buffer.byteLength(name);
  require(size >= 1 && size <= 255);
  // The control characters C0, DEL and C1.
  require(!/[\u0000-\u001f\u007f-\u009f]/.test(name));
  return name;
}

function objectOf(json: Json | undefined): Members {
  if (json === undefined) return new Map();
  if (json.kind !== 'object') throw new Refusal('invalid_record');
  return json.members;
}

function labelsOf(json: Json | undefined): [string, string][] {
  const labels: [string, string][] = [];
  for (const [key, value] of objectOf(json)) {
    checkName(key);
    if (value.kind === 'null' || (value.kind === 'string' && value.text === '')) continue;
    if (value.kind === 'string' || value.kind === 'number') labels.push([key, value.text]);
    else if (value.kind === 'true' || value.kind === 'false') labels.push([key, value.kind]);
    else throw new Refusal('invalid_record');
  }
  require(labels.length <= 64);
  return labels.sort(([one], [other]) => Buffer.compare(Buffer.from(one), Buffer.from(other)));
}

/** Either form of line accepts the other form's name. A line of both forms has both names. */
function labelsOfEither(record: Members, own: string, other: string): [string, string][] {
  const labels = labelsOf(record.get(own));
  const second = record.get(other);
  if (second === undefined || (record.has('metric') && record.has('series'))) return labels;
  if (second.kind === 'object' && second.members.size === 0) return labels;
  require(!record.has(own));
  return labelsOf(second);
}

function asciiLowerCase(text: string): string {
  return text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
}

/** `name|{"k":"v",…}`, the identity of a series. */
export function identityOf({ name, labels }: Omit<PlainSample, 'ts' | 'value'>): string {
  const texts = labels.map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`);
  return `${name}|{${texts.join(',')}}`;
}

function checkIdentity(sample: PlainSample): void {
  require(Buffer.byteLength(identityOf(sample)) <= 16 * 1024);
}

const timeNames = ['timestamp', 'time', '@timestamp', '_time', 'datetime', 'date'];

/** No random text is valid ISO 8601. */
function timestampOf(record: Members, { multiply, divide }: PlainOptions): bigint | null {
  const json = record.get('ts');
  if (json === undefined) {
    require(![...record.keys()].some((key) => timeNames.includes(asciiLowerCase(key))));
    return null;
  }
  if (json.kind !== 'number' || !/^-?\d+$/.test(json.text)) throw new Refusal('invalid_record');
  const arrived = BigInt(json.text);
  require(BigInt.asIntN(64, arrived) === arrived);
  const product = arrived * multiply;
  require(BigInt.asIntN(64, product) === product);
  const rest = ((product % divide) + divide) % divide;
  return (product - rest) / divide;
}

function doubleOf(json: Json | undefined): number {
  if (json?.kind !== 'number') throw new Refusal('invalid_record');
  const value = Number(json.text);
  require(Number.isFinite(value));
  return value;
}

/** A JSON reader after RFC 8259 that refuses lone surrogates. */
class Reader {
  private readonly text: string;
  private at = 0;
  private depth = 0;

  constructor(text: string) {
    this.text = text;
  }

  readAll(): Reading {
    const json = this.value(0);
    this.space();
    if (this.at < this.text.length) this.fail();
    return { json, depth: this.depth };
  }

  private fail(): never {
    throw new Refusal('invalid_json', this.depth > 8 ? 'invalid_record' : undefined);
  }

  private space(): void {
    while (' \t\r'.includes(this.text[this.at] ?? 'x')) this.at++;
  }

  private takes(token: string): boolean {
    if (!this.text.startsWith(token, this.at)) return false;
    this.at += token.length;
    return true;
  }

  private value(depth: number): Json {
    this.space();
    if (this.takes('null')) return { kind: 'null' };
    if (this.takes('true')) return { kind: 'true' };
    if (this.takes('false')) return { kind: 'false' };
    if (this.takes('{')) return this.object(depth + 1);
    if (this.takes('[')) return this.array(depth + 1);
    if (this.takes('"')) return { kind: 'string', text: this.restOfString() };
    const number = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?/.exec(
      this.text.slice(this.at),
    );
    if (number === null) return this.fail();
    this.at += number[0].length;
    return { kind: 'number', text: number[0] };
  }

  private object(depth: number): Json {
    this.depth = Math.max(this.depth, depth);
    const members = new Map<string, Json>();
    this.space();
    if (this.takes('}')) return { kind: 'object', members };
    for (;;) {
      this.space();
      if (!this.takes('"')) this.fail();
      const key = this.restOfString();
      this.space();
      if (!this.takes(':')) this.fail();
      const value = this.value(depth);
      // Deleted first, so that of equal keys the last one also has its own position.
      members.delete(key);
      members.set(key, value);
      this.space();
      if (this.takes('}')) return { kind: 'object', members };
      if (!this.takes(',')) this.fail();
    }
  }

  private array(depth: number): Json {
    this.depth = Math.max(this.depth, depth);
    this.space();
    if (this.takes(']')) return { kind: 'array' };
    for (;;) {
      this.value(depth);
      this.space();
      if (this.takes(']')) return { kind: 'array' };
      if (!this.takes(',')) this.fail();
    }
  }

  private restOfString(): string {
    let content = '';
    for (;;) {
      const unit = this.text[this.at++];
      if (unit === undefined || unit < ' ') return this.fail();
      if (unit === '"') break;
      content += unit === '\\' ? this.escape() : unit;
    }
    // With the flag u, only a lone surrogate matches.
    return /\p{Surrogate}/u.test(content) ? this.fail() : content;
  }

  private escape(): string {
    const letter = this.text[this.at++] ?? '';
    if (letter === 'u') {
      const digits = this.text.slice(this.at, this.at + 4);
      if (!/^[0-9a-fA-F]{4}$/.test(digits)) this.fail();
      this.at += 4;
      return String.fromCharCode(parseInt(digits, 16));
    }
    const place = '"\\/bfnrt'.indexOf(letter);
    if (letter === '' || place < 0) this.fail();
    return '"\\/\b\f\n\r\t'.charAt(place);
  }
}
