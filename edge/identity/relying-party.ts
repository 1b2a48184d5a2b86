/**
 * WebAuthn relying party (WebAuthn, 5.4.2 and 13.4.9). The ID and the origin come from the settings, never from a
 * request's Host header, so that authenticators sign only for the site that the operator configured.
 */
export type RelyingParty = { id: string; origin: string }

/**
 * @param publicUrl the setting `PUBLIC_URL`, whose host must be a name, because WebAuthn does not allow IP addresses
 */
export function relyingPartyOf(publicUrl: string): RelyingParty {
  const { hostname, origin } = new URL(publicUrl)
  return { id: hostname, origin }
}
