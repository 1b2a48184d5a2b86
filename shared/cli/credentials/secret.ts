/**
 * Reads secrets from files and environment variables. Secrets in arguments are rejected, because every local process
 * can read arguments, and the shell history stores them.
 */
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { type Terminal, UsageError } from '../terminal.ts'
import { hasApiKeyFormat } from '../../wire/api-key.ts'

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
  if (file !== undefined) return secretInFile(file, terminal)
  const given = terminal.environment[variable]?.trim()
  if (given) return given
  const named = terminal.environment[`${variable}_FILE`]
  return named ? secretInFile(named, terminal) : undefined
}

export async function secretInFile(file: string, terminal: Terminal): Promise<string> {
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

const OPTIONS_OF_SECRETS =
  /^--(api-key|account-key|usage-key|key-value|token|webhook-secret|secret|password)(=|$)/

/** Pattern of an agent token: 64 base64url characters. A text of 64 hex characters is not a token but a hash. */
const TOKEN = /(^|[^\w-])[\w-]{64}($|[^\w-])/
const HEX = /[0-9a-f]{64}/i
const API_KEY = /(?<![A-Za-z0-9+/])[A-Za-z0-9+/]{43}=(?!=)/g

/** Requires that no argument contains a secret. @throws {UsageError} with a message that does not contain the secret */
export function requireNoSecret(words: readonly string[]): void {
  for (const word of words) {
    const option = OPTIONS_OF_SECRETS.exec(word)?.[1]
    if (option !== undefined) throw new UsageError(refusal(`unknown option --${option}`))
    const keyLike = [...word.matchAll(API_KEY)]
    if (keyLike.some(([found]) => hasApiKeyFormat(found)))
      throw new UsageError(refusal('an argument looks like an API key'))
    if (TOKEN.test(word) && !HEX.test(word))
      throw new UsageError(refusal('an argument looks like a token'))
  }
}

/**
 * Returns the kind of secret that a text looks like. The whole text must: a part of a ciphertext can look like a token by
 * accident.
 */
export function secretKind(text: string): 'an API key' | 'a token' | undefined {
  if (hasApiKeyFormat(text)) return 'an API key'
  return /^[\w-]{64}$/.test(text) && !HEX.test(text) ? 'a token' : undefined
}

function refusal(what: string): string {
  return `${what}: secrets are not accepted as arguments, because every process on this machine can read them and the shell records them. Use the option that ends in -file (- for standard input), --params-file, or the environment (SVC_API_KEY, SVC_USAGE_KEY, SVC_TOKEN, each also with _FILE). The secret may already be in the shell’s history: replace it`
}
