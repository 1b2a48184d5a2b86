import { ATTESTATION_PATH } from '../../shared/attestation/evidence.ts'
import { ApiError } from '../../shared/errors.ts'
import { decodeHex } from '../../shared/hex.ts'
import { NONCE_MAX_BYTES } from '../../shared/limits.ts'
import type { Services } from '../services.ts'
import { clientAddress } from './client-address.ts'
import type { OriginApp } from './operation.ts'

/** `GET /attestation`: returns the quote with zero report data, or a fresh quote over `?nonce=`. */
export function mountAttestation(app: OriginApp, services: Services): void {
  app.get(ATTESTATION_PATH, async (context) => {
    const { evidence, freshQuotes } = services
    const nonces = context.req.queries('nonce')
    const attestation = nonces
      ? await freshQuotes.quote(nonceIn(nonces), clientAddress(context))
      : evidence.current().attestation
    return context.json(attestation, 200, { 'cache-control': 'no-store' })
  })
}

function nonceIn([text = '', ...more]: string[]): Uint8Array<ArrayBuffer> {
  const nonce = decodeHex(text)
  if (more.length === 0 && nonce && nonce.length >= 1 && nonce.length <= NONCE_MAX_BYTES)
    return nonce
  throw new ApiError(
    400,
    `nonce: expected hex of 1 to ${NONCE_MAX_BYTES} bytes, once.`,
    'Send random bytes in hex, 32 of them for instance, or no nonce for the quote whose report data is zero.',
  )
}
