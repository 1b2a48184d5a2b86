import type { EvidenceKey } from '../../shared/wire/sealed.ts'
import type { P256Key } from '../keys/p256-key.ts'

/** The file that publishes a key: byte for byte the same at every process, so that its hash can be pinned. */
export function evidenceKeyFile(key: P256Key): string {
  const file: EvidenceKey = {
    suite: 'DHKEM(P-256, HKDF-SHA256), HKDF-SHA256, AES-128-GCM',
    public_key: key.publicKey.toString('base64url'),
  }
  return `${JSON.stringify(file, null, 2)}\n`
}
