import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { approve } from '../../origin/stack/approved-token.ts'
import { Stack } from '../../origin/stack/stack.ts'
import { trustCa } from '../../origin/stack/trust-ca.ts'
import { layFresh } from '../origin/db/fresh-database.ts'
import { EDGE_BUNDLE_BUILT } from './stack-setup.ts'

export type StartedStack = {
  stack: Stack
  stateDir: string
  /** What the components wrote, for events and for a failed test's eyes. */
  lines: string[]
  baseUrl: string
  triggersUrl: string
  browser: (url: string) => Promise<void>
  stop: () => Promise<void>
}

/**
 * A stack of the real parts in a temporary folder, on free ports. It begins with an empty database that is there, and with
 * the Worker that the project built (`stack-setup.ts`): `start.test.ts` begins with nothing.
 * @param edgeSettingsIn settings of the edge beside those that the stack makes, given the folder
 * @param environment says the ports
 * @param folder in which the state folder is made
 */
export async function startStack(
  originSettings: Record<string, string> = {},
  edgeSettingsIn: (stateDir: string) => Promise<Record<string, string>> = async () => ({}),
  environment: Record<string, string> = anyPorts,
  folder = tmpdir(),
): Promise<StartedStack> {
  const stateDir = mkdtempSync(join(folder, 'svc-system-'))
  const lines: string[] = []
  // The suite opens more accounts from one address than a person would, and a busy machine must not fail it.
  const settings = {
    SVC_NEW_ACCOUNT_BURST: '1000',
    SVC_SHED_DELAY_MS: '10000',
    SVC_SHED_CPU_PRESSURE: '100',
    ...originSettings,
  }
  await layFresh(stateDir)
  const onLine = (component: string, line: string) => lines.push(`${component} | ${line}`)
  const stack = await Stack.start({
    stateDir,
    environment,
    originSettings: settings,
    edgeSettings: await edgeSettingsIn(stateDir),
    edgeBundle: process.env[EDGE_BUNDLE_BUILT],
    onLine,
  })
  trustCa(stack.caFile)
  return {
    stack,
    stateDir,
    lines,
    baseUrl: stack.baseUrl,
    triggersUrl: stack.triggersUrl,
    browser: (url) => approve(url),
    stop: async () => {
      await stack.stop()
      rmSync(stateDir, { recursive: true, force: true })
    },
  }
}

export const anyPorts = { SVC_EDGE_PORT: '0', SVC_ORIGIN_PORT: '0', SVC_CHAIN_PORT: '0' }
