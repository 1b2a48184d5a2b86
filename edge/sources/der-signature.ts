const SEQUENCE = 0x30
const INTEGER = 0x02
const P256_BYTES = 32

/**
 * Converts a P-256 signature from DER (RFC 3279, 2.2.3) to r and s of 32 bytes each, as Web Crypto expects. Returns
 * undefined if the bytes are not such a signature.
 */
export function derToRawSignature(der: Uint8Array): Uint8Array<ArrayBuffer> | undefined {
  if (der[0] !== SEQUENCE || der[1] !== der.length - 2) return undefined
  const r = readInteger(der, 2)
  const s = r && readInteger(der, r.end)
  if (s?.end !== der.length) return undefined
  const raw = new Uint8Array(2 * P256_BYTES)
  raw.set(r!.bytes, P256_BYTES - r!.bytes.length)
  raw.set(s.bytes, 2 * P256_BYTES - s.bytes.length)
  return raw
}

function readInteger(der: Uint8Array, at: number): { bytes: Uint8Array; end: number } | undefined {
  const length = der[at + 1]
  if (der[at] !== INTEGER || length === undefined || length === 0) return undefined
  const start = at + 2
  const end = start + length
  if (end > der.length) return undefined
  // A leading zero keeps the number positive.
  const bytes = der.subarray(der[start] === 0 ? start + 1 : start, end)
  return bytes.length <= P256_BYTES ? { bytes, end } : undefined
}
