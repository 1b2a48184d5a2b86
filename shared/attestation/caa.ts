/** CAA records (RFC 8659), and the ACME accounts they are bound to (RFC 8657). */

/**
 * A property that authorizes issuance: the authority's domain (empty for no authority) and the account it is bound to.
 */
export type CaaIssuer = {
  /** `issuewild` applies to wildcard certificates only. */
  tag: 'issue' | 'issuewild'
  issuer: string
  accountUri: string | undefined
}

const RECORD = /^\d{1,3}\s+(issue|issuewild)\s+("?)(.*)\2$/i

/**
 * Parses a CAA record. Returns undefined for properties other than `issue` and `issuewild`.
 * @param record as in a zone file
 */
export function caaIssuerOf(record: string): CaaIssuer | undefined {
  const [, name, , value] = RECORD.exec(record.trim()) ?? []
  if (value === undefined) return undefined
  const tag = name?.toLowerCase() === 'issue' ? 'issue' : 'issuewild'
  const [issuer = '', ...parameters] = value.split(';').map((part) => part.trim())
  const uris = parameters
    .filter((parameter) => /^accounturi\s*=/i.test(parameter))
    .map((parameter) => parameter.slice(parameter.indexOf('=') + 1).trim())
  // With more than one, no account can satisfy the record (RFC 8657, section 3).
  return { tag, issuer, accountUri: uris.length === 1 ? uris[0] : undefined }
}
