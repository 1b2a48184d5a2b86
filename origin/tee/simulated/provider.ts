import { generateKeyPairSync, hash } from 'node:crypto'
import type { Collateral, EvidenceQuote, Info } from '../../../shared/attestation/evidence.ts'
import { DAY_MS } from '../../../shared/durations.ts'
import { deriveScalar, P256_ORDER } from '../../keys/derive.ts'
import { p256KeyOf } from '../../keys/p256-key.ts'
import { padReportData, type TeeProvider } from '../provider.ts'
import {
  createSimulatedAuthority,
  type KeyByName,
  type SimulatedAuthority,
  simulatedRootPin,
} from './authority.ts'
import { simulatedCollateral } from './collateral.ts'
import { bootEvents, eventLogOf, measureEvents } from './events.ts'
import { type TdMeasurements, simulatedQuote } from './quote.ts'

type SimulatedApp = {
  /** App-compose text. Its SHA-256 hash is the compose hash. */
  appCompose: string
  /**
   * App ID, 40 hex characters.
   * @default first 20 bytes of the compose hash, as in dstack
   */
  appId?: string | undefined
}

const RENEW_MS = DAY_MS
const NO_RTMR = Buffer.alloc(48)
/** Simulated firmware measurement. It is not zero, because no real firmware has a measurement of zero. */
const MRTD = hash('sha384', 'SIMULATED firmware', 'buffer')

/**
 * TEE provider for the local stack. Its quotes have the real format, but are signed under a separate root and marked as
 * simulated in the signed bytes. Processes with the same root key have the same certificate root.
 */
export class SimulatedProvider implements TeeProvider {
  readonly mode = 'simulated'
  readonly #root: Uint8Array
  readonly #now: () => number
  readonly #authority: Promise<SimulatedAuthority>
  readonly #attestationKey = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
  readonly #appCompose: string
  readonly #composeHash: Buffer
  readonly #appId: Buffer
  readonly #eventLog: string
  readonly #measurements: TdMeasurements
  #collateral: { made: Promise<Collateral>; at: number } | undefined

  /** @param root 32-byte root key, from which the keys of the simulated Intel authority are also derived */
  constructor(root: Uint8Array, { appCompose, appId }: SimulatedApp, now: () => number) {
    this.#root = root
    this.#now = now
    this.#authority = createSimulatedAuthority(simulatedKeys(root))
    // Prevents an unhandled rejection. A failure is reported when the promise is awaited.
    this.#authority.catch(() => {})
    this.#appCompose = appCompose
    this.#composeHash = hash('sha256', appCompose, 'buffer')
    this.#appId = appId ? Buffer.from(appId, 'hex') : this.#composeHash.subarray(0, 20)
    const events = bootEvents({ appId: this.#appId, composeHash: this.#composeHash })
    this.#eventLog = eventLogOf(events)
    this.#measurements = { mrtd: MRTD, rtmrs: [NO_RTMR, NO_RTMR, NO_RTMR, measureEvents(events)] }
  }

  rootKey(): Promise<Uint8Array> {
    return Promise.resolve(this.#root)
  }

  async quote(reportData: Uint8Array): Promise<EvidenceQuote> {
    const padded = padReportData(reportData)
    const authority = await this.#authority
    const quote = simulatedQuote(authority, this.#attestationKey, this.#measurements, padded)
    return {
      quote: quote.toString('hex'),
      event_log: this.#eventLog,
      report_data: padded.toString('hex'),
      vm_config: VM_CONFIG,
    }
  }

  info(): Promise<Info & Record<string, unknown>> {
    const compose_hash = this.#composeHash.toString('hex')
    const { mrtd, rtmrs } = this.#measurements
    const [rtmr0, rtmr1, rtmr2, rtmr3] = rtmrs.map((rtmr) => rtmr.toString('hex'))
    return Promise.resolve({
      app_id: this.#appId.toString('hex'),
      app_name: 'svc',
      compose_hash,
      cloud_vendor: 'simulated',
      cloud_product: 'simulated',
      key_provider_info: '{"name":"simulated","id":""}',
      vm_config: VM_CONFIG,
      tcb_info: {
        mrtd: mrtd.toString('hex'),
        rtmr0,
        rtmr1,
        rtmr2,
        rtmr3,
        compose_hash,
        event_log: this.#eventLog,
        app_compose: this.#appCompose,
      },
    })
  }

  get collateralAt(): number | undefined {
    return this.#collateral?.at
  }

  collateral(): Promise<Collateral> {
    const at = this.#now()
    if (!this.#collateral || at > this.#collateral.at + RENEW_MS) {
      const made = this.#authority.then((authority) => simulatedCollateral(authority, new Date(at)))
      this.#collateral = { made, at }
    }
    return this.#collateral.made
  }
}

const VM_CONFIG = JSON.stringify({
  simulated: true,
  os_image_hash: '00'.repeat(32),
  cpu_count: 1,
  memory_size: 2 ** 31,
})

/** SHA-256 hash, in hex, of the public key of the provider's certificate root. */
export function simulatedPinOf(root: Uint8Array): string {
  return simulatedRootPin(simulatedKeys(root))
}

function simulatedKeys(root: Uint8Array): KeyByName {
  return (name) => p256KeyOf(deriveScalar(root, ['svc/simulated-tee/v1', name], P256_ORDER))
}
