/** A `fetch` that sees which certificate its host has served. */
import { getCACertificates, type TLSSocket } from 'node:tls'
import type { FetchEvidence } from '../../attestation/fetch-evidence.ts'
import { Agent, buildConnector, fetch as undiciFetch } from 'undici'

/** A host that does not take connections is away. */
const CONNECT_MS = 10_000
/** An answer that has not begun, or does not go on. */
const ANSWER_MS = 15_000

export type WatchedFetch = {
  fetch: FetchEvidence['fetch']
  /** DER of each certificate that was served, each once, in the order of the handshakes. */
  served(): Buffer[]
  close(): Promise<void>
}

/**
 * One connection at a time, with a handshake each: a resumed session shows no certificate.
 * @param authority PEM of one that is trusted beside the usual ones
 */
export function watchedFetch(authority: string | undefined): WatchedFetch {
  const served: Buffer[] = []
  const authorities = getCACertificates('default')
  const connect = buildConnector({
    timeout: CONNECT_MS,
    maxCachedSessions: 0,
    ...(authority === undefined ? {} : { ca: [...authorities, authority] }),
  })
  const dispatcher = new Agent({
    connections: 1,
    headersTimeout: ANSWER_MS,
    bodyTimeout: ANSWER_MS,
    connect(options, done) {
      connect(options, (...result) => {
        const [error, socket] = result
        if (error === null && options.protocol === 'https:') {
          const der = (socket as TLSSocket).getPeerX509Certificate()?.raw
          if (der && !served.some((known) => known.equals(der))) served.push(der)
        }
        done(...result)
      })
    },
  })
  return {
    // The same interface, declared twice.
    fetch: (url, init) => undiciFetch(url, { ...(init as object), dispatcher }),
    served: () => served,
    close: () => dispatcher.destroy(),
  }
}
