/**
 * User codes, which the agent shows and the person types (RFC 8628, 6.1). A code has only 40 bits, so its plain hash
 * could be brute-forced from a copy of the database. Therefore, only a MAC is stored, whose key is not in the database.
 */
import { decodeBase64url, encodeBase64url } from '../../shared/encoding/base64url.ts'
import { CODE_BYTES, crockfordCode } from '../../shared/encoding/crockford-code.ts'
import { macOf } from '../mac.ts'
import type { IdentityDeps } from './deps.ts'

const PURPOSE = 'svc/agent-request/v1'
const DEVICE_PURPOSE = 'svc/device-request/v1'

export function newUserCode(random: IdentityDeps['random']): string {
  return crockfordCode(random(CODE_BYTES))
}

type CodedRequest = { id: string; clientId: string | null }

/** @param macKey the setting `ID_MAC_KEY` */
export async function userCodeHash(
  macKey: string,
  request: CodedRequest,
  code: string,
): Promise<string> {
  return encodeBase64url(await macOfCode(macKey, request, code))
}

/** Hash of the code of any device request, with which the request is found. */
export function deviceCodeHash(macKey: string, code: string): Promise<string> {
  return userCodeHash(macKey, { id: '', clientId: '' }, code)
}

/**
 * Verifies a user code in constant time.
 * @param code code as returned by `parseCrockfordCode`
 */
export async function isUserCode(
  macKey: string,
  request: CodedRequest & { userCodeHash: string },
  code: string,
): Promise<boolean> {
  const stored = decodeBase64url(request.userCodeHash)
  const mac = await macOfCode(macKey, request, code)
  return stored?.length === mac.length && crypto.subtle.timingSafeEqual(stored, mac)
}

/** The MAC contains the request's ID, except for device codes, whose requests are found by the typed code alone. */
function macOfCode(macKey: string, { id, clientId }: CodedRequest, code: string) {
  const bound = clientId === null ? [PURPOSE, id, code] : [DEVICE_PURPOSE, code]
  return macOf(macKey, new TextEncoder().encode(JSON.stringify(bound)))
}
