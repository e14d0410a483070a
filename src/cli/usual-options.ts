/** Advice for options and commands that other programs have, and seriesdb names differently. */

import type { Command } from 'commander';

/** Names of options that mean an address. */
const addresses = ['--port', '-p', '--host', '--bind', '--bind-address', '--address', '--addr'];
/** Names of options that mean the data directory. */
const directories = ['--data', '--datadir', '--dir', '--directory', '--db', '--path', '-d'];
const servers = ['--server', '--endpoint', '--http', '--uri'];
const starts = ['--from', '--since'];
const ends = ['--to', '--until'];

/** A port alone needs the address of the machine. */
const kAddress = '127.0.0.1:8080';

/**
 * A sentence that names the command's own option for `unknown`; null if no option is known to mean
 * the same. `value` is the word after the unknown option.
 */
export function usualOption(
  command: Command,
  unknown: string,
  value: string | undefined,
): string | null {
  const has = (long: string): boolean => command.options.some((option) => option.long === long);
  if ([...addresses, ...servers].includes(unknown)) {
    if (has('--listen')) return `Use --listen HOST:PORT, such as --listen ${listened(value)}`;
    if (has('--url')) return `Use --url, such as --url http://${listened(value)}`;
  }
  if (directories.includes(unknown)) {
    if (has('--data-dir')) return 'Use --data-dir DIR';
    const isArgument = command.registeredArguments.some((one) => one.name() === 'dir');
    if (isArgument) return 'The data directory is an argument, without an option';
    if (has('--into') && has('--url'))
      return 'Use --into DIR for a data directory, --url for a server';
  }
  if (starts.includes(unknown) && has('--start')) return 'Use --start TIME';
  if (ends.includes(unknown) && has('--end')) return 'Use --end TIME';
  return null;
}

const kDelete = "Delete with a statement: seriesdb query 'delete from METRIC where …'";

/** Commands of other programs. A similar name, such as undelete, may do the opposite. */
const commandAdvice: Readonly<Record<string, string>> = {
  ...{ delete: kDelete, drop: kDelete, rm: kDelete },
  ...{ start: 'Use seriesdb serve', server: 'Use seriesdb serve', run: 'Use seriesdb serve' },
  ...{ load: 'Use seriesdb ingest', write: 'Use seriesdb ingest' },
  ...{ select: 'Use seriesdb query', sql: 'Use seriesdb query', dump: 'Use seriesdb export' },
};

/** A sentence that names the command for an unknown one; null if none is known to mean the same. */
export function usualCommand(unknown: string): string | null {
  return Object.hasOwn(commandAdvice, unknown) ? (commandAdvice[unknown] ?? null) : null;
}

/** The address that a port or a host stands for. */
function listened(value: string | undefined): string {
  if (value === undefined) return kAddress;
  if (/^[\da-f]*:[\da-f]*:[\da-f:]*$/i.test(value)) return `[${value}]:8080`;
  if (!/^\w[\w.-]*(:\d+)?$/.test(value)) return kAddress;
  if (/^\d+$/.test(value)) return `127.0.0.1:${value}`;
  return value.includes(':') ? value : `${value}:8080`;
}
