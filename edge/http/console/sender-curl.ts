/** The command by which a person fires a webhook as its sender does, for a POSIX shell with curl and openssl. */
import { visible } from '../../console/user-text.tsx'

const BODY = '{"hello":"world"}'

/** In single quotes nothing is special to a shell but the quote itself. */
export const shellQuoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`

/**
 * Whether a terminal is given all of a text as it is pasted: what is hidden in it, or ends the pasting, would be a command of
 * whoever wrote it.
 */
export const isPasted = (text: string): boolean => visible(text) === text

/**
 * @param secret that an action checks the sender's HMAC with; `null` for one that is there and is not to be in the
 * command, `undefined` where there is none
 */
export function senderCurl(webhookUrl: string, secret: string | null | undefined): string {
  const url = shellQuoted(webhookUrl)
  const type = `-H 'content-type: application/json'`
  if (secret === undefined)
    return [`curl -sS ${url} \\`, `  ${type} \\`, `  -d ${shellQuoted(BODY)}`].join('\n')
  return [
    `SECRET=${shellQuoted(secret ?? 'put the secret of default_params here')}`,
    `BODY=${shellQuoted(BODY)}`,
    `MAC=$(printf %s "$BODY" | openssl dgst -sha256 -hmac "$SECRET" -r | cut -d ' ' -f 1)`,
    `curl -sS ${url} \\`,
    `  ${type} \\`,
    `  -H "x-hub-signature-256: sha256=$MAC" \\`,
    `  -d "$BODY"`,
  ].join('\n')
}
