/** Does not verify the signature. A reader who needs proof must verify the receipt independently of our pages. */
import { decodeBase64url } from '../../../shared/encoding/base64url.ts'
import { tryParseJson } from '../../../shared/json/try-parse-json.ts'
import { valueText } from './values.ts'

/** Claims of a receipt (`docs/receipts.md`); undefined if the text is not a receipt. */
export function receiptClaims(receipt: string): Record<string, unknown> | undefined {
  const payload = decodeBase64url(receipt.split('.')[1] ?? '')
  const claims = payload && tryParseJson(new TextDecoder().decode(payload))
  return typeof claims === 'object' && claims !== null
    ? (claims as Record<string, unknown>)
    : undefined
}

/** Claims as text. Empty if the text is not a receipt. */
export function receiptFields(receipt: string): [name: string, value: string][] {
  return Object.entries(receiptClaims(receipt) ?? {}).map(([name, value]) => [
    name,
    valueText(value),
  ])
}
