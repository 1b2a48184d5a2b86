/**
 * Codes of registered authorization requests, which the agent shows and the person types (RFC 8628, 6.1). A code has
 * only 40 bits, so a plain hash could be brute-forced from a copy of the database. This is not possible with a MAC that
 * uses a key outside the database.
 */
import { decodeBase64url, encodeBase64url } from '../../shared/base64url.ts'
import { CODE_BYTES, crockfordCode } from '../../shared/crockford-code.ts'
import { macOf } from '../mac.ts'
import type { IdentityDeps } from './deps.ts'

const PURPOSE = 'svc/agent-request/v1'

export function newUserCode(random: IdentityDeps['random']): string {
  return crockfordCode(random(CODE_BYTES))
}

/**
 * Returns the stored form of a user code: a MAC in base64url.
 * @param macKey `ID_MAC_KEY`
 */
export async function userCodeHash(
  macKey: string,
  requestId: string,
  code: string,
): Promise<string> {
  return encodeBase64url(await macOfCode(macKey, requestId, code))
}

/**
 * Compares a user code with the stored code of a request, in constant time.
 * @param code as returned by `readCrockfordCode`
 */
export async function isUserCode(
  macKey: string,
  { id, userCodeHash: hash }: { id: string; userCodeHash: string },
  code: string,
): Promise<boolean> {
  const stored = decodeBase64url(hash)
  const mac = await macOfCode(macKey, id, code)
  return stored?.length === mac.length && crypto.subtle.timingSafeEqual(stored, mac)
}

function macOfCode(macKey: string, requestId: string, code: string) {
  return macOf(macKey, new TextEncoder().encode(JSON.stringify([PURPOSE, requestId, code])))
}
