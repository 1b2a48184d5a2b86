/** Simulated machine that lets a test choose every byte, with valid signatures. */
import { createHash, generateKeyPairSync } from 'node:crypto'
import type { Collateral } from '../../../shared/attestation/evidence.ts'
import { p256KeyOf } from '../../../origin/keys/p256-key.ts'
import {
  createSimulatedAuthority,
  signEcdsa,
  type SimulatedAuthority,
  simulatedRootPin,
} from '../../../origin/tee/simulated/authority.ts'
import { simulatedCollateral } from '../../../origin/tee/simulated/collateral.ts'
import {
  bootEvents,
  eventLogOf,
  measureEvents,
  type RuntimeEvent,
} from '../../../origin/tee/simulated/events.ts'
import { simulatedQuote } from '../../../origin/tee/simulated/quote.ts'
import { APP_COMPOSE, type Machine, NOW, sha256 } from './good-evidence.ts'

const SIGNED_BYTES = 632
const SIGNATURE_AT = 636
const NO_RTMR = Buffer.alloc(48)

export type Crafted = {
  /** Replaces the measured boot events. */
  events?: (boot: RuntimeEvent[]) => RuntimeEvent[]
  /** Replaces the log that is shown for the measured events. */
  log?: (entries: LogEntry[]) => unknown
  /** Modifies header and report before they are signed. */
  patch?: (signed: Buffer) => void
  collateral?: (authority: SimulatedAuthority) => Promise<Partial<Collateral>>
}
export type LogEntry = {
  imr: number
  event_type: number
  digest: string
  event: string
  event_payload: string
  version?: number
  preimage?: string
}

const keyNamed = (name: string) => p256KeyOf(createHash('sha256').update(name).digest())
let authority: Promise<SimulatedAuthority> | undefined
const theAuthority = () => (authority ??= createSimulatedAuthority(keyNamed))
const attestationKey = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey

/** Pin of the root that all crafted machines share. */
export const craftedPin = simulatedRootPin(keyNamed)

export function craftedMachine({ events, log, patch, collateral }: Crafted = {}): Machine {
  const composeHash = createHash('sha256').update(APP_COMPOSE).digest()
  const appId = composeHash.subarray(0, 20)
  const boot = bootEvents({ appId, composeHash })
  const happened = events?.(boot) ?? boot
  const entries = JSON.parse(eventLogOf(happened)) as LogEntry[]
  const event_log = JSON.stringify(log?.(entries) ?? entries)
  const mrtd = Buffer.alloc(48, 0x11)
  return {
    async quote(reportData) {
      const whole = Buffer.alloc(64)
      whole.set(reportData)
      const registers = [NO_RTMR, NO_RTMR, NO_RTMR, measureEvents(happened)] as const
      const quote = simulatedQuote(
        await theAuthority(),
        attestationKey,
        { mrtd, rtmrs: registers },
        whole,
      )
      patch?.(quote.subarray(0, SIGNED_BYTES))
      signEcdsa(attestationKey, quote.subarray(0, SIGNED_BYTES)).copy(quote, SIGNATURE_AT)
      return {
        quote: quote.toString('hex'),
        event_log,
        report_data: whole.toString('hex'),
        vm_config: '{}',
      }
    },
    info: () =>
      Promise.resolve({
        app_id: appId.toString('hex'),
        compose_hash: sha256(APP_COMPOSE),
        tcb_info: { app_compose: APP_COMPOSE },
      }),
    async collateral() {
      const by = await theAuthority()
      return { ...(await simulatedCollateral(by, NOW)), ...(await collateral?.(by)) }
    },
  }
}

/** Changes the TCB info of the authority and signs it again. */
export async function restated(
  by: SimulatedAuthority,
  change: (tcbInfo: TcbInfo) => void,
): Promise<Partial<Collateral>> {
  const tcbInfo = JSON.parse((await simulatedCollateral(by, NOW)).tcb_info) as TcbInfo
  change(tcbInfo)
  const tcb_info = JSON.stringify(tcbInfo)
  const signature = signEcdsa(by.tcbSigning.key, Buffer.from(tcb_info))
  return { tcb_info, tcb_info_signature: signature.toString('hex') }
}

type TcbInfo = {
  tcbLevels: { tcbStatus: string; advisoryIDs?: string[] }[]
  tdxModule: { mrsigner: string; attributes: string; attributesMask: string }
}
