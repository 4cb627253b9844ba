import { fault } from './sampleVault';
import type { KeyReadingView, KeySourceView, Methods, Offer, SavedView, SignersView, SignerView } from './types';

const own = (did: string, words: string, rest: Partial<SignerView> = {}): SignerView => ({
  did, kind: 'Ed25519', publicKey: did.replace('did:key:', ''), fingerprint: '4F7A 91C2 0B6E D358', words: words.split(' '), name: '', where: '',
  since: '2025-02-11T18:00:00Z', inUse: false, retiredAt: '', revokedAt: '', successor: '', ...rest,
});

export const OWN_DID = 'did:key:z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK';
const ANA = 'did:key:z6MkrJVnaZkeFzdQyMZu1cgjg7k1pZZ6pvBQ7XJPt4swbTQ2';
const STRANGER = 'did:key:z6MkpTHR8VNsBxYAAWHut2Geadd9jSwuBV8xRoAnwWsdvktH';

const now = () => new Date().toISOString();

/** SampleSigners keeps the signing keys that the sample vault knows. */
export class SampleSigners {
  view: SignersView = {
    own: [
      own(OWN_DID, 'linen harbor copper walnut meadow lantern', { inUse: true, since: '2025-06-02T10:30:00Z' }),
      own('did:key:z6MknGc3ocHs3zdPiJbnaaqDi58NGb4pk1Sp9WxWufuXSdxf', 'amber kettle orchid tunnel velvet prairie', {
        retiredAt: '2025-06-02T10:30:00Z', successor: OWN_DID,
      }),
    ],
    known: [
      own(ANA, 'canvas ripple sunset hammer orbit cinnamon', { name: 'Ana Souza', where: 'ana-2025-03.pam.json', since: '2025-03-03T09:12:00Z' }),
    ],
  };

  constructor(private readonly offer: (token: string) => Offer | undefined, private readonly browser: boolean) {}

  methods(): Methods['Signers'] {
    return {
      List: async () => this.view,
      Read: async (from) => this.read(from),
      Trust: async (from, name) => this.trust(from, name),
      Follow: async () => this.view,
      Rename: async (did, name) => this.change(did, { name }),
      Remove: async (did) => this.set({ ...this.view, known: this.view.known.filter((key) => key.did !== did) }),
      Rotate: async () => this.replace({}),
      Revoke: async (did, since) => {
        const revokedAt = since === '' ? now() : since;
        return this.view.own.some((key) => key.did === did && key.inUse) ? this.replace({ revokedAt }) : this.change(did, { revokedAt });
      },
      Save: async () => this.saved(),
    };
  }

  private set(view: SignersView): SignersView {
    return (this.view = view);
  }

  private change(did: string, change: Partial<SignerView>): SignersView {
    const each = (keys: SignerView[]) => keys.map((key) => (key.did === did ? { ...key, ...change } : key));
    return this.set({ own: each(this.view.own), known: each(this.view.known) });
  }

  private replace(change: Partial<SignerView>): SignersView {
    const next = own('did:key:z6Mkw1oN8tFqYbKkq2pQkTjX1vUeoVvGm4rYd1aXhPzL9wRc', 'garden pilot marble winter saddle comet', { inUse: true, since: now() });
    const before = this.view.own.map((key) => (key.inUse ? { ...key, inUse: false, retiredAt: now(), successor: change.revokedAt ? '' : next.did, ...change } : key));
    return this.set({ ...this.view, own: [next, ...before] });
  }

  private read(from: KeySourceView): KeyReadingView {
    if (from.text !== '' && !from.text.includes('z6Mk')) throw fault('invalid', 'key-form', 'The public key is not in a form that is known.');
    const file = this.offer(from.token)?.name ?? '';
    const known = this.view.known.find((key) => key.did === from.text.trim());
    const about = { did: known?.did ?? STRANGER, fingerprint: '77E0 12AB 9C3D 5E41', words: known?.words ?? 'velvet anchor pepper mirror glacier tulip'.split(' '), where: file };
    const news = file.includes('new-key') ? [{ kind: 'rotation', name: 'Ana Souza', words: about.words, at: '2025-10-01T08:00:00Z', since: '', fresh: true }] : [];
    return { ...about, own: false, name: known?.name ?? '', news };
  }

  private trust(from: KeySourceView, name: string): SignersView {
    const read = this.read(from);
    if (this.view.known.some((key) => key.name.toLowerCase() === name.trim().toLowerCase())) {
      throw fault('conflict', 'name-has-key', `${name} is known by another key, since 2025-03-03. This one may be from somebody who only calls themselves so.`, { name, date: '2025-03-03' });
    }
    const key = own(read.did, read.words.join(' '), { name: name.trim(), where: read.where, since: now() });
    return this.set({ ...this.view, known: [key, ...this.view.known] });
  }

  private saved(): SavedView {
    return { token: 'key-1', url: this.browser ? '#download' : '', name: 'keepsake-public-key.json', folder: this.browser ? '' : '/home/marina/Documents' };
  }
}
