const DOMAIN = 'svc/nonce/v1:'

/**
 * Returns the 64 bytes of report data for a nonce: SHA-512 of `svc/nonce/v1:` followed by the nonce.
 *
 * The nonce must never be used directly. Any client can choose it, and only the report data distinguishes the
 * evidence's quote from others. An attacker could request a quote over the checksums of forged files, including the
 * attacker's own channel key, and serve it as `quote.json`.
 */
export async function nonceReportData(
  nonce: Uint8Array<ArrayBuffer>,
): Promise<Uint8Array<ArrayBuffer>> {
  const domain = new TextEncoder().encode(DOMAIN)
  const hashed = new Uint8Array(domain.length + nonce.length)
  hashed.set(domain)
  hashed.set(nonce, domain.length)
  return new Uint8Array(await crypto.subtle.digest('SHA-512', hashed))
}
