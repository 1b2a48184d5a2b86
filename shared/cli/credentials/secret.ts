/**
 * Reads secrets from files and environment variables. Arguments are not allowed, because they appear in process lists.
 */
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { type Terminal, UsageError } from '../terminal.ts'

type SecretSource = {
  /** File named by a `--…-file` option. `-` means standard input. Undefined if the option is absent. */
  file?: string | undefined
  /** Name of an environment variable with the secret. Alternatively, `<variable>_FILE` may name a file. */
  variable: string
}

/**
 * Reads a secret. Trims surrounding whitespace, such as the newline that editors append.
 * @returns undefined if no file or variable is set
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
  const secret = (await readTextFile(file, terminal)).trim()
  if (secret !== '') return secret
  throw new UsageError(`${file === '-' ? 'standard input' : file} contains no secret`)
}

export async function readTextFile(file: string, terminal: Terminal): Promise<string> {
  if (file === '-') return terminal.standardInput()
  try {
    return readFileSync(resolve(terminal.folder, file), 'utf8')
  } catch (error) {
    throw new UsageError(`${file}: ${(error as Error).message}`)
  }
}
