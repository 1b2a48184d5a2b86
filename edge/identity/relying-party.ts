/**
 * The site that passkeys are for (WebAuthn, 5.4.2 and 13.4.9). Both come from the setting and never from a request's
 * Host: authenticators sign for the site that the operator named.
 */
export type RelyingParty = { id: string; origin: string }

/** @param publicUrl `PUBLIC_URL`; an authenticator knows hosts by name, and none that is an IP address */
export function relyingPartyOf(publicUrl: string): RelyingParty {
  const { hostname, origin } = new URL(publicUrl)
  return { id: hostname, origin }
}
