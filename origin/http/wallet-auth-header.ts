import { isUtf8 } from 'node:buffer'
import { ApiError } from '../../shared/errors.ts'
import { WALLET_AUTH_MAX_CHARACTERS } from '../../shared/limits.ts'
import type { Signed } from './wallet-signature.ts'

const FIX =
  'Send it once: base64 of the JSON {"typed_data": …, "signature": "0x…"}, whose primaryType is BillingAuth.'

/**
 * Decodes `X-Wallet-Auth`: standard base64, with or without padding.
 * @throws {ApiError} 400, or 422 for JSON that is not an object
 */
export function signedInHeader(header: string): Signed {
  const text = header.trim()
  if (text.length > WALLET_AUTH_MAX_CHARACTERS)
    throw refused(`more than ${WALLET_AUTH_MAX_CHARACTERS} characters`)
  // If a header is sent twice, the values are joined with a comma.
  if (text.includes(',')) throw refused('sent more than once')
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(text)) throw refused('not base64')
  const bytes = Buffer.from(text, 'base64')
  if (!isUtf8(bytes)) throw refused('not UTF-8 inside its base64')
  let json: unknown
  try {
    json = JSON.parse(bytes.toString())
  } catch {
    throw refused('not JSON inside its base64')
  }
  if (typeof json === 'object' && json !== null && !Array.isArray(json)) return json
  throw new ApiError(422, 'X-Wallet-Auth: expected a JSON object inside its base64.', FIX)
}

function refused(what: string): ApiError {
  return new ApiError(400, `X-Wallet-Auth: ${what}.`, FIX)
}
