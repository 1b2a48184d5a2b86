/** Schemas of a browser's WebAuthn responses (WebAuthn, 5.1.8, `toJSON`). Unused fields are omitted. */
import { z } from 'zod'
import { decodeBase64url } from '../../shared/encoding/base64url.ts'

/** Maximum length of a credential ID: 1023 bytes (WebAuthn, 4), encoded as base64url. */
const CREDENTIAL_ID_MAX_CHARACTERS = 1364

/**
 * Base64url text. The schema needs no length limit, because the entire body is limited to `SAME_ORIGIN_JSON_MAX_BYTES`.
 */
const base64url = z.string().regex(/^[A-Za-z0-9_-]+$/, 'expected base64url')
const credentialId = base64url.max(CREDENTIAL_ID_MAX_CHARACTERS)

/** Known transports (WebAuthn, 5.8.4). Unknown transports in a response are dropped. */
const TRANSPORTS = ['ble', 'cable', 'hybrid', 'internal', 'nfc', 'smart-card', 'usb'] as const
export type Transport = (typeof TRANSPORTS)[number]
const isTransport = (name: string): name is Transport => TRANSPORTS.some((each) => each === name)

const credential = { id: credentialId, rawId: credentialId, type: z.literal('public-key') }

export const registrationResponse = z.object({
  ...credential,
  response: z.object({
    clientDataJSON: base64url,
    attestationObject: base64url,
    transports: z
      .array(z.string().max(32))
      .max(16)
      .default([])
      .transform((names) => [...new Set(names.filter(isTransport))]),
  }),
})
export type RegistrationResponse = z.infer<typeof registrationResponse>

export const signInResponse = z.object({
  ...credential,
  response: z.object({
    clientDataJSON: base64url,
    authenticatorData: base64url,
    signature: base64url,
    userHandle: base64url.nullish(),
  }),
})
export type SignInResponse = z.infer<typeof signInResponse>

const clientData = z.object({
  challenge: z.string(),
  crossOrigin: z.boolean().optional(),
  topOrigin: z.string().optional(),
})

/**
 * Returns the challenge that the authenticator signed (WebAuthn, 5.8.1). Returns `undefined` if the client data is
 * malformed, or if the response comes from a frame embedded in a page of another site.
 */
export function readChallenge(clientDataJSON: string): string | undefined {
  const bytes = decodeBase64url(clientDataJSON)
  if (!bytes) return undefined
  let json: unknown
  try {
    json = JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(bytes))
  } catch {
    return undefined
  }
  const { data } = clientData.safeParse(json)
  if (!data || data.crossOrigin || data.topOrigin !== undefined) return undefined
  return data.challenge
}
