import { encodeBase64url } from '../../shared/encoding/base64url.ts'
import {
  parseTriggerId,
  TRIGGER_MAC_BYTES,
  TRIGGER_MAC_PURPOSE,
  TRIGGER_RANDOM_BYTES,
} from '../../shared/ids.ts'
import { macOf } from '../mac.ts'

/** IDs that this isolate has already verified. Later requests with the same ID skip the MAC computation. */
const checked = new Set<string>()
const CHECKED_MAX = 10_000

/** The MAC proves that this service issued the ID. */
export async function newTriggerId(
  macKey: string,
  random: (bytes: number) => Uint8Array,
): Promise<string> {
  const part = random(TRIGGER_RANDOM_BYTES)
  const id = new Uint8Array(TRIGGER_RANDOM_BYTES + TRIGGER_MAC_BYTES)
  id.set(part)
  id.set(await mac(macKey, part), TRIGGER_RANDOM_BYTES)
  return encodeBase64url(id)
}

/** Invented IDs are rejected before they reach an object or the database. */
export async function isTriggerId(macKey: string, id: string): Promise<boolean> {
  const known = `${macKey}/${id}`
  if (checked.has(known)) return true
  const parsed = parseTriggerId(id)
  if (!parsed) return false
  const expected = await mac(macKey, parsed.random)
  if (!crypto.subtle.timingSafeEqual(expected, parsed.mac)) return false
  if (checked.size >= CHECKED_MAX) checked.clear()
  checked.add(known)
  return true
}

async function mac(macKey: string, random: Uint8Array): Promise<Uint8Array> {
  const purpose = new TextEncoder().encode(TRIGGER_MAC_PURPOSE)
  const text = new Uint8Array(purpose.length + random.length)
  text.set(purpose)
  text.set(random, purpose.length)
  return (await macOf(macKey, text)).subarray(0, TRIGGER_MAC_BYTES)
}
