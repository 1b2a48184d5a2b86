/**
 * Decodes receipts without verifying their signatures. Readers who need proof must verify receipts independently of our
 * pages.
 */
import { decodeBase64url } from '../../../shared/encoding/base64url.ts'
import { tryParseJson } from '../../../shared/json/try-parse-json.ts'
import { valueText } from './values.ts'

/** Returns the claims of a receipt (`docs/receipts.md`), or undefined if the text is not a receipt. */
export function receiptClaims(receipt: string): Record<string, unknown> | undefined {
  const payload = decodeBase64url(receipt.split('.')[1] ?? '')
  const claims = payload && tryParseJson(new TextDecoder().decode(payload))
  return typeof claims === 'object' && claims !== null
    ? (claims as Record<string, unknown>)
    : undefined
}

/** Returns an empty list if the text is not a receipt. */
export function receiptFields(receipt: string): [name: string, value: string][] {
  return Object.entries(receiptClaims(receipt) ?? {}).map(([name, value]) => [
    name,
    valueText(value),
  ])
}
