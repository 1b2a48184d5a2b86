/** HTTPS host that serves the evidence of a simulated machine, as an origin does, or other responses set by a test. */
import { randomBytes } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { Keyring } from '../../origin/keys/keyring.ts'
import { appComposeText } from '../../origin/deploy/app-compose.ts'
import { makeEvidenceSet } from '../../origin/tee/evidence-set.ts'
import { SimulatedProvider, simulatedPinOf } from '../../origin/tee/simulated/provider.ts'
import { bundleReportData, nonceReportData } from '../../shared/attestation/nonce.ts'
import type { Authority } from './certificates.ts'
import { type Certificate, startWebServer } from './web-server.ts'

export type ShownMachine = Awaited<ReturnType<typeof showMachine>>

const COMPOSE = `services:\n  origin:\n    image: registry.example/svc@sha256:${'a'.repeat(64)}\n`

/** Creates evidence for `localhost`, the only name in the certificate. */
export async function showMachine(authority: Authority, accountUri: string) {
  const root = randomBytes(32)
  const tee = new SimulatedProvider(root, { appCompose: appComposeText(COMPOSE) }, Date.now)
  const keyring = new Keyring(randomBytes(32))
  const certificate = await authority.issue({ names: ['localhost'] })
  const set = await makeEvidenceSet(
    tee,
    {
      channel: keyring.channelKey(1),
      epoch: 1,
      storage: keyring.storageKey(),
      receipt: keyring.receiptKey(),
    },
    {
      domain: 'localhost',
      chain: `${certificate.cert}\n`,
      acmeAccount: JSON.stringify({ uri: accountUri }),
    },
    Date.now(),
  )
  const files = new Map(set.files)
  files.set('collateral.json', JSON.stringify(await tee.collateral()))
  return {
    pin: simulatedPinOf(root),
    tee,
    files,
    set,
    certificate,
    info: await tee.info(),
    attestation: set.attestation,
  }
}

/** Overrides a response; `undefined` keeps the honest one. */
export type Instead = (path: string, response: ServerResponse) => 'answered' | undefined

/** @param certificate replaces the machine's own */
export async function startEvidenceHost(
  machine: ShownMachine,
  {
    certificate = machine.certificate,
    instead,
  }: { certificate?: Certificate; instead?: Instead } = {},
) {
  const server = await startWebServer(
    ({ url }, response) => {
      if (instead?.(url, response)) return
      answer(machine, new URL(url, 'https://localhost')).then(
        (text) => (text === undefined ? response.writeHead(404).end() : response.end(text)),
        () => response.writeHead(500).end(),
      )
    },
    { certificate },
  )
  return {
    url: `https://localhost:${server.port}`,
    port: server.port,
    received: server.received,
    close: server.close,
  }
}

async function answer(machine: ShownMachine, url: URL): Promise<string | undefined> {
  const { tee, files, set, info, attestation } = machine
  const nonce = url.searchParams.get('nonce')
  const nonceBytes = Buffer.from(nonce ?? '', 'hex')
  if (url.pathname === '/info') return JSON.stringify(info)
  if (url.pathname === '/attestation') {
    if (nonce === null) return JSON.stringify(attestation)
    return JSON.stringify(await tee.quote(await nonceReportData(nonceBytes)))
  }
  if (url.pathname === '/attestation/bundle') {
    const checksums = set.files.get('sha256sum.txt')!
    const fresh = nonce && (await tee.quote(await bundleReportData(nonceBytes, checksums)))
    return JSON.stringify({
      attestation,
      ...(fresh && { fresh }),
      info,
      files: Object.fromEntries(set.files),
      collateral: await tee.collateral(),
    })
  }
  if (url.pathname === '/evidences/')
    return [...files.keys()].map((name) => `<a href="${name}">${name}</a>`).join('\n')
  return files.get(url.pathname.replace('/evidences/', ''))
}
