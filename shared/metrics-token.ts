/** The bearer token of `/metrics`: what the operator makes, and both sides check in the same way. */
import { z } from 'zod'

/** Of at least 24 random bytes: it is never counted how often somebody guesses. */
export const metricsTokenSetting = z
  .string()
  .regex(/^[A-Za-z0-9_-]{32,128}$/, '32 to 128 characters of base64url, made at random')

/** What `Authorization` carries of it. */
export function bearerOf(authorization: string | null | undefined): string | undefined {
  return /^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1]
}
