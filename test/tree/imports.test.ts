import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))

type Import = { from: string; to: string }

/** Imports between our own files, as paths from the root. */
function imports(side: string): Import[] {
  return readdirSync(join(root, side), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.tsx?$/.test(file))
    .flatMap((file) => {
      const path = join(root, side, file)
      const text = readFileSync(path, 'utf8')
      const targets = [...text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)]
      return targets.map(([, target]) => ({
        from: relative(root, path),
        to: relative(root, resolve(dirname(path), target!)),
      }))
    })
}

const side = (path: string) => path.split(sep)[0]!
const room = (path: string) => path.split(sep).slice(0, 2).join('/')
const offending = (from: string, allowed: (found: Import) => boolean) =>
  imports(from)
    .filter((found) => !allowed(found))
    .map((found) => `${found.from} imports ${found.to}`)

/** Returns the files along each cycle that a depth-first search closes. Type-only imports count. */
function cycles(all: readonly Import[]): string[] {
  const importsOf = Map.groupBy(all, ({ from }) => from)
  const found: string[] = []
  const visited = new Set<string>()
  const visit = (file: string, path: readonly string[]) => {
    const start = path.indexOf(file)
    if (start !== -1) found.push([...path.slice(start), file].join(' imports '))
    if (visited.has(file)) return
    visited.add(file)
    for (const { to } of importsOf.get(file) ?? []) visit(to, [...path, file])
  }
  for (const file of importsOf.keys()) visit(file, [])
  return found
}

describe('import rules', () => {
  it('the edge imports only itself, shared, its migrations, its version, and the documents it serves', () => {
    const rooms = ['edge', 'shared', 'drizzle', 'package.json']
    const serves = (found: Import) =>
      found.from === 'edge/docs/sources.ts' && found.to.endsWith('.md')
    expect(offending('edge', (found) => rooms.includes(side(found.to)) || serves(found))).toEqual(
      [],
    )
  })

  it('the origin imports only itself and shared', () => {
    expect(offending('origin', ({ to }) => ['origin', 'shared'].includes(side(to)))).toEqual([])
  })

  it('shared imports only shared', () => {
    expect(offending('shared', ({ to }) => side(to) === 'shared')).toEqual([])
  })

  it('domain folders never import http', () => {
    const entries = [
      'edge/app.ts',
      'edge/worker.ts',
      'origin/app.ts',
      'origin/main.ts',
      'origin/service.ts',
    ]
    const mayUseHttp = (from: string) =>
      entries.includes(from) ||
      ['edge/http', 'edge/pages', 'origin/http', 'origin/stack'].includes(room(from))
    for (const from of ['edge', 'origin'])
      expect(
        offending(from, (found) => room(found.to) !== `${from}/http` || mayUseHttp(found.from)),
      ).toEqual([])
  })

  it('the service never imports the local stack', () => {
    expect(
      offending(
        'origin',
        ({ from, to }) => room(to) !== 'origin/stack' || room(from) === 'origin/stack',
      ),
    ).toEqual([])
  })

  it('has no import cycles', () => {
    expect(cycles(['edge', 'origin', 'shared'].flatMap(imports))).toEqual([])
  })

  it('cover existing files', () => {
    expect(imports('edge').length).toBeGreaterThan(30)
    expect(imports('origin').length).toBeGreaterThan(30)
  })
})
