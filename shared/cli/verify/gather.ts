/** Gathers the input of the seven rules from the host, its name servers and the chain. */
import { X509Certificate } from 'node:crypto'
import { isIP } from 'node:net'
import type { Collateral, EvidenceBundle } from '../../attestation/evidence.ts'
import { fetchEvidence } from '../../attestation/fetch-evidence.ts'
import { caaRecords, NamesUnavailable, namesOf } from './caa.ts'
import { askGovernance, GovernanceUnknown } from './governance.ts'
import { watchedFetch } from './served-certificate.ts'

/** Inputs that could not be obtained, by the rule that needs them. Each is a sentence with the reason and a remedy. */
export type Missing = Partial<Record<'certificate' | 'CAA' | 'governance', string>>

export type Gathered = { bundle: EvidenceBundle; missing: Missing }

/** The host served no evidence that could be judged. */
export class NoEvidence extends Error {
  constructor(reason: string, options?: ErrorOptions) {
    super(reason, options)
    this.name = 'NoEvidence'
  }
}

export type Sources = {
  url: URL
  /** PEM of an additional trusted authority. */
  authority: string | undefined
  rpcUrl: string | undefined
  dnsServer: string | undefined
  collateral: Collateral | undefined
  timeoutMs: number
  /** Unix milliseconds. */
  now: () => number
  random: (length: number) => Uint8Array<ArrayBuffer>
}

const NONCE_BYTES = 32

/** @throws {NoEvidence} */
export async function gather(sources: Sources): Promise<Gathered> {
  const { evidence, served } = await fetchWatched(sources)
  const missing: Missing = {}
  const bundle: EvidenceBundle = { ...evidence }
  const why = whyNoCertificate(sources.url, evidence)
  if (why !== undefined) missing.certificate = why
  else bundle.served_certificate = { der_base64: served.toString('base64') }
  await Promise.all([addCaa(bundle, missing, sources), addGovernance(bundle, missing, sources)])
  return { bundle, missing }
}

/**
 * Requires a single certificate across all connections. Otherwise the evidence could come from another host than the
 * certificate.
 */
async function fetchWatched(
  sources: Sources,
): Promise<{ evidence: EvidenceBundle; served: Buffer }> {
  const first = await fetchOnce(sources)
  if (first.served.length <= 1) return { ...first, served: first.served[0] ?? Buffer.alloc(0) }
  // Either the certificate was just renewed, or the host's servers use different ones.
  const second = await fetchOnce(sources)
  if (second.served.length <= 1) return { ...second, served: second.served[0] ?? Buffer.alloc(0) }
  throw new NoEvidence('the host serves one certificate here and another there')
}

async function fetchOnce({
  url,
  authority,
  collateral,
  timeoutMs,
  now,
  random,
}: Sources): Promise<{ evidence: EvidenceBundle; served: Buffer[] }> {
  const watched = watchedFetch(authority)
  try {
    const evidence = await fetchEvidence({
      baseUrl: url.origin,
      fetch: watched.fetch,
      nonce: random(NONCE_BYTES),
      ...(collateral ? { collateral } : {}),
      now,
      signal: AbortSignal.timeout(timeoutMs),
    })
    return { evidence, served: watched.served() }
  } catch (error) {
    throw new NoEvidence(reasonOf(error), { cause: error })
  } finally {
    await watched.close()
  }
}

/**
 * Returns why the served certificate cannot be compared; undefined if it must be. Only a host that the evidence's
 * certificate does not name may skip the comparison: TLS terminates before the machine, as it does at the edge. The
 * host's own claims do not count.
 */
function whyNoCertificate(url: URL, evidence: EvidenceBundle): string | undefined {
  if (url.protocol === 'http:')
    return `${url.origin} has no TLS: what is sent there does not go to the machine alone`
  const [first] = hostsOf(evidence)
  if (first === undefined || hostsOf(evidence).some(({ names }) => names(url.hostname)))
    return undefined
  return `TLS for ${url.hostname} ends before the machine, whose own host is ${first.domain}: verify https://${first.domain}`
}

/** Returns the hosts that the evidence is for. The requested host may not be among them. */
function hostsOf({ files }: EvidenceBundle): {
  domain: string
  names: (hostname: string) => boolean
}[] {
  return Object.entries(files).flatMap(([name, pem]) => {
    const domain = /^cert-(.+)\.pem$/.exec(name)?.[1]
    return domain === undefined ? [] : [{ domain, names: (host) => isNamedIn(pem, host) }]
  })
}

/** Returns true for a certificate that does not parse, so that the comparison runs and the rules reject it. */
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
  missing: Missing,
  { url, dnsServer }: Sources,
): Promise<void> {
  const hosts = hostsOf(bundle)
  const host = (hosts.find(({ names }) => names(url.hostname)) ?? hosts[0])?.domain
  if (host === undefined) {
    missing.CAA = 'the evidence names no host'
    return
  }
  try {
    bundle.caa = { host, records: await caaRecords(host, namesOf(dnsServer)) }
  } catch (error) {
    if (!(error instanceof NamesUnavailable)) throw error
    missing.CAA = `${error.message}: try another name server with --dns-server`
  }
}

async function addGovernance(
  bundle: EvidenceBundle,
  missing: Missing,
  { rpcUrl }: Sources,
): Promise<void> {
  const { app_id, compose_hash } = bundle.info
  const [appId, composeHash] = [app_id, compose_hash].map((hex) =>
    hex.replace(/^0x/i, '').toLowerCase(),
  )
  if (rpcUrl === undefined) missing.governance = 'name a node of its chain with --rpc-url'
  else if (!/^[0-9a-f]{40} [0-9a-f]{64}$/.test(`${appId} ${composeHash}`))
    missing.governance = 'the host names no application that could be asked about'
  else
    try {
      bundle.governance = await askGovernance(rpcUrl, appId!, composeHash!, globalThis.fetch)
    } catch (error) {
      if (!(error instanceof GovernanceUnknown)) throw error
      missing.governance = error.message
    }
}

/**
 * Prefers a reason about certificates, and otherwise returns the innermost cause: the outer one is just `fetch failed`.
 */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { code } = error as NodeJS.ErrnoException
  if (code !== undefined && UNTRUSTED.has(code))
    return `the host’s certificate is not trusted (${code}): name its authority with --ca`
  if (error.cause instanceof Error) return reasonOf(error.cause)
  return error.message || (code ?? error.name)
}

const UNTRUSTED = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
])
