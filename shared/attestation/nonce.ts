const DOMAIN = 'svc/nonce/v1:'

/**
 * The 64 bytes of report data of a quote that was made for a nonce: SHA-512 of `svc/nonce/v1:` and the nonce.
 *
 * Never the nonce as it is: it is anybody's choice, and the quote of the evidence is told from others by its report data
 * alone. Whoever could choose that would ask for a quote over the hash of checksums of files of his own, with a channel
 * key of his own among them, and serve it as `quote.json`.
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
