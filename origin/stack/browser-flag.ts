import { createHash, X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'

/**
 * Makes Chromium accept a certificate for one session, where an installed certificate authority would be trusted
 * permanently. Contains the SHA-256 hash of the public key. Ignored without `--user-data-dir`.
 * @param certificateFile PEM file, with the leaf certificate first
 */
export function browserFlag(certificateFile: string): string {
  const { publicKey } = new X509Certificate(readFileSync(certificateFile))
  const spki = publicKey.export({ type: 'spki', format: 'der' })
  const pin = createHash('sha256').update(spki).digest('base64')
  return `--ignore-certificate-errors-spki-list=${pin}`
}
