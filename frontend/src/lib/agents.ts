import type { AgentCallQueryView } from './backend';
import { known, t } from './i18n';

/** ANY_CALL selects every call of every assistant. */
export const ANY_CALL: AgentCallQueryView = { agent: '', memory: '', tool: '', outcome: '', since: '', until: '', offset: 0, limit: 0 };

/** TOOLS are what an assistant can ask for, by the names in the log. */
export const TOOLS = [
  'search_memories', 'get_memory', 'list_memories', 'get_context', 'search_conversations', 'get_conversation', 'propose_memory', 'update_memory', 'retract_memory', 'relate_memories',
  'forget_memories', 'export_memory', 'import_memory', 'connect',
] as const;

/** didWhat says what an assistant asked for by a tool, whose own name stands for one that is not known. */
export function didWhat(tool: string): string {
  return known(`agents.tool.${tool}`) ? t(`agents.tool.${tool}`) : tool;
}

/** whyRefused says why a call got no answer, by the reason of its fault. */
export function whyRefused(reason: string): string {
  return known(`agents.why.${reason}`) ? t(`agents.why.${reason}`) : t('agents.why.unknown', { reason });
}
