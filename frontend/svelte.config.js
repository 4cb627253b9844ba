import { vitePreprocess } from '@sveltejs/vite-plugin-svelte';

// Templates are built node by node, so that not even the framework parses HTML.
export default {
  preprocess: vitePreprocess(),
  compilerOptions: { fragments: 'tree' },
  vitePlugin: {
    dynamicCompileOptions({ filename }) {
      return filename.includes('node_modules') ? undefined : { runes: true };
    },
  },
};
