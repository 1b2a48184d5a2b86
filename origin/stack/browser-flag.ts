import { createHash, X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'

/**
 * Returns a flag that makes Chromium accept a certificate for one session. An installed certificate authority would be
 * trusted permanently. The flag contains the SHA-256 hash of the public key. Chromium ignores the flag without
 * `--user-data-dir`.
 * @param certificateFile PEM file, with the leaf certificate first
 */
export function browserFlag(certificateFile: string): string {
  const { publicKey } = new X509Certificate(readFileSync(certificateFile))
  const spki = publicKey.export({ type: 'spki', format: 'der' })
  const pin = createHash('sha256').update(spki).digest('base64')
  return `--ignore-certificate-errors-spki-list=${pin}`
}
