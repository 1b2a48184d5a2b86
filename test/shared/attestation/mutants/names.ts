/** Mutants of the certificate, the CAA records and the governance contract's answer. */
import 'reflect-metadata'
import * as x509 from '@peculiar/x509'
import { makeAuthority } from '../../../doubles/certificates.ts'
import { type Mutant, withFiles } from './change.ts'

export const NAMES: Mutant[] = [
  [
    'another certificate on the connection',
    'certificate',
    'is not in the evidence',
    async (good) => {
      const { cert } = await (await makeAuthority()).issue({ names: ['origin.example'] })
      const der = Buffer.from(new x509.X509Certificate(cert).rawData)
      return { ...good, served_certificate: { der_base64: der.toString('base64') } }
    },
  ],
  [
    'a certificate file that is none',
    'certificate',
    'contains no certificate',
    withFiles({ 'cert-origin.example.pem': 'none' }),
  ],
  [
    'CAA for another account',
    'CAA',
    'names the account',
    (good) => ({
      ...good,
      caa: {
        host: 'origin.example',
        records: ['0 issue "ca.example; accounturi=https://ca.example/acme/acct/12"'],
      },
    }),
  ],
  [
    'no CAA records',
    'CAA',
    'names the account',
    (good) => ({ ...good, caa: { host: 'origin.example', records: [] } }),
  ],
  [
    'an account without a uri',
    'CAA',
    'has no account URI',
    withFiles({ 'acme-account.json': '{}' }),
  ],
  [
    'a compose hash that is not allowed',
    'governance',
    'does not allow the compose hash',
    (good) => ({ ...good, governance: { chain_id: 1, allowed: false } }),
  ],
]
