// Checks that every export of src/ is used elsewhere: in src/, test/, bench/ or examples/, by a
// script, or by users of the package. A script may load a module by its name. Parsing takes a
// moment and suffices: lint forbids default exports and `export *`, so names identify exports.
import path from 'node:path';
import ts from 'typescript';

import { filesBelow, main, readText, report, sourceOf } from './project.mjs';

/** The package's exports `.` and `./client`. */
const packageRoots = Object.values(JSON.parse(readText('package.json')).exports)
  .filter((one) => typeof one === 'object')
  .map((one) => one.default.replace(/^\.\/dist\/(.*)\.js$/, '$1.ts'));

/** Generated from the routes; it exports all their names. */
const madeFile = 'src/client/api-types.ts';

/** Used names, by file. */
const used = new Map();

function use(file, name) {
  if (!used.has(file)) used.set(file, new Set());
  used.get(file).add(name);
}

/** Only searches around an import() need parent nodes. */
function parse(file) {
  const text = readText(file);
  return ts.createSourceFile(file, text, ts.ScriptTarget.Latest, hasDynamicImport(text));
}

const hasDynamicImport = (text) => text.includes('import(');

/** The project path of a module that `file` imports. Null for packages and Node's own modules. */
function targetOf(file, specifier) {
  if (specifier === undefined || !ts.isStringLiteralLike(specifier)) return null;
  if (!specifier.text.startsWith('.')) return null;
  return sourceOf(path.posix.join(path.posix.dirname(file), specifier.text));
}

const nameIn = (element) => (element.propertyName ?? element.name).text;

function noteImport(source, statement) {
  const target = targetOf(source.fileName, statement.moduleSpecifier);
  const bindings = statement.importClause?.namedBindings;
  if (target === null || bindings === undefined) return;
  if (ts.isNamedImports(bindings)) {
    for (const element of bindings.elements) use(target, nameIn(element));
  } else {
    noteMembers(source, target, bindings.name.text);
  }
}

