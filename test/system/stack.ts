import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { approve } from '../../origin/stack/approved-token.ts'
import { Stack } from '../../origin/stack/stack.ts'
import { trustCa } from '../../origin/stack/trust-ca.ts'
import { TEMPLATE_FOLDER } from '../origin/actions/kept-template.ts'
import { freshDatabase } from '../origin/db/fresh-database.ts'
import { TEST_SERVER } from '../origin/db/server-setup.ts'

export type StartedStack = {
  stack: Stack
  stateDir: string
  /** Output of the components, to find events and to print when a test fails. */
  lines: string[]
  baseUrl: string
  triggersUrl: string
  browser: (url: string) => Promise<void>
  stop: () => Promise<void>
}

export type StackParts = {
  /** Origin settings that override those of the stack. */
  originSettings?: Record<string, string>
  /** Additional edge settings, given the state folder. */
  edgeSettings?: (stateDir: string) => Promise<Record<string, string>>
  edgeInspectorPort?: number
  /** Port settings of the stack. */
  environment?: Record<string, string>
  /** Parent of the state folder. */
  folder?: string
  /** Starts a separate database server, as `npm start` does, for tests that stop it. */
  ownDatabase?: boolean
}

export const ORIGIN_ENTRY = fileURLToPath(new URL('origin-with-kept-template.ts', import.meta.url))

/**
 * Starts a stack of real components in a temporary folder, on free ports. To start fast, it uses a new database on the
 * test run's server (if there is one) and the shared sandbox template.
 * `start.test.ts` starts a stack without these.
 */
export async function startStack({
  originSettings = {},
  edgeSettings,
  edgeInspectorPort,
  environment = anyPorts,
  folder = tmpdir(),
  ownDatabase = process.env[TEST_SERVER] === undefined,
}: StackParts = {}): Promise<StartedStack> {
  const stateDir = mkdtempSync(join(folder, 'svc-system-'))
  const lines: string[] = []
  const database = ownDatabase ? undefined : await freshDatabase()
  const onLine = (component: string, line: string) => lines.push(`${component} | ${line}`)
  const stack = await Stack.start({
    stateDir,
    environment,
    // The suite opens more accounts from one address than a user would, and must not fail on a busy machine.
    originSettings: {
      SVC_NEW_ACCOUNT_BURST: '1000',
      SVC_SHED_DELAY_MS: '10000',
      SVC_SHED_CPU_PRESSURE: '100',
      ...(database && { DATABASE_URL: database.url }),
      ...templateSetting(),
      ...originSettings,
    },
    edgeSettings: (await edgeSettings?.(stateDir)) ?? {},
    edgeInspectorPort,
    originEntry: ORIGIN_ENTRY,
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
      await database?.drop()
      rmSync(stateDir, { recursive: true, force: true })
    },
  }
}

export const anyPorts = { SVC_EDGE_PORT: '0', SVC_ORIGIN_PORT: '0', SVC_CHAIN_PORT: '0' }

/** Passes the folder of the shared template to `ORIGIN_ENTRY`. */
export function templateSetting(): Record<string, string> {
  const folder = process.env[TEMPLATE_FOLDER]
  return folder === undefined ? {} : { [TEMPLATE_FOLDER]: folder }
}
