import { existsSync } from 'node:fs'
import type { OriginSettings } from '../env.ts'
import { loadRootKey } from '../keys/root-key-file.ts'
import type { OriginLog } from '../log.ts'
import { simulatedAppCompose } from './simulated-app-compose.ts'
import { GuestAgent } from './dstack/guest-agent.ts'
import { requireProductionCompose } from './dstack/production-compose.ts'
import { DstackProvider } from './dstack/provider.ts'
import { requireMatchingQuote } from './dstack/self-check.ts'
import { TeeMismatchError, type TeeProvider } from './provider.ts'
import { SimulatedProvider } from './simulated/provider.ts'

const DSTACK_SOCKET = '/var/run/dstack.sock'

export type TeeOptions = {
  settings: Pick<
    OriginSettings,
    'SVC_ENV' | 'SVC_TEE' | 'SVC_APP_COMPOSE_FILE' | 'SVC_APP_ID' | 'SVC_KMS_ROOT' | 'SVC_PCCS_URL'
  >
  stateDir: string
  now: () => number
  log: OriginLog
  socketPath?: string
}

/** Throws if the TEE does not match the settings or its own reports. */
export async function selectTee(
  choice: TeeOptions,
): Promise<{ tee: TeeProvider; rootKey: Uint8Array }> {
  const tee =
    choice.settings.SVC_TEE === 'dstack'
      ? await createDstackProvider(choice)
      : createSimulatedProvider(choice)
  return { tee, rootKey: await tee.rootKey() }
}

async function createDstackProvider(choice: TeeOptions): Promise<TeeProvider> {
  const { settings, now, log, socketPath = DSTACK_SOCKET } = choice
  if (settings.SVC_KMS_ROOT === undefined)
    throw new TeeMismatchError(
      'SVC_TEE=dstack requires SVC_KMS_ROOT, the root of the KMS that issues the root key',
    )
  const tee = new DstackProvider({
    agent: new GuestAgent({ socketPath }),
    kmsRoot: Buffer.from(settings.SVC_KMS_ROOT, 'hex'),
    pccsUrl: settings.SVC_PCCS_URL,
    now,
    log,
  })
  const info = await tee.info()
  if (settings.SVC_ENV === 'production') requireProductionCompose(info.tcb_info.app_compose)
  await requireMatchingQuote(tee, info)
  return tee
}

/** Creates a simulated TEE, which is allowed only in the local stack. */
function createSimulatedProvider(choice: TeeOptions): TeeProvider {
  const { settings, stateDir, now, socketPath = DSTACK_SOCKET } = choice
  if (settings.SVC_ENV === 'production')
    throw new TeeMismatchError('SVC_TEE=simulated is not allowed in production')
  if (existsSync(socketPath))
    throw new TeeMismatchError(
      `SVC_TEE=simulated is not allowed on a machine with a guest agent (${socketPath})`,
    )
  const app = {
    appCompose: simulatedAppCompose(settings.SVC_APP_COMPOSE_FILE),
    appId: settings.SVC_APP_ID,
  }
  return new SimulatedProvider(loadRootKey(stateDir, settings.SVC_ENV), app, now)
}
