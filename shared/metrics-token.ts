/** The bearer token for `/metrics`, chosen by the operator and checked in the same way on both sides. */
import { z } from 'zod'

/** Requires at least 24 random bytes, because failed attempts are not rate limited. */
export const metricsTokenSetting = z
  .string()
  .regex(/^[A-Za-z0-9_-]{32,128}$/, '32 to 128 characters of base64url, made at random')

/** Returns the bearer token of an `Authorization` header. */
export function bearerOf(authorization: string | null | undefined): string | undefined {
  return /^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1]
}
