import { existsSync } from 'node:fs'
import { ENVIRONMENTS } from '../../shared/config/environments.ts'
import type { OriginSettings } from '../env.ts'
import { loadRootKey, ROOT_KEY_FILE } from '../keys/root-key-file.ts'
import type { OriginLog } from '../log.ts'
import { simulatedAppCompose } from './simulated-app-compose.ts'
import { GuestAgent } from './dstack/guest-agent.ts'
import { DstackProvider } from './dstack/provider.ts'
import { requireMatchingQuote } from './dstack/self-check.ts'
import { requireMeasuredEnvironment } from './measured-environment.ts'
import { TeeMismatchError, type TeeProvider } from './provider.ts'
import { SimulatedProvider, simulatedPinOf } from './simulated/provider.ts'

const DSTACK_SOCKET = '/var/run/dstack.sock'

export type TeeOptions = {
  settings: Pick<
    OriginSettings,
    | 'SVC_ENV'
    | 'SVC_TEE'
    | 'SVC_APP_COMPOSE_FILE'
    | 'SVC_APP_ID'
    | 'SVC_SIM_ROOT_SHA256'
    | 'SVC_KMS_ROOT'
    | 'SVC_PCCS_URL'
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
  if (ENVIRONMENTS[settings.SVC_ENV].machine === 'simulated')
    throw new TeeMismatchError(`SVC_TEE=dstack is not allowed in ${settings.SVC_ENV}`)
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
  requireMeasuredEnvironment(info.tcb_info.app_compose, settings.SVC_ENV)
  await requireMatchingQuote(tee, info)
  return tee
}

/** Creates a simulated TEE, which is allowed in the local stack, and with a pinned root in staging. */
function createSimulatedProvider(choice: TeeOptions): TeeProvider {
  const { settings, stateDir, now, socketPath = DSTACK_SOCKET } = choice
  const { machine, isPublic } = ENVIRONMENTS[settings.SVC_ENV]
  if (machine === 'hardware')
    throw new TeeMismatchError(`SVC_TEE=simulated is not allowed in ${settings.SVC_ENV}`)
  if (existsSync(socketPath))
    throw new TeeMismatchError(
      `SVC_TEE=simulated is not allowed on a machine with a guest agent (${socketPath})`,
    )
  const appCompose = simulatedAppCompose(settings.SVC_APP_COMPOSE_FILE, settings.SVC_ENV)
  requireMeasuredEnvironment(appCompose, settings.SVC_ENV)
  const rootKey = loadRootKey(stateDir, settings.SVC_ENV)
  const pin = settings.SVC_SIM_ROOT_SHA256
  const root = simulatedPinOf(rootKey)
  if (pin === undefined ? isPublic : pin !== root)
    throw new TeeMismatchError(
      `the simulated root of ${ROOT_KEY_FILE} is ${root}, which is not the one in SVC_SIM_ROOT_SHA256`,
    )
  return new SimulatedProvider(rootKey, { appCompose, appId: settings.SVC_APP_ID }, now)
}
