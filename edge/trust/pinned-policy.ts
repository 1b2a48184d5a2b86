import { decodeBase64url } from '../../shared/base64url.ts'
import { evidenceKeySchema } from '../../shared/wire/sealed.ts'

/** The origin's evidence did not pass the policy: nothing is sent to it. */
export class EvidenceRefused extends Error {
  constructor(reason: string) {
    super(`the origin's evidence was refused: ${reason}`)
    this.name = 'EvidenceRefused'
  }
}

/** The files that name the keys a request and a usage key are sealed to. */
export type KeyEvidence = { channelKeyFile: Uint8Array; storageKeyFile: Uint8Array }

/** Public keys that passed the policy: uncompressed points of P-256. */
export type VerifiedKeys = { channelKey: Uint8Array; storageKey: Uint8Array }

/**
 * The policy `pinned`: both files have exactly the hashes that the configuration names. The policy that verifies
 * quotes takes this function's place.
 * @throws {EvidenceRefused}
 */
export async function verifyPinned(
  evidence: KeyEvidence,
  pins: { channelKeySha256: string; storageKeySha256: string },
): Promise<VerifiedKeys> {
  return {
    channelKey: await pinned('channel key', evidence.channelKeyFile, pins.channelKeySha256),
    storageKey: await pinned('storage key', evidence.storageKeyFile, pins.storageKeySha256),
  }
}

async function pinned(name: string, file: Uint8Array, sha256: string): Promise<Uint8Array> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', file))
  const hex = [...digest].map((byte) => byte.toString(16).padStart(2, '0')).join('')
  if (hex !== sha256) throw new EvidenceRefused(`the ${name} is not the pinned one`)
  const { public_key } = evidenceKeySchema.parse(JSON.parse(new TextDecoder().decode(file)))
  const point = decodeBase64url(public_key)
  if (!point) throw new EvidenceRefused(`the ${name} is not base64url`)
  return point
}
