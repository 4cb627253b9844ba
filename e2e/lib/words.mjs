// The page's own texts, so that one test speaks every language of it.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './program.mjs'

export const languages = ['en', 'pt-BR']

// words returns t(key, params) of a language, as the page fills and counts.
export function words(language) {
  const messages = JSON.parse(readFileSync(join(root, `frontend/src/lib/i18n/${language}.json`), 'utf8'))
  const plurals = new Intl.PluralRules(language)
  const numbers = new Intl.NumberFormat(language)
  return (key, params = {}) => {
    const plural = typeof params.count === 'number' ? (messages[`${key}.${params.count === 0 ? 'other' : plurals.select(params.count)}`] ?? messages[`${key}.other`]) : undefined
    const text = plural ?? messages[key]
    if (text === undefined) throw new Error(`the page has no text ${key} in ${language}`)
    return text.replace(/\{(\w+)\}/g, (place, name) => {
      const value = params[name]
      if (value === undefined) return place
      return typeof value === 'number' ? numbers.format(value) : value
    })
  }
}
