/** Serves the evidence endpoints of a machine, without the rest of the origin. */
import { Drain } from '../../../origin/admission/drain.ts'
import { Counters } from '../../../origin/metrics/counters.ts'
import { createOriginApp } from '../../../origin/app.ts'
import { Keyring } from '../../../origin/keys/keyring.ts'
import type { OriginServices } from '../../../origin/services.ts'
import { Evidence } from '../../../origin/tee/evidence.ts'
import type { ServedCertificate } from '../../../origin/tee/evidence-set.ts'
import { FreshQuotes } from '../../../origin/tee/fresh-quotes.ts'
import type { EvidenceKeyPairs } from '../../../origin/tee/key-files.ts'
import type { TeeProvider } from '../../../origin/tee/provider.ts'

export const CERTIFICATE: ServedCertificate = {
  domain: 'origin.example',
  chain: '-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----\n',
  acmeAccount: '{"uri":"https://ca.example/acme/acct/1"}\n',
}

export function evidenceKeys(root: Uint8Array, epoch = 1): EvidenceKeyPairs {
  const keyring = new Keyring(root)
  return {
    channel: keyring.channelKey(epoch),
    epoch,
    storage: keyring.storageKey(),
    receipt: keyring.receiptKey(),
  }
}

export function evidenceApp(tee: TeeProvider, root: Uint8Array) {
  const logs: { event: string; facts: object }[] = []
  const clock = { at: Date.parse('2026-11-22T13:00:00Z') }
  const now = () => clock.at
  const log: OriginServices['log'] = (event, facts = {}) => void logs.push({ event, facts })
  const evidence = new Evidence({ tee, keys: evidenceKeys(root), now, log })
  const given = {
    settings: { SVC_ENV: 'local', SVC_PUBLIC_URL: 'https://origin.example' },
    log,
    counters: new Counters(),
    drain: new Drain(),
    tee,
    evidence,
    freshQuotes: new FreshQuotes(tee, now),
  }
  // Only the services that these endpoints use.
  const app = createOriginApp(given as unknown as OriginServices)
  /** @param address of the client's socket */
  const get = async (path: string, address = '192.0.2.1', method = 'GET') => {
    const socket = { incoming: { socket: { remoteAddress: address } } }
    const response = await app.request(path, { method }, socket)
    return { status: response.status, headers: response.headers, text: await response.text() }
  }
  return { app, clock, evidence, get, logs }
}
