import { domainOf } from '../tls/served-tls.ts'
import type { OriginProcess } from '../services.ts'
import { abortableSleep } from '../timeout.ts'
import { acmeAccountKey } from '../tls/acme/account-key.ts'
import { AcmeClient } from '../tls/acme/acme-client.ts'
import { CertificateIssuer } from '../tls/acme/certificate-issuer.ts'
import { startChallengeServer } from '../tls/acme/challenge-server.ts'

/**
 * With `SVC_ACME_DIRECTORY`, waits until `SVC_TLS_DIR` contains a certificate, renews it from then on, and answers
 * challenges of all machines of the deployment.
 */
export async function startCertificates(origin: OriginProcess): Promise<void> {
  const { settings, keyring, lifecycle, now, log } = origin
  const { SVC_ACME_DIRECTORY: directoryUrl, SVC_TLS_DIR: folder } = settings
  if (directoryUrl === undefined || folder === undefined) return
  const key = acmeAccountKey(keyring.acmeAccountKey())
  const server = await startChallengeServer(key.thumbprint, {
    port: settings.SVC_ACME_PORT,
    host: settings.SVC_ORIGIN_HOST,
  })
  const stopped = new AbortController()
  lifecycle.onClose('certificates', () => {
    stopped.abort()
    server.close()
    server.closeAllConnections()
  })
  const { signal } = stopped
  const client = new AcmeClient({
    directoryUrl,
    key,
    fetch,
    sleep: abortableSleep,
    signal,
  })
  const issuer = new CertificateIssuer({
    client,
    folder,
    domain: domainOf(settings.SVC_PUBLIC_URL),
    now,
    random: Math.random,
    sleep: abortableSleep,
    log,
    signal,
  })
  await issuer.start()
}
