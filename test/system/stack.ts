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

export type StackParts = {
  /** Settings of the origin beside those that the stack makes. */
  originSettings?: Record<string, string>
  /** The same of the edge, given the state folder. */
  edgeSettings?: (stateDir: string) => Promise<Record<string, string>>
  /** Says the ports. */
  environment?: Record<string, string>
  /** In which the state folder is made. */
  folder?: string
  /** A server of its own, as `npm start` has one, for tests that end it. */
  ownDatabase?: boolean
}

/** The entry of the origin in tests. */
export const ORIGIN_ENTRY = fileURLToPath(new URL('origin-with-kept-template.ts', import.meta.url))

/**
 * A stack of the real parts in a temporary folder, on free ports. It begins with a database of its own on the server of the
 * test run, where there is one, with the Worker that the project built (`stack-setup.ts`) and with the template of its sandboxes:
 * `start.test.ts` begins with nothing.
 */
export async function startStack({
  originSettings = {},
  edgeSettings,
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
    // The suite opens more accounts from one address than a person would, and a busy machine must not fail it.
    originSettings: {
      SVC_NEW_ACCOUNT_BURST: '1000',
      SVC_SHED_DELAY_MS: '10000',
      SVC_SHED_CPU_PRESSURE: '100',
      ...(database && { DATABASE_URL: database.url }),
      ...templateSetting(),
      ...originSettings,
    },
    edgeSettings: (await edgeSettings?.(stateDir)) ?? {},
    edgeBundle: process.env[EDGE_BUNDLE_BUILT],
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

/** Tells `ORIGIN_ENTRY` where the shared template is. */
export function templateSetting(): Record<string, string> {
  const folder = process.env[TEMPLATE_FOLDER]
  return folder === undefined ? {} : { [TEMPLATE_FOLDER]: folder }
}
