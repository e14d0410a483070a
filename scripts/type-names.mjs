// Checks that each type, interface and class at the top of a file of src/ has a name of its own, so
// that a name says which type is meant. src/client is apart: its names are those of the package.
import ts from 'typescript';

import { filesBelow, main, readText, report } from './project.mjs';

const isType = (node) =>
  ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node) || ts.isClassDeclaration(node);

await main(() => {
  const places = new Map();
  for (const file of filesBelow('src', ['.ts', '.tsx'])) {
    if (file.startsWith('src/client/')) continue;
    const { statements } = ts.createSourceFile(file, readText(file), ts.ScriptTarget.Latest);
    for (const { name } of statements.filter(isType)) {
      if (name === undefined) continue;
      places.set(name.text, [...(places.get(name.text) ?? []), file]);
    }
  }
  const problems = [...places]
    .filter(([, files]) => files.length > 1)
    .map(([name, files]) => `the type ${name} stands in ${files.join(' and ')}`);
  return report('names of types', problems);
});
