/** A `fetch` that records the certificates its host serves. */
import { getCACertificates, type TLSSocket } from 'node:tls'
import type { FetchEvidence } from '../../attestation/fetch-evidence.ts'
import { Agent, buildConnector, fetch as undiciFetch } from 'undici'

/** Connection timeout. */
const CONNECT_MS = 10_000
/** Timeout for a response to start, and for pauses within it. */
const ANSWER_MS = 15_000

export type WatchedFetch = {
  fetch: FetchEvidence['fetch']
  /** DER of each distinct certificate, in the order of the handshakes. */
  served(): Buffer[]
  close(): Promise<void>
}

/**
 * Creates a fetch with one connection at a time and a full handshake for each: a resumed session shows no certificate.
 * @param authority PEM of an additional trusted authority
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
    // undici and the DOM types declare the same interface separately.
    fetch: (url, init) => undiciFetch(url, { ...(init as object), dispatcher }),
    served: () => served,
    close: () => dispatcher.destroy(),
  }
}
