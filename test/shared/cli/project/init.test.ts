import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, it } from 'vitest'
import { createCli } from '../../../../shared/cli/cli.ts'
import { planDeployment } from '../../../../shared/cli/project/plan.ts'
import { readProject } from '../../../../shared/cli/project/read-project.ts'
import {
  DEPENDENCIES,
  EXAMPLES,
  type ExampleName,
  TOOL_VERSIONS,
} from '../../../../shared/cli/project/examples.ts'
import type { Terminal } from '../../../../shared/cli/terminal.ts'
import { svc } from '../command-line.ts'
import { EMPTY } from './project-folder.ts'

const root = fileURLToPath(new URL('../../../..', import.meta.url))
const examples = join(root, 'examples')
const names = Object.keys(EXAMPLES) as ExampleName[]
const folder = mkdtempSync(join(tmpdir(), 'svc-init-'))
afterAll(() => rmSync(folder, { recursive: true }))

const init = (...words: string[]) => svc(['init', ...words], { folder })
const written = (path: string) => readFileSync(join(folder, path), 'utf8')

describe('svc init', () => {
  it('writes a project whose name is that of the folder', async () => {
    const { code, out } = await init('My Shop!', '--template', 'webhook', '--no-install', '--json')
    expect(code).toBe(0)
    expect(JSON.parse(out)).toMatchObject({
      name: 'my-shop',
      installed: false,
      files: [
        '.gitignore',
        'README.md',
        'package.json',
        'policy.json',
        'src/confirm.ts',
        'src/encrypt.ts',
        'svc.json',
        'test/confirm.test.ts',
        'tsconfig.json',
      ],
    })
    expect(JSON.parse(written('My Shop!/svc.json')).name).toBe('my-shop')
    expect(written('My Shop!/README.md')).toContain('--key-name my-shop/setup')
    expect(JSON.parse(written('My Shop!/package.json')).devDependencies).toMatchObject(
      TOOL_VERSIONS,
    )
  })

  it('adds the packages that the actions import', async () => {
    await init('weather', '--template', 'weather-oracle', '--no-install')
    expect(JSON.parse(written('weather/package.json')).dependencies).toEqual(
      DEPENDENCIES['weather-oracle'],
    )
  })

  it('writes into an empty repository, and never over existing files', async () => {
    mkdirSync(join(folder, 'repository/.git'), { recursive: true })
    const words = ['repository', '--template', 'alert', '--no-install']
    expect(await init(...words)).toMatchObject({ code: 0 })
    writeFileSync(join(folder, 'repository/svc.json'), 'mine')
    expect(await init(...words)).toMatchObject({
      code: 2,
      err: expect.stringContaining('repository is not empty'),
    })
    expect(written('repository/svc.json')).toBe('mine')
    writeFileSync(join(folder, 'file'), '')
    expect((await init('file', ...words.slice(1))).err).toContain('file is not a folder')
    expect(await init('file/below', ...words.slice(1))).toMatchObject({
      code: 2,
      err: expect.stringContaining('the project cannot be written: ENOTDIR'),
    })
  })

  it('lists the examples if none or an unknown one is given', async () => {
    expect(await init('x', '--no-install')).toMatchObject({ code: 2 })
    const { code, err } = await init('x', '--template', '../webhook', '--no-install')
    expect(code).toBe(2)
    for (const name of names) expect(err).toContain(name)
    expect(existsSync(join(folder, 'x'))).toBe(false)
  })

  it('refers to a packed archive by its path', async () => {
    writeFileSync(join(folder, 'cli.tgz'), '')
    await init('packed', '--template', 'alert', '--no-install', '--cli', 'cli.tgz')
    expect(JSON.parse(written('packed/package.json')).devDependencies['@svc-run/cli']).toBe(
      `file:${join(folder, 'cli.tgz')}`,
    )
    const missing = await init('y', '--template', 'alert', '--no-install', '--cli', 'none.tgz')
    expect(missing).toMatchObject({
      code: 2,
      err: expect.stringContaining('none.tgz does not exist'),
    })
  })
})

