import { svelte } from '@sveltejs/vite-plugin-svelte';
import { svelteTesting } from '@testing-library/svelte/vite';
import type { Plugin } from 'vite';
import { defineConfig } from 'vitest/config';

// What app/bridge sends as a header, but for frame-ancestors, which only a
// header can carry.
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; " +
  "media-src 'self' blob:; font-src 'self'; connect-src 'self'; frame-src 'none'; child-src 'none'; " +
  "worker-src 'none'; object-src 'none'; base-uri 'none'; form-action 'none'; " +
  "require-trusted-types-for 'script'";

// The development server injects styles, which the policy forbids; only what is
// built carries it.
function policy(): Plugin {
  return {
    name: 'keepsake-policy',
    apply: 'build',
    transformIndexHtml: () => [
      { tag: 'meta', attrs: { 'http-equiv': 'Content-Security-Policy', content: POLICY }, injectTo: 'head-prepend' },
    ],
  };
}

export default defineConfig(({ mode }) => ({
  plugins: [svelte(), svelteTesting(), policy()],
  build: {
    target: ['chrome123', 'safari17.5'], // light-dark() as it is written; older views lack it
    outDir: mode === 'fake' ? '../build/test/page-fake' : 'dist',
    emptyOutDir: true,
    assetsInlineLimit: 0, // fonts and pictures come from 'self', never from data:
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 900,
  },
  server: { host: '127.0.0.1', port: 34116, strictPort: true },
  test: {
    environment: 'jsdom',
    include: ['src/**/*.test.ts'],
    setupFiles: ['src/lib/testing/setup.ts'],
    restoreMocks: true,
    isolate: false, // a process for each file takes two thirds as long again
    testTimeout: 30_000, // milliseconds; the machine may be busy with other tests
  },
}));
