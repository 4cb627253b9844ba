import type { AboutView } from './types';

/** about is what the fake is made of. */
export const about: AboutView = {
  version: '0.1.0',
  commit: '0123456789abcdef0123456789abcdef01234567',
  date: '2026-11-29T10:00:00Z',
  changed: false,
  network: [],
  licences: [
    { name: 'go.etcd.io/bbolt', version: 'v1.5.0', licence: 'MIT', part: 'program' },
    { name: 'golang.org/x/crypto', version: 'v0.58.0', licence: 'BSD-3-Clause', part: 'program' },
    { name: 'svelte', version: '5.57.3', licence: 'MIT', part: 'page' },
    { name: '@fontsource-variable/source-serif-4', version: '5.3.1', licence: 'OFL-1.1', part: 'page' },
  ],
};
