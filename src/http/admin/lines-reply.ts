/** Streamed reports of long tasks: JSON lines, one per file or per second. */

import { toAppError } from '../../common/errors/app-error.js';
import * as json from '../fields/json-schema.js';

import type { Reply } from '../route/reply.js';
import type { Request } from '../route/request.js';
import type { RouteAnswer } from '../route/route.js';
import type { LinePieces } from '../../operations/maintenance.js';

const kLines = 'application/x-ndjson';

const reportLine = json.named('ReportLine', {
  ...json.object({
    kind: json.said(json.text, 'Kind of the line; the other members depend on it.'),
  }),
  additionalProperties: true,
});

/** `purpose` describes the lines. */
export function linesAnswer(purpose: string, schema = reportLine): RouteAnswer {
  return { purpose, mediaType: kLines, schema };
}

export function exampleLines(...lines: readonly object[]): string {
  return lines.map((one) => `${JSON.stringify(one)}\n`).join('');
}

/** Starts the answer at once and streams progress lines. */
export function linesReply(request: Request, body: LinePieces): Reply {
  // A file may be long. If the client is gone, the work ends at once, not after the file.
  request.onAbandoned(() => {
    body.close();
  });
  return { status: 200, contentType: kLines, body: withLastWord(body) };
}

/** If the task fails after its first line, a last line reports the error. */
function withLastWord(body: LinePieces): LinePieces {
  let isBegun = false;
  let isFailed = false;
  return {
    next: async () => {
      if (isFailed) return null;
      try {
        const piece = await body.next();
        isBegun = true;
        return piece;
      } catch (error) {
        if (!isBegun) throw error;
        isFailed = true;
        const { code, message } = toAppError(error);
        const line = { kind: 'end', status: 'failed', code, error: message };
        return Buffer.from(`${JSON.stringify(line)}\n`);
      }
    },
    close: () => {
      body.close();
    },
  };
}
