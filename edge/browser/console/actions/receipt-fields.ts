/** Does not verify the signature (`docs/receipts.md`). Empty if the text is not a receipt. */
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
