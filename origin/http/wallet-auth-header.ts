import { isUtf8 } from 'node:buffer'
import { ApiError } from '../../shared/errors/api-error.ts'
import { tryParseJson } from '../../shared/json/try-parse-json.ts'
import { WALLET_AUTH_MAX_CHARACTERS } from '../../shared/limits.ts'
import type { UnverifiedProof } from './wallet-signature.ts'

const FIX =
  'Send it once: base64 of the JSON {"typed_data": …, "signature": "0x…"} with primaryType BillingAuth.'

/**
 * Parses the `X-Wallet-Auth` header: JSON in standard base64, with or without padding.
 * @throws {ApiError} 400, or 422 for JSON that is not an object
 */
export function parseWalletAuthHeader(header: string): UnverifiedProof {
  const text = header.trim()
  if (text.length > WALLET_AUTH_MAX_CHARACTERS)
    throw invalidHeader(`more than ${WALLET_AUTH_MAX_CHARACTERS} characters`)
  // The values of a repeated header are combined with a comma.
  if (text.includes(',')) throw invalidHeader('sent more than once')
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(text)) throw invalidHeader('not base64')
  const bytes = Buffer.from(text, 'base64')
  if (!isUtf8(bytes)) throw invalidHeader('the base64 does not contain UTF-8')
  const json = tryParseJson(bytes.toString())
  if (json === undefined) throw invalidHeader('the base64 does not contain JSON')
  if (typeof json === 'object' && json !== null && !Array.isArray(json)) return json
  throw new ApiError(422, 'X-Wallet-Auth: expected base64 of a JSON object.', FIX)
}

function invalidHeader(what: string): ApiError {
  return new ApiError(400, `X-Wallet-Auth: ${what}.`, FIX)
}
