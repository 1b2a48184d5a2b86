/**
 * The signatures that a passkey may make (RFC 9053, RFC 8812), the one that most authenticators have first. WebAuthn,
 * 5.4, asks sites to take these three.
 */
export const PASSKEY_ALGORITHMS = { ES256: -7, EdDSA: -8, RS256: -257 } as const
