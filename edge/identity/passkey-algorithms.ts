/** RFC 9053, RFC 8812; the most common one first. WebAuthn, 5.4, recommends these three algorithms. */
export const PASSKEY_ALGORITHMS = { ES256: -7, EdDSA: -8, RS256: -257 } as const
