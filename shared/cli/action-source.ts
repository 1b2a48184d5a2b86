import { extname, resolve } from 'node:path'
import { readTextFile } from './credentials/secret.ts'
import { printable, type Terminal } from './terminal.ts'

/** Files that are built. All others are sent as they are. */
export const BUILT_TYPES = ['.ts', '.mts', '.tsx']

type ActionSource = {
  code: string
  /** Absolute paths of the files from which the source was read. */
  inputs: readonly string[]
}

/** Returns true if a file is built before it is sent. */
export const isBuilt = (file: string): boolean => BUILT_TYPES.includes(extname(file))

/**
 * Reads the source of an action as it is sent. Warnings of a build go to standard error.
 * @throws {UsageError} if the file cannot be read
 * @throws {ActionBuildError} if the file cannot be built
 */
export async function readAction(file: string, terminal: Terminal): Promise<ActionSource> {
  const path = resolve(terminal.folder, file)
  if (!isBuilt(file)) return { code: await readTextFile(file, terminal), inputs: [path] }
  const { buildAction } = await import('../build/build-action.ts')
  const { code, warnings, inputs } = await buildAction(path)
  writeWarnings(warnings, terminal)
  return { code, inputs }
}

export function writeWarnings(warnings: readonly string[], { writeError }: Terminal): void {
  for (const warning of warnings) writeError(`svc: warning: ${printable(warning)}\n`)
}
