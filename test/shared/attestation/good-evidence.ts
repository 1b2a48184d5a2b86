/** Evidence of a simulated machine that passes all rules, for tests to break. */
import { createECDH, createHash, X509Certificate } from 'node:crypto'
import type { EvidenceBundle } from '../../../shared/attestation/evidence.ts'
import { bundleReportData, nonceReportData } from '../../../shared/attestation/nonce.ts'
import type { Policy } from '../../../shared/attestation/policy.ts'
import type { TeeProvider } from '../../../origin/tee/provider.ts'
import { simulatedPinOf, SimulatedProvider } from '../../../origin/tee/simulated/provider.ts'
import { makeAuthority } from '../../doubles/certificates.ts'

export const NOW = new Date('2026-11-22T12:00:00Z')
export const DOMAIN = 'origin.example'
export const ACCOUNT_URI = 'https://ca.example/acme/acct/1'
const NONCE = '07'.repeat(32)
const SUITE = 'DHKEM(P-256, HKDF-SHA256), HKDF-SHA256, AES-128-GCM'

export const COMPOSE_FILE = `services:
  origin:
    image: registry.example/svc@sha256:${'a'.repeat(64)} # what runs
    restart: always
`
export const APP_COMPOSE = JSON.stringify({
  manifest_version: 2,
  name: 'svc',
  runner: 'docker-compose',
  docker_compose_file: COMPOSE_FILE,
})

/** A distinct machine for each `root`. */
export function simulatedMachine(root = 1, appCompose = APP_COMPOSE): SimulatedProvider {
  return new SimulatedProvider(Buffer.alloc(32, root), { appCompose }, () => NOW.getTime())
}

/** Policy that accepts only the evidence of `simulatedMachine(root)`. */
export function pinnedPolicy(root = 1): Policy {
  return {
    root: { kind: 'simulated', spkiSha256: simulatedPinOf(Buffer.alloc(32, root)) },
    statuses: ['UpToDate'],
  }
}

export const sha256 = (of: string | Uint8Array) => createHash('sha256').update(of).digest('hex')

/** Report data of a fresh quote. @param nonce hex */
export async function answerTo(nonce: string): Promise<Uint8Array> {
  return nonceReportData(new Uint8Array(Buffer.from(nonce, 'hex')))
}

/** Report data of the fresh quote in `/attestation/bundle`. @param nonce hex */
export async function bundleAnswerTo(nonce: string, checksums: string): Promise<Uint8Array> {
  return bundleReportData(new Uint8Array(Buffer.from(nonce, 'hex')), checksums)
}

/** The methods of a provider that evidence is created with. */
export type Machine = Pick<TeeProvider, 'quote' | 'info' | 'collateral'>

export type Given = {
  machine?: Machine
  /** Machine that quotes the evidence files. */
  quoting?: Machine
  /** Added before the checksums are computed. */
  files?: Record<string, string>
}

export async function goodEvidence({
  machine = simulatedMachine(),
  quoting = machine,
  files: changed = {},
}: Given = {}): Promise<EvidenceBundle> {
  const { cert, der_base64 } = await certificate()
  const listed = { ...keyFiles(), [`cert-${DOMAIN}.pem`]: cert, ...changed }
  const checksums = checksumsOf(listed)
  const all = await machine.info()
  return {
    version: 1,
    base_url: `https://${DOMAIN}`,
    fetched_at: NOW.toISOString(),
    attestation: await machine.quote(Buffer.alloc(0)),
    fresh: { nonce: NONCE, attestation: await machine.quote(await answerTo(NONCE)) },
    info: {
      app_id: all.app_id,
      compose_hash: all.compose_hash,
      tcb_info: { app_compose: all.tcb_info.app_compose },
    },
    files: {
      ...listed,
      'sha256sum.txt': checksums,
      'quote.json': JSON.stringify(await quoting.quote(Buffer.from(sha256(checksums), 'hex'))),
    },
    collateral: await machine.collateral(),
    served_certificate: { der_base64 },
    caa: {
      host: DOMAIN,
      records: [`0 issue "ca.example; validationmethods=dns-01; accounturi=${ACCOUNT_URI}"`],
    },
    governance: { chain_id: 1, allowed: true },
  }
}

export function checksumsOf(files: Record<string, string>): string {
  const names = Object.keys(files).toSorted()
  return names.map((name) => `${sha256(files[name]!)}  ${name}\n`).join('')
}

function keyFiles(): Record<string, string> {
  const receipt = point(3)
  return {
    'acme-account.json': JSON.stringify({ uri: ACCOUNT_URI }),
    'channel-key.json': JSON.stringify({
      suite: SUITE,
      public_key: point(1).toString('base64url'),
      epoch: 1,
      valid_until: '2026-11-24T00:00:00Z',
    }),
    'receipt-key.json': JSON.stringify({
      alg: 'ES256',
      kid: sha256(receipt).slice(0, 32),
      public_key: receipt.toString('base64url'),
    }),
    'storage-key.json': JSON.stringify({
      suite: SUITE,
      public_key: point(2).toString('base64url'),
    }),
  }
}

function point(scalar: number): Buffer {
  const ecdh = createECDH('prime256v1')
  ecdh.setPrivateKey(Buffer.alloc(32, scalar))
  return ecdh.getPublicKey()
}

let made: Promise<{ cert: string; der_base64: string }> | undefined

/** Shared by all tests, because its content does not matter. */
function certificate() {
  made ??= makeAuthority().then(async (authority) => {
    const { cert } = await authority.issue({ names: [DOMAIN] })
    return { cert, der_base64: new X509Certificate(cert).raw.toString('base64') }
  })
  return made
}
