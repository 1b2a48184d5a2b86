import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

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

  it('every setting of both sides stands in docs/configuration.md', () => {
    const names = [
      'edge/env.ts',
      'edge/trust/trust-settings.ts',
      'origin/env.ts',
      'origin/stack/ports.ts',
    ].flatMap((path) =>
      [
        ...file(path).matchAll(
          /\b(CHAINS|MAILER|(?:SVC_|DATABASE_|ORIGIN_|PUBLIC_|CHANNEL_|STORAGE_|ID_MAC_|SIM_|TCB_|GOVERNANCE_)[A-Z0-9_]+)\b/g,
        ),
      ].map((match) => match[1]!),
    )
    const documented = file('docs/configuration.md')
    const absent = [...new Set(names)].filter((name) => !documented.includes(`\`${name}\``))
    expect(absent).toEqual([])
  })
})
