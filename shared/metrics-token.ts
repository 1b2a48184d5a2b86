/** The bearer token for `/metrics`. The operator chooses it, and the edge and the origin check it in the same way. */
import { z } from 'zod'

/** Setting of the metrics token. It requires at least 24 random bytes, because failed attempts are not rate limited. */
export const metricsTokenSetting = z
  .string()
  .regex(/^[A-Za-z0-9_-]{32,128}$/, 'expected 32 to 128 random characters of base64url')

/** Returns the bearer token of an `Authorization` header. */
export function bearerOf(authorization: string | null | undefined): string | undefined {
  return /^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1]
}
