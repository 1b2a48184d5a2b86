/**
 * User codes, which the agent shows and the person types (RFC 8628, 6.1). A code has only 40 bits, so its plain hash
 * could be brute-forced from a copy of the database. Therefore, only a MAC is stored, whose key is not in the database.
 */
import { decodeBase64url, encodeBase64url } from '../../shared/encoding/base64url.ts'
import { CODE_BYTES, crockfordCode } from '../../shared/encoding/crockford-code.ts'
import { macOf } from '../mac.ts'
import type { IdentityDeps } from './deps.ts'

const PURPOSE = 'svc/agent-request/v1'

export function newUserCode(random: IdentityDeps['random']): string {
  return crockfordCode(random(CODE_BYTES))
}

/** @param macKey the setting `ID_MAC_KEY` */
export async function userCodeHash(
  macKey: string,
  requestId: string,
  code: string,
): Promise<string> {
  return encodeBase64url(await macOfCode(macKey, requestId, code))
}

/**
 * Verifies a user code in constant time.
 * @param code code as returned by `parseCrockfordCode`
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
