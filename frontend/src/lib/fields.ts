import { formatInstant, known, t } from './i18n';

const INSTANT = /^\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:\d\d)$/;

/** fieldName is what a member of a memory is called, by its JSON pointer. */
export function fieldName(path: string): string {
  const member = path.slice(1).replaceAll('/', '.');
  if (known(`compare.field.${member}`)) return t(`compare.field.${member}`);
  return known(`library.history.field.${member}`) ? t(`library.history.field.${member}`) : member;
}

/** fieldText is what a member says: a text without its quotes, the rest as it is written; '' where it is not there. */
export function fieldText(json: string): string {
  try {
    const value: unknown = JSON.parse(json);
    if (typeof value === 'string') return INSTANT.test(value) ? formatInstant(value) : value;
    if (Array.isArray(value) && value.every((one) => typeof one === 'string')) return value.join(', ');
    return json;
  } catch {
    return json.startsWith('"') ? json.slice(1) : json; // it was cut for the way here
  }
}
