/** A project folder, and the state of an account without it. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createCli } from '../../../../shared/cli/cli.ts'
import type { DeployedState } from '../../../../shared/cli/project/deployed-state.ts'
import { type Project, readProject } from '../../../../shared/cli/project/read-project.ts'
import type { Terminal } from '../../../../shared/cli/terminal.ts'

export type ProjectJson = Record<string, any>

export const FILE: ProjectJson = {
  version: 1,
  name: 'shop',
  actions: { pay: 'pay.js' },
  wallets: { treasury: { policy: 'policy.json' }, ops: {} },
  groups: { payers: { actions: ['pay'], wallets: ['treasury'] } },
  keys: { runner: { execute_in_groups: ['payers'], spend_cap_cents: 5, spend_window_seconds: 60 } },
  triggers: {
    orders: {
      kind: 'webhook',
      action: 'pay',
      key: 'runner',
      default_params: { wallet: '${wallet:treasury}' },
    },
  },
}

export const POLICY = {
  version: 1,
  change_delay_s: 3600,
  rules: [{ name: 'greet', effect: 'allow', kind: 'message', messages: [{ prefix: 'orders: ' }] }],
}

const folders: string[] = []

export function removeProjectFolders(): void {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true })
}

export function projectFolder(files: Record<string, string | object> = {}): string {
  const folder = mkdtempSync(join(tmpdir(), 'svc-project-'))
  folders.push(folder)
  const all = {
    'svc.json': FILE,
    'pay.js': 'async function main() { return 1 }',
    'policy.json': POLICY,
    ...files,
  }
  for (const [name, content] of Object.entries(all))
    writeFileSync(
      join(folder, name),
      typeof content === 'string' ? content : JSON.stringify(content),
    )
  return folder
}

export function read(folder: string, environment?: string): Promise<Project> {
  const terminal = { environment: {}, folder, writeError: () => undefined } as unknown as Terminal
  return readProject(
    createCli(terminal, () => undefined),
    'svc.json',
    environment,
  )
}

export const EMPTY: DeployedState = {
  wallets: [],
  groups: [],
  actions: [],
  keys: [],
  triggers: [],
  heldKeys: new Set(),
  keyAttempts: new Map(),
  triggerKeys: new Map(),
  triggerSecrets: new Map(),
}

const page = readFileSync(
  fileURLToPath(new URL('../../../../docs/projects.md', import.meta.url)),
  'utf8',
)

/** The blocks of docs/projects.md in a language. */
const documented = (language: string): string[] =>
  page
    .split(`\n\`\`\`${language}\n`)
    .slice(1)
    .map((block) => block.split('\n```\n')[0]!)

export const documentedProject = (): ProjectJson => JSON.parse(documented('json')[0]!)
/** Blocks after the first that have a member. */
export const documentedParts = (member: string): ProjectJson[] =>
  documented('json')
    .slice(1)
    .map((block) => JSON.parse(block))
    .filter((block) => member in block)
export const documentedPlan = (): string => documented('text')[0]!