/** For `import * as json`: notes every `json.NAME` in the file. */
function noteMembers(source, target, namespace) {
  const isNamespace = (node) => ts.isIdentifier(node) && node.text === namespace;
  const visit = (node) => {
    if (ts.isPropertyAccessExpression(node) && isNamespace(node.expression)) {
      use(target, node.name.text);
    } else if (ts.isQualifiedName(node) && isNamespace(node.left)) {
      use(target, node.right.text);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
}

/** Names in `const { a } = await import(…)` and `(await import(…)).a`; null for other forms. */
function namesTaken(call) {
  if (!ts.isAwaitExpression(call.parent)) return null;
  let node = call.parent;
  while (ts.isParenthesizedExpression(node.parent)) node = node.parent;
  const { parent } = node;
  if (ts.isPropertyAccessExpression(parent)) return [parent.name.text];
  // The module is only evaluated.
  if (ts.isExpressionStatement(parent)) return [];
  if (!ts.isVariableDeclaration(parent) || !ts.isObjectBindingPattern(parent.name)) return null;
  return parent.name.elements.map(nameIn);
}

/** The function's name in `const finding = () => import(…)`; null for other forms. */
function loaderOf(call) {
  const loader = call.parent;
  if (!ts.isArrowFunction(loader) || !ts.isVariableDeclaration(loader.parent)) return null;
  return loader.parent.name.text;
}

/** Notes the names taken from each `await finding()` in this file. */
function noteLoaded(source, target, loader) {
  const visit = (node) => {
    if (ts.isCallExpression(node) && node.expression.getText(source) === loader) {
      for (const name of namesTaken(node) ?? []) use(target, name);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
}

function noteDynamicImport(source, call, problems) {
  const target = targetOf(source.fileName, call.arguments[0]);
  if (target === null) return;
  const loader = loaderOf(call);
  const names = namesTaken(call);
  if (loader !== null) {
    noteLoaded(source, target, loader);
  } else if (names !== null) {
    for (const name of names) use(target, name);
  } else {
    const line = source.getLineAndCharacterOfPosition(call.getStart(source)).line + 1;
    problems.push(
      `${source.fileName}:${line}: name what is taken of import(): const { … } = await`,
    );
  }
}

function noteUses(source, problems) {
  const file = source.fileName;
  for (const statement of source.statements) {
    if (ts.isImportDeclaration(statement)) {
      noteImport(source, statement);
    } else if (ts.isExportDeclaration(statement)) {
      const target = targetOf(file, statement.moduleSpecifier);
      const names = statement.exportClause?.elements ?? [];
      if (target !== null) for (const one of names) use(target, nameIn(one));
    }
  }
  // Visiting every node is slow, and most files have no import expression.
  if (!hasDynamicImport(source.text)) return;
  const visit = (node) => {
    if (ts.isImportTypeNode(node) && node.qualifier !== undefined) {
      const target = targetOf(file, node.argument.literal);
      if (target !== null) use(target, node.qualifier.getText(source).split('.')[0]);
    } else if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
      noteDynamicImport(source, node, problems);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
}

/** Scripts load tables of compiled modules: tableOf('src/common/errors/catalog.js', 'catalog'). */
function noteScripts() {
  const call = /\btableOf\(\s*(?:'([^']+)'|(\w+)),\s*(?:'(\w+)'|`\$\{\w+\}(\w+)`)/g;
  for (const file of filesBelow('scripts', ['.mjs'])) {
    const text = readText(file);
    const constants = new Map(
      [...text.matchAll(/const (\w+) = '([^']+)'/g)].map(([, name, value]) => [name, value]),
    );
    const words = [...text.matchAll(/'(\w+)'/g)].map(([, word]) => word);
    for (const [, literal, constant, name, ending] of text.matchAll(call)) {
      const module = literal ?? constants.get(constant);
      if (module === undefined) continue;
      // A composed name, such as `${word}Metrics`, stands for any word in the script.
      const names = name === undefined ? words.map((word) => `${word}${ending}`) : [name];
      for (const one of names) use(module.replace(/\.js$/, '.ts'), one);
    }
  }
}

/** The exported names of a module with their positions. */
function* exportsOf(source) {
  const isExported = (node) =>
    ts.canHaveModifiers(node) &&
    ts.getModifiers(node)?.some((one) => one.kind === ts.SyntaxKind.ExportKeyword) === true;
  for (const statement of source.statements) {
    if (ts.isExportDeclaration(statement)) {
      for (const { name } of statement.exportClause?.elements ?? []) yield name;
    } else if (isExported(statement)) {
      if (ts.isVariableStatement(statement)) {
        for (const { name } of statement.declarationList.declarations) yield* namesOf(name);
      } else if (statement.name !== undefined) {
        yield statement.name;
      }
    }
  }
}

function* namesOf(binding) {
  if (ts.isIdentifier(binding)) yield binding;
  else for (const { name } of binding.elements ?? []) if (name) yield* namesOf(name);
}

await main(() => {
  const problems = [];
  const free = new Set([...packageRoots, madeFile]);
  const folders = ['src', 'test', 'bench', 'examples'];
  const sources = folders.flatMap((folder) => filesBelow(folder, ['.ts', '.tsx'])).map(parse);
  for (const source of sources) noteUses(source, problems);
  noteScripts();
  for (const source of sources) {
    const { fileName } = source;
    if (!fileName.startsWith('src/') || free.has(fileName)) continue;
    for (const name of exportsOf(source)) {
      if (used.get(fileName)?.has(name.text) === true) continue;
      const line = source.getLineAndCharacterOfPosition(name.getStart(source)).line + 1;
      problems.push(`${fileName}:${line}: nothing else uses ${name.text}`);
    }
  }
  return report('unused exports', problems);
});
