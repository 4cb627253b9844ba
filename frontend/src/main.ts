// A file dropped on the window must never replace the page, which is what
// WebKitGTK would do with it: this listens before anything else does.
const isFile = (event: DragEvent) => ['Files', 'text/uri-list'].some((type) => event.dataTransfer?.types.includes(type));
for (const type of ['dragenter', 'dragover', 'drop'] as const) {
  window.addEventListener(type, (event) => isFile(event) && event.preventDefault(), true);
}

import './lib/fonts.css';
import './lib/tokens.css';
import './lib/base.css';
import { mount } from 'svelte';
import { connect } from './lib/backend';
import { markBars } from './lib/bars';
import { preferences } from './lib/preferences.svelte';
import App from './routes/App.svelte';

async function start(): Promise<void> {
  const target = document.getElementById('app');
  if (!target) return;
  await connect();
  await preferences.start();
  markBars(document);
  mount(App, { target });
}

void start();
