import { createHash, generateKeyPairSync } from 'node:crypto'
import type { Collateral, EvidenceQuote, Info } from '../../../shared/attestation/evidence.ts'
import { deriveScalar, P256_ORDER } from '../../keys/derive.ts'
import { p256KeyOf } from '../../keys/p256-key.ts'
import { REPORT_DATA_BYTES, type TeeProvider } from '../provider.ts'
import { type KeyNamed, SimulatedAuthority, simulatedRootPin } from './authority.ts'
import { simulatedCollateral } from './collateral.ts'
import { bootEvents, eventLogOf, measured } from './events.ts'
import { type Measured, simulatedQuote } from './quote.ts'

export type SimulatedApp = {
  /** The text whose SHA-256 is the compose hash. */
  appCompose: string
  /** 40 hex characters; absent, as dstack's: the compose hash's first 20 bytes. */
  appId?: string | undefined
}

/** Long before the collateral expires. */
const RENEW_MS = 24 * 60 * 60 * 1000
const NO_RTMR = Buffer.alloc(48)
/** Not zero, as no real firmware's is. */
const MRTD = createHash('sha384').update('SIMULATED firmware').digest()

/**
 * A machine that is none: quotes of the real format under a root of its own, marked as simulated in the bytes that are
 * signed. The same root key makes the same root at every process.
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
  readonly #measured: Measured
  #collateral: { made: Promise<Collateral>; at: number } | undefined

  /** @param root 32 bytes, of which the keys that stand in for Intel's are derived */
  constructor(root: Uint8Array, { appCompose, appId }: SimulatedApp, now: () => number) {
    this.#root = root
    this.#now = now
    this.#authority = SimulatedAuthority.create(simulatedKeys(root))
    // Whoever needs it hears of its failure.
    this.#authority.catch(() => {})
    this.#appCompose = appCompose
    this.#composeHash = createHash('sha256').update(appCompose).digest()
    this.#appId = appId ? Buffer.from(appId, 'hex') : this.#composeHash.subarray(0, 20)
    const events = bootEvents({ appId: this.#appId, composeHash: this.#composeHash })
    this.#eventLog = eventLogOf(events)
    this.#measured = { mrtd: MRTD, rtmrs: [NO_RTMR, NO_RTMR, NO_RTMR, measured(events)] }
  }

  rootKey(): Promise<Uint8Array> {
    return Promise.resolve(this.#root)
  }

  async quote(reportData: Uint8Array): Promise<EvidenceQuote> {
    if (reportData.length > REPORT_DATA_BYTES)
      throw new RangeError(`report data has ${reportData.length} bytes, and room for 64`)
    const whole = Buffer.alloc(REPORT_DATA_BYTES)
    whole.set(reportData)
    const authority = await this.#authority
    const quote = simulatedQuote(authority, this.#attestationKey, this.#measured, whole)
    return {
      quote: quote.toString('hex'),
      event_log: this.#eventLog,
      report_data: whole.toString('hex'),
      vm_config: VM_CONFIG,
    }
  }

  info(): Promise<Info & Record<string, unknown>> {
    const compose_hash = this.#composeHash.toString('hex')
    const { mrtd, rtmrs } = this.#measured
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

/** SHA-256 (hex) of the public key of the root that such a provider signs under. */
export function rootPinOf(root: Uint8Array): string {
  return simulatedRootPin(simulatedKeys(root))
}

function simulatedKeys(root: Uint8Array): KeyNamed {
  return (name) => p256KeyOf(deriveScalar(root, ['svc/simulated-tee/v1', name], P256_ORDER))
}
