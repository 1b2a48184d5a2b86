/** CAA records (RFC 8659), and who of an authority's accounts they mean (RFC 8657). */

/** Of a property that names an authority: its domain, empty for nobody, and the account that it is bound to. */
export type CaaIssuer = { issuer: string; accountUri: string | undefined }

const RECORD = /^\d{1,3}\s+(issue|issuewild)\s+("?)(.*)\2$/i

/** @param record as in a zone file; `undefined` for other properties */
export function caaIssuerOf(record: string): CaaIssuer | undefined {
  const [, , , value] = RECORD.exec(record.trim()) ?? []
  if (value === undefined) return undefined
  const [issuer = '', ...parameters] = value.split(';').map((part) => part.trim())
  const uris = parameters
    .filter((parameter) => /^accounturi\s*=/i.test(parameter))
    .map((parameter) => parameter.slice(parameter.indexOf('=') + 1).trim())
  // More than one can not be met (RFC 8657, 3).
  return { issuer, accountUri: uris.length === 1 ? uris[0] : undefined }
}
