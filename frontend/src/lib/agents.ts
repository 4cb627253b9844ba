import { known, t } from './i18n';

/** didWhat says what an assistant asked for by a tool, whose own name stands for one that is not known. */
export function didWhat(tool: string): string {
  return known(`agents.tool.${tool}`) ? t(`agents.tool.${tool}`) : tool;
}

/** whyRefused says why a call got no answer, by the reason of its fault. */
export function whyRefused(reason: string): string {
  return known(`agents.why.${reason}`) ? t(`agents.why.${reason}`) : t('agents.why.unknown', { reason });
}
