import mocha from 'eslint-plugin-mocha';
import tseslint from 'typescript-eslint';

const bareBoolean = {
  selector: ':matches(CallExpression, NewExpression) > Literal.arguments[raw=/^(true|false)$/]',
  message: 'A bare boolean says nothing at the call: name it in an object.',
};

// What makes text into markup or style, which no text of the database may become.
const markup = /^(innerHTML|outerHTML|insertAdjacentHTML|dangerouslySetInnerHTML)$/;
const restrictedInPage = [
  {
    selector: `:matches(Identifier[name=${markup}], JSXIdentifier[name=${markup}])`,
    message: 'Texts are text: nothing becomes markup.',
  },
  {
    selector: 'JSXAttribute[name.name="style"]',
    message: 'What things look like stands in src/ui/style.',
  },
];

const restrictedModules = [
  { selector: 'ExportDefaultDeclaration', message: 'Exports have names here.' },
  { selector: 'ExportAllDeclaration', message: 'No barrels: export what the file owns.' },
];

const time = 'TSTypeReference[typeName.name=/^(DatabaseTime|Milliseconds|Nanoseconds)$/]';
const restrictedEverywhere = [
  ...restrictedModules,
  {
    selector: `TSAsExpression > ${time}, TSAsExpression > .typeAnnotation ${time}`,
    message: 'No cast gives a number its unit: convert it, or state the unit by databaseTime().',
  },
];
/** The conversions, and readers that make a time per row. */
const mayCastTimes = [
  ...['timestamp-unit', 'iso-time'].map((name) => `src/common/model/${name}.ts`),
  'src/cli/querying/promql-rows.ts',
];

export default tseslint.config(
  { ignores: ['dist/', 'build/', 'node_modules/', 'seriesdb-data/', 'bench/results/', '**/*.cjs'] },
  {
    files: ['src/**/*.{ts,tsx}', 'test/**/*.ts', 'bench/**/*.ts', 'examples/**/*.ts'],
    extends: [tseslint.configs.strictTypeChecked],
    languageOptions: {
      parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname },
    },
    rules: {
      eqeqeq: 'error',
      'no-restricted-syntax': ['error', ...restrictedEverywhere],
      // Numbers and booleans in messages are what a template is for.
      '@typescript-eslint/restrict-template-expressions': [
        'error',
        { allowNumber: true, allowBoolean: true },
      ],
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
    },
  },
  {
    files: ['src/**/*.ts'],
    rules: {
      'max-params': ['error', 3],
      'no-restricted-syntax': ['error', ...restrictedEverywhere, bareBoolean],
    },
  },
  {
    files: mayCastTimes,
    rules: { 'no-restricted-syntax': ['error', ...restrictedModules, bareBoolean] },
  },
  {
    files: ['src/ui/**/*.{ts,tsx}'],
    rules: {
      'max-params': ['error', 3],
      // A state of a component is set by its bare value: setOpen(true).
      'no-restricted-syntax': ['error', ...restrictedEverywhere, ...restrictedInPage],
      // src/ui/promql/server-globals.d.ts declares them for types alone.
      'no-restricted-globals': ['error', 'Buffer', 'setImmediate'],
    },
  },
  {
    files: ['test/**/*.ts'],
    rules: {
      // chai states facts as properties: expect(x).to.be.true.
      '@typescript-eslint/no-unused-expressions': 'off',
    },
  },
  {
    files: ['test/**/*.test.ts'],
    plugins: { mocha },
    rules: {
      'mocha/handle-done-callback': 'error',
      'mocha/no-async-suite': 'error',
      'mocha/no-empty-title': 'error',
      'mocha/no-exclusive-tests': 'error',
      'mocha/no-exports': 'error',
      'mocha/no-global-tests': 'error',
      'mocha/no-identical-title': 'error',
      'mocha/no-nested-tests': 'error',
      'mocha/no-pending-tests': 'error',
      'mocha/no-return-and-callback': 'error',
    },
  },
  {
    files: ['**/*.mjs'],
    extends: [tseslint.configs.base],
    rules: {
      eqeqeq: 'error',
      'no-unused-vars': 'error',
      'prefer-const': 'error',
      'no-var': 'error',
    },
  },
);
