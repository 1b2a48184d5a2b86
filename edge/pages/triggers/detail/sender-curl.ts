/**
 * Generates a command that sends a webhook as a real sender would. The command requires a POSIX shell, curl and
 * openssl.
 */
import { escapeInvisible } from '../../../browser/components/user-text.tsx'

const BODY = '{"message":"hello"}'

/** Inside single quotes, the only special character is the single quote itself. */
export const shellQuote = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`

/** Characters that are invisible or that end the pasted text could run commands. */
export const isSafeToPaste = (text: string): boolean => escapeInvisible(text) === text

/**
 * @param secret secret with which the action verifies the sender's HMAC; `null` to write a placeholder instead of the
 *   secret, `undefined` if there is no secret
 */
export function senderCurl(webhookUrl: string, secret: string | null | undefined): string {
  const url = shellQuote(webhookUrl)
  const type = `-H 'content-type: application/json'`
  if (secret === undefined)
    return [`curl -sS ${url} \\`, `  ${type} \\`, `  -d ${shellQuote(BODY)}`].join('\n')
  return [
    `SECRET=${shellQuote(secret ?? 'put the secret from default_params here')}`,
    `BODY=${shellQuote(BODY)}`,
    `MAC=$(printf %s "$BODY" | openssl dgst -sha256 -hmac "$SECRET" -r | cut -d ' ' -f 1)`,
    `curl -sS ${url} \\`,
    `  ${type} \\`,
    `  -H "x-hub-signature-256: sha256=$MAC" \\`,
    `  -d "$BODY"`,
  ].join('\n')
}
