import type { ChildProcess } from 'node:child_process'
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Command } from 'commander'
import { exitOf, spawnNode } from '../child-process.ts'
import type { Cli } from '../cli.ts'
import { type Terminal, UsageError } from '../terminal.ts'
import { addExamples } from './examples.ts'

/**
 * Entry point of the local stack. The stack runs in its own Node process, so that the command line does not load its
 * code.
 */
const STACK = fileURLToPath(new URL('../../../origin/stack/start.ts', import.meta.url))
const NODE_OPTIONS = ['--disable-warning=ExperimentalWarning', '--disable-sigusr1']

type Given = { stateDir?: string; port?: string; originPort?: string; chainPort?: string }

export function registerUp(program: Command, { terminal, exit }: Cli): void {
  const command = program
    .command('up')
    .description('Start the local stack in the foreground. Ctrl-C stops it and keeps its state.')
    .option('--state-dir <folder>', 'state folder (SVC_STATE_DIR; default: .svc)')
    .option('--port <port>', 'port of the trigger service (SVC_EDGE_PORT; default: 8787)')
    .option('--origin-port <port>', 'port of the core API (SVC_ORIGIN_PORT; default: 8788)')
    .option('--chain-port <port>', 'port of the chain (SVC_CHAIN_PORT; default: 8545)')
    .action(async (given: Given) => exit(await up(settingsOf(given, terminal), terminal)))
  addExamples(command, ['svc up --state-dir stack --port 0 --origin-port 0 --chain-port 0'])
}

function settingsOf(given: Given, { folder }: Terminal): Record<string, string> {
  const ports = {
    SVC_EDGE_PORT: ['--port', given.port],
    SVC_ORIGIN_PORT: ['--origin-port', given.originPort],
    SVC_CHAIN_PORT: ['--chain-port', given.chainPort],
  } as const
  const settings: Record<string, string> = {}
  if (given.stateDir !== undefined) settings['SVC_STATE_DIR'] = resolve(folder, given.stateDir)
  for (const [name, [option, port]] of Object.entries(ports)) {
    if (port === undefined) continue
    if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535)
      throw new UsageError(`${option}: expected a port, or 0 for any free port`)
    settings[name] = port
  }
  return settings
}

/** Returns true in a checkout. The package does not contain the local stack. */
export const isStackInstalled = () => existsSync(STACK)

/** Credentials of a deployment. The stack does not need them, and must not be able to use them. */
const CREDENTIAL_VARIABLES = /^SVC_(API_KEY|USAGE_KEY|TOKEN)(_FILE)?$/

/** Starts the local stack in its own process, which stops when this process ends for any reason. */
export function spawnStack(
  settings: Record<string, string>,
  terminal: Terminal,
  output: 'inherit' | 'pipe',
): ChildProcess {
  const passed = Object.entries(terminal.environment).filter(
    ([name]) => !CREDENTIAL_VARIABLES.test(name),
  )
  const withoutCredentials = { ...terminal, environment: Object.fromEntries(passed) }
  return spawnNode([...NODE_OPTIONS, STACK], withoutCredentials, {
    environment: settings,
    // The IPC channel carries no messages. It closes when this process exits, which signals the stack to stop.
    stdio: [output === 'inherit' ? 'inherit' : 'ignore', output, output, 'ipc'],
  })
}

/** @returns the stack's exit code, or 128 plus the signal number if a signal terminated the stack */
async function up(settings: Record<string, string>, terminal: Terminal): Promise<number> {
  if (!isStackInstalled())
    throw new UsageError('the local stack is part of the checkout: run svc up there')
  return exitOf(spawnStack(settings, terminal, 'inherit'))
}
