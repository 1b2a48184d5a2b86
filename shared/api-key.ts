/** API keys as they come in a request (`decisions.md`, API keys). */

/** 32 bytes in base64, canonical: the last of 43 characters carries four bits, so two of its bits are zero. */
const SHAPE = /^[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=$/

/**
 * Whether a text has the shape of the keys that this service makes. An admin wallet may register the hash of another
 * text at the contract, so this alone never refuses a request.
 */
export function isApiKeyShape(text: string): boolean {
  return SHAPE.test(text)
}

/** The key of a request; `Authorization: Bearer` wins over `X-Api-Key`. */
export function keyOf(headers: { get(name: string): string | null }): string | undefined {
  const bearer = /^Bearer +(\S+)$/i.exec(headers.get('authorization') ?? '')?.[1]
  const key = bearer ?? headers.get('x-api-key')?.trim()
  return key === '' ? undefined : key
}
