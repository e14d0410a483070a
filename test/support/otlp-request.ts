/** Requests of OTLP (opentelemetry-proto 1.x) in protobuf, encoded by protobufjs. */
import protobuf from 'protobufjs/light.js';

/** A field: `repeated` if there may be several, its type, and its number. */
type Fields = Readonly<Record<string, string>>;

interface Message {
  readonly fields: Fields;
  /** Fields of a oneof. */
  readonly oneOf?: readonly string[];
}

const anyValue = {
  stringValue: 'string 1',
  boolValue: 'bool 2',
  intValue: 'int64 3',
  doubleValue: 'double 4',
  arrayValue: 'ArrayValue 5',
  kvlistValue: 'KeyValueList 6',
  bytesValue: 'bytes 7',
};
const number = { asDouble: 'double 4', asInt: 'sfixed64 6' };
const data = {
  gauge: 'Points 5',
  sum: 'Points 7',
  histogram: 'HistogramPoints 9',
  exponentialHistogram: 'ExponentialPoints 10',
  summary: 'SummaryPoints 11',
};
const counted = { timeUnixNano: 'fixed64 3', count: 'fixed64 4', sum: 'double 5' };

const messages: Readonly<Record<string, Message>> = {
  AnyValue: { fields: anyValue, oneOf: Object.keys(anyValue) },
  ArrayValue: { fields: { values: 'repeated AnyValue 1' } },
  KeyValueList: { fields: { values: 'repeated KeyValue 1' } },
  KeyValue: { fields: { key: 'string 1', value: 'AnyValue 2' } },
  Attributes: { fields: { attributes: 'repeated KeyValue 1' } },
  Scope: { fields: { name: 'string 1', version: 'string 2', attributes: 'repeated KeyValue 3' } },
  Exemplar: { fields: {} },
  NumberPoint: {
    fields: {
      timeUnixNano: 'fixed64 3',
      exemplars: 'repeated Exemplar 5',
      attributes: 'repeated KeyValue 7',
      flags: 'uint32 8',
      ...number,
    },
    oneOf: Object.keys(number),
  },
  HistogramPoint: {
    fields: {
      ...counted,
      bucketCounts: 'repeated fixed64 6',
      explicitBounds: 'repeated double 7',
      exemplars: 'repeated Exemplar 8',
      attributes: 'repeated KeyValue 9',
      flags: 'uint32 10',
    },
  },
  ExponentialPoint: {
    fields: {
      ...counted,
      attributes: 'repeated KeyValue 1',
      flags: 'uint32 10',
      exemplars: 'repeated Exemplar 11',
    },
  },
  Quantile: { fields: { quantile: 'double 1', value: 'double 2' } },
  SummaryPoint: {
    fields: {
      ...counted,
      quantileValues: 'repeated Quantile 6',
      attributes: 'repeated KeyValue 7',
      flags: 'uint32 8',
    },
  },
  Points: {
    fields: {
      dataPoints: 'repeated NumberPoint 1',
      aggregationTemporality: 'Temporality 2',
      isMonotonic: 'bool 3',
    },
  },
  HistogramPoints: {
    fields: {
      dataPoints: 'repeated HistogramPoint 1',
      aggregationTemporality: 'Temporality 2',
    },
  },
  ExponentialPoints: {
    fields: {
      dataPoints: 'repeated ExponentialPoint 1',
      aggregationTemporality: 'Temporality 2',
    },
  },
  SummaryPoints: { fields: { dataPoints: 'repeated SummaryPoint 1' } },
  Metric: {
    fields: { name: 'string 1', description: 'string 2', unit: 'string 3', ...data },
    oneOf: Object.keys(data),
  },
  ScopeMetrics: { fields: { scope: 'Scope 1', metrics: 'repeated Metric 2' } },
  ResourceMetrics: {
    fields: { resource: 'Attributes 1', scopeMetrics: 'repeated ScopeMetrics 2' },
  },
  ExportRequest: { fields: { resourceMetrics: 'repeated ResourceMetrics 1' } },
};

const temporality = {
  values: {
    AGGREGATION_TEMPORALITY_UNSPECIFIED: 0,
    AGGREGATION_TEMPORALITY_DELTA: 1,
    AGGREGATION_TEMPORALITY_CUMULATIVE: 2,
  },
};

const requestType = protobuf.Root.fromJSON({
  nested: {
    Temporality: temporality,
    ...Object.fromEntries(Object.entries(messages).map(([name, one]) => [name, typeOf(one)])),
  },
}).lookupType('ExportRequest');

/** Encodes a request given as JSON, with numbers for enums. */
export function encodedRequest(request: object): Uint8Array {
  return requestType.encode(requestType.fromObject(request)).finish();
}

function typeOf({ fields, oneOf }: Message): protobuf.IType {
  const read = Object.entries(fields).map(([name, text]) => [name, fieldOf(text)] as const);
  return {
    fields: Object.fromEntries(read),
    ...(oneOf === undefined ? {} : { oneofs: { one: { oneof: [...oneOf] } } }),
  };
}

function fieldOf(text: string): protobuf.IField {
  const [id = '', type = '', rule] = text.split(' ').reverse();
  return { id: Number(id), type, ...(rule === undefined ? {} : { rule }) };
}
