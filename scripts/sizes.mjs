// Size limits. Files: 500 lines unless generated, and not empty. Functions: 70 lines; in native/
// five parameters (lint checks TypeScript). Lines: 100 characters. Folders: 30 files. Rooms: 5,000
// lines. Banner comments are forbidden: they divide a file that is too long instead of shortening
// it. So are classes of native/ in several .cc files, for the same reason.
import { readdirSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';

import { cppFunctions } from './cpp-functions.mjs';
import { rowOf } from './layers/layers.mjs';
import { filesBelow, inRoot, main, readText, report } from './project.mjs';

const limits = { file: 500, function: 70, parameters: 5, line: 100, folder: 30, room: 5000 };
// The rule does not apply to test suites, which are lists of tests.
const suiteWords = new Set(['describe', 'suite', 'context']);

function isSuite(node) {
  const call = node.parent;
  if (!call || !ts.isCallExpression(call)) return false;
  const callee = call.expression;
  const word = ts.isPropertyAccessExpression(callee) ? callee.expression : callee;
  return ts.isIdentifier(word) && suiteWords.has(word.text);
}

function* typescriptFunctions(file, text) {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const found = [];
  const visit = (node) => {
    if (ts.isFunctionLike(node) && node.body && !isSuite(node)) {
      const lineOf = (position) => source.getLineAndCharacterOfPosition(position).line + 1;
      const first = lineOf(node.getStart(source));
      found.push({ line: first, lines: lineOf(node.getEnd()) - first + 1 });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  yield* found;
}

// No formatter can break a long string, so such lines are exempt.
const longText = /(['"`]).{60,}\1/;

const banner = /^\s*\/\/ *[-=*#]{3,}/;

/** A folder's own files must be few enough to look through. */
function checkFolders(folders, problems) {
  const files = folders.flatMap((folder) => filesBelow(folder, ['']));
  for (const folder of new Set(files.map((file) => path.posix.dirname(file)))) {
    const isFile = (entry) => entry.isFile();
    const count = readdirSync(inRoot(folder), { withFileTypes: true }).filter(isFile).length;
    if (count > limits.folder) problems.push(`${folder}: ${count} files`);
  }
}

/** A room is a row of layers.mjs or native-rooms.mjs. */
function checkRooms(problems) {
  const lines = new Map();
  for (const file of [
    ...filesBelow('native', ['.cc', '.h']),
    ...filesBelow('src', ['.ts', '.tsx']),
  ]) {
    const row = `${file.split('/')[0]}/${rowOf(file)}`;
    lines.set(row, (lines.get(row) ?? 0) + readText(file).split('\n').length - 1);
  }
  for (const [room, count] of lines) {
    if (count > limits.room) problems.push(`${room}: a room of ${count} lines`);
  }
}

/** A class in two .cc files has two files' lines, and none of them shows it as a whole. */
function checkClasses(filesOf, problems) {
  for (const [name, files] of filesOf) {
    if (files.size > 1) problems.push(`the class ${name} is in ${[...files].join(' and ')}`);
  }
}

await main(() => {
  const problems = [];
  const filesOfClass = new Map();
  checkRooms(problems);
  checkFolders(['src', 'native', 'scripts'], problems);
  const folders = ['native', 'src', 'test', 'bench', 'examples', 'scripts'];
  const endings = ['.cc', '.h', '.ts', '.tsx', '.css', '.mjs', '.cjs'];
  for (const file of folders.flatMap((folder) => filesBelow(folder, endings))) {
    const text = readText(file);
    if (text.trim() === '') problems.push(`${file}: nothing in it`);
    const lines = text.replace(/\n$/, '').split('\n');
    // A generated file may have any length.
    const isMade = text.includes('; do not edit.');
    if (lines.length > limits.file && !isMade) problems.push(`${file}: ${lines.length} lines`);
    lines.forEach((line, at) => {
      const length = [...line].length;
      if (length > limits.line && !longText.test(line))
        problems.push(`${file}:${at + 1}: ${length} characters`);
      if (banner.test(line)) problems.push(`${file}:${at + 1}: a banner`);
    });
    if (file.endsWith('.css')) continue;
    const isCpp = /\.(cc|h)$/.test(file);
    for (const one of isCpp ? cppFunctions(text) : typescriptFunctions(file, text)) {
      if (one.lines > limits.function) {
        problems.push(`${file}:${one.line}: a function of ${one.lines} lines`);
      }
      if (one.owner !== undefined && /^native\/.*\.cc$/.test(file)) {
        const files = filesOfClass.get(one.owner) ?? new Set();
        filesOfClass.set(one.owner, files.add(file));
      }
      if (file.startsWith('native/') && one.parameters > limits.parameters) {
        problems.push(`${file}:${one.line}: a function of ${one.parameters} parameters`);
      }
    }
  }
  checkClasses(filesOfClass, problems);
  return report('sizes', problems);
});
