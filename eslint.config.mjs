import tseslint from 'typescript-eslint';

const restrictedEverywhere = [
  { selector: 'ExportDefaultDeclaration', message: 'Exports have names here.' },
  { selector: 'ExportAllDeclaration', message: 'No barrels: export what the file owns.' },
];

export default tseslint.config(
  { ignores: ['dist/', 'build/', 'node_modules/', 'seriesdb-data/', 'bench/results/', '**/*.cjs'] },
  {
    files: ['src/**/*.ts', 'test/**/*.ts', 'bench/**/*.ts', 'examples/**/*.ts'],
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
      'no-restricted-syntax': [
        'error',
        ...restrictedEverywhere,
        {
          selector:
            ':matches(CallExpression, NewExpression) > Literal.arguments[raw=/^(true|false)$/]',
          message: 'A bare boolean says nothing at the call: name it in an object.',
        },
      ],
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
