/** Detects secrets in arguments, which every local process can read and the shell history stores. */
import { isApiKeyShape } from '../../api-key.ts'
import { UsageError } from '../terminal.ts'

const OPTIONS_OF_SECRETS = /^--(api-key|account-key|usage-key|key-value|token|secret|password)(=|$)/

/** Our tokens are 64 base64url characters. 64 hex characters are a hash. */
const TOKEN = /(^|[^\w-])[\w-]{64}($|[^\w-])/
const HEX = /[0-9a-f]{64}/i
const API_KEY = /(?<![A-Za-z0-9+/])[A-Za-z0-9+/]{43}=(?!=)/g

/** @throws {UsageError} whose message does not contain the secret */
export function requireNoSecret(words: readonly string[]): void {
  for (const word of words) {
    const option = OPTIONS_OF_SECRETS.exec(word)?.[1]
    if (option !== undefined) throw new UsageError(refusal(`there is no option --${option}`))
    if (hasKey(word)) throw new UsageError(refusal('what was given has the shape of an API key'))
    if (TOKEN.test(word) && !HEX.test(word))
      throw new UsageError(refusal('what was given has the shape of a token'))
  }
}

function hasKey(word: string): boolean {
  return [...word.matchAll(API_KEY)].some(([found]) => isApiKeyShape(found))
}

function refusal(what: string): string {
  return `${what}: secrets are not taken from arguments, which every process of the machine can read and the shell keeps. Use the option that ends in -file (- for standard input), --params-file, or the environment (SVC_API_KEY, SVC_USAGE_KEY, SVC_TOKEN, each also with _FILE). What is in the shell’s history by now is known to others: replace it`
}