describe('the examples', () => {
  it('are listed in docs/examples.md and in the help', async () => {
    const page = readFileSync(join(root, 'docs/examples.md'), 'utf8')
    const [, table] = page.split('| Example | Does |\n|---|---|\n')
    const { out } = await svc(['init', '--help'])
    const rows = Object.entries(EXAMPLES).map(([name, what]) => `| \`${name}\` | ${what} |`)
    expect(table!.split('\n\n')[0]!.split('\n')).toEqual(rows)
    for (const [name, description] of Object.entries(EXAMPLES))
      expect(out).toMatch(new RegExp(`^  ${name} +${description}$`, 'm'))
  })

  it.each(names)('%s imports only its own files and the packages of its project', (name) => {
    const imported = (within: string) =>
      readdirSync(join(examples, name, within))
        .map((file) => readFileSync(join(examples, name, within, file), 'utf8'))
        .flatMap((text) => [...text.matchAll(/from '([^']+)'/g)].map(([, from]) => from!))
    const packages = (within: string) =>
      imported(within).filter(
        (from) => !/^(\.\/[\w-]+|\.\.\/(src\/[\w-]+|policy\.json))$/.test(from),
      )
    const listed = Object.keys(DEPENDENCIES[name] ?? {})
    const roots = packages('src').map((from) => from.split('/')[0]!)
    expect([...new Set(roots)].toSorted()).toEqual([...listed, '@svc-run'].toSorted())
    const ofTests = packages('test').map((from) => from.replace(/^(viem)\/.*/, '$1'))
    expect([...listed, '@svc-run/cli/test', 'vitest']).toEqual(expect.arrayContaining(ofTests))
  })

  it('are those that svc init offers, with the versions of this repository', () => {
    const folders = readdirSync(examples, { withFileTypes: true }).filter((entry) =>
      entry.isDirectory(),
    )
    expect(folders.map(({ name }) => name).toSorted()).toEqual(names.toSorted())
    const { dependencies, devDependencies } = JSON.parse(
      readFileSync(join(root, 'package.json'), 'utf8'),
    )
    expect(devDependencies).toMatchObject(TOOL_VERSIONS)
    for (const versions of Object.values(DEPENDENCIES))
      expect({ ...dependencies, ...devDependencies }).toMatchObject(versions)
  })

  it.each(names)('%s can be deployed, in each of its environments', async (name) => {
    const at = join(examples, name)
    const terminal = {
      environment: {},
      folder: at,
      writeError: (text: string) => expect(text).toBe(''),
    }
    const cli = createCli(terminal as unknown as Terminal, () => undefined)
    const { environments } = JSON.parse(readFileSync(join(at, 'svc.json'), 'utf8'))
    for (const environment of [undefined, ...Object.keys(environments)]) {
      const project = await readProject(cli, 'svc.json', environment)
      const { changes, notes } = planDeployment(project, EMPTY, { prune: false })
      expect(changes.length).toBeGreaterThan(3)
      expect(notes).toEqual([])
    }
  })

  it.each(names)('%s has tests, and a README whose commands name parts of the project', (name) => {
    const readme = readFileSync(join(examples, name, 'README.md'), 'utf8')
    const { keys, triggers = {} } = JSON.parse(
      readFileSync(join(examples, name, 'svc.json'), 'utf8'),
    )
    const named = (pattern: RegExp) => [...readme.matchAll(pattern)].map(([, found]) => found!)
    expect(Object.keys(keys)).toEqual(
      expect.arrayContaining(named(/--key-name my-project\/(\S+)/g)),
    )
    expect(Object.keys(triggers)).toEqual(
      expect.arrayContaining(named(/trigger tail my-project\/([^\s`]+)/g)),
    )
    for (const file of named(/(src\/[\w-]+\.ts)/g))
      expect(existsSync(join(examples, name, file)), file).toBe(true)
    expect(readme).toContain('npx svc deploy')
    expect(readdirSync(join(examples, name, 'test'))).not.toEqual([])
  })
})
