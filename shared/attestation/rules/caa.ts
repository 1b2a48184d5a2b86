/** Rule 6: the CAA records allow only this application's ACME account to obtain certificates for the host. */
import { z } from 'zod'
import { CAA_RECORD_MAX_CHARACTERS, CAA_RECORDS_MAX } from '../../limits.ts'
import { check, quoted } from '../check-failed.ts'
import { ACME_ACCOUNT_FILE, type EvidenceBundle } from '../evidence.ts'
import { parseEvidenceJson } from '../parse-evidence-json.ts'
import type { Finding } from '../report.ts'
import { fileOf } from './evidence-files.ts'

/** A CAA property (RFC 8659) that authorizes certificate issuance. `issuer` is empty if no authority may issue. */
type CaaIssuer = {
  /** An `issuewild` property applies to wildcard certificates only. */
  tag: 'issue' | 'issuewild'
  issuer: string
  /** ACME account that the record requires (RFC 8657). */
  accountUri: string | undefined
}

const RECORD = /^\d{1,3}\s+(issue|issuewild)\s+("?)(.*)\2$/i

/** Parses a CAA record in zone file syntax. Returns undefined for properties other than `issue` and `issuewild`. */
function caaIssuerOf(record: string): CaaIssuer | undefined {
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

/** Account files of certbot, of this service, and of two versions of lego. */
const accountSchema = z.object({
  uri: z.string().optional(),
  account_uri: z.string().optional(),
  registration: z
    .object({ accountURL: z.string().optional(), uri: z.string().optional() })
    .optional(),
})

export function caaRule({ files, caa }: EvidenceBundle): Finding {
  const uri = accountUriOf(fileOf(files, ACME_ACCOUNT_FILE))
  if (!caa)
    return {
      outcome: 'not_applicable',
      reason: 'CAA records were not requested',
      open: ['Who else can obtain a certificate for this name: CAA records were not requested.'],
    }
  const fits =
    caa.records.length <= CAA_RECORDS_MAX &&
    caa.records.every((record) => record.length <= CAA_RECORD_MAX_CHARACTERS)
  check(fits, `the CAA records of ${quoted(caa.host)} are too many or too long`)
  const issuers = caa.records.flatMap((record) => caaIssuerOf(record) ?? [])
  const isNamed = issuers.some(({ accountUri }) => accountUri === uri)
  check(isNamed, `no CAA record of ${quoted(caa.host)} names the account ${quoted(uri)}`)
  const others = issuers.filter((one) => one.issuer !== '' && one.accountUri !== uri)
  const open = others.map(
    ({ issuer, accountUri }) =>
      `Certificates by ${quoted(issuer)}${accountUri ? ` for ${quoted(accountUri)}` : ', for any account'}: CAA also allows it to issue them.`,
  )
  // Without an `issue` property, any authority may issue non-wildcard certificates (RFC 8659, section 4.2).
  if (!issuers.some(({ tag }) => tag === 'issue'))
    open.push('Certificates by any authority: CAA has no "issue" property to restrict them.')
  return {
    outcome: 'passed',
    reason: `CAA of ${quoted(caa.host)} names the account ${quoted(uri)}`,
    open,
  }
}

function accountUriOf(text: string): string {
  const { data } = accountSchema.safeParse(parseEvidenceJson(ACME_ACCOUNT_FILE, text, z.unknown()))
  const uri =
    data?.uri ?? data?.account_uri ?? data?.registration?.accountURL ?? data?.registration?.uri
  check(uri !== undefined && uri !== '', `${ACME_ACCOUNT_FILE} has no account URI`)
  return uri
}
