/** What a browser sends of an authenticator's answer (WebAuthn, 5.1.8: `toJSON`). What is not used is left out. */
import { z } from 'zod'
import { decodeBase64url } from '../../shared/base64url.ts'

/** WebAuthn, 4: a credential's id has at most 1023 bytes. */
const CREDENTIAL_ID_MAX_CHARACTERS = 1364

/** All texts of an answer together fit its body (`OWN_JSON_MAX_BYTES`); each is bounded by that. */
const base64url = z.string().regex(/^[A-Za-z0-9_-]+$/, 'expected base64url')
const credentialId = base64url.max(CREDENTIAL_ID_MAX_CHARACTERS)

/** How browsers reach an authenticator (WebAuthn, 5.8.4); what is not known to us is nothing to give back to them. */
const TRANSPORTS = ['ble', 'cable', 'hybrid', 'internal', 'nfc', 'smart-card', 'usb'] as const
export type Transport = (typeof TRANSPORTS)[number]
const isTransport = (name: string): name is Transport => TRANSPORTS.some((each) => each === name)

const credential = { id: credentialId, rawId: credentialId, type: z.literal('public-key') }

export const registrationAnswer = z.object({
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
export type RegistrationAnswer = z.infer<typeof registrationAnswer>

export const signInAnswer = z.object({
  ...credential,
  response: z.object({
    clientDataJSON: base64url,
    authenticatorData: base64url,
    signature: base64url,
    userHandle: base64url.nullish(),
  }),
})
export type SignInAnswer = z.infer<typeof signInAnswer>

const clientData = z.object({
  challenge: z.string(),
  crossOrigin: z.boolean().optional(),
  topOrigin: z.string().optional(),
})

/**
 * The challenge that an answer is for, as its browser signed it (WebAuthn, 5.8.1). `undefined` for what is no client
 * data, and for an answer that was made in a frame on another site's page: none of ours is ever in one.
 */
export function challengeIn(clientDataJSON: string): string | undefined {
  const bytes = decodeBase64url(clientDataJSON)
  if (!bytes) return undefined
  let said: unknown
  try {
    said = JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(bytes))
  } catch {
    return undefined
  }
  const { data } = clientData.safeParse(said)
  if (!data || data.crossOrigin || data.topOrigin !== undefined) return undefined
  return data.challenge
}
