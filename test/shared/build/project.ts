import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import { ActionBuildError, buildAction } from '../../../shared/build/build-action.ts'

/** Files by their paths from the project. */
export type Files = Readonly<Record<string, string>>

/** Creates a project that exists until the end of the test. @returns its folder */
export function project(files: Files, below = 'project'): string {
  const outside = mkdtempSync(join(realpathSync(tmpdir()), 'svc-build-'))
  onTestFinished(() => rmSync(outside, { recursive: true, force: true }))
  const folder = join(outside, below)
  writeFiles(folder, { 'package.json': '{"name":"actions"}', ...files })
  return folder
}

export function writeFiles(folder: string, files: Files): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
}

/** Files of a package in `node_modules`. */
export function installed(name: string, files: Files, manifest: object = {}): Files {
  const within = Object.entries({
    'package.json': JSON.stringify({
      name: name.split('/node_modules/').at(-1),
      version: '1.2.3',
      ...manifest,
    }),
    ...files,
  })
  return Object.fromEntries(within.map(([path, text]) => [`node_modules/${name}/${path}`, text]))
}

export const built = (files: Files, entry = 'src/action.ts') =>
  buildAction(join(project(files), entry))

/** Returns the message with which the build fails. */
export async function refusal(files: Files, entry = 'src/action.ts'): Promise<string> {
  const error = await built(files, entry).then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  if (error instanceof ActionBuildError) return error.message
  throw new Error('the build did not fail', { cause: error })
}

/** Returns the map in the last line of a built script. */
export function mapOf(code: string): { sources: string[]; names: string[]; mappings: string } {
  const [, base64] =
    /\n\/\/# sourceMappingURL=data:application\/json;base64,([\w+/=]+)\n$/.exec(code) ?? []
  return JSON.parse(Buffer.from(base64!, 'base64').toString('utf8'))
}
