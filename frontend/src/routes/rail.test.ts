import { cleanup, render, screen, waitFor, within } from '@testing-library/svelte';
import { afterEach, describe, expect, it } from 'vitest';
import { backend, use } from '../lib/backend';
import { Fake } from '../lib/backend/fake';
import { preferences } from '../lib/preferences.svelte';
import { place } from '../lib/route.svelte';
import App from './App.svelte';

afterEach(() => cleanup());

describe('the rail', () => {
  it('leads to the tasks once there is one, done or not, and where they are shown', async () => {
    use(new Fake());
    place.go('settings');
    await preferences.start();
    render(App);
    const tasks = async () => within(await screen.findByRole('navigation', { name: 'Rooms' })).queryByRole('link', { name: 'Tasks' });
    await waitFor(async () => expect(await tasks()).toBeTruthy());
    const { items } = await backend.Todos.List(false);
    for (const { id } of items.slice(1)) await backend.Todos.Remove(id);
    await backend.Todos.SetStatus(items[0]?.id ?? '', 'done');
    await waitFor(async () => expect(await tasks()).toBeTruthy());
    await backend.Todos.Remove(items[0]?.id ?? '');
    await waitFor(async () => expect(await tasks()).toBeNull());
    place.go('todos');
    await waitFor(async () => expect(await tasks()).toBeTruthy());
  });
});
