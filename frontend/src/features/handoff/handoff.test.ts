import { cleanup, render, screen, waitFor, within } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { use, type HandoffOptionsView, type HandoffRulesView, type HandoffView } from '../../lib/backend';
import { Fake, type FakeOptions } from '../../lib/backend/fake';
import { speak } from '../../lib/i18n';
import { wishes } from '../../lib/wishes.svelte';
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

const told = () => screen.getAllByRole('group').map((r) => r.textContent).join('\n');
const last = (asked: (name: string) => unknown[][]) => asked('Handoffs.Preview').at(-1)?.[1] as HandoffOptionsView;

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
    const { parts } = (await fake.call('Handoffs.Preview', ['chatgpt', { redact: 'off', keep: [], addresses: false, part: '', for: '', language: '', without: [], edits: [] }])) as HandoffView;
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
    await user.click(screen.getAllByRole('button', { name: /^Copy/ })[0] as HTMLElement);
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

  it('makes the text for a circle, and says what stays because of it', async () => {
    const { user, asked } = await open('chatgpt');
    const chooser = screen.getByRole<HTMLSelectElement>('combobox', { name: 'For' });
    expect([...chooser.options].map((o) => o.text)).toEqual(['What this assistant may have', 'Dr. Lima (5 memories)', 'Family (7 memories)', 'Work assistant (13 memories)']);
    expect(screen.getByText('1 memory that you share with others only')).toBeTruthy();
    await user.selectOptions(chooser, 'work-assistant');
    await screen.findByText('43 memories that are not in this circle');
    expect(screen.getByText('2 memories that seem to be about topics that never leave for this circle')).toBeTruthy();
    expect(last(asked).for).toBe('work-assistant');
    await user.click(screen.getAllByRole('button', { name: 'Copy' })[0] as HTMLElement);
    await waitFor(() => expect((asked('Handoffs.Take').at(-1)?.[1] as HandoffOptionsView).for).toBe('work-assistant'));
  });

  it('begins with the circle that was asked for on another screen, once', async () => {
    wishes.circle = 'family';
    const { asked } = await open('chatgpt');
    expect(last(asked).for).toBe('family');
    cleanup();
    expect(last((await open('chatgpt')).asked).for).toBe('');
  });

  it('says which of the memories in it are about private topics', async () => {
    await open('chatgpt');
    const sentence = screen.getByText('3 memories seem to be about private topics. They leave, too.');
    expect(sentence.nextElementSibling?.textContent).toBe('Family\u00a03');
    screen.getByText('Which?').click();
    const which = within(sentence.parentElement as HTMLElement).getAllByRole('listitem');
    expect(which.map((row) => row.querySelector('.topics')?.textContent)).toEqual(['Family', 'Family', 'Family']);
    expect(which[0]?.textContent).toContain('her grandfather’s field notebooks');
  });

  it('shows the lines under their headings, and the text as it is pasted', async () => {
    const { user } = await open('chatgpt');
    const [about] = screen.getAllByRole('group', { name: 'About me' });
    expect(within(about as HTMLElement).getAllByRole('checkbox', { checked: true })).toHaveLength(3);
    expect(screen.queryByRole('region', { name: /^Text of/ })).toBeNull();
    await user.click(screen.getAllByRole('button', { name: 'Show it as it will be pasted' })[0] as HTMLElement);
    expect(screen.getByRole('region', { name: 'Text of: Custom instructions' }).textContent).toMatch(/^About me:\n- My name is Marina/);
  });

  it('leaves out what is unticked, this time only', async () => {
    const { user, asked } = await open('chatgpt');
    await user.click(screen.getByRole('checkbox', { name: /^Prefers metric units/ }));
    expect(last(asked).without).toEqual(['told-1']);
    expect(await screen.findByText('Left out this time')).toBeTruthy();
    await user.click(screen.getAllByRole('button', { name: /^Copy/ })[0] as HTMLElement);
    expect((asked('Handoffs.Take').at(-1)?.[1] as HandoffOptionsView).without).toEqual(['told-1']);
    await user.click(screen.getByRole('button', { name: 'Start again' }));
    expect(last(asked).without).toEqual([]);
    expect(screen.queryByRole('button', { name: 'Start again' })).toBeNull();
  });

  it('says something else in place of a memory, by keyboard, and takes it back', async () => {
    const { user, asked } = await open('chatgpt');
    const change = () => screen.getAllByRole('button', { name: 'Change this line' })[1] as HTMLElement;
    change().focus();
    await user.keyboard('{Enter}');
    const field = screen.getByRole('textbox', { name: 'What to say instead' });
    await vi.waitFor(() => expect(document.activeElement).toBe(field));
    expect(screen.getByText('For this time only')).toBeTruthy();
    await user.keyboard('{Control>}a{/Control}');
    await user.clear(field);
    expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Use this text' }).disabled).toBe(true);
    await user.type(field, 'I like inches{Control>}{Enter}{/Control}');
    expect(last(asked).edits).toEqual([{ id: 'told-1', text: 'I like inches' }]);
    expect(await screen.findByText('I like inches')).toBeTruthy();
    expect(screen.getByText('Changed for this time')).toBeTruthy();
    await vi.waitFor(() => expect(document.activeElement).toBe(change()));
    await user.click(screen.getByRole('button', { name: 'Back to the memory' }));
    expect(last(asked).edits).toEqual([]);
    expect(await screen.findByText(/^Prefers metric units/)).toBeTruthy();
  });

  it('goes back without a change on Escape', async () => {
    const { user, asked } = await open('chatgpt');
    const before = asked('Handoffs.Preview').length;
    await user.click(screen.getAllByRole('button', { name: 'Change this line' })[0] as HTMLElement);
    await user.type(screen.getByRole('textbox', { name: 'What to say instead' }), 'x{Escape}');
    expect(screen.queryByRole('textbox', { name: 'What to say instead' })).toBeNull();
    expect(asked('Handoffs.Preview')).toHaveLength(before);
  });

  it('writes the headings in another language, and says what is in another', async () => {
    const { user, asked } = await open('chatgpt');
    expect(last(asked).language).toBe('en');
    expect(screen.getByText('In another language, and left as they are: Portuguese (2).')).toBeTruthy();
    await user.selectOptions(screen.getByRole('combobox', { name: 'Headings in' }), 'pt-BR');
    expect(last(asked).language).toBe('pt-BR');
    expect((await screen.findAllByRole('group', { name: 'Sobre mim' }))).not.toHaveLength(0);
    cleanup();
    await speak('pt-BR');
    const { asked: again } = await open('chatgpt');
    expect(last(again).language).toBe('pt-BR');
  });

  it('says which line is only its first sentences', async () => {
    await open('system-prompt');
    expect(screen.getByText('Only its first sentences, because it is long')).toBeTruthy();
  });

  it('asks for another target', async () => {
    const { user, ontarget } = await open('chatgpt');
    await user.click(screen.getByRole('button', { name: /^AGENTS.md/ }));
    expect(ontarget).toHaveBeenCalledWith('agents-md');
  });
});
