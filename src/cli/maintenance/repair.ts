/** `seriesdb repair`: repairs a database as far as its files allow. */

import path from 'node:path';

import { parse } from 'lossless-json';

import {
  isTimestampUnit,
  timestampUnits,
  type TimestampUnit,
} from '../../common/model/timestamp-unit.js';
import { textFlag, type Flags } from '../session/client-context.js';
import { CommandFailure, exitCodes, UsageFailure } from '../session/failure.js';
import { Meter } from '../session/meter.js';
import { shown } from '../session/table.js';

import { adminOrder, placeOf, type MaintenanceContext } from '../session/maintenance-context.js';
import { linesOf, readPieces } from '../session/directories.js';
import { printMembers, withoutKind } from './inspect.js';

type RepairLine = Readonly<Record<string, unknown>>;

/** Resolves with the exit code: 3 if a fault is left for --accept-loss or because of snapshots. */
export async function repair(
  context: MaintenanceContext,
  directory: string | undefined,
): Promise<number> {
  const report = new RepairReport(context);
  try {
    for await (const text of linesOf(piecesOf(context, directory))) report.take(text);
  } finally {
    report.stop();
  }
  return report.finish();
}

async function* piecesOf(
  context: MaintenanceContext,
  directory: string | undefined,
): AsyncGenerator<Uint8Array> {
  const { flags } = context;
  const isDry = flags['dryRun'] === true;
  const isLossAccepted = flags['acceptLoss'] === true;
  const unit = unitOf(flags);
  const place = await placeOf(context, directory);
  if ('server' in place) {
    const query = `?accept_loss=${String(isLossAccepted)}&dry_run=${String(isDry)}`;
    yield* adminOrder(context, { ...place, path: `/__admin/repair${query}` }).pieces();
    return;
  }
  const request = { directory: path.resolve(place.directory), isDry, isLossAccepted, unit };
  yield* readPieces(context.directories.openRepair(request), context.signal);
}

function unitOf(flags: Flags): TimestampUnit | null {
  const text = textFlag(flags, 'timestampUnit');
  if (text === undefined) return null;
  if (isTimestampUnit(text)) return text;
  throw new UsageFailure(`--timestamp-unit is one of ${timestampUnits.join(', ')}`);
}

/** The outcome of a fault, printed before its action. */
const verdicts: Readonly<Record<string, string>> = {
  mended: 'mended',
  planned: 'would be mended',
  left: 'left, because its repair loses data: use --accept-loss',
  waits: 'waits for the other repairs',
  hopeless: 'cannot be mended',
};

const heldVerdict = 'left, and --accept-loss does not help';

class RepairReport {
  readonly #context: MaintenanceContext;
  readonly #isLossAccepted: boolean;
  readonly #told: string[] = [];
  #meter: Meter | null = null;
  #bytes = 0;
  #files = 0;
  #end: RepairLine | null = null;

  constructor(context: MaintenanceContext) {
    this.#context = context;
    this.#isLossAccepted = context.flags['acceptLoss'] === true;
  }

  take(text: string): void {
    const line = parse(text) as RepairLine;
    const { terminal, isJson } = this.#context;
    if (isJson) terminal.write(`${text}\n`);
    if (line['kind'] === 'plan') {
      const total = Number(line['bytes']);
      const screen = terminal.screen();
      this.#meter = new Meter({ screen, title: 'repair', total, unit: 'files' });
    } else if (line['kind'] === 'progress') {
      this.#bytes += Number(line['bytes']);
      this.#files += 1;
      this.#meter?.show(this.#bytes, this.#files);
    } else if (line['kind'] === 'fault') {
      this.#told.push(faultText(line, this.#isLossAccepted));
    } else {
      this.#end = line;
    }
  }

  stop(): void {
    this.#meter?.stop();
  }

  finish(): number {
    const end = this.#end;
    const { terminal, isJson } = this.#context;
    if (end === null) throw new CommandFailure('the repair ended before it was done');
    if (!isJson) terminal.write(this.#told.join(''));
    if (end['status'] === 'failed') throw new CommandFailure(String(end['error']));
    if (!isJson) terminal.write(printMembers(withoutKind(end)));
    return end['status'] === 'ok' ? exitCodes.ok : exitCodes.damaged;
  }
}

/** Two lines and, in case of loss, a third. */
function faultText(line: RepairLine, isLossAccepted: boolean): string {
  const { file, status, problem, action } = line;
  const isHeld = status === 'held' || (status === 'left' && isLossAccepted);
  const verdict = isHeld ? heldVerdict : (verdicts[String(status)] ?? String(status));
  const head = `${shown(String(file))}: ${shown(String(problem))}\n`;
  const lost = lossText(line);
  return `${head}  ${verdict}: ${shown(String(action))}\n${lost === '' ? '' : `  ${lost}\n`}`;
}

function lossText(line: RepairLine): string {
  if (line['lost_samples'] === undefined) return '';
  const samples = Number(line['lost_samples']);
  if (!('from_sequence' in line)) {
    const times = `from ${String(line['start'])} to ${String(line['end'])}`;
    return `lost: ${String(samples)} samples of ${String(line['lost_series'])} series, ${times}`;
  }
  const records = `${String(line['lost_records'])} records, ${String(line['lost_bytes'])} bytes`;
  const from = `from sequence ${String(Number(line['from_sequence']))} on`;
  return `lost: ${from}; still readable: ${records}, ${String(samples)} samples`;
}
