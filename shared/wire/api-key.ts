/**
 * Format of an API key: canonical base64 of 32 bytes. The last of the 43 characters encodes only four bits, so its two
 * low bits are zero.
 */
const SHAPE = /^[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=$/

/**
 * Returns true if the text has the format of an API key. A mismatch alone must not reject a request, because an admin
 * wallet may register the hash of any text.
 */
export function hasApiKeyFormat(text: string): boolean {
  return SHAPE.test(text)
}

/** `Authorization: Bearer` takes precedence over `X-Api-Key`. */
export function apiKeyIn(headers: { get(name: string): string | null }): string | undefined {
  const key = bearerToken(headers.get('authorization')) ?? headers.get('x-api-key')?.trim()
  return key === '' ? undefined : key
}

export function bearerToken(authorization: string | null | undefined): string | undefined {
  return /^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1]
}
