import { X509Certificate } from 'node:crypto'
import type { ServedCertificate } from '../tee/evidence-set.ts'
import { loadTls } from '../tls.ts'

/** What the server needs for TLS: PEM, the chain leaf first, and the ACME account that it was got with. */
export type ServedTls = { key: string; chain: string; acmeAccount: string }

/** The URI of the account that stands for an ACME client's in a local stack; its name server says it in CAA records. */
export function localAcmeAccountUri(publicUrl: string): string {
  return `${new URL(publicUrl).origin}/acme/acct/1`
}

/** The local stack's own certificate. */
export async function localTls(stateDir: string, publicUrl: string): Promise<ServedTls> {
  const { key, cert } = await loadTls(stateDir)
  const account = { body: {}, uri: localAcmeAccountUri(publicUrl) }
  return { key, chain: cert, acmeAccount: `${JSON.stringify(account)}\n` }
}

/** As the evidence names it. */
export function certificateOf(tls: ServedTls, publicUrl: string): ServedCertificate {
  return { domain: domainOf(publicUrl), chain: tls.chain, acmeAccount: tls.acmeAccount }
}

/** When the leaf runs out, in Unix milliseconds; not a number where the chain begins with no certificate. */
export function endOf({ chain }: Pick<ServedTls, 'chain'>): number {
  try {
    return new X509Certificate(chain).validToDate.getTime()
  } catch {
    return Number.NaN
  }
}

/** The host that clients know, an IPv6 address without its brackets. */
export function domainOf(publicUrl: string): string {
  return new URL(publicUrl).hostname.replace(/^\[(.*)\]$/, '$1')
}
