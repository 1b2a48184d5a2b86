import { existsSync } from 'node:fs'
import type { Settings } from '../env.ts'
import { loadRootKey } from '../keys/root-file.ts'
import type { Log } from '../log.ts'
import { simulatedAppCompose } from './app-compose-file.ts'
import { GuestAgent } from './dstack/agent.ts'
import { requireProductionCompose } from './dstack/production-compose.ts'
import { DstackProvider } from './dstack/provider.ts'
import { requireOwnQuote } from './dstack/self-check.ts'
import type { TeeProvider } from './provider.ts'
import { SimulatedProvider } from './simulated/provider.ts'
import { TeeRefused } from './tee-refused.ts'

export const DSTACK_SOCKET = '/var/run/dstack.sock'

export type TeeChoice = {
  settings: Pick<
    Settings,
    'SVC_ENV' | 'SVC_TEE' | 'SVC_APP_COMPOSE_FILE' | 'SVC_APP_ID' | 'SVC_KMS_ROOT' | 'SVC_PCCS_URL'
  >
  stateDir: string
  now: () => number
  log: Log
  socketPath?: string
}

/**
 * Returns the machine that the settings select, and its root key. Refuses a machine that does not match its claims.
 * @throws {TeeRefused | TeeUnavailable | KeyNotAuthentic}
 */
export async function chooseTee(
  choice: TeeChoice,
): Promise<{ tee: TeeProvider; rootKey: Uint8Array }> {
  const tee = choice.settings.SVC_TEE === 'dstack' ? await dstack(choice) : simulated(choice)
  return { tee, rootKey: await tee.rootKey() }
}

async function dstack(choice: TeeChoice): Promise<TeeProvider> {
  const { settings, now, log, socketPath = DSTACK_SOCKET } = choice
  if (settings.SVC_KMS_ROOT === undefined)
    throw new TeeRefused('SVC_TEE=dstack needs SVC_KMS_ROOT: the KMS that may give the root key')
  const tee = new DstackProvider({
    agent: new GuestAgent({ socketPath }),
    kmsRoot: Buffer.from(settings.SVC_KMS_ROOT, 'hex'),
    pccsUrl: settings.SVC_PCCS_URL,
    now,
    log,
  })
  const info = await tee.info()
  if (settings.SVC_ENV === 'production') requireProductionCompose(info.tcb_info.app_compose)
  await requireOwnQuote(tee, info)
  return tee
}

/** Creates a simulated machine. Its root key is a file, which is only allowed in the local stack. */
function simulated(choice: TeeChoice): TeeProvider {
  const { settings, stateDir, now, socketPath = DSTACK_SOCKET } = choice
  if (settings.SVC_ENV === 'production')
    throw new TeeRefused('SVC_TEE=simulated is refused in production')
  if (existsSync(socketPath))
    throw new TeeRefused(`SVC_TEE=simulated is refused where a guest agent is: ${socketPath}`)
  const app = {
    appCompose: simulatedAppCompose(settings.SVC_APP_COMPOSE_FILE),
    appId: settings.SVC_APP_ID,
  }
  return new SimulatedProvider(loadRootKey(stateDir, settings.SVC_ENV), app, now)
}
