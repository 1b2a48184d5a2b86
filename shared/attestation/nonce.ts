import { joinBytes } from '../encoding/bytes.ts'

const DOMAIN = 'svc/nonce/v1:'

/**
 * Returns the report data for a nonce: the 64-byte SHA-512 of `svc/nonce/v1:` followed by the nonce.
 * The nonce must never be the report data directly. Any client can choose a nonce, and only the report data
 * distinguishes the quote in the evidence from other quotes. An attacker could request a quote for the checksums of
 * forged files, including the attacker's own channel key, and serve that quote as `quote.json`.
 */
export async function nonceReportData(
  nonce: Uint8Array<ArrayBuffer>,
): Promise<Uint8Array<ArrayBuffer>> {
  const hashed = joinBytes(new TextEncoder().encode(DOMAIN), nonce)
  return new Uint8Array(await crypto.subtle.digest('SHA-512', hashed))
}
