import { fault } from './sampleVault';
import type { VaultView } from './types';

/** nothing is how it stands where there is no vault. */
export const nothing: VaultView = {
  exists: false, unlocked: false, sample: false, name: '', folder: '', vaultId: '', format: 0, size: 0, kdf: '', weakKdf: false, frozen: false, lastBackup: '',
  warning: '', slots: [], ownerId: '', did: '', lastChanged: '', memories: 0, conversations: 0, messages: 0, relations: 0, logsReading: false, lockedBy: '',
};

/** locked is a vault that waits for its passphrase. */
export const locked: VaultView = {
  ...nothing, exists: true, name: 'Keepsake', folder: '/home/marina/.local/share/keepsake/vault', vaultId: 'v-1', format: 1, size: 268_435_456,
  kdf: 'argon2id, 256 MiB, 3 passes', slots: [{ kind: 'passphrase', createdAt: '2025-02-11T18:00:00Z' }, { kind: 'recovery', createdAt: '2025-02-11T18:00:00Z' }],
};

/** What the fake cannot do, as Go says it. */
export const notOpened = () => fault('wrong_passphrase', 'file-passphrase', 'This passphrase does not open the file.');
export const noModel = () => fault('unsupported', 'no-model', 'This Keepsake was built without its language model, so it compares words and not meaning.');
export const notAtHand = () => fault('not_found', 'offer-gone', 'This file is no longer at hand.');
