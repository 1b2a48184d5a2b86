import type { TLSSocket } from 'node:tls'
import type { FetchEvidenceOptions } from '../../attestation/fetch-evidence.ts'
import { Agent, buildConnector, fetch as undiciFetch } from 'undici'
import { defaultAuthorities } from '../default-authorities.ts'

const CONNECT_MS = 10_000
/** Timeout for the start of a response, and for each pause within it. */
const ANSWER_MS = 15_000

type CertificateCapture = {
  fetch: FetchEvidenceOptions['fetch']
  /** Returns the DER of each distinct server certificate, in the order of the TLS handshakes. */
  served(): Buffer[]
  close(): Promise<void>
}

/**
 * Captures the server certificates of TLS connections. Uses one connection at a time, each with a full TLS handshake,
 * because a resumed session does not expose the certificate.
 * @param authority PEM certificate of an additional trusted authority
 */
export function captureCertificates(authority: string | undefined): CertificateCapture {
  const served: Buffer[] = []
  const authorities = defaultAuthorities()
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
    // The cast is needed, because undici and the DOM types declare the same interface separately.
    fetch: (url, init) => undiciFetch(url, { ...(init as object), dispatcher }),
    served: () => served,
    close: () => dispatcher.destroy(),
  }
}
