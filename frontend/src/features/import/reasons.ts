import { known, t } from '../../lib/i18n';

/** reasonName says why items were left out; a reason without words is shown as named. */
export function reasonName(reason: string): string {
  return known(`import.reason.${reason}`) ? t(`import.reason.${reason}`) : reason.replaceAll(/[-_:]/g, ' ');
}

/** heldName says what answers without text hold instead. */
export function heldName(kind: string): string {
  return known(`import.held.${kind}`) ? t(`import.held.${kind}`) : kind;
}
