/** `svc init`: writes the files of a new project. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Command } from 'commander'
import type { Cli } from '../cli.ts'
import { CLI_PACKAGE } from '../../packaging/package-names.ts'
import { EXIT, UsageError } from '../terminal.ts'
import { version } from '../version.ts'
import { EXAMPLES_FOLDER } from './examples-folder.ts'
import { DEPENDENCIES, type ExampleName, NAME_IN_EXAMPLES, TOOL_VERSIONS } from './examples.ts'

export type InitOptions = { template: ExampleName; cli?: string; install: boolean }

export async function initProject(
  cli: Cli,
  command: Command,
  named: string,
  { template, cli: cliSource, install }: InitOptions,
): Promise<void> {
  const { folder: current } = cli.terminal
  const folder = resolve(current, named)
  const name = projectName(folder)
  const files = {
    ...exampleFiles(template, name),
    'package.json': packageJson(name, template, cliVersion(current, cliSource)),
    'tsconfig.json': json({ extends: `${CLI_PACKAGE}/tsconfig.json`, include: ['src', 'test'] }),
    '.gitignore': 'node_modules/\ndist/\n.svc/\n',
  }
  requireEmpty(folder, named)
  writeFiles(folder, files)
  const isInstalled = install && (await npmInstall(cli, folder))
  if (install && !isInstalled) cli.exit(EXIT.failed)
  cli.print(
    command,
    { name, template, folder, files: Object.keys(files).toSorted(), installed: isInstalled },
    () => [
      `created the project ${name} in ${folder}`,
      ...(isInstalled ? [] : [`Next: npm install in this folder, and then npm test.`]),
      'README.md describes the next steps.',
    ],
  )
}

/** The name of the folder, in the form that `svc.json` requires. */
function projectName(folder: string): string {
  const name = basename(folder)
    .toLowerCase()
    .replace(/[^a-z0-9-]+/g, '-')
    .replace(/^-+/, '')
    .slice(0, 40)
    .replace(/-+$/, '')
  if (name !== '') return name
  throw new UsageError('the name of the folder contains no letters or digits: choose another one')
}

function exampleFiles(example: ExampleName, name: string): Record<string, string> {
  const root = fileURLToPath(new URL(`${example}/`, EXAMPLES_FOLDER))
  const files = readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
  return Object.fromEntries(
    files.map((file) => [
      file.slice(root.length),
      readFileSync(file, 'utf8').replaceAll(NAME_IN_EXAMPLES, name),
    ]),
  )
}

/** @param source what `--cli` names: a packed archive, or a version */
function cliVersion(current: string, source: string | undefined): string {
  if (source === undefined) return version
  const path = resolve(current, source)
  if (existsSync(path)) return `file:${path}`
  if (/^[\w.^~-]+$/.test(source) && !source.endsWith('.tgz')) return source
  throw new UsageError(`--cli: ${source} does not exist`)
}

function packageJson(name: string, example: ExampleName, cliSpec: string): string {
  const dependencies = DEPENDENCIES[example]
  return json({
    name,
    private: true,
    type: 'module',
    scripts: { test: 'svc test', types: 'tsc', deploy: 'svc deploy' },
    ...(dependencies && { dependencies }),
    devDependencies: { [CLI_PACKAGE]: cliSpec, ...TOOL_VERSIONS },
    // esbuild works without its script.
    allowScripts: { esbuild: false },
  })
}

const json = (value: object) => `${JSON.stringify(value, null, 2)}\n`

/** A folder with only `.git` counts as empty. */
function requireEmpty(folder: string, named: string): void {
  if (!existsSync(folder)) return
  let entries: string[]
  try {
    entries = readdirSync(folder)
  } catch {
    throw new UsageError(`${named} is not a folder`)
  }
  if (entries.some((entry) => entry !== '.git'))
    throw new UsageError(`${named} is not empty: svc init writes only into a new or empty folder`)
}

/** @throws {UsageError} if a file exists or cannot be written */
function writeFiles(folder: string, files: Readonly<Record<string, string>>): void {
  try {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true })
      writeFileSync(join(folder, path), text, { flag: 'wx' })
    }
  } catch (error) {
    throw new UsageError(`the project cannot be written: ${(error as Error).message}`)
  }
}

/** Writes the lockfile. @returns false if npm failed, whose messages are on standard error */
async function npmInstall(cli: Cli, folder: string): Promise<boolean> {
  const child = spawn('npm', ['install', '--no-audit', '--no-fund'], {
    cwd: folder,
    // Standard output belongs to the command, which may print JSON.
    stdio: ['ignore', 2, 2],
    signal: cli.terminal.signal,
  })
  try {
    const [code] = (await once(child, 'exit')) as [number | null]
    if (code === 0) return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT')
      cli.warn('npm is not installed: it comes with Node.js.')
  }
  cli.warn(
    'npm install failed. The files were written: correct the problem, and run npm install again.',
  )
  return false
}
