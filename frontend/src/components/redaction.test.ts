import { cleanup, render, screen } from '@testing-library/svelte';
import { afterEach, expect, it, vi } from 'vitest';
import type { FindingsView } from '../lib/backend';
import Redaction from './Redaction.svelte';

afterEach(cleanup);

const none: FindingsView = { total: 0, hidden: 0, kinds: [], items: [], unread: 0 };
const asked = { keep: [], onswitch: vi.fn(), onkeep: vi.fn(), onaddresses: vi.fn() };

it('window finding 1: says what was looked for, and what is not hidden', () => {
  render(Redaction, { ...asked, findings: none, on: false, addresses: false });
  expect(screen.getByText('No e-mail addresses, phone numbers, payment cards, account or ID numbers, passwords or keys were found.')).toBeTruthy();
  expect(screen.getByText('Names, health, family and street addresses are not hidden.')).toBeTruthy();
});

it('window finding 1: street addresses are looked for where that is on', () => {
  render(Redaction, { ...asked, findings: none, on: true, addresses: true });
  expect(screen.getByText('Names, health and family are not hidden yet.')).toBeTruthy();
});
