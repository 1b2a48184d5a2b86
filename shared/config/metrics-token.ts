/** Chosen by the operator, and checked by the edge and the origin in the same way. */
import { z } from 'zod'

/** At least 24 random bytes, because failed attempts are not rate limited. */
export const metricsTokenSetting = z
  .string()
  .regex(/^[A-Za-z0-9_-]{32,128}$/, 'expected 32 to 128 random characters of base64url')

export function bearerToken(authorization: string | null | undefined): string | undefined {
  return /^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1]
}
