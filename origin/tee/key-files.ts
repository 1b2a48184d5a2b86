/**
 * Evidence files that contain public keys. They are byte-for-byte identical in all processes with the same root key.
 */
import type { z } from 'zod'
import type {
  channelKeyFileSchema,
  receiptKeyFileSchema,
} from '../../shared/attestation/key-files.ts'
import { DAY_MS } from '../../shared/durations.ts'
import { rfc3339 } from '../rfc3339.ts'
import { HPKE_SUITE } from '../../shared/envelope/format.ts'
import type { EvidenceKey } from '../../shared/wire/sealed.ts'
import { keyIdOf } from '../channel/open-request.ts'
import type { P256Key } from '../keys/p256-key.ts'

export type EvidenceKeyPairs = {
  channel: P256Key
  epoch: number
  storage: P256Key
  receipt: P256Key
}

/**
 * The key is valid until the end of the next UTC day.
 * @param at current time, in Unix milliseconds
 */
export function channelKeyFile(key: P256Key, epoch: number, at: number): string {
  const file: z.infer<typeof channelKeyFileSchema> = {
    ...encryptionKey(key),
    epoch,
    valid_until: rfc3339(new Date(evidenceExpiry(at))),
  }
  return formatJson(file)
}

export function storageKeyFile(key: P256Key): string {
  return formatJson(encryptionKey(key))
}

export function receiptKeyFile(key: P256Key): string {
  const file: z.infer<typeof receiptKeyFileSchema> = {
    alg: 'ES256',
    kid: keyIdOf(key.publicKey),
    public_key: key.publicKey.toString('base64url'),
  }
  return formatJson(file)
}

/** Returns the UTC day of a time in Unix milliseconds, as days since 1970. Evidence is renewed every day. */
export function utcDay(at: number): number {
  return Math.floor(at / DAY_MS)
}

/** Returns the end of the next UTC day. If the daily renewal fails, operators have a day to repair it. */
export function evidenceExpiry(at: number): number {
  return (utcDay(at) + 2) * DAY_MS
}

function encryptionKey(key: P256Key): EvidenceKey {
  return { suite: HPKE_SUITE, public_key: key.publicKey.toString('base64url') }
}

function formatJson(file: object): string {
  return `${JSON.stringify(file, null, 2)}\n`
}
