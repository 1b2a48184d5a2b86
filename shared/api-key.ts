/** API keys as they come in a request (`decisions.md`, API keys). */

/** 32 bytes in base64, canonical: the last of 43 characters carries four bits, so two of its bits are zero. */
const SHAPE = /^[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=$/

/** Whether a text can be a key at all: no key of another shape was ever made. */
export function isApiKeyShape(text: string): boolean {
  return SHAPE.test(text)
}

/** The key of a request; `Authorization: Bearer` wins over `X-Api-Key`. */
export function keyOf(headers: { get(name: string): string | null }): string | undefined {
  const bearer = /^Bearer +(\S+)$/i.exec(headers.get('authorization') ?? '')?.[1]
  const key = bearer ?? headers.get('x-api-key')?.trim()
  return key === '' ? undefined : key
}
