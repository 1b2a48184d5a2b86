/**
 * Sources of a secret: a file, standard input or the environment. Arguments are excluded: they appear in process lists.
 */
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { type Terminal, UsageError } from '../terminal.ts'

export type SecretSource = {
  /** Value of a `--…-file` option; `-` for standard input. */
  file?: string | undefined
  /** Name of an environment variable. `<variable>_FILE` may name a file instead. */
  variable: string
}

/**
 * Reads a secret and trims the newline that editors append.
 * @throws {UsageError} if a named file is missing or empty
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

/** Reads a named file, or standard input for `-`. @throws {UsageError} */
export async function textOf(file: string, terminal: Terminal): Promise<string> {
  if (file === '-') return terminal.standardInput()
  try {
    return readFileSync(resolve(terminal.folder, file), 'utf8')
  } catch (error) {
    throw new UsageError(`${file}: ${(error as Error).message}`)
  }
}
