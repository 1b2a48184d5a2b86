import { ATTESTATION_PATH } from '../../shared/attestation/evidence.ts'
import { ApiError } from '../../shared/errors/api-error.ts'
import { decodeHex } from '../../shared/encoding/hex.ts'
import { NONCE_MAX_BYTES } from '../../shared/limits.ts'
import type { OriginServices } from '../services.ts'
import { resolveClientAddress } from './client-address.ts'
import type { OriginApp } from './operation.ts'

/**
 * Serves a quote with all-zero report data or, if the request has a `nonce` parameter, a fresh quote over the nonce.
 */
export function mountAttestation(app: OriginApp, services: OriginServices): void {
  app.get(ATTESTATION_PATH, async (context) => {
    const { evidence, freshQuotes } = services
    const nonces = context.req.queries('nonce')
    const attestation = nonces
      ? await freshQuotes.quote(parseNonce(nonces), resolveClientAddress(context))
      : evidence.current().attestation
    return context.json(attestation, 200, { 'cache-control': 'no-store' })
  })
}

/** @throws {ApiError} */
export function parseNonce([text = '', ...more]: string[]): Uint8Array<ArrayBuffer> {
  const nonce = decodeHex(text)
  if (more.length === 0 && nonce && nonce.length >= 1 && nonce.length <= NONCE_MAX_BYTES)
    return nonce
  throw new ApiError(
    400,
    `nonce: expected 1 to ${NONCE_MAX_BYTES} bytes of hex, sent once.`,
    'Send random bytes in hex, for example 32, or omit the nonce to get the quote with zero report data.',
  )
}
