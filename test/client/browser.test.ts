/** The client must run where there is no Node: the compiler and its imports say so. */
import { readFileSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { assert } from 'chai';
import ts from 'typescript';

const folder = fileURLToPath(new URL('../../../src/client/', import.meta.url));
const files = readdirSync(folder).map((name) => folder + name);

describe('the sources of the client', function () {
  this.timeout(60_000);

  it('import each other and lossless-json, nothing else', () => {
    const imported = files.flatMap((file) =>
      ts
        .preProcessFile(readFileSync(file, 'utf8'), true, true)
        .importedFiles.map((one) => one.fileName),
    );
    assert.isAbove(imported.length, 5);
    const outside = imported.filter((name) => !name.startsWith('./'));
    assert.deepEqual([...new Set(outside)], ['lossless-json']);
  });

  it('compile for a browser, without the types of Node', () => {
    const program = ts.createProgram(files, {
      target: ts.ScriptTarget.ES2022,
      lib: ['lib.es2023.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
      module: ts.ModuleKind.ESNext,
      moduleResolution: ts.ModuleResolutionKind.Bundler,
      types: [],
      strict: true,
      noEmit: true,
      exactOptionalPropertyTypes: true,
      skipLibCheck: true,
    });
    const found = ts.getPreEmitDiagnostics(program).map((one) => {
      const message = ts.flattenDiagnosticMessageText(one.messageText, ' ');
      return `${one.file?.fileName ?? ''}: ${message}`;
    });
    assert.deepEqual(found, []);
  });
});
