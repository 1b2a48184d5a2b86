/** Evidence of an origin, and of an attacker in its place. */
import { createHash } from 'node:crypto'
import {
  ATTESTATION_PATH,
  CHANNEL_KEY_FILE,
  CHECKSUMS_FILE,
  COLLATERAL_FILE,
  EVIDENCE_BUNDLE_PATH,
  EVIDENCES_PATH,
  INFO_PATH,
  QUOTE_FILE,
} from '../../shared/attestation/evidence.ts'
import { bundleReportData, nonceReportData } from '../../shared/attestation/nonce.ts'
import { decodeHex } from '../../shared/encoding/hex.ts'
import { Keyring } from '../../origin/keys/keyring.ts'
import { attestationOf, type EvidenceSet, makeEvidenceSet } from '../../origin/tee/evidence-set.ts'
import { channelKeyFile, type EvidenceKeyPairs } from '../../origin/tee/key-files.ts'
import type { TeeProvider } from '../../origin/tee/provider.ts'
import { SimulatedProvider } from '../../origin/tee/simulated/provider.ts'
import type { TlsFiles } from '../../origin/tls.ts'
import type { EvidenceVariant } from './evidence-variants.ts'

const DAY_MS = 24 * 60 * 60 * 1000
const OLD_DAYS = 10

/** Compose file of the double's machine; satisfies the image rules. */
const APP_COMPOSE = JSON.stringify({
  docker_compose_file: `services:\n  origin:\n    image: svc@sha256:${'ab'.repeat(32)}\n`,
})
const OTHER_COMPOSE = APP_COMPOSE.replaceAll('ab', 'cd')

type Shown = {
  set: EvidenceSet
  tee: TeeProvider
  /** Quotes nonces; defaults to `tee`. */
  quoteFor?: (reportData: Uint8Array) => ReturnType<TeeProvider['quote']>
}

/** The machine that the edge under test is configured to trust. */
export function goodMachine(root: Uint8Array, now: () => number = Date.now): SimulatedProvider {
  return new SimulatedProvider(root, { appCompose: APP_COMPOSE }, now)
}

/** Edge settings that identify this machine. */
export async function machineSettings(root: Uint8Array) {
  const { app_id, compose_hash, tcb_info } = await goodMachine(root).info()
  const { mrtd, rtmr0, rtmr1, rtmr2 } = tcb_info as unknown as Record<string, string>
  return {
    ORIGIN_APP_ID: app_id,
    ORIGIN_COMPOSE_HASHES: compose_hash,
    ORIGIN_MEASUREMENTS: JSON.stringify([{ mrtd, rtmr0, rtmr1, rtmr2 }]),
  }
}

/** Serves the attestation and evidence paths; returns `undefined` for other paths. */
export class ShownEvidence {
  readonly #root: Uint8Array
  readonly #tls: TlsFiles
  readonly #shown = new Map<EvidenceVariant, Promise<Shown>>()

  constructor(root: Uint8Array, tls: TlsFiles) {
    this.#root = root
    this.#tls = tls
  }

  async at(url: URL, variant: EvidenceVariant): Promise<string | undefined> {
    const { pathname, searchParams } = url
    const isShown = [ATTESTATION_PATH, EVIDENCE_BUNDLE_PATH, INFO_PATH].includes(pathname)
    if (!isShown && !pathname.startsWith(EVIDENCES_PATH)) return undefined
    const made = this.#shown.get(variant) ?? this.#make(variant)
    this.#shown.set(variant, made)
    const { set, tee, quoteFor = (data: Uint8Array) => tee.quote(data) } = await made
    const nonce = decodeHex(searchParams.get('nonce') ?? '')
    if (pathname === INFO_PATH) return JSON.stringify(set.info)
    if (pathname === ATTESTATION_PATH) {
      if (!nonce?.length) return JSON.stringify(set.attestation)
      return JSON.stringify(attestationOf(await quoteFor(await nonceReportData(nonce))))
    }
    if (pathname === EVIDENCE_BUNDLE_PATH) {
      const { attestation, info, files } = set
      const fresh =
        nonce?.length && (await quoteFor(await bundleReportData(nonce, files.get(CHECKSUMS_FILE)!)))
      return JSON.stringify({
        attestation,
        ...(fresh && { fresh: attestationOf(fresh) }),
        info,
        files: Object.fromEntries(files),
        collateral: await tee.collateral(),
      })
    }
    const name = pathname.slice(EVIDENCES_PATH.length)
    if (name === COLLATERAL_FILE) return JSON.stringify(await tee.collateral())
    if (name === '') return [...set.files.keys()].map((file) => `<a href="${file}">`).join('\n')
    return set.files.get(name)
  }

  async #make(variant: EvidenceVariant): Promise<Shown> {
    const tee = goodMachine(this.#root)
    switch (variant) {
      case 'good':
        return { tee, set: await this.#set(tee) }
      case 'old files':
        return { tee, set: await this.#set(tee, Date.now() - OLD_DAYS * DAY_MS) }
      case 'recorded quote': {
        const recorded = await tee.quote(await nonceReportData(new Uint8Array(32)))
        return { tee, set: await this.#set(tee), quoteFor: async () => recorded }
      }
      case 'another app': {
        const other = new SimulatedProvider(this.#root, { appCompose: OTHER_COMPOSE }, Date.now)
        return { tee: other, set: await this.#set(other) }
      }
      case 'new version': {
        const { app_id: appId } = await tee.info()
        const app = { appCompose: OTHER_COMPOSE, appId }
        const next = new SimulatedProvider(this.#root, app, Date.now)
        return { tee: next, set: await this.#set(next) }
      }
      case 'another root': {
        const foreign = goodMachine(createHash('sha256').update(this.#root).digest())
        return { tee: foreign, set: await this.#set(foreign) }
      }
      case 'his own key':
        return { tee, set: this.#withOwnKey(await this.#set(tee)) }
      case 'his own key, quoted for his nonce': {
        const set = this.#withOwnKey(await this.#set(tee))
        const checksums = createHash('sha256').update(set.files.get(CHECKSUMS_FILE)!).digest()
        const quote = await tee.quote(await nonceReportData(Uint8Array.from(checksums)))
        const files = new Map(set.files).set(QUOTE_FILE, JSON.stringify(quote))
        return { tee, set: { ...set, files } }
      }
    }
  }

  #set(tee: TeeProvider, at = Date.now()): Promise<EvidenceSet> {
    const certificate = {
      domain: 'localhost',
      chain: this.#tls.cert,
      acmeAccount: '{"uri":"https://ca.test/acct/1"}',
    }
    return makeEvidenceSet(tee, keysOf(new Keyring(this.#root)), certificate, at)
  }

  /** Replaces the channel key in the good machine's files and updates the checksums. */
  #withOwnKey(set: EvidenceSet): EvidenceSet {
    const own = new Keyring(createHash('sha256').update('his own').digest())
    const file = channelKeyFile(own.channelKey(1), 1, Date.now())
    const sums = set.files.get(CHECKSUMS_FILE)!
    const sumOf = (text: string) => createHash('sha256').update(text).digest('hex')
    const files = new Map(set.files)
    files.set(CHECKSUMS_FILE, sums.replace(sumOf(set.files.get(CHANNEL_KEY_FILE)!), sumOf(file)))
    files.set(CHANNEL_KEY_FILE, file)
    return { ...set, files }
  }
}

function keysOf(keyring: Keyring): EvidenceKeyPairs {
  const [channel, storage] = [keyring.channelKey(1), keyring.storageKey()]
  return { channel, epoch: 1, storage, receipt: keyring.receiptKey() }
}
