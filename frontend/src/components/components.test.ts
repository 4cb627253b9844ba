import { cleanup, render, screen } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { createRawSnippet } from 'svelte';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { use } from '../lib/backend';
import { Fake } from '../lib/backend/fake';
import { detailsOf } from '../lib/details';
import { speak } from '../lib/i18n';
import { toasts } from '../lib/toasts.svelte';
import Button from './Button.svelte';
import Checkbox from './Checkbox.svelte';
import Dialog from './Dialog.svelte';
import EmptyState from './EmptyState.svelte';
import FaultNote from './FaultNote.svelte';
import IconButton from './IconButton.svelte';
import ProgressBar from './ProgressBar.svelte';
import Resizer from './Resizer.svelte';
import Select from './Select.svelte';
import Switch from './Switch.svelte';
import TextField from './TextField.svelte';
import Ghosts from './Ghosts.svelte';
import ToastStack from './ToastStack.svelte';
import TypeIcon from './TypeIcon.svelte';
import VirtualList from './VirtualList.svelte';
import VisibleText from './VisibleText.svelte';

const words = (text: string) =>
  createRawSnippet(() => ({
    render: () => '<span></span>',
    setup: (element) => {
      element.textContent = text;
    },
  }));

afterEach(() => {
  cleanup();
  toasts.clear();
});
afterEach(() => speak('en'));

describe('Button', () => {
  it('is no submit button unless it says so, and cannot be pressed while busy', async () => {
    const onclick = vi.fn();
    const { rerender } = render(Button, { children: words('Go'), onclick });
    const button = screen.getByRole('button', { name: 'Go' });
    expect(button.getAttribute('type')).toBe('button');
    await userEvent.click(button);
    await rerender({ busy: true });
    expect(button.getAttribute('aria-busy')).toBe('true');
    await userEvent.click(button);
    expect(onclick).toHaveBeenCalledOnce();
  });
});

describe('IconButton', () => {
  it('has a name', () => {
    render(IconButton, { icon: 'x', label: 'Close it' });
    expect(screen.getByRole('button', { name: 'Close it' })).toBeTruthy();
  });
});

describe('Switch, Checkbox and Select', () => {
  it('tell what they became', async () => {
    const switched = vi.fn();
    const ticked = vi.fn();
    const chosen = vi.fn();
    render(Switch, { checked: false, label: 'Leaves', onchange: switched });
    render(Checkbox, { checked: true, children: words('With pictures'), onchange: ticked });
    render(Select, { options: [{ value: 'a', label: 'A' }, { value: 'b', label: 'B' }], value: 'a', label: 'Which', onchange: chosen });
    await userEvent.click(screen.getByRole('switch', { name: 'Leaves' }));
    await userEvent.click(screen.getByRole('checkbox', { name: 'With pictures' }));
    await userEvent.selectOptions(screen.getByRole('combobox', { name: 'Which' }), 'b');
    expect(switched).toHaveBeenCalledWith(true);
    expect(ticked).toHaveBeenCalledWith(false);
    expect(chosen).toHaveBeenCalledWith('b');
  });
});

describe('TextField', () => {
  it('is read with its hint and its error', () => {
    render(TextField, { label: 'Name', value: '', hint: 'As you like.', error: 'It is empty.' });
    const field = screen.getByLabelText('Name');
    const read = (field.getAttribute('aria-describedby') ?? '').split(' ').map((id) => document.getElementById(id)?.textContent);
    expect(read).toEqual(['As you like.', 'It is empty.']);
    expect(field.getAttribute('aria-invalid')).toBe('true');
  });
});

describe('Dialog', () => {
  it('has a name, closes with Esc and gives the focus back', async () => {
    const onclose = vi.fn();
    const opener = document.createElement('button');
    document.body.append(opener);
    opener.focus();
    render(Dialog, { open: true, title: 'Relate', children: words('inside'), onclose });
    expect(await screen.findByRole('dialog', { name: 'Relate' })).toBeTruthy();
    await userEvent.keyboard('{Escape}');
    await vi.waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(onclose).toHaveBeenCalledOnce();
    opener.remove();
  });

  it('stays when it must be answered', async () => {
    render(Dialog, { open: true, title: 'Relate', dismissable: false, children: words('inside') });
    await screen.findByRole('dialog');
    await userEvent.keyboard('{Escape}');
    expect(screen.getByRole('dialog')).toBeTruthy();
    expect(screen.queryByRole('button', { name: 'Close' })).toBeNull();
  });
});

describe('ToastStack', () => {
  it('offers to undo', async () => {
    const undo = vi.fn();
    render(ToastStack);
    toasts.show({ text: 'Retracted.', action: 'Undo', onaction: undo });
    await userEvent.click(await screen.findByRole('button', { name: 'Undo' }));
    expect(undo).toHaveBeenCalledOnce();
  });
});

describe('Ghosts', () => {
  it('say that something is on its way only once it is missed', async () => {
    vi.useFakeTimers();
    try {
      const { container } = render(Ghosts, { label: 'Being read' });
      await vi.advanceTimersByTimeAsync(200);
      expect(screen.getByRole('status').textContent).toBe('');
      expect(container.querySelectorAll('span')).toHaveLength(0);
      await vi.advanceTimersByTimeAsync(100);
      expect(screen.getByRole('status').textContent).toContain('Being read');
      expect(container.querySelectorAll('span')).toHaveLength(6);
    } finally {
      vi.useRealTimers();
    }
  });
});

