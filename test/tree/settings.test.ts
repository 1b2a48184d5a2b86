import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { unstable_readConfig } from 'wrangler'
import { z } from 'zod'
import { BINDINGS, edgeSettings } from '../../edge/settings.ts'
import { settingsPage, TABLES } from '../../.ci/settings-page.ts'

const file = (path: string) =>
  readFileSync(fileURLToPath(new URL(`../../${path}`, import.meta.url)), 'utf8')

type Lock = { packages: Record<string, { optionalDependencies?: Record<string, string> }> }

describe('configuration files of tools', () => {
  it('have a compatibility date at which waitUntil keeps an object alive', () => {
    const date = /^compatibility_date = "(.+)"$/m.exec(file('wrangler.toml'))?.[1] ?? ''
    expect(date >= '2026-10-01').toBe(true)
  })

  it.each(['staging', 'production'])(
    'repeat in wrangler.toml what env.%s does not inherit',
    (env) => {
      const config = fileURLToPath(new URL('../../wrangler.toml', import.meta.url))
      const [top, own] = [unstable_readConfig({ config }), unstable_readConfig({ config, env })]
      const inherited = [
        'main',
        'compatibility_date',
        'compatibility_flags',
        'migrations',
        'triggers',
        'rules',
        'build',
        'observability',
        'workers_dev',
        'preview_urls',
      ] as const
      for (const name of [...inherited, 'durable_objects'] as const)
        expect(own[name]).toEqual(top[name])
      const bindings = [
        ...own.durable_objects.bindings.map(({ name }: { name: string }) => name),
        ...own.d1_databases.map(({ binding }: { binding: string }) => binding),
      ]
      expect(new Set(bindings)).toEqual(new Set(BINDINGS))
      expect(bindings).toHaveLength(BINDINGS.length)
      expect(own.d1_databases[0]!.migrations_dir).toBe(top.d1_databases[0]!.migrations_dir)
      expect(own).toMatchObject({
        workers_dev: false,
        preview_urls: false,
        observability: { enabled: true },
      })
      expect(own.name).not.toBe(top.name)
      expect(own.vars['SVC_ENV']).toBe(env)
      expect(Object.keys(own.vars).filter((name) => !(name in edgeSettings))).toEqual([])
    },
  )

  it('give wrangler dev no address, so that it cannot be deployed by mistake', () => {
    const config = fileURLToPath(new URL('../../wrangler.toml', import.meta.url))
    expect(unstable_readConfig({ config })).toMatchObject({ routes: undefined, workers_dev: false })
  })

  it('list every setting of the edge in .dev.vars.example', () => {
    const listed = [...file('.dev.vars.example').matchAll(/^(?:# )?([A-Z][A-Z0-9_]+)=/gm)]
    expect(new Set(listed.map(([, name]) => name))).toEqual(new Set(Object.keys(edgeSettings)))
    expect(listed).toHaveLength(Object.keys(edgeSettings).length)
  })

  it('keep .dev.vars out of Git', () => {
    expect(file('.gitignore').split('\n')).toContain('.dev.vars')
  })

  it('have a lockfile entry for every optional platform package, which npm ci requires', () => {
    const { packages } = JSON.parse(file('package-lock.json')) as Lock
    const missing = Object.entries(packages).flatMap(([parent, entry]) =>
      Object.keys(entry.optionalDependencies ?? {}).filter(
        (name) =>
          !(`node_modules/${name}` in packages) && !(`${parent}/node_modules/${name}` in packages),
      ),
    )
    expect(missing).toEqual([])
  })

  it('have a lockfile without registry URLs', () => {
    expect(file('package-lock.json')).not.toContain('"resolved"')
  })
})

describe('the configuration page', () => {
  const page = file('docs/configuration.md')

  it('matches the code that parses the settings, otherwise run npm run settings-page', () => {
    expect(page).toBe(settingsPage(page))
  })

  it('has a table for every group of settings', () => {
    const shown = [...page.matchAll(/<!-- settings: (\w+) -->/g)].map(([, name]) => name)
    expect(shown).toEqual(Object.keys(TABLES))
  })

  it('cannot be generated if a setting has no description', () => {
    const bare = '<!-- settings: bare -->\n<!-- end -->'
    TABLES['bare'] = { SVC_BARE: z.string() }
    expect(() => settingsPage(bare)).toThrow('SVC_BARE has no description')
    delete TABLES['bare']
  })

  it('gives each setting its own description, because no two settings share a schema', () => {
    for (const [table, shape] of Object.entries(TABLES)) {
      const schemas = new Set(Object.values(shape))
      expect([table, schemas.size]).toEqual([table, Object.keys(shape).length])
    }
  })

  it("marks every setting with a secret's name as secret", () => {
    const rows = page
      .split('\n')
      .filter((line) => /^\| `\w*(SECRET|PSK|TOKEN|MAC_KEY)\w*`/.test(line))
    expect(rows.length).toBeGreaterThan(3)
    expect(rows.filter((row) => !row.includes('**Secret**'))).toEqual([])
  })

  it('documents every environment variable that a process reads', () => {
    const read = ['origin/main.ts', 'origin/service.ts', 'origin/stack/run-start.ts'].flatMap(
      (path) => [...file(path).matchAll(/process\.env\.(\w+)/g)].map(([, name]) => name!),
    )
    expect(read.filter((name) => !page.includes(`\`${name}\``))).toEqual([])
  })
})
