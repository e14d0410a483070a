// What the single executable runs: Node.js has this file inside, and the program's files as one
// asset. They are unpacked once, since addons, threads and the page need files, into a folder that
// only this user can write into. Uses only Node's own modules.
'use strict';

const fs = require('node:fs');
const { createRequire } = require('node:module');
const os = require('node:os');
const path = require('node:path');
const { getAsset, getRawAsset } = require('node:sea');
const { gunzipSync } = require('node:zlib');

const program = 'dist/bin/seriesdb.js';

/** True if the folder exists and only this user can write into it. */
function isOwn(folder) {
  const found = fs.lstatSync(folder, { throwIfNoEntry: false });
  if (found === undefined || !found.isDirectory()) return false;
  return found.uid === process.getuid() && (found.mode & 0o022) === 0;
}

/** As cacheBase() in src/server/starting/kept-places.ts, and then the folder of temporary files. */
function* bases() {
  const { CACHE_DIRECTORY, XDG_CACHE_HOME } = process.env;
  for (const given of [CACHE_DIRECTORY?.split(':')[0], XDG_CACHE_HOME]) {
    if (given?.startsWith('/') === true) yield path.join(given, 'seriesdb');
  }
  yield path.join(os.homedir(), '.cache', 'seriesdb');
  yield path.join(os.tmpdir(), `seriesdb-${process.getuid()}`);
}

/** Whether a process of this user runs from the folder: it has the addon in its memory. */
function isUsed(folder) {
  return fs.readdirSync('/proc').some((pid) => {
    if (!/^\d+$/.test(pid)) return false;
    try {
      return fs.readFileSync(`/proc/${pid}/maps`, 'utf8').includes(`${folder}/`);
    } catch {
      // It has ended, or belongs to another user.
      return false;
    }
  });
}

const dayMs = 24 * 60 * 60_000;

/** Removes what other versions unpacked, unless it was started today or a server uses it. */
function removeOthers(base, name) {
  for (const other of fs.readdirSync(base)) {
    const folder = path.join(base, other);
    // The name of a folder that another process is just writing ends in `.tmp`.
    if (!/^program-[0-9a-f]{32}$/.test(other) || other === name) continue;
    if (Date.now() - fs.statSync(folder).mtimeMs < dayMs || isUsed(folder)) continue;
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

/** Writes all files into a new folder, which then gets its name. */
function unpack(folder) {
  const unfinished = `${folder}.${process.pid}.tmp`;
  const bytes = gunzipSync(getRawAsset('files'));
  const files = JSON.parse(getAsset('list', 'utf8'));
  let at = 0;
  for (const { name, size } of files) {
    const file = path.join(unfinished, name);
    fs.mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
    fs.writeFileSync(file, bytes.subarray(at, at + size), { mode: 0o600 });
    at += size;
  }
  try {
    fs.renameSync(unfinished, folder);
  } catch (error) {
    // Another process was first.
    if (!fs.existsSync(path.join(folder, program))) throw error;
    fs.rmSync(unfinished, { recursive: true, force: true });
  }
}

function unpacked() {
  const name = `program-${getAsset('hash', 'utf8').trim()}`;
  const reasons = [];
  for (const base of bases()) {
    const folder = path.join(base, name);
    try {
      fs.mkdirSync(base, { recursive: true, mode: 0o700 });
      if (!isOwn(base)) throw new Error(`others can write into ${base}`);
      if (!fs.existsSync(folder)) {
        unpack(folder);
        removeOthers(base, name);
      }
      if (!isOwn(folder)) throw new Error(`others can write into ${folder}`);
      fs.utimesSync(folder, new Date(), new Date());
      return folder;
    } catch (error) {
      reasons.push(error.message);
    }
  }
  throw new Error(`no folder takes the files of the program: ${reasons.join('; ')}`);
}

/** This program calls itself with the path of a script of its own as Node.js is called. */
function run() {
  const folder = unpacked();
  const given = process.argv.slice(2);
  const isScript = given[0]?.startsWith(folder + path.sep) === true;
  const script = isScript ? given.shift() : path.join(folder, program);
  process.argv = [process.execPath, script, ...given];
  createRequire(script)(script);
}

try {
  run();
} catch (error) {
  process.stderr.write(`seriesdb: ${error.message}\n`);
  process.exitCode = 1;
}
