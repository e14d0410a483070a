/** OTLP answers (opentelemetry-proto 1.x) in protobuf. The engine parses requests. */

import { createRequire } from 'node:module';

import type protobuf from 'protobufjs/light.js';

interface OtlpMessages {
  readonly exportResponse: protobuf.Type;
  readonly rpcStatus: protobuf.Type;
}

let made: OtlpMessages | null = null;

/** Created at first use, since loading the encoder takes a tenth of the startup. */
export function otlpMessages(): OtlpMessages {
  made ??= makeMessages();
  return made;
}

function makeMessages(): OtlpMessages {
  const { Root } = createRequire(import.meta.url)('protobufjs/light.js') as typeof protobuf;
  const root = Root.fromJSON({
    nested: {
      PartialSuccess: {
        fields: {
          rejectedDataPoints: { type: 'int64', id: 1 },
          errorMessage: { type: 'string', id: 2 },
        },
      },
      ExportResponse: { fields: { partialSuccess: { type: 'PartialSuccess', id: 1 } } },
      Status: { fields: { code: { type: 'int32', id: 1 }, message: { type: 'string', id: 2 } } },
    },
  });
  return {
    exportResponse: root.lookupType('ExportResponse'),
    rpcStatus: root.lookupType('Status'),
  };
}
