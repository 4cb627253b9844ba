/** MEMORY_PAGES are the addresses at which assistants show what they remember, by platform, as of December 2026. */
const MEMORY_PAGES: Record<string, string> = {
  chatgpt: 'https://chatgpt.com/#settings/Personalization',
  claude: 'https://claude.ai/settings/capabilities',
  gemini: 'https://gemini.google.com/saved-info',
  perplexity: 'https://www.perplexity.ai/account/personalization',
};

/** memoryPage is where a platform shows what it remembers; '' where that is not known. */
export const memoryPage = (platform: string): string => MEMORY_PAGES[platform] ?? '';
