import type { IconName } from '../components/icons';
import type { Screen } from '../lib/route.svelte';

/** The rail: what one reads, and below the line what comes in and goes out. */
export const reading: { screen: Screen; icon: IconName }[] = [
  { screen: 'portrait', icon: 'user' },
  { screen: 'library', icon: 'library' },
  { screen: 'conversations', icon: 'messages-square' },
  { screen: 'inbox', icon: 'inbox' },
  { screen: 'graph', icon: 'waypoints' },
  { screen: 'insights', icon: 'chart-column' },
  { screen: 'todos', icon: 'list-checks' },
  { screen: 'search', icon: 'search' },
];

export const moving: { screen: Screen; icon: IconName }[] = [
  { screen: 'import', icon: 'download' },
  { screen: 'verify', icon: 'shield-check' },
  { screen: 'handoff', icon: 'send' },
  { screen: 'circles', icon: 'users' },
  { screen: 'agents', icon: 'bot' },
];
