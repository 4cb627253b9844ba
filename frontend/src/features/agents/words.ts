import type { AgentGrantView, AgentView } from '../../lib/backend';
import { formatBytes, formatInstant, formatList, platformName, relativeTime, t, typeName } from '../../lib/i18n';
import { visible } from '../../lib/markdown';
import { PERMISSIONS } from './grant.svelte';

/** sees tells whether an answer can have memories in it: one that changes a memory is told how it is now. */
export const sees = (permissions: readonly string[]) => permissions.includes('read') || permissions.includes('write');

const isOver = ({ until }: AgentGrantView, now: number) => until !== '' && Date.parse(until) <= now;

/** stateOf says in a few words where an assistant stands. */
export function stateOf(agent: AgentView, now = Date.now()): string {
  const { state, paused, circleName, grant } = agent;
  if (state !== 'allowed') return t(`agents.state.${state}`);
  if (paused) return t('agents.state.paused');
  if (isOver(grant, now)) return t('agents.state.ended');
  if (grant.circle !== '' && circleName === '') return t('agents.state.gone');
  if (grant.circle === '' || !sees(grant.permissions)) return t('agents.state.none');
  return t('agents.state.reads', { circle: visible(circleName) });
}

/** didSaid counts what an assistant asked for and got. */
export function didSaid({ lastCall, calls, memories, refused, proposed, accepted }: AgentView): string[] {
  if (calls === 0) return [];
  const said = [t('agents.last', { time: relativeTime(lastCall) }), t('agents.calls', { count: calls }), t('agents.given', { count: memories })];
  if (proposed > 0) said.push(t('agents.proposed', { count: proposed }), t('agents.accepted', { count: accepted }));
  return refused > 0 ? [...said, t('agents.refusals', { count: refused })] : said;
}

export const memoriesSaid = (count: number) => (count > 0 ? t('agents.budget.memories', { count }) : t('agents.budget.anyMemories'));
export const bytesSaid = (bytes: number) => (bytes > 0 ? t('agents.budget.bytes', { size: formatBytes(bytes) }) : t('agents.budget.anyBytes'));

/** maySaid lists what an assistant may, each with its name. */
export function maySaid({ grant, circleName }: AgentView): { name: string; said: string }[] {
  const circle = grant.circle === '' ? t('agents.circle.none') : circleName || t('agents.circle.gone');
  const permissions = PERMISSIONS.filter((one) => grant.permissions.includes(one)).map((one) => t(`agents.permission.${one}`));
  const only = [...grant.types.map(typeName), ...grant.tags, ...grant.platforms.map(platformName), ...grant.projects];
  return [
    { name: t('agents.circle'), said: circle },
    { name: t('agents.permissions'), said: permissions.length > 0 ? permissions.join(' · ') : t('agents.permissions.none') },
    { name: t('agents.conversations'), said: t(`agents.conversations.${grant.conversations || 'none'}`) },
    ...(only.length > 0 ? [{ name: t('agents.narrowed'), said: only.join(' · ') }] : []),
    { name: t('agents.budget'), said: formatList([memoriesSaid(grant.memories), bytesSaid(grant.bytes)]) },
    { name: t('agents.until'), said: grant.until === '' ? t('agents.until.none') : formatInstant(grant.until) },
    { name: t('agents.hide.row'), said: t(grant.unredacted ? 'agents.hide.off' : 'agents.hide.on') },
  ];
}
