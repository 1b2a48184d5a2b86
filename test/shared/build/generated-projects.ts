/** Generates projects with packages, and installs them as npm and as pnpm do. */
import { mkdirSync, symlinkSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { seededRandom } from '../../origin/hostile/seeded-random.ts'
import { type Files, writeFiles } from './project.ts'

type GeneratedPackage = { name: string; version: string; files: Files; dependencies: string[] }

export type GeneratedProject = {
  files: Files
  /** All packages by `name@version`. */
  packages: ReadonlyMap<string, GeneratedPackage>
  dependencies: readonly string[]
}

const NAMES = ['alpha', 'beta', '@scope/gamma', '@scope/delta', 'epsilon', 'zeta']
const VERSIONS = ['1.0.0', '2.1.0']

export function generateProject(seed: number): GeneratedProject {
  const random = seededRandom(seed)
  const chance = (probability: number) => random() < probability
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)]!
  const packages = new Map<string, GeneratedPackage>()
  // A package depends only on packages after it, and on any of their versions.
  for (const [at, name] of NAMES.entries())
    for (const version of VERSIONS) {
      const later = NAMES.slice(at + 1).filter(() => chance(0.6))
      const dependencies = later.map((other) => `${other}@${pick(VERSIONS)}`)
      packages.set(`${name}@${version}`, generatePackage(name, version, dependencies, chance))
    }
  const dependencies = NAMES.filter(() => chance(0.7)).map((name) => `${name}@${pick(VERSIONS)}`)
  const modules = Array.from({ length: 1 + Math.floor(random() * 4) }, (_, n) => `part-${n}`)
  const own = modules.map((module, n): [string, string] => [
    `src/${n % 2 === 0 ? 'lib/' : ''}${module}/${chance(0.5) ? 'index' : 'größe'}.ts`,
    // Every module imports the next, and the last imports the first.
    `${importsOf(dependencies.filter(() => chance(0.5)))}
export const own${n}: string = 'own' + ${n}
export const all${n} = () => [own${n}, used].join()`,
  ])
  const files = {
    'package.json': JSON.stringify({ name: 'generated', dependencies: ranges(dependencies) }),
    ...(chance(0.5) && { 'tsconfig.json': '{"compilerOptions":{"useDefineForClassFields":true}}' }),
    'src/data.json': JSON.stringify({ seed, list: [1, 2, 3] }),
    'src/action.ts': `${importsOf(dependencies)}
import data from './data.json'
${own.map(([path], n) => `import * as part${n} from './${relative('src', path)}'`).join('\n')}
${chance(0.3) ? `import { createHash } from 'node:crypto'` : ''}
class Result { constructor(readonly list: unknown[]) {} }
export ${chance(0.5) ? 'default ' : ''}async function main() {
  const parts = [${own.map((_, n) => `part${n}`).join()}] as object[]
  return new Result([used, data.seed, parts.map((part) => Object.keys(part))])
}`,
    ...Object.fromEntries(own),
  }
  return { files, packages, dependencies }
}

const nameOf = (id: string) => id.slice(0, id.lastIndexOf('@'))

const ranges = (ids: readonly string[]) =>
  Object.fromEntries(ids.map((id) => [nameOf(id), id.slice(id.lastIndexOf('@') + 1)]))

const importsOf = (ids: readonly string[]) =>
  [
    ...ids.map((id, n) => `import * as dependency${n} from '${nameOf(id)}'`),
    `const used = [${ids.map((_, n) => `dependency${n}.text()`).join()}].join('|')`,
  ].join('\n')

function generatePackage(
  name: string,
  version: string,
  dependencies: string[],
  chance: (probability: number) => boolean,
): GeneratedPackage {
  const isEsm = chance(0.5)
  const title = `${name}@${version}`
  const manifest = {
    name,
    version,
    dependencies: ranges(dependencies),
    ...(isEsm && { type: 'module', exports: './lib/index.js' }),
    ...(!isEsm && { main: chance(0.5) ? './lib/index.js' : './lib' }),
    ...(chance(0.5) && { sideEffects: false }),
  }
  const code = isEsm
    ? `${importsOf(dependencies)}
import { part } from './part.js'
const Buffer1 = 1
export const text = () => '${title}' + part + used + Buffer1`
    : `${dependencies.map((id, n) => `const dependency${n} = require('${nameOf(id)}')`).join('\n')}
const { part } = require('./part.js')
exports.text = () => '${title}' + part + [${dependencies.map((_, n) => `dependency${n}.text()`).join()}]`
  const part = isEsm ? `export const part = ':'` : `exports.part = ':'`
  const files = {
    'package.json': JSON.stringify(manifest),
    'lib/index.js': code,
    'lib/part.js': `${part}\n${chance(0.3) ? `/*! License of ${name} */\nglobalThis.loaded = 1` : ''}`,
  }
  return { name, version, files, dependencies }
}

/** Installs as npm does: at the top, or again below each dependent if another version is in the way. */
export function installLikeNpm(
  { files, packages, dependencies }: GeneratedProject,
  folder: string,
) {
  writeFiles(folder, files)
  type Placed = { path: string; id?: string; parent?: Placed; children: Map<string, Placed> }
  const top: Placed = { path: folder, children: new Map() }
  const visible = (name: string, from: Placed | undefined): Placed | undefined =>
    from && (from.children.get(name) ?? visible(name, from.parent))
  const place = (ids: readonly string[], dependent: Placed) => {
    const added = ids.flatMap((id) => {
      const { name, files: contents } = packages.get(id)!
      const there = visible(name, dependent)
      if (there?.id === id) return []
      const parent = there === undefined ? top : dependent
      const path = join(parent.path, 'node_modules', name)
      const placed = { path, id, parent, children: new Map() }
      parent.children.set(name, placed)
      writeFiles(path, contents)
      return [placed]
    })
    // All dependencies are placed before theirs, which could otherwise be hidden afterwards.
    for (const placed of added) place(packages.get(placed.id)!.dependencies, placed)
  }
  place(dependencies, top)
}

/** Installs as pnpm does: each version once in a hidden folder, with symbolic links to its dependencies. */
export function installLikePnpm(
  { files, packages, dependencies }: GeneratedProject,
  folder: string,
) {
  writeFiles(folder, files)
  const homeOf = (id: string) =>
    join(folder, 'node_modules/.pnpm', id.replace('/', '+'), 'node_modules')
  const link = (id: string, into: string) => {
    const path = join(into, nameOf(id))
    mkdirSync(dirname(path), { recursive: true })
    symlinkSync(join(homeOf(id), nameOf(id)), path)
  }
  for (const [id, { name, files: contents, dependencies: further }] of packages) {
    writeFiles(join(homeOf(id), name), contents)
    for (const dependency of further) link(dependency, homeOf(id))
  }
  for (const id of dependencies) link(id, join(folder, 'node_modules'))
}
