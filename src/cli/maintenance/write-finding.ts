/** The findings of a test, as lines for people or for programs. */

import { printJson } from '../session/client-context.js';

import type { NamedFinding } from '../../common/model/finding.js';
import type { Terminal } from '../session/terminal.js';

const kVerdictWidth = 8;
const kNameWidth = 10;

export function writeFinding(terminal: Terminal, finding: NamedFinding, isJson: boolean): void {
  const { test, verdict, text, figures } = finding;
  terminal.write(
    isJson
      ? printJson({ test, verdict, text, ...figures })
      : `${verdict.padEnd(kVerdictWidth)} ${test.padEnd(kNameWidth)} ${text}\n`,
  );
}
