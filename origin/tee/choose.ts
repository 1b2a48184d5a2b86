import { existsSync } from 'node:fs'
import type { Settings } from '../env.ts'
import { loadRootKey } from '../keys/root-file.ts'
import { simulatedAppCompose } from './app-compose-file.ts'
import type { TeeProvider } from './provider.ts'
import { SimulatedProvider } from './simulated/provider.ts'

/** Where dstack's guest agent listens. */
export const DSTACK_SOCKET = '/var/run/dstack.sock'

/** What was asked for is not what this machine is: the origin does not start. */
export class TeeRefused extends Error {
  constructor(reason: string) {
    super(reason)
    this.name = 'TeeRefused'
  }
}

export type TeeChoice = {
  settings: Pick<Settings, 'SVC_ENV' | 'SVC_TEE' | 'SVC_APP_COMPOSE_FILE' | 'SVC_APP_ID'>
  stateDir: string
  now: () => number
  socketPath?: string
}

/**
 * The machine that the settings name.
 * @throws {TeeRefused}
 */
export async function chooseTee(choice: TeeChoice): Promise<TeeProvider> {
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
