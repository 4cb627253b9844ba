import { cleanup, render, screen } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import axe from 'axe-core';
import { afterEach, expect, it } from 'vitest';
import { use } from '../../lib/backend';
import { Fake } from '../../lib/backend/fake';
import { preferences } from '../../lib/preferences.svelte';
import Exporting from './Exporting.svelte';

afterEach(cleanup);

it('keeps that exports are always protected, under a name that everybody is told', async () => {
  use(new Fake());
  const { container } = render(Exporting);
  const wanted = screen.getByRole('switch', { name: 'Always protect exports' });
  await userEvent.setup().click(wanted);
  expect(preferences.view.alwaysProtect).toBe(true);
  const { violations } = await axe.run(container, { rules: { 'color-contrast': { enabled: false }, region: { enabled: false } } });
  expect(violations.map((v) => v.id)).toEqual([]);
  await preferences.choose({ alwaysProtect: false });
});
