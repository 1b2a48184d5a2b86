import { z } from 'zod'
import { HOUR_MS } from '../durations.ts'
import { decodeBase64url } from '../encoding/base64url.ts'
import { HPKE_SUITE } from '../envelope/format.ts'
import { check } from './check-failed.ts'
import { sha256Hex } from './digests.ts'
import { CHANNEL_KEY_FILE, RECEIPT_KEY_FILE, STORAGE_KEY_FILE } from './evidence.ts'
import { parseEvidenceJson } from './parse-evidence-json.ts'
import type { EvidenceKeys } from './report.ts'

const POINT_BYTES = 65
const UNCOMPRESSED = 4
/** Length of a key ID, which is a prefix of the SHA-256 (hex) of the public key's point. */
const KEY_ID_CHARACTERS = 32
/**
 * Maximum remaining validity of evidence. Evidence is valid until the end of the following day, plus one hour for clock
 * skew. Without this limit, an operator who sets the machine's clock far ahead could obtain evidence that remains valid
 * after later key changes.
 */
const VALID_MAX_MS = 49 * HOUR_MS

const storageKeyFileSchema = z.object({ suite: z.literal(HPKE_SUITE), public_key: z.string() })
export const channelKeyFileSchema = storageKeyFileSchema.extend({
  epoch: z.union([z.int(), z.string()]),
  valid_until: z.iso.datetime(),
})
export const receiptKeyFileSchema = z.object({
  alg: z.literal('ES256'),
  kid: z.string(),
  public_key: z.string(),
})

/**
 * @param files already verified as part of the evidence
 * @throws {CheckFailedError} if a file is missing or malformed, or the channel key has expired or expires too late
 */
export function parseKeyFiles(files: Readonly<Record<string, string>>, at: Date): EvidenceKeys {
  const channel = parseKeyFile(files, CHANNEL_KEY_FILE, channelKeyFileSchema)
  const storage = parseKeyFile(files, STORAGE_KEY_FILE, storageKeyFileSchema)
  const receipt = parseKeyFile(files, RECEIPT_KEY_FILE, receiptKeyFileSchema)
  const channelValidUntil = Date.parse(channel.valid_until)
  const { valid_until } = channel
  const left = channelValidUntil - at.getTime()
  check(left > 0, `the channel key expired at ${valid_until}: the evidence is outdated`)
  check(
    left <= VALID_MAX_MS,
    `the channel key is valid until ${valid_until}, which is too far in the future`,
  )
  const keys = {
    channel: pointOf(CHANNEL_KEY_FILE, channel.public_key),
    storage: pointOf(STORAGE_KEY_FILE, storage.public_key),
    receipt: pointOf(RECEIPT_KEY_FILE, receipt.public_key),
    channelValidUntil,
  }
  const kid = sha256Hex(keys.receipt).slice(0, KEY_ID_CHARACTERS)
  check(receipt.kid === kid, `${RECEIPT_KEY_FILE}: kid does not match public_key`)
  return keys
}

function parseKeyFile<Shape>(
  files: Readonly<Record<string, string>>,
  name: string,
  schema: z.ZodType<Shape>,
): Shape {
  const text = Object.hasOwn(files, name) ? files[name] : undefined
  check(text !== undefined, `${name} is missing from the evidence`)
  return parseEvidenceJson(name, text, schema)
}

function pointOf(name: string, text: string): Uint8Array {
  const point = decodeBase64url(text)
  check(isP256Point(point), `${name}: public_key: expected a P-256 point in base64url`)
  return point
}

/** Does not check that the point is on the curve. */
export function isP256Point(bytes: Uint8Array | undefined): bytes is Uint8Array {
  return bytes?.length === POINT_BYTES && bytes[0] === UNCOMPRESSED
}
