/**
 * Rejects secrets in command-line arguments, because every local process can read arguments, and the shell history
 * stores them.
 */
import { hasApiKeyFormat } from '../../wire/api-key.ts'
import { UsageError } from '../terminal.ts'

const OPTIONS_OF_SECRETS = /^--(api-key|account-key|usage-key|key-value|token|secret|password)(=|$)/

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

function refusal(what: string): string {
  return `${what}: secrets are not accepted as arguments, because every process on this machine can read them and the shell records them. Use the option that ends in -file (- for standard input), --params-file, or the environment (SVC_API_KEY, SVC_USAGE_KEY, SVC_TOKEN, each also with _FILE). The secret may already be in the shell’s history: replace it`
}
