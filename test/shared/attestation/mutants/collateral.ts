/** Mutants of the collateral and its issuers. */
import 'reflect-metadata'
import * as x509 from '@peculiar/x509'
import type { SimulatedAuthority } from '../../../../origin/tee/simulated/authority.ts'
import { simulatedCollateral } from '../../../../origin/tee/simulated/collateral.ts'
import { byMachine, flip, type Mutant, ofCollateral } from './change.ts'
import { restated } from '../crafted-machine.ts'
import { goodEvidence, NOW, simulatedMachine } from '../good-evidence.ts'

const DAY_MS = 24 * 60 * 60 * 1000

export const COLLATERAL: Mutant[] = [
  [
    'a byte of the TCB info',
    'quote',
    'Signature is invalid for tcb_info',
    ofCollateral(({ tcb_info }) => ({ tcb_info: `${tcb_info} ` })),
  ],
  [
    "a byte of the TCB info's signature",
    'quote',
    'Signature is invalid for tcb_info',
    ofCollateral((good) => ({ tcb_info_signature: flip(good.tcb_info_signature, 9) })),
  ],
  [
    'a byte of the QE identity',
    'quote',
    'Signature is invalid for qe_identity',
    ofCollateral(({ qe_identity }) => ({ qe_identity: `${qe_identity} ` })),
  ],
  [
    "a byte of the QE identity's signature",
    'quote',
    'Signature is invalid for qe_identity',
    ofCollateral((good) => ({ qe_identity_signature: flip(good.qe_identity_signature, 9) })),
  ],
  [
    'a byte of the PCK list',
    'quote',
    'PCK revocation list is not signed',
    ofCollateral(({ pck_crl }) => ({ pck_crl: flip(pck_crl, pck_crl.length / 2 - 1) })),
  ],
  [
    'a PCK list that is none',
    'quote',
    'PCK revocation list cannot be parsed',
    ofCollateral(() => ({ pck_crl: '00' })),
  ],
  ['no PCK list', 'quote', 'PCK revocation list is not hex', ofCollateral(() => ({ pck_crl: '' }))],
  [
    "a byte of the root's list",
    'quote',
    "root's revocation list is not signed",
    ofCollateral(({ root_ca_crl }) => ({
      root_ca_crl: flip(root_ca_crl, root_ca_crl.length / 2 - 1),
    })),
  ],
  [
    "the PCK's list for the root's",
    'quote',
    "root's revocation list has a different issuer",
    ofCollateral(({ pck_crl }) => ({ root_ca_crl: pck_crl })),
  ],
  [
    'an old list',
    'quote',
    'PCK revocation list has expired',
    byMachine({
      collateral: async (by) => ({
        pck_crl: await listBy('pckCa', by, { nextUpdate: new Date(NOW.getTime() - 1000) }),
      }),
    }),
  ],
  [
    'a list of the future',
    'quote',
    'PCK revocation list is not valid yet',
    byMachine({
      collateral: async (by) => ({
        pck_crl: await listBy('pckCa', by, { thisUpdate: new Date(NOW.getTime() + 1000) }),
      }),
    }),
  ],
  [
    'a list without an end',
    'quote',
    'has no date of its next update',
    byMachine({
      collateral: async (by) => ({ pck_crl: await listBy('pckCa', by, { nextUpdate: undefined }) }),
    }),
  ],
  [
    'a platform that is revoked',
    'quote',
    'SGX PCK Certificate is revoked',
    byMachine({
      collateral: async (by) => ({
        pck_crl: await listBy('pckCa', by, {
          entries: [{ serialNumber: by.pck.certificate.serialNumber, revocationDate: NOW }],
        }),
      }),
    }),
  ],
  [
    'an authority that is revoked',
    'quote',
    'SGX PCK Platform CA is revoked',
    byMachine({
      collateral: async (by) => ({
        root_ca_crl: await listBy('root', by, {
          entries: [{ serialNumber: by.pckCa.certificate.serialNumber, revocationDate: NOW }],
        }),
      }),
    }),
  ],
  [
    'old lists and statements',
    'quote',
    'has expired',
    byMachine({
      collateral: (by) => simulatedCollateral(by, new Date(NOW.getTime() - 60 * DAY_MS)),
    }),
  ],
  [
    'old statements alone',
    'quote',
    'TCBInfo expired',
    byMachine({
      collateral: async (by) => {
        const old = await simulatedCollateral(by, new Date(NOW.getTime() - 60 * DAY_MS))
        return { tcb_info: old.tcb_info, tcb_info_signature: old.tcb_info_signature }
      },
    }),
  ],
  [
    'a platform that is out of date',
    'quote',
    'status is OutOfDate',
    byMachine({
      collateral: (by) =>
        restated(by, ({ tcbLevels }) => {
          tcbLevels[0]!.tcbStatus = 'OutOfDate'
        }),
    }),
  ],
  [
    'statements that a platform signed',
    'quote',
    'a certificate with the wrong role, expected TCB signing',
    byMachine({ collateral: async (by) => ({ tcb_info_issuer_chain: by.pck.pem + by.root.pem }) }),
  ],
  [
    'a chain that is too long',
    'quote',
    'has 3 certificates, expected 2',
    byMachine({
      collateral: async (by) => ({
        tcb_info_issuer_chain: by.tcbSigning.pem + by.pckCa.pem + by.root.pem,
      }),
    }),
  ],
  [
    'a simulated root that is not the pinned one',
    'quote',
    'not the pinned one',
    () => goodEvidence({ machine: simulatedMachine() }),
  ],
  [
    'a foreign root that does not say that it is simulated',
    'quote',
    "is unknown: neither Intel's nor marked as simulated",
    byMachine({
      collateral: async (by) => ({ pck_crl_issuer_chain: by.pckCa.pem + (await foreignRoot()) }),
    }),
  ],
]

/** Creates a current revocation list of one of the authorities, with changes. */
async function listBy(issuer: 'root' | 'pckCa', by: SimulatedAuthority, change: object) {
  const { certificate, signing } = by[issuer]
  const list = await x509.X509CrlGenerator.create({
    issuer: certificate.subject,
    thisUpdate: new Date(NOW.getTime() - DAY_MS),
    nextUpdate: new Date(NOW.getTime() + DAY_MS),
    signingAlgorithm: { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' },
    signingKey: signing,
    ...change,
  })
  return Buffer.from(list.rawData).toString('hex')
}

async function foreignRoot(): Promise<string> {
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
  const keys = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])
  const root = await x509.X509CertificateGenerator.createSelfSigned({
    name: 'CN=Another SGX Root CA',
    signingAlgorithm: algorithm,
    keys,
  })
  return root.toString('pem')
}
