/** The members of a receipt's payload, read without judging it (`docs/receipts.md`). Nothing for what is no receipt. */
export function receiptFields(receipt: string): [name: string, value: string][] {
  try {
    const [, payload = ''] = receipt.split('.')
    const binary = atob(payload.replaceAll('-', '+').replaceAll('_', '/'))
    const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0))
    const fields: unknown = JSON.parse(new TextDecoder().decode(bytes))
    if (typeof fields !== 'object' || fields === null) return []
    return Object.entries(fields).map(([name, value]) => [
      name,
      typeof value === 'string' ? value : JSON.stringify(value),
    ])
  } catch {
    return []
  }
}
