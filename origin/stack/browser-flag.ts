import { createHash, X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'

/**
 * Returns the flag that makes Chromium accept one certificate for one run, without installing an authority that the
 * system would trust from then on. The flag contains the SHA-256 hash of the certificate's public key. Chromium ignores
 * it without `--user-data-dir`.
 * @param certificateFile PEM, leaf first
 */
export function browserFlag(certificateFile: string): string {
  const { publicKey } = new X509Certificate(readFileSync(certificateFile))
  const spki = publicKey.export({ type: 'spki', format: 'der' })
  const pin = createHash('sha256').update(spki).digest('base64')
  return `--ignore-certificate-errors-spki-list=${pin}`
}
