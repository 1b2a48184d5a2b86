/**
 * Generates the tables of `docs/configuration.md` from the settings schemas (`npm run settings-page`). The text around
 * the tables is written by hand. A test compares the page with the code.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { z } from 'zod'
import { chainSettingFields } from '../shared/config/chain-settings.ts'
import { mailerMembers } from '../edge/identity/mailer-settings.ts'
import { edgeSettings } from '../edge/settings.ts'
import { originSettings } from '../origin/settings.ts'
import { stackSettings } from '../origin/stack/stack-settings.ts'
import { SETTINGS } from '../shared/config/settings.ts'

export const SETTINGS_PAGE = fileURLToPath(new URL('../docs/configuration.md', import.meta.url))

type Shape = Record<string, z.ZodType>

/** Keyed by the name in the page's `<!-- settings: … -->` comment. */
export const TABLES: Record<string, Shape> = {
  stack: stackSettings,
  origin: originSettings,
  edge: edgeSettings,
  CHAINS: chainSettingFields,
  MAILER: mailerMembers,
}

/** Matches `<!-- settings: origin -->`, the table, `<!-- end -->`. */
const TABLE = /(<!-- settings: (\w+) -->\n)[^]*?(<!-- end -->)/g

/** @throws {Error} if a setting has no description, or the page names an unknown table */
export function settingsPage(page: string): string {
  return page.replaceAll(TABLE, (_, begin: string, name: string, end: string) => {
    const shape = TABLES[name]
    if (!shape) throw new Error(`docs/configuration.md: unknown settings table "${name}"`)
    return `${begin}${table(shape)}\n${end}`
  })
}

function table(shape: Shape): string {
  const rows = Object.entries(shape).map(([name, schema]) => row(name, schema))
  const refuses = rows.some(([, , , production]) => production !== '')
  const columns = refuses ? 4 : 3
  const head = ['Setting', 'Default', 'Meaning', 'Rejected in production']
  const rule = head.map(() => '---')
  return [head, rule, ...rows]
    .map((cells) => `| ${cells.slice(0, columns).join(' | ')} |`)
    .join('\n')
}

function row(name: string, schema: z.ZodType): [string, string, string, string] {
  const told = SETTINGS.get(schema)
  if (!told)
    throw new Error(`${name} has no description: register it in SETTINGS where it is parsed`)
  const { meaning, secret, production = '' } = told
  const secrecy =
    secret === undefined ? '' : `. **Secret**${secret === true ? '' : `${joint(secret)}${secret}`}`
  return [`\`${name}\``, told.default ?? defaultOf(schema), meaning + secrecy, production]
}

const joint = (condition: string) => (condition.startsWith('if ') ? ' ' : ': ')

function defaultOf(schema: z.ZodType): string {
  const { success, data } = schema.safeParse(undefined)
  if (!success) return 'required'
  if (data === undefined || (Array.isArray(data) && data.length === 0)) return 'none'
  return typeof data === 'number' || /^\d+$/.test(String(data))
    ? String(data)
    : `\`${String(data)}\``
}

if (import.meta.main)
  writeFileSync(SETTINGS_PAGE, settingsPage(readFileSync(SETTINGS_PAGE, 'utf8')))
