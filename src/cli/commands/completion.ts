/**
 * `seriesdb completion`: prints a shell's completion script. It is generated from the commands
 * themselves, so that it is complete.
 */

import { Argument, type Command, type Option } from 'commander';

import { settingWords } from '../session/setting-flags.js';

import type { Session } from '../session/command.js';

/** A command and its parents as typed: `seriesdb snapshot create`. */
interface CommandPlace {
  readonly path: string;
  readonly commands: readonly { readonly name: string; readonly about: string }[];
  readonly flags: readonly Flag[];
}

interface Flag {
  /** As typed: `-q`, `--quiet`. */
  readonly names: readonly string[];
  readonly about: string;
  readonly takesValue: boolean;
  /** The valid values; empty: any text, usually a file. */
  readonly choices: readonly string[];
}

const writers: Readonly<Record<string, (places: readonly CommandPlace[]) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
};

export function addCompletion(program: Command, { terminal }: Session): void {
  program
    .command('completion')
    .description('print a completion script for a shell')
    .addArgument(new Argument('<shell>', 'which shell').choices(Object.keys(writers)))
    .addHelpText(
      'after',
      '\nbash: source <(seriesdb completion bash)             in ~/.bashrc' +
        '\nzsh:  seriesdb completion zsh > ~/.zfunc/_seriesdb   with ~/.zfunc in fpath' +
        '\nfish: seriesdb completion fish > ~/.config/fish/completions/seriesdb.fish',
    )
    .action((shell: string) => {
      terminal.write(writers[shell]?.(placesOf(program, program.name())) ?? '');
    });
}

/** The command and all its subcommands. */
function placesOf(command: Command, path: string): readonly CommandPlace[] {
  const help = command.createHelp();
  const commands = help.visibleCommands(command);
  const own: CommandPlace = {
    path,
    commands: commands.map((one) => ({ name: one.name(), about: one.description() })),
    flags: help.visibleOptions(command).map(flagOf),
  };
  const below = commands
    .filter((one) => one.name() !== 'help')
    .flatMap((one) => placesOf(one, `${path} ${one.name()}`));
  return [own, ...below];
}

function flagOf(option: Option): Flag {
  const { short, long, description, required, optional, argChoices } = option;
  const names = [short, long].filter((name) => name !== undefined);
  const choices = argChoices ?? settingWords.get(option) ?? [];
  return { names, about: description, takesValue: required || optional, choices };
}

/** Single quotes are valid in every shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

function namesOf({ flags }: CommandPlace): readonly string[] {
  return flags.flatMap(({ names }) => names);
}

/** `case` patterns of the flags that take a value, with their values. */
function valueCases(
  places: readonly CommandPlace[],
  show: (choices: readonly string[]) => string,
): string {
  const cases = places.flatMap(({ path, flags }) =>
    flags
      .filter(({ takesValue }) => takesValue)
      .map(({ names, choices }) => {
        const patterns = names.map((name) => quoted(`${path} ${name}`)).join(' | ');
        return `    ${patterns}) ${show(choices)}; return ;;`;
      }),
  );
  return cases.join('\n');
}

/** A `case` that finds the command of the typed words. */
function walkCase(places: readonly CommandPlace[]): string {
  const [, ...below] = places;
  return below.map(({ path }) => quoted(path)).join(' | ');
}

function bashScript(places: readonly CommandPlace[]): string {
  const words = places.map((place) => {
    const all = [...place.commands.map(({ name }) => name), ...namesOf(place)].join(' ');
    return `    ${quoted(place.path)}) words=${quoted(all)} ;;`;
  });
  const show = (choices: readonly string[]): string =>
    choices.length === 0 ? ':' : `COMPREPLY=($(compgen -W ${quoted(choices.join(' '))} -- "$cur"))`;
  return `# Made by "seriesdb completion bash".
_seriesdb() {
  local at=seriesdb words= i
  local cur=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD - 1]}
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$at \${COMP_WORDS[i]}" in
    ${walkCase(places)}) at="$at \${COMP_WORDS[i]}" ;;
    esac
  done
  case "$at $before" in
${valueCases(places, show)}
  esac
  case "$at" in
${words.join('\n')}
  esac
  # Files come by themselves where no word fits.
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -o default -F _seriesdb seriesdb
`;
}

function zshScript(places: readonly CommandPlace[]): string {
  const described = (name: string, about: string): string =>
    quoted(`${name.replaceAll(':', '\\:')}:${about.replaceAll(':', '\\:')}`);
  const lists = places.map(({ path, commands, flags }) => {
    const all = [
      ...commands.map(({ name, about }) => described(name, about)),
      ...flags.flatMap(({ names, about }) => names.map((name) => described(name, about))),
    ];
    return `    ${quoted(path)}) known=(${all.join(' ')}) ;;`;
  });
  const show = (choices: readonly string[]): string =>
    choices.length === 0 ? '_files' : `compadd -- ${choices.map(quoted).join(' ')}`;
  return `#compdef seriesdb
# Made by "seriesdb completion zsh".
_seriesdb() {
  local at=seriesdb word
  local -a known
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "$at $word" in
    ${walkCase(places)}) at="$at $word" ;;
    esac
  done
  case "$at \${words[CURRENT-1]}" in
${valueCases(places, show)}
  esac
  case "$at" in
${lists.join('\n')}
  esac
  _describe 'seriesdb' known || _files
}
compdef _seriesdb seriesdb
`;
}

function fishScript(places: readonly CommandPlace[]): string {
  const lines = places.flatMap(({ path, commands, flags }) => {
    const when = `complete -c seriesdb -n ${quoted(`__seriesdb_at ${quoted(path)}`)}`;
    return [
      ...commands.map(({ name, about }) => `${when} -f -a ${quoted(name)} -d ${quoted(about)}`),
      ...flags.map(({ names, about, takesValue, choices }) => {
        const typed = names.map((name) =>
          name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`,
        );
        const value = choices.length > 0 ? ` -x -a ${quoted(choices.join(' '))}` : ' -r';
        return `${when} ${typed.join(' ')}${takesValue ? value : ''} -d ${quoted(about)}`;
      }),
    ];
  });
  const [, ...below] = places;
  return `# Made by "seriesdb completion fish".
function __seriesdb_at
  set -l at seriesdb
  for word in (commandline -opc)[2..]
    if contains -- "$at $word" ${below.map(({ path }) => quoted(path)).join(' ')}
      set at "$at $word"
    end
  end
  test "$at" = $argv[1]
end
${lines.join('\n')}
`;
}