describe('ToastStack', () => {
  it('says a fault outside of what is said in its turn', async () => {
    render(ToastStack);
    toasts.show({ fault: { code: 'internal', reason: 'x', message: 'The disk went away.', hint: '', args: {} } });
    toasts.show({ text: 'Retracted.' });
    expect((await screen.findByRole('alert')).closest('[aria-live]')).toBeNull();
    expect(screen.getByText('Retracted.').closest('[aria-live=polite]')).not.toBeNull();
  });
});

describe('FaultNote', () => {
  const fault = { code: 'not_found', reason: 'no-vault', message: 'There is no vault in a.', hint: 'Make one.', args: { folder: 'a' } };

  it('says what happened and what to do, in the language of the page', async () => {
    render(FaultNote, { fault });
    expect(screen.getByRole('alert').textContent).toContain('There is no vault in a.');
    await speak('pt-BR');
    await vi.waitFor(() => expect(screen.getByRole('alert').textContent).toContain('Não há cofre em a.'));
  });
});

describe('the details of an error', () => {
  const broken = { code: 'internal', reason: 'disk-gone', message: 'The file “Diary of Ana” went away.', hint: 'Look for /home/ana.', args: { name: 'Diary of Ana' } };

  it('are behind a fold, and what is copied holds no content', async () => {
    const fake = new Fake();
    const calls = vi.spyOn(fake, 'call');
    use(fake);
    const user = userEvent.setup();
    render(FaultNote, { fault: broken });
    expect(screen.queryByRole('button', { name: 'Copy details' })).toBeNull();
    await user.click(screen.getByText('Details'));
    await user.click(await screen.findByRole('button', { name: 'Copy details' }));
    await screen.findByText('Copied. It leaves the clipboard in half a minute.');
    const copied = String(calls.mock.calls.find(([name]) => name === 'Vault.Copy')?.[1][0]);
    expect(copied).toContain('error: internal / disk-gone');
    expect(copied).toMatch(/^Keepsake \d/);
    expect(copied).not.toMatch(/ana|Diary|went away/i);
  });

  it('name no error in words that are not ours', async () => {
    use(new Fake());
    expect(await detailsOf({ ...broken, reason: 'Diary of Ana' })).toContain('error: internal / unknown');
  });

  it('stand beside a toast too, and not beside an answer', async () => {
    use(new Fake());
    render(ToastStack);
    toasts.show({ fault: broken });
    expect(await screen.findByText('Details')).toBeTruthy();
    toasts.clear();
    cleanup();
    render(FaultNote, { fault: { ...broken, code: 'not_found' } });
    expect(screen.queryByText('Details')).toBeNull();
  });
});

describe('VisibleText', () => {
  it('shows what would hide, and makes nothing of markup', () => {
    const { container } = render(VisibleText, { text: 'a\u202Eb <b>c</b>' });
    expect(container.textContent).toBe('aRLOb <b>c</b>');
    expect(container.querySelector('b')).toBeNull();
  });
});

describe('TypeIcon', () => {
  it('draws a type it does not know as a custom one', () => {
    const { container } = render(TypeIcon, { type: 'household_rule' });
    expect(container.querySelector<HTMLElement>('.type-icon')?.style.color).toBe('var(--type-custom)');
  });
});

describe('ProgressBar', () => {
  it('says how far it is, and nothing while it does not know', async () => {
    const { rerender } = render(ProgressBar, { share: 0.456, label: 'Reading' });
    const bar = screen.getByRole('progressbar', { name: 'Reading' });
    expect(bar.getAttribute('aria-valuenow')).toBe('46');
    await rerender({ share: undefined });
    expect(bar.getAttribute('aria-valuenow')).toBeNull();
  });
});

describe('Resizer', () => {
  it('moves with the arrow keys, within its bounds', async () => {
    render(Resizer, { label: 'Width', value: 200, min: 190, max: 210 });
    const edge = screen.getByRole('separator', { name: 'Width' });
    edge.focus();
    await userEvent.keyboard('{ArrowRight}');
    expect(edge.getAttribute('aria-valuenow')).toBe('210');
    await userEvent.keyboard('{Home}');
    expect(edge.getAttribute('aria-valuenow')).toBe('190');
  });
});

describe('EmptyState', () => {
  it('teaches in a sentence', () => {
    render(EmptyState, { drawing: 'letter', text: 'Nothing here yet.' });
    expect(screen.getByText('Nothing here yet.')).toBeTruthy();
  });
});

describe('VirtualList', () => {
  it('keeps only what is seen in the document', () => {
    // jsdom lays nothing out: the list is 400 px high, every row 40.
    vi.spyOn(Element.prototype, 'clientHeight', 'get').mockReturnValue(400);
    vi.spyOn(Element.prototype, 'clientWidth', 'get').mockReturnValue(400);
    vi.spyOn(HTMLElement.prototype, 'offsetHeight', 'get').mockReturnValue(40);
    render(VirtualList, {
      items: Array.from({ length: 10_000 }, (_, i) => `row ${i}`),
      estimate: 40,
      label: 'Rows',
      key: (item: unknown) => String(item),
      row: createRawSnippet<[unknown, number]>((item) => ({ render: () => `<p>${String(item())}</p>` })),
    });
    const rows = screen.getAllByRole('listitem');
    expect(rows.length).toBeGreaterThan(5);
    expect(rows.length).toBeLessThan(60);
    expect(rows[0]?.getAttribute('aria-setsize')).toBe('10000');
  });
});
