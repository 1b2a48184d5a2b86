import { DAY_MS } from '../../shared/durations.ts'
import { type Check, fault, ok, skipped } from '../../shared/preflight/checks.ts'
import type { OriginSettings } from '../env.ts'
import { readOperatorTls, TlsFilesError } from '../tls/operator-files.ts'
import { certificateExpiry, domainOf } from '../tls/served-tls.ts'

const NAME = 'certificate'

export function checkCertificate(
  {
    SVC_TLS_DIR: folder,
    SVC_ACME_DIRECTORY: directory,
    SVC_PUBLIC_URL: publicUrl,
  }: Pick<OriginSettings, 'SVC_TLS_DIR' | 'SVC_ACME_DIRECTORY' | 'SVC_PUBLIC_URL'>,
  now: number,
): Check {
  if (folder === undefined) return skipped(NAME, 'the local stack creates its own')
  if (directory !== undefined) return skipped(NAME, 'the origin obtains it when it starts')
  const domain = domainOf(publicUrl)
  try {
    const days = Math.floor((certificateExpiry(readOperatorTls(folder, domain)) - now) / DAY_MS)
    if (days < 0) return fault(NAME, `for ${domain}, expired`)
    return ok(NAME, `for ${domain}, valid for ${days} days, with the URI of an ACME account`)
  } catch (error) {
    if (error instanceof TlsFilesError) return fault(NAME, error.message)
    throw error
  }
}
