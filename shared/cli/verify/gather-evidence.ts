import { X509Certificate } from 'node:crypto'
import { isIP } from 'node:net'
import type { Collateral, EvidenceBundle } from '../../attestation/evidence.ts'
import { fetchEvidence } from '../../attestation/fetch-evidence.ts'
import { caaRecords, DnsUnavailableError, createCaaResolver } from './caa.ts'
import { askGovernance, GovernanceUnknownError } from './governance.ts'
import { captureCertificates } from './served-certificate.ts'

/** Rules whose input could not be obtained, with the reason and, in most cases, a remedy. */
export type MissingInputs = Partial<Record<'certificate' | 'CAA' | 'governance', string>>

type GatheredEvidence = { bundle: EvidenceBundle; missing: MissingInputs }

/** The host or bundle has no evidence that can be verified. */
export class NoEvidenceError extends Error {
  override name = 'NoEvidenceError'
}

type EvidenceSources = {
  url: URL
  /** Additional trusted authority as a PEM certificate. Undefined if only the default authorities are trusted. */
  authority: string | undefined
  rpcUrl: string | undefined
  dnsServer: string | undefined
  collateral: Collateral | undefined
  timeoutMs: number
  now: () => number
  random: (length: number) => Uint8Array<ArrayBuffer>
}

const NONCE_BYTES = 32

export async function gatherEvidence(sources: EvidenceSources): Promise<GatheredEvidence> {
  const { evidence, served } = await fetchConsistently(sources)
  const missing: MissingInputs = {}
  const bundle: EvidenceBundle = { ...evidence }
  const why = certificateSkipReason(sources.url, evidence)
  if (why !== undefined) missing.certificate = why
  else bundle.served_certificate = { der_base64: served.toString('base64') }
  await Promise.all([addCaa(bundle, missing, sources), addGovernance(bundle, missing, sources)])
  return { bundle, missing }
}

/**
 * Fetches the evidence, and requires the same certificate on all connections. Otherwise, the evidence and the
 * certificate could come from different hosts.
 */
async function fetchConsistently(
  sources: EvidenceSources,
): Promise<{ evidence: EvidenceBundle; served: Buffer }> {
  const first = await fetchOnce(sources)
  if (first.served.length <= 1) return { ...first, served: first.served[0] ?? Buffer.alloc(0) }
  // If certificates differ, either the certificate was just renewed, or the host's servers use different certificates.
  const second = await fetchOnce(sources)
  if (second.served.length <= 1) return { ...second, served: second.served[0] ?? Buffer.alloc(0) }
  throw new NoEvidenceError('the host serves different certificates on different connections')
}

async function fetchOnce(
  sources: EvidenceSources,
): Promise<{ evidence: EvidenceBundle; served: Buffer[] }> {
  const { url, authority, collateral, timeoutMs, now, random } = sources
  const watched = captureCertificates(authority)
  try {
    const evidence = await fetchEvidence({
      baseUrl: url.origin,
      fetch: watched.fetch,
      nonce: random(NONCE_BYTES),
      ...(collateral && { collateral }),
      now,
      signal: AbortSignal.timeout(timeoutMs),
    })
    return { evidence, served: watched.served() }
  } catch (error) {
    throw new NoEvidenceError(fetchErrorReason(error), { cause: error })
  } finally {
    await watched.close()
  }
}

/**
 * Returns the reason to skip the certificate comparison. Undefined if the comparison is required. With TLS, the
 * comparison is skipped only if no certificate in the evidence names the host: TLS then terminates before the machine,
 * for example at the edge. The host's own claims are ignored.
 */
function certificateSkipReason(url: URL, evidence: EvidenceBundle): string | undefined {
  if (url.protocol === 'http:')
    return `${url.origin} does not use TLS: others can read what is sent there`
  const [first] = hostsOf(evidence)
  if (first === undefined || hostsOf(evidence).some(({ names }) => names(url.hostname)))
    return undefined
  return `TLS for ${url.hostname} ends before the machine, whose own host is ${first.domain}: verify https://${first.domain}`
}

/** The requested host may not be among them. */
function hostsOf({ files }: EvidenceBundle) {
  return Object.entries(files).flatMap(([name, pem]) => {
    const domain = /^cert-(.+)\.pem$/.exec(name)?.[1]
    return domain === undefined ? [] : [{ domain, names: (host: string) => isNamedIn(pem, host) }]
  })
}

/**
 * Returns true if the certificate names the host. Also true if the certificate does not parse, so that it is compared
 * and then rejected by the rules.
 */
function isNamedIn(pem: string, hostname: string): boolean {
  const host = hostname.replace(/^\[(.*)\]$/, '$1')
  try {
    const leaf = new X509Certificate(pem)
    return (isIP(host) ? leaf.checkIP(host) : leaf.checkHost(host)) !== undefined
  } catch {
    return true
  }
}

async function addCaa(
  bundle: EvidenceBundle,
  missing: MissingInputs,
  { url, dnsServer }: EvidenceSources,
): Promise<void> {
  const hosts = hostsOf(bundle)
  const host = (hosts.find(({ names }) => names(url.hostname)) ?? hosts[0])?.domain
  if (host === undefined) {
    missing.CAA = 'the evidence does not name a host'
    return
  }
  try {
    bundle.caa = { host, records: await caaRecords(host, createCaaResolver(dnsServer)) }
  } catch (error) {
    if (!(error instanceof DnsUnavailableError)) throw error
    missing.CAA = `${error.message}: try another name server with --dns-server`
  }
}

async function addGovernance(
  bundle: EvidenceBundle,
  missing: MissingInputs,
  { rpcUrl }: EvidenceSources,
): Promise<void> {
  const { app_id, compose_hash } = bundle.info
  const [appId, composeHash] = [app_id, compose_hash].map((hex) =>
    hex.replace(/^0x/i, '').toLowerCase(),
  )
  if (rpcUrl === undefined) missing.governance = 'no node of its chain is set: use --rpc-url'
  else if (!/^[0-9a-f]{40} [0-9a-f]{64}$/.test(`${appId} ${composeHash}`))
    missing.governance = 'the host does not name a valid application'
  else
    try {
      bundle.governance = await askGovernance(rpcUrl, appId!, composeHash!, globalThis.fetch)
    } catch (error) {
      if (!(error instanceof GovernanceUnknownError)) throw error
      missing.governance = error.message
    }
}

/**
 * Returns the reason for a failed fetch. Prefers a reason about certificates, then the innermost cause, because the
 * outer message is just `fetch failed`.
 */
function fetchErrorReason(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { code } = error as NodeJS.ErrnoException
  if (code !== undefined && UNTRUSTED.has(code))
    return `the host’s certificate is not trusted (${code}): set its authority with --ca`
  if (error.cause instanceof Error) return fetchErrorReason(error.cause)
  return error.message || (code ?? error.name)
}

const UNTRUSTED = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
])
