import 'reflect-metadata'
import * as x509 from '@peculiar/x509'

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const

/** Creates a new key pair, which never leaves the machine, and a signing request for a certificate (RFC 2986). */
export async function createCertificateRequest(
  domain: string,
): Promise<{ key: string; request: Uint8Array }> {
  const keys = await crypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify'])
  const request = await x509.Pkcs10CertificateRequestGenerator.create({
    keys,
    signingAlgorithm: ALGORITHM,
    extensions: [new x509.SubjectAlternativeNameExtension([{ type: 'dns', value: domain }])],
  })
  const pkcs8 = await crypto.subtle.exportKey('pkcs8', keys.privateKey)
  return {
    key: `${x509.PemConverter.encode(pkcs8, 'PRIVATE KEY')}\n`,
    request: new Uint8Array(request.rawData),
  }
}
