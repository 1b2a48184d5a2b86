import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { settingsPage, TABLES } from '../../.ci/settings-page.ts'

const file = (path: string) =>
  readFileSync(fileURLToPath(new URL(`../../${path}`, import.meta.url)), 'utf8')

type Lock = { packages: Record<string, { optionalDependencies?: Record<string, string> }> }

describe('files that tools read', () => {
  it('the compatibility date is one at which waitUntil keeps an object alive', () => {
    const date = /^compatibility_date = "(.+)"$/m.exec(file('wrangler.toml'))?.[1] ?? ''
    expect(date >= '2026-10-01').toBe(true)
  })

  it('the lockfile has an entry for every optional platform package, so that npm ci takes it', () => {
    const { packages } = JSON.parse(file('package-lock.json')) as Lock
    const missing = Object.entries(packages).flatMap(([parent, entry]) =>
      Object.keys(entry.optionalDependencies ?? {}).filter(
        (name) =>
          !(`node_modules/${name}` in packages) && !(`${parent}/node_modules/${name}` in packages),
      ),
    )
    expect(missing).toEqual([])
  })

  it('the lockfile names no registry', () => {
    expect(file('package-lock.json')).not.toContain('"resolved"')
  })
})

describe('the page of settings', () => {
  const page = file('docs/configuration.md')

  it('is what comes of the code that parses them: else run npm run settings-page', () => {
    expect(page).toBe(settingsPage(page))
  })

  it('has a table for every shape of settings', () => {
    const shown = [...page.matchAll(/<!-- settings: (\w+) -->/g)].map(([, name]) => name)
    expect(shown).toEqual(Object.keys(TABLES))
  })

  it('cannot be made while a setting has no meaning', () => {
    const bare = '<!-- settings: bare -->\n<!-- end -->'
    TABLES['bare'] = { SVC_BARE: z.string() }
    expect(() => settingsPage(bare)).toThrow('SVC_BARE has no meaning')
    delete TABLES['bare']
  })

  it('marks as secret every setting whose name says that it is one', () => {
    const rows = page
      .split('\n')
      .filter((line) => /^\| `\w*(SECRET|PSK|TOKEN|MAC_KEY)\w*`/.test(line))
    expect(rows.length).toBeGreaterThan(3)
    expect(rows.filter((row) => !row.includes('**Secret**'))).toEqual([])
  })

  it('knows every variable that a process reads of its environment', () => {
    const read = ['origin/main.ts', 'origin/service.ts', 'origin/stack/start.ts'].flatMap((path) =>
      [...file(path).matchAll(/process\.env\.(\w+)/g)].map(([, name]) => name!),
    )
    expect(read.filter((name) => !page.includes(`\`${name}\``))).toEqual([])
  })
})
