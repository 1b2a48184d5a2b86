import { CHANNEL_KEY_PATH, type EvidenceKey, STORAGE_KEY_PATH } from '../../shared/wire/sealed.ts'
import type { P256Key } from '../keys/p256-key.ts'
import type { Services } from '../services.ts'
import type { OriginApp } from './operation.ts'

/** The file that publishes a key: byte for byte the same at every process, so that its hash can be pinned. */
export function evidenceKeyFile(key: P256Key): string {
  const file: EvidenceKey = {
    suite: 'DHKEM(P-256, HKDF-SHA256), HKDF-SHA256, AES-128-GCM',
    public_key: key.publicKey.toString('base64url'),
  }
  return `${JSON.stringify(file, null, 2)}\n`
}

/** Serves the public keys that requests and usage keys are sealed to. */
export function mountEvidenceKeys(app: OriginApp, { channel }: Services): void {
  const files: [string, string][] = [
    [CHANNEL_KEY_PATH, evidenceKeyFile(channel.current)],
    [STORAGE_KEY_PATH, evidenceKeyFile(channel.storage)],
  ]
  for (const [path, file] of files)
    app.get(path, (context) => context.body(file, 200, { 'content-type': 'application/json' }))
}
