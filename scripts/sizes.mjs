// No file without content or over 500 lines (unless a script makes it), no function over 70, none
// of native/ of more than five parameters (those of TypeScript are for lint), no line over 100
// characters, no folder over 30 files, no room over 5,000 lines; and no banners, which part a file
// that is too long instead of making it shorter.
import { readdirSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';

import { cppFunctions } from './cpp-functions.mjs';
import { rowOf } from './layers/layers.mjs';
import { filesBelow, inRoot, main, readText, report } from './project.mjs';

const limits = { file: 500, function: 70, parameters: 5, line: 100, folder: 30, room: 5000 };
// Suites are lists of tests, not functions in the sense of the rule.
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

// No formatter can break a long string; such a line is left to the eye.
const longText = /(['"`]).{60,}\1/;

const banner = /^\s*\/\/ *[-=*#]{3,}/;

/** Whatever lies in a folder itself has to be looked through by who seeks something there. */
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

await main(() => {
  const problems = [];
  checkRooms(problems);
  checkFolders(['src', 'native', 'scripts'], problems);
  const folders = ['native', 'src', 'test', 'bench', 'examples', 'scripts'];
  const endings = ['.cc', '.h', '.ts', '.tsx', '.css', '.mjs', '.cjs'];
  for (const file of folders.flatMap((folder) => filesBelow(folder, endings))) {
    const text = readText(file);
    if (text.trim() === '') problems.push(`${file}: nothing in it`);
    const lines = text.replace(/\n$/, '').split('\n');
    // A file that is made from others is as long as they make it.
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
      if (file.startsWith('native/') && one.parameters > limits.parameters) {
        problems.push(`${file}:${one.line}: a function of ${one.parameters} parameters`);
      }
    }
  }
  return report('sizes', problems);
});
