/** Node's error codes for connections that were never established. Browsers and workerd do not expose such codes. */
const UNSENT = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
  'CERT_HAS_EXPIRED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'ERR_TLS_CERT_ALTNAME_INVALID',
])

/** Returns true only if the error proves that the request was not sent. */
export function wasUnsent(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined
  return UNSENT.has(String(Reflect.get(Object(cause), 'code')))
}
