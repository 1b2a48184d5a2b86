import { sha256 } from '@noble/hashes/sha2.js'
import { joinBytes } from '../encoding/bytes.ts'

const DOMAIN = 'svc/nonce/v1:'
const BUNDLE_DOMAIN = 'svc/bundle/v1:'

/**
 * Returns the report data for a nonce: the 64-byte SHA-512 of `svc/nonce/v1:` followed by the nonce.
 * The nonce must never be the report data directly. Any client can choose a nonce, and only the report data
 * distinguishes the quote in the evidence from other quotes. An attacker could request a quote for the checksums of
 * forged files, including the attacker's own channel key, and serve that quote as `quote.json`.
 */
export async function nonceReportData(
  nonce: Uint8Array<ArrayBuffer>,
): Promise<Uint8Array<ArrayBuffer>> {
  return sha512(new TextEncoder().encode(DOMAIN), nonce)
}

/**
 * Returns the report data for a nonce and evidence files: the 64-byte SHA-512 of `svc/bundle/v1:`, the SHA-256 of
 * `sha256sum.txt`, and the nonce. The quote proves that a machine had these files when it received the nonce, so
 * recorded files cannot be combined with the quote of another machine.
 */
export async function bundleReportData(
  nonce: Uint8Array<ArrayBuffer>,
  checksums: string,
): Promise<Uint8Array<ArrayBuffer>> {
  const encoder = new TextEncoder()
  return sha512(encoder.encode(BUNDLE_DOMAIN), sha256(encoder.encode(checksums)), nonce)
}

async function sha512(...parts: Uint8Array[]): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await crypto.subtle.digest('SHA-512', joinBytes(...parts)))
}
