import { HEADER_BYTES_MAX } from './bounds.ts'
import { OutboundError } from './outbound-error.ts'

/**
 * Descriptions of undici, Node and OpenSSL error codes. The original error messages are not used, because they contain
 * IP addresses.
 */
const ERROR_DESCRIPTIONS: Record<string, string> = {
  ECONNREFUSED: 'refuses connections',
  EHOSTUNREACH: 'cannot be reached',
  ENETUNREACH: 'cannot be reached',
  EADDRNOTAVAIL: 'cannot be reached',
  ETIMEDOUT: 'does not respond',
  ECONNRESET: 'closed the connection before its response was complete',
  EPIPE: 'closed the connection before its response was complete',
  UND_ERR_SOCKET: 'closed the connection before its response was complete',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'sent a body that does not match its content-length',
  UND_ERR_HEADERS_OVERFLOW: `sent headers of more than ${HEADER_BYTES_MAX} bytes`,
  ERR_TLS_CERT_ALTNAME_INVALID: 'has a certificate for a different name',
  CERT_HAS_EXPIRED: 'has an expired certificate',
  CERT_NOT_YET_VALID: 'has a certificate that is not valid yet',
  CERT_REVOKED: 'has a revoked certificate',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'has a self-signed certificate',
  SELF_SIGNED_CERT_IN_CHAIN: 'has a certificate from an unknown authority',
  UNABLE_TO_GET_ISSUER_CERT: 'has a certificate from an unknown authority',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'has a certificate from an unknown authority',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'has a certificate from an unknown authority',
}

export function toOutboundError(error: unknown, named: string): OutboundError {
  if (error instanceof OutboundError) return error
  return new OutboundError(`${named} ${describeError(error)}`)
}

function describeError(error: unknown): string {
  const code = lastErrorCode(error)
  const known = ERROR_DESCRIPTIONS[code]
  if (known !== undefined) return known
  if (error instanceof Error && error.name === 'HTTPParserError')
    return 'sent a response that is not HTTP/1.1'
  if (/^(ERR_SSL|ERR_TLS|EPROTO)/.test(code)) return 'does not speak TLS correctly'
  if (/CERT|SIGNATURE|CRL|ISSUER/.test(code)) return 'has an invalid certificate'
  return 'could not be reached'
}

/** Returns the code of an error or, if several addresses were tried, the code of the last attempt. */
function lastErrorCode(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0)
    return lastErrorCode(error.errors.at(-1))
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}
