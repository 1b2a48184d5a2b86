/** Parses CAA records (RFC 8659), including the ACME account that a record may require (RFC 8657). */

/** A CAA property that authorizes certificate issuance. `issuer` is empty if no authority may issue. */
type CaaIssuer = {
  /** An `issuewild` property applies to wildcard certificates only. */
  tag: 'issue' | 'issuewild'
  issuer: string
  accountUri: string | undefined
}

const RECORD = /^\d{1,3}\s+(issue|issuewild)\s+("?)(.*)\2$/i

/** Parses a CAA record in zone file syntax. Returns undefined for properties other than `issue` and `issuewild`. */
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
