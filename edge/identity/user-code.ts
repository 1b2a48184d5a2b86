/**
 * The code of a registered request: the agent shows it, the person types it (RFC 8628 6.1). It has 40 bits, so that a plain
 * hash would hide it from nobody who has a copy of the database: a key that is not in there does.
 */
import { decodeBase64url, encodeBase64url } from '../../shared/base64url.ts'
import { CODE_BYTES, crockfordCode } from '../../shared/crockford-code.ts'
import { macOf } from '../mac.ts'
import type { IdentityDeps } from './deps.ts'

const PURPOSE = 'svc/agent-request/v1'

export function newUserCode(random: IdentityDeps['random']): string {
  return crockfordCode(random(CODE_BYTES))
}

/** What is stored of a code: base64url. @param macKey `ID_MAC_KEY` */
export async function userCodeHash(
  macKey: string,
  requestId: string,
  code: string,
): Promise<string> {
  return encodeBase64url(await macOfCode(macKey, requestId, code))
}

/** Whether it is the request's code, in constant time. @param code as `readCrockfordCode` gives it */
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
