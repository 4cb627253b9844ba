import { cleanup, render, screen, within } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { use, type HandoffOptionsView, type HandoffRulesView, type HandoffView } from '../../lib/backend';
import { Fake, type FakeOptions } from '../../lib/backend/fake';
import { speak } from '../../lib/i18n';
import Handoff from './Handoff.svelte';
import { HandOff } from './handoff.svelte';
import Part from './Part.svelte';

afterEach(async () => {
  cleanup();
  await speak('en');
});

async function open(target: string, options: FakeOptions = {}) {
  const fake = new Fake(options);
  const calls = vi.spyOn(fake, 'call');
  use(fake);
  const ontarget = vi.fn();
  render(Handoff, { props: { target, ontarget, onimport: vi.fn() } }); // target is also an option of render
  await screen.findAllByRole('progressbar');
  const asked = (name: string) => calls.mock.calls.filter(([called]) => called === name).map(([, args]) => args as unknown[]);
  return { user: userEvent.setup(), ontarget, asked, fake };
}

const told = () => screen.getAllByRole('region', { name: /^(Text of|Message)/ }).map((r) => r.textContent).join('\n');

describe('handing off', () => {
  it('shows the text, how full it is, and where to paste it', async () => {
    await open('chatgpt');
    expect(screen.getByText('Settings, Personalization, Custom instructions: paste it there.')).toBeTruthy();
    expect(told()).toContain('Prefers metric units');
    expect(screen.getAllByText(/ of 1,500/)).toHaveLength(1);
    expect(screen.getByText('4 memories that you said may not leave')).toBeTruthy();
  });

  it('says how many characters people count where a field counts others', async () => {
    const { fake } = await open('chatgpt');
    const { parts } = (await fake.call('Handoffs.Preview', ['chatgpt', { redact: 'off', keep: [], addresses: false, part: '' }])) as HandoffView;
    cleanup();
    const [part] = parts;
    if (!part) throw new Error('no part');
    const show = (codePoints: number) => render(Part, { props: { part: { ...part, utf16: 805, codePoints }, target: 'chatgpt', handoff: new HandOff() } });
    show(805);
    expect(screen.getByText(/805 of 1,500 characters/).parentElement?.textContent).not.toContain('people');
    cleanup();
    show(803);
    expect(screen.getByText(/805 of 1,500 characters/).parentElement?.textContent).toContain('803 as people count');
  });

  it('hides what looks private before anything is copied, and keeps what is wanted', async () => {
    const { user, asked } = await open('claude');
    expect(told()).toContain('[REDACTED:email]');
    await user.click(screen.getByRole('button', { name: /^E-mail/ }));
    await screen.findByText('1 of 2 places is hidden. What is in your vault stays as it is.');
    expect(told()).toContain('oficina@papelaria-ribeiro.example');
    expect(told()).toContain('[REDACTED:phone]');
    await user.click(screen.getByRole('button', { name: 'Look at them' }));
    await user.click(screen.getByRole('button', { name: 'Hidden: +351 912 345 678' }));
    expect((asked('Handoffs.Preview').at(-1)?.[1] as HandoffOptionsView).keep).toEqual(['email', '11f1a2b3c4d5e6f7']);
    await user.click(screen.getByRole('switch', { name: 'Hide e-mail addresses, numbers and keys' }));
    expect((asked('Handoffs.Preview').at(-1)?.[1] as HandoffOptionsView).redact).toBe('off');
  });

  it('warns where the target trains on what it is given', async () => {
    await open('gemini');
    expect(screen.getByText(/used to train it/)).toBeTruthy();
    cleanup();
    await open('system-prompt');
    expect(screen.queryByText(/train/)).toBeNull();
  });

  it('notes in the log what is copied', async () => {
    const { user, fake } = await open('claude');
    await user.click(screen.getAllByRole('button', { name: 'Copy' })[0] as HTMLElement);
    await screen.findByRole('button', { name: 'Copied, for half a minute' });
    expect(fake.handoffs.taken).toEqual(['claude']);
  });

  it('names what found no room, and why', async () => {
    const { user } = await open('gemini');
    await user.click(screen.getAllByRole('button', { name: '2 memories found no room' })[0] as HTMLElement);
    expect(screen.getByText('Longer than the whole text may be')).toBeTruthy();
    expect(screen.getByText(/The tram stops running/)).toBeTruthy();
  });

  it('saves one part and says where', async () => {
    const { user } = await open('claude-md');
    await user.click(screen.getByRole('button', { name: 'Save…' }));
    expect((await screen.findByRole('status')).textContent).toContain('CLAUDE.md was written.');
  });

  it('keeps what an assistant may be given', async () => {
    const { user, asked } = await open('gemini');
    await user.click(screen.getByRole('button', { name: 'What it may be given' }));
    const types = within(screen.getByRole('group', { name: 'Types of memories' }));
    await user.click(types.getByRole('button', { name: 'Identity' }));
    const rules = asked('Handoffs.SetRules').at(-1)?.[1] as HandoffRulesView;
    expect(rules.types).toHaveLength(10);
    expect(rules.types).not.toContain('identity');
    const limit = screen.getByLabelText('Gem: limit');
    await user.clear(limit);
    await user.type(limit, '900');
    await user.tab();
    await screen.findByText(/of 900/);
  });

  it('asks for another target', async () => {
    const { user, ontarget } = await open('chatgpt');
    await user.click(screen.getByRole('button', { name: /^AGENTS.md/ }));
    expect(ontarget).toHaveBeenCalledWith('agents-md');
  });
});
