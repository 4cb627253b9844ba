import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import * as Care from '../../../wailsjs/go/bridge/Care';
import * as Clients from '../../../wailsjs/go/bridge/Clients';
import * as Conversations from '../../../wailsjs/go/bridge/Conversations';
import * as Exports from '../../../wailsjs/go/bridge/Exports';
import * as Handoffs from '../../../wailsjs/go/bridge/Handoffs';
import * as Imports from '../../../wailsjs/go/bridge/Imports';
import * as Inbox from '../../../wailsjs/go/bridge/Inbox';
import * as Keys from '../../../wailsjs/go/bridge/Keys';
import * as Library from '../../../wailsjs/go/bridge/Library';
import * as Portrait from '../../../wailsjs/go/bridge/Portrait';
import * as Search from '../../../wailsjs/go/bridge/Search';
import * as Signers from '../../../wailsjs/go/bridge/Signers';
import * as Settings from '../../../wailsjs/go/bridge/Settings';
import * as Todos from '../../../wailsjs/go/bridge/Todos';
import * as Vault from '../../../wailsjs/go/bridge/Vault';
import { Fake } from './fake';
import { EVENTS } from './http';
import type { EventName, Methods } from './types';

// The compiler holds the written methods equal to the generated ones, in both
// directions; what it cannot see is compared when the tests run.
const generated = { Care, Clients, Conversations, Exports, Handoffs, Imports, Inbox, Keys, Library, Portrait, Search, Settings, Signers, Todos, Vault };
const written = generated satisfies Methods;
type Both = Methods extends typeof generated ? true : never;
const both: Both = true;

const host = readFileSync(join(dirname(fileURLToPath(import.meta.url)), '../../../../app/bridge/host.go'), 'utf8');

// Every name once, so that a new event cannot be forgotten here.
const events: Record<EventName, 'go' | 'page'> = {
  progress: 'go',
  'import-done': 'go',
  look: 'go',
  vault: 'go',
  locking: 'go',
  library: 'go',
  search: 'go',
  found: 'go',
  offers: 'go',
  keys: 'go',
  agents: 'go',
  rekey: 'go',
  care: 'go',
  menu: 'go',
  theme: 'go',
  upload: 'page',
};

describe('the contract with Go', () => {
  it.each(Object.entries(written))('%s: the fake answers every method, and no other', (struct, methods) => {
    expect(both).toBe(true);
    expect(new Fake().names(struct as keyof Methods)).toEqual(Object.keys(methods).sort());
  });

  it('names the events that Go sends', () => {
    const sent = [...host.matchAll(/Event\w+\s*=\s*"([\w-]+)"/g)].map(([, name]) => name).sort();
    const expected = Object.entries(events).filter(([, from]) => from === 'go').map(([name]) => name);
    expect(sent).toEqual(expected.sort());
  });

  it('hears in a browser what a window is not alone in having', () => {
    const expected = Object.entries(events).filter(([name, from]) => from === 'go' && !['menu', 'theme'].includes(name)).map(([name]) => name);
    expect([...EVENTS].sort()).toEqual(expected.sort());
  });
});
