/** `seriesdb token`: entries of a token file, which a server reads as `tokens_file`. */

import { appendFileSync } from 'node:fs';

import { InvalidArgumentError, Option, type Command } from 'commander';

import {
  adminIsOfAll,
  appendix,
  isTokenName,
  newSecret,
  printEntry,
  readBoundLabels,
  readScopes,
  tokenNameForm,
  tokensFromFile,
} from '../../http/auth/token-file.js';
import { digestOf, tokenScopes, type TokenEntry, type TokenScope } from '../../http/auth/token.js';
import { needOption } from '../session/arguments.js';
import { printJson, textFlag, type Flags } from '../session/client-context.js';
import { CommandFailure, exitCodes, UsageFailure } from '../session/failure.js';
import { writeReasonOf } from '../session/file-reason.js';
import { runCommand } from '../session/run-command.js';
import { printTable } from '../session/table.js';

import type { LabelPairs } from '../../common/model/selector.js';
import type { Session } from '../session/command.js';
import type { Terminal } from '../session/terminal.js';

const kExitCodes = '\nExit codes: 0 done, 1 failed, 2 wrong usage.';

export function addToken(program: Command, session: Session): void {
  const group = program
    .command('token')
    .description('make and list named tokens; a server stores only their hashes')
    .exitOverride();
  const scope = new Option('--scope <scopes>', `some of ${tokenScopes.join(',')}`);
  const make = needOption(
    group.command('new').description('make a token; its secret is printed once and stored nowhere'),
    scope.argParser(readScopeFlag),
  )
    .argument('<name>', 'name of the token, shown in the server’s log', readNameArgument)
    .option('--label <key=value>', 'bind the token to this label; repeatable', readLabelFlag)
    .option('--into <file>', 'append the entry to this file instead of printing it')
    .addHelpText(
      'after',
      `\nA running server accepts the token after its next reload.${kExitCodes}`,
    );
  finish(make, session, (terminal, flags, name) => {
    const secret = newSecret();
    // The flag is required, and its parser returns scopes.
    const scopes = flags['scope'] as readonly TokenScope[];
    const labels = flags['label'] as LabelPairs | undefined;
    if (labels !== undefined && scopes.includes('admin')) throw new UsageFailure(adminIsOfAll);
    const entry = {
      name,
      scopes,
      digest: digestOf(secret),
      ...(labels === undefined ? {} : { labels }),
    };
    tell(terminal, { secret, entry, file: textFlag(flags, 'into') });
  });
  const list = group
    .command('list')
    .description('list names and scopes in a token file')
    .argument('<file>', 'tokens_file of a server')
    .option('--json', 'print a JSON array instead of a table')
    .addHelpText('after', kExitCodes);
  finish(list, session, (terminal, flags, file) => {
    showTokens(terminal, tokensFromFile(file), { isJson: flags['json'] === true });
  });
}

type TokenBody = (terminal: Terminal, flags: Flags, word: string) => void;

function finish(command: Command, { terminal, ended }: Session, body: TokenBody): void {
  command.exitOverride().action(async (word: string, flags: Flags) => {
    const code = await runCommand(terminal, () => {
      body(terminal, flags, word);
      return Promise.resolve(exitCodes.ok);
    });
    ended(code);
  });
}

function readNameArgument(text: string): string {
  if (isTokenName(text)) return text;
  throw new InvalidArgumentError(`It must be ${tokenNameForm}.`);
}

function readScopeFlag(text: string): readonly TokenScope[] {
  const scopes = readScopes(text.split(','));
  if (scopes !== null) return scopes;
  throw new InvalidArgumentError(`It must be some of ${tokenScopes.join(', ')}, with commas.`);
}

/** Appends one label. */
function readLabelFlag(text: string, before: LabelPairs = []): LabelPairs {
  const [key = '', value] = text.split(/=(.*)/s);
  const labels = readBoundLabels({ ...Object.fromEntries(before), [key]: value });
  if (labels !== undefined && labels.length > before.length) return labels;
  throw new InvalidArgumentError('It must be a label as tenant=a, each once, at most 8.');
}

interface MadeToken {
  readonly secret: string;
  readonly entry: TokenEntry;
  readonly file: string | undefined;
}

/** The secret has its own line, so that a script can read it. */
function tell(terminal: Terminal, { secret, entry, file }: MadeToken): void {
  if (file === undefined) {
    terminal.write(`${secret}\n\n${printEntry(entry)}`);
    return;
  }
  const text = appendix(file, entry);
  try {
    appendFileSync(file, text, { mode: 0o600 });
  } catch (error) {
    throw new CommandFailure(`cannot write ${file}: ${writeReasonOf(error)}`);
  }
  terminal.write(`${secret}\n`);
  terminal.note(`${entry.name} is in ${file}; a running server takes it with the next reload\n`);
}

function showTokens(
  terminal: Terminal,
  entries: readonly TokenEntry[],
  { isJson }: { readonly isJson: boolean },
): void {
  if (isJson) {
    const shown = entries.map(({ name, scopes, labels }) => ({
      ...{ name, scopes },
      ...(labels === undefined ? {} : { labels: Object.fromEntries(labels) }),
    }));
    terminal.write(printJson(shown));
    return;
  }
  const isBound = entries.some(({ labels }) => labels !== undefined);
  const columns = ['name', 'scopes', ...(isBound ? ['labels'] : [])].map((name) => ({ name }));
  const rows = entries.map(({ name, scopes, labels = [] }) => {
    const bound = labels.map(([key, value]) => `${key}=${value}`);
    return [name, scopes.join(', '), bound.join(', ')].slice(0, isBound ? 3 : 2);
  });
  if (rows.length === 0) terminal.writeError('nothing found\n');
  else terminal.write(printTable(columns, rows, { width: terminal.width() }));
}
