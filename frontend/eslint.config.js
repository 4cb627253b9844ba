import { readdirSync } from 'node:fs';
import svelte from 'eslint-plugin-svelte';
import globals from 'globals';
import ts from 'typescript-eslint';
import svelteConfig from './svelte.config.js';

// Text of an export must never be parsed as HTML, whichever way there is.
const htmlSinks = ['innerHTML', 'outerHTML', 'insertAdjacentHTML', 'createContextualFragment', 'srcdoc'];
const noHtml = [
  ...htmlSinks.map((property) => ({ property, message: 'Text becomes nodes, never HTML.' })),
  { object: 'document', property: 'write', message: 'Text becomes nodes, never HTML.' },
  { object: 'document', property: 'writeln', message: 'Text becomes nodes, never HTML.' },
];

// routes → features → components → lib, and no feature knows another.
const wall = (...patterns) => ['error', { patterns: patterns.map(([group, message]) => ({ group: [group], message })) }];
const noRoutes = ['**/routes/**', 'Only main.ts knows the routes.'];
const noFeatures = ['**/features/**', 'This layer lies below the features.'];
const noComponents = ['**/components/**', 'lib lies below the components.'];
const onlyBackend = ['**/wailsjs/**', 'Only lib/backend knows how Go is reached.'];
const features = readdirSync(new URL('src/features', import.meta.url)); // every one there is

export default ts.config(
  { ignores: ['dist/', 'wailsjs/', 'node_modules/'] },
  ...ts.configs.strict,
  ...svelte.configs.recommended,
  {
    languageOptions: { globals: globals.browser },
    rules: {
      'no-restricted-properties': ['error', ...noHtml],
      'no-eval': 'error',
      'no-implied-eval': 'error',
      'no-new-func': 'error',
      'no-console': 'error',
      'no-undef': 'off', // the compiler knows better
      eqeqeq: 'error',
      'max-lines': ['error', { max: 450 }],
      '@typescript-eslint/no-extraneous-class': 'off',
      '@typescript-eslint/consistent-type-imports': 'error',
      'no-restricted-imports': wall(onlyBackend, noRoutes),
    },
  },
  {
    files: ['**/*.svelte', '**/*.svelte.ts'],
    languageOptions: { parserOptions: { parser: ts.parser, extraFileExtensions: ['.svelte'], svelteConfig } },
    rules: {
      'svelte/no-at-html-tags': 'error',
      // The policy forbids style attributes; style: directives go another way.
      'no-restricted-syntax': ['error', { selector: 'SvelteAttribute[key.name=style]', message: 'Use style: directives.' }],
      'svelte/no-target-blank': 'error',
      'svelte/button-has-type': 'error',
      'svelte/no-navigation-without-resolve': 'off', // there is no SvelteKit here
      'svelte/prefer-svelte-reactivity': 'off', // dates and maps here never change
    },
  },
  { files: ['src/lib/**'], ignores: ['src/lib/backend/**'], rules: { 'no-restricted-imports': wall(onlyBackend, noRoutes, noFeatures, noComponents) } },
  { files: ['src/lib/backend/**'], rules: { 'no-restricted-imports': wall(noRoutes, noFeatures, noComponents) } },
  { files: ['src/components/**'], rules: { 'no-restricted-imports': wall(onlyBackend, noRoutes, noFeatures) } },
  ...features.map((feature) => ({
    files: [`src/features/${feature}/**`],
    rules: {
      'no-restricted-imports': wall(onlyBackend, noRoutes, ...features.filter((f) => f !== feature).map((f) => [`**/${f}/**`, 'Features never import each other.'])),
    },
  })),
  { files: ['src/main.ts', 'src/routes/**'], rules: { 'no-restricted-imports': wall(onlyBackend) } },
  { files: ['*.config.*'], languageOptions: { globals: globals.node } },
);
