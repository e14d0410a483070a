/**
 * The command line: separate streams, input, signals, an environment. A child process costs half a
 * second of a core, so a command that needs none runs in the process of the test.
 */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { Readable } from 'node:stream';

import { visible } from '../../src/common/model/visible-text.js';
import { runAt } from '../../src/compose.js';
import { programFile } from './program.js';

import type { Terminal } from '../../src/cli/session/terminal.js';

export interface CliOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** The working directory; this process's if left out. */
  readonly folder?: string;
  readonly input?: string | Uint8Array;
}

export interface CliResult {
  /** Null if a signal ended it. */
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export interface RunningCli {
  readonly child: ChildProcess;
  readonly result: Promise<CliResult>;
}

/** Runs it with its output into a file, such as /dev/full. */
export function runIntoFile(args: readonly string[], file: string): Omit<CliResult, 'out'> {
  const output = openSync(file, 'w');
  const stdio = ['ignore', output, 'pipe'] as const;
  const { status, stderr } = spawnSync(process.execPath, [programFile, ...args], {
    stdio: [...stdio],
  });
  closeSync(output);
  return { code: status, err: stderr.toString('utf8') };
}

/** No variable of the test's own environment is a setting or a profile of the command. */
function environmentOf({ env }: CliOptions): Readonly<Record<string, string | undefined>> {
  const inherited = Object.entries(process.env).filter(([name]) => !/^(SERIESDB|SDB)_/.test(name));
  return { ...Object.fromEntries(inherited), XDG_CONFIG_HOME: '/nowhere', ...env };
}

/** Starts it as a child process. Its input is closed unless the caller writes to `child.stdin`. */
export function startCli(args: readonly string[], options: CliOptions = {}): RunningCli {
  const child = spawn(process.execPath, [programFile, ...args], {
    stdio: ['pipe', 'pipe', 'pipe'],
    cwd: options.folder,
    env: environmentOf(options),
  });
  let out = '';
  let err = '';
  // Decoded as a stream: a character may be cut between two chunks.
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text));
  // A command that fails early closes its input before all was written.
  child.stdin.on('error', () => undefined);
  const result = new Promise<CliResult>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => {
      resolve({ code, out, err });
    });
  });
  return { child, result };
}

/** Runs the bundled program to its end. */
export async function runProcess(
  args: readonly string[],
  options: CliOptions = {},
): Promise<CliResult> {
  const { child, result } = startCli(args, options);
  child.stdin?.end(options.input);
  return result;
}

/** `serve` takes the signals of its process; a folder and PATH belong to a process. */
const needsProcess = ([command]: readonly string[], { folder, env }: CliOptions): boolean =>
  command === 'serve' || folder !== undefined || env?.['PATH'] !== undefined;

/** A pipe brings its bytes in pieces; these end within lines. */
function* piecesOf(bytes: Buffer): Generator<Buffer> {
  const size = 10_007;
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

/** Runs a command to its end, in this process where that makes no difference. */
export async function runCli(
  args: readonly string[],
  options: CliOptions = {},
): Promise<CliResult> {
  if (needsProcess(args, options)) return runProcess(args, options);
  let out = '';
  let err = '';
  const writeError = (text: string): void => {
    err += visible(text, '\n\t');
  };
  const terminal: Terminal = {
    environment: environmentOf(options),
    write: (text) => {
      out += text;
    },
    drained: () => Promise.resolve(),
    ...{ writeError, complain: writeError },
    paint: (text) => text,
    note: () => undefined,
    clearLine: () => undefined,
    width: () => null,
    clearScreen: () => false,
    standardInput: () => Readable.from(piecesOf(Buffer.from(options.input ?? ''))),
    screen: () => null,
    onInterrupt: () => () => undefined,
  };
  const code = await runAt(terminal, args);
  return { code, out, err };
}

/** The output at a terminal, both streams. `script` of util-linux opens the terminal. */
export async function runAtTerminal(args: readonly string[], columns = 0): Promise<string> {
  const child = spawn('script', ['-qec', sized(args, columns), '/dev/null'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const pieces: Buffer[] = [];
  for await (const piece of child.stdout) pieces.push(piece as Buffer);
  return Buffer.concat(pieces).toString('utf8');
}

/** A terminal of unknown width reports 0. */
const sized = (args: readonly string[], columns: number): string =>
  `stty cols ${String(columns)}; exec ${commandOf(args)}`;

const commandOf = (args: readonly string[]): string =>
  [process.execPath, programFile, ...args]
    .map((one) => `'${one.replaceAll("'", String.raw`'\''`)}'`)
    .join(' ');

export interface TerminalSession {
  readonly type: (keys: string) => void;
  /** Resolves with all that came since the last call, once the pattern is in it. */
  readonly seen: (pattern: RegExp) => Promise<string>;
  /** Resolves with the exit code. */
  readonly ended: Promise<number | null>;
  readonly kill: () => void;
}

const kSeenMs = 20_000;

/** The same with keyboard input: keys as bytes, Ctrl-C as \u0003; `columns` wide. */
export function openTerminal(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): TerminalSession {
  const command = sized(args, Number(env['COLUMNS'] ?? 0));
  const child = spawn('script', ['-qec', command, '/dev/null'], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, TERM: 'xterm', ...env },
  });
  let all = '';
  let look = (): void => undefined;
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    all += text;
    look();
  });
  child.stdin.on('error', () => undefined);
  const seen = (pattern: RegExp): Promise<string> =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        reject(new Error(`no ${String(pattern)} came, but ${JSON.stringify(all.slice(-1000))}`));
      }, kSeenMs);
      look = (): void => {
        if (!pattern.test(all)) return;
        clearTimeout(timer);
        look = () => undefined;
        resolve(all);
        all = '';
      };
      look();
    });
  return {
    type: (keys) => child.stdin.write(keys),
    seen,
    ended: new Promise((resolve) => child.on('close', resolve)),
    kill: () => child.kill('SIGKILL'),
  };
}
