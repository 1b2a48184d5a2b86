/** Parses CAA records (RFC 8659), and the ACME account that a record is bound to (RFC 8657). */

/**
 * CAA property that authorizes issuance: the domain of the certificate authority (empty if no authority may issue), and
 * the ACME account that it is bound to.
 */
export type CaaIssuer = {
  /** Tag of the CAA property. `issuewild` applies to wildcard certificates only. */
  tag: 'issue' | 'issuewild'
  issuer: string
  accountUri: string | undefined
}

const RECORD = /^\d{1,3}\s+(issue|issuewild)\s+("?)(.*)\2$/i

/**
 * Parses a CAA record. Returns undefined for properties other than `issue` and `issuewild`.
 * @param record the record's text, in zone file syntax
 */
export function caaIssuerOf(record: string): CaaIssuer | undefined {
  const [, name, , value] = RECORD.exec(record.trim()) ?? []
  if (value === undefined) return undefined
  const tag = name?.toLowerCase() === 'issue' ? 'issue' : 'issuewild'
  const [issuer = '', ...parameters] = value.split(';').map((part) => part.trim())
  const uris = parameters
    .filter((parameter) => /^accounturi\s*=/i.test(parameter))
    .map((parameter) => parameter.slice(parameter.indexOf('=') + 1).trim())
  // If a record has several `accounturi` parameters, no account can satisfy it (RFC 8657, section 3).
  return { tag, issuer, accountUri: uris.length === 1 ? uris[0] : undefined }
}
