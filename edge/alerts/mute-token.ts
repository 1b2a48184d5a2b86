import { decodeBase64url, encodeBase64url } from '../../shared/encoding/base64url.ts'
import { DAY_MS } from '../../shared/durations.ts'
import { tryParseJson } from '../../shared/json/try-parse-json.ts'
import { z } from 'zod'
import { macOf } from '../mac.ts'

/** Domain separation, because the MAC key has other uses. */
const PURPOSE = 'svc/alert-mute/v1'
const LIFETIME_MS = 90 * DAY_MS

/** Longer texts cannot be tokens, and are not decoded. */
const TOKEN_MAX_CHARACTERS = 512

/** @param triggerId null if the token mutes all alerts of the user */
export type MuteTarget = { userId: string; triggerId: string | null }

const payloadSchema = z.tuple([z.string(), z.string().nullable(), z.int()])

/**
 * Creates the token in the links of an alert mail. With the token, anyone who has the mail can mute alerts, and nothing
 * else.
 */
export async function createMuteToken(
  macKey: string,
  { userId, triggerId }: MuteTarget,
  now: number,
): Promise<string> {
  const payload = JSON.stringify([userId, triggerId, now + LIFETIME_MS])
  const mac = encodeBase64url(await macOfPayload(macKey, payload))
  return `${encodeBase64url(new TextEncoder().encode(payload))}.${mac}`
}

/** Returns `undefined` for a forged or expired token. */
export async function readMuteToken(
  macKey: string,
  token: string,
  now: number,
): Promise<MuteTarget | undefined> {
  if (token.length > TOKEN_MAX_CHARACTERS) return undefined
  const [body = '', sent = ''] = token.split('.')
  const [bytes, mac] = [decodeBase64url(body), decodeBase64url(sent)]
  if (!bytes || !mac) return undefined
  const payload = new TextDecoder().decode(bytes)
  const expected = await macOfPayload(macKey, payload)
  if (mac.length !== expected.length || !crypto.subtle.timingSafeEqual(mac, expected))
    return undefined
  const { data } = payloadSchema.safeParse(tryParseJson(payload))
  if (!data || data[2] <= now) return undefined
  return { userId: data[0], triggerId: data[1] }
}

function macOfPayload(macKey: string, payload: string): Promise<Uint8Array<ArrayBuffer>> {
  return macOf(macKey, new TextEncoder().encode(JSON.stringify([PURPOSE, payload])))
}

export const MUTE_PATH = '/alerts/mute'

export function muteUrl(publicUrl: string, token: string): string {
  const url = new URL(MUTE_PATH, publicUrl)
  url.searchParams.set('token', token)
  return url.href
}
