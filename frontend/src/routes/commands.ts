import type { IconName } from '../components/icons';
import type { SavedQueryView } from '../lib/backend';
import type { ChosenCommand } from '../lib/chosen.svelte';
import { t } from '../lib/i18n';
import type { Screen } from '../lib/route.svelte';
import { moving, reading } from './screens';

/** Command is something a person can do from anywhere, by its name. */
export type Command = { id: string; group: 'chosen' | 'do' | 'go' | 'view'; text: string; icon: IconName; keys?: string; act: () => void };

/** Deeds are what the commands do; the shell knows how. */
export type Deeds = {
  go: (screen: Screen) => void;
  view: (view: SavedQueryView) => void;
  seek: (text: string) => void;
  write: () => void;
  send: () => void;
  undo: () => void;
  redo: () => void;
  lock: () => void;
  keys: () => void;
  light: (theme: 'light' | 'dark' | 'system') => void;
};

const KEYS: Partial<Record<Screen, string>> = { portrait: 'mod+1', library: 'mod+2', conversations: 'mod+3', inbox: 'mod+4', graph: 'mod+5', insights: 'mod+6', search: 'mod+shift+f', import: 'mod+i', settings: 'mod+,' };

/** commands lists what can be done, first what changes something. */
export function commands(deeds: Deeds, views: readonly SavedQueryView[], frozen: boolean): Command[] {
  const screens = [...reading, ...moving, { screen: 'security', icon: 'shield' }, { screen: 'settings', icon: 'settings' }] as const;
  const writing: Command[] = [
    { id: 'new', group: 'do', text: t('library.new'), icon: 'plus', keys: 'mod+n', act: deeds.write },
    { id: 'undo', group: 'do', text: t('keys.does.mod+z'), icon: 'undo', keys: 'mod+z', act: deeds.undo },
    { id: 'redo', group: 'do', text: t('keys.does.mod+shift+z'), icon: 'redo', keys: 'mod+shift+z', act: deeds.redo },
  ];
  return [
    ...(frozen ? [] : writing),
    { id: 'export', group: 'do', text: t('shell.export'), icon: 'stamp', keys: 'mod+e', act: deeds.send },
    { id: 'lock', group: 'do', text: t('shell.lock'), icon: 'lock', keys: 'mod+l', act: deeds.lock },
    ...screens.map(({ screen, icon }): Command => {
      const keys = KEYS[screen];
      return { id: screen, group: 'go', text: t(`screen.${screen}`), icon, ...(keys && { keys }), act: () => deeds.go(screen) };
    }),
    ...views.map((view): Command => ({ id: `view ${view.name}`, group: 'view', text: view.name, icon: 'list-checks', act: () => deeds.view(view) })),
    { id: 'keys', group: 'do', text: t('keys.title'), icon: 'keyboard', keys: '?', act: deeds.keys },
    { id: 'guides', group: 'do', text: t('import.guide.title'), icon: 'info', act: () => deeds.go('import') },
    { id: 'about', group: 'do', text: t('palette.about'), icon: 'info', act: () => deeds.go('settings') },
    { id: 'light', group: 'do', text: t('palette.light'), icon: 'sun', act: () => deeds.light('light') },
    { id: 'dark', group: 'do', text: t('palette.dark'), icon: 'moon', act: () => deeds.light('dark') },
    { id: 'system', group: 'do', text: t('palette.system'), icon: 'monitor', act: () => deeds.light('system') },
  ];
}

const CHOSEN: Record<string, IconName> = {
  edit: 'pencil', split: 'list-checks', tag: 'tag', type: 'list-checks', circle: 'users', relate: 'link', archived: 'package', deprecated: 'history', superseded: 'arrow-right', retracted: 'x', back: 'undo', stay: 'lock',
  leave: 'lock-open', forget: 'trash',
};

/** chosenCommands are what the screen offers for the chosen memories. */
export function chosenCommands(offered: readonly ChosenCommand[]): Command[] {
  return offered.map(({ id, text, keys, act }) => ({ id: `chosen ${id}`, group: 'chosen', text, icon: CHOSEN[id] ?? 'check', keys, act }));
}

const folded = (text: string) => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();

/** fitting keeps the commands with every word of the text, those that begin with it first. */
export function fitting(all: readonly Command[], text: string): Command[] {
  const words = folded(text).split(/\s+/).filter((word) => word !== '');
  if (words.length === 0) return [...all];
  const rank = (command: Command) => {
    const name = folded(command.text);
    if (!words.every((word) => name.includes(word))) return 0;
    return name.startsWith(words[0] ?? '') ? 2 : 1;
  };
  return all.map((command) => ({ command, rank: rank(command) })).filter((c) => c.rank > 0).sort((a, b) => b.rank - a.rank).map((c) => c.command);
}
