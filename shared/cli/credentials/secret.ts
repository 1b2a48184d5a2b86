/** Where a secret comes from: a file, standard input or the environment; an argument is in every list of processes. */
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { type Terminal, UsageError } from '../terminal.ts'

export type SecretSource = {
  /** As `--…-file` named it; `-` for standard input. */
  file?: string | undefined
  /** Of the environment; `<variable>_FILE` names a file. */
  variable: string
}

/**
 * Without the line's end that editors put behind it.
 * @throws {UsageError} for a file that is not there, or has nothing in it
 */
export async function secretFrom(
  { file, variable }: SecretSource,
  terminal: Terminal,
): Promise<string | undefined> {
  if (file !== undefined) return secretIn(file, terminal)
  const given = terminal.environment[variable]?.trim()
  if (given) return given
  const named = terminal.environment[`${variable}_FILE`]
  return named ? secretIn(named, terminal) : undefined
}

async function secretIn(file: string, terminal: Terminal): Promise<string> {
  const secret = (await textOf(file, terminal)).trim()
  if (secret !== '') return secret
  throw new UsageError(`${file === '-' ? 'standard input' : file} has no secret in it`)
}

/** The text of a file that was named, or of standard input. @throws {UsageError} */
export async function textOf(file: string, terminal: Terminal): Promise<string> {
  if (file === '-') return terminal.standardInput()
  try {
    return readFileSync(resolve(terminal.folder, file), 'utf8')
  } catch (error) {
    throw new UsageError(`${file}: ${(error as Error).message}`)
  }
}
