import { X509Certificate } from 'node:crypto'
import type { ServedCertificate } from '../tee/evidence-set.ts'
import { loadTls } from '../tls.ts'

/**
 * Private key and certificate chain in PEM, with the leaf certificate first, and the ACME account that requested the
 * certificate.
 */
export type ServedTls = { key: string; chain: string; acmeAccount: string }

/**
 * Returns the URI that the local stack uses instead of a real ACME account's URI. The local stack's name server
 * publishes it in CAA records.
 */
export function localAcmeAccountUri(publicUrl: string): string {
  return `${new URL(publicUrl).origin}/acme/acct/1`
}

export async function localTls(stateDir: string, publicUrl: string): Promise<ServedTls> {
  const { key, cert } = await loadTls(stateDir)
  const account = { body: {}, uri: localAcmeAccountUri(publicUrl) }
  return { key, chain: cert, acmeAccount: `${JSON.stringify(account)}\n` }
}

export function certificateOf(tls: ServedTls, publicUrl: string): ServedCertificate {
  return { domain: domainOf(publicUrl), chain: tls.chain, acmeAccount: tls.acmeAccount }
}

/** Unix milliseconds, or NaN if the chain does not start with a certificate. */
export function certificateExpiry({ chain }: Pick<ServedTls, 'chain'>): number {
  try {
    return new X509Certificate(chain).validToDate.getTime()
  } catch {
    return Number.NaN
  }
}

/** Returns the host of a URL, without the brackets of an IPv6 address. */
export function domainOf(publicUrl: string): string {
  return new URL(publicUrl).hostname.replace(/^\[(.*)\]$/, '$1')
}
