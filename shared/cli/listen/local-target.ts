/**
 * Access to the local stack for commands that also use another deployment. Credentials of the deployment never reach
 * the stack, and credentials of the stack never reach the deployment (docs/decisions/0124).
 */
import { resolve } from 'node:path'
import { isLoopback } from '../../network/loopback.ts'
import { type Cli, type CommandCredentials, createCli, type UsageKeyOptions } from '../cli.ts'
import type { Credentials } from '../credentials/credentials.ts'
import type { ResolvedDeployment } from '../deployment.ts'
import { type LocalStack, localStackOf } from '../local-stack.ts'
import { NoCredentialError, type Terminal, UsageError } from '../terminal.ts'
import type { ApiClient } from '../../client/api/client.ts'

export type LocalTarget = {
  stack: LocalStack
  /** Command line without the variables and the credentials of the deployment. */
  cli: Cli
  credentials: Credentials
  /**
   * Creates a client with credentials that are stored for the stack, or that the options name.
   * @throws {NoCredentialError} if there is no such credential
   */
  client(needs: CommandCredentials, key?: UsageKeyOptions): Promise<ApiClient>
}

/** Returns the absolute path of the state folder. */
export function stateDirOf(
  stateDir: string | undefined,
  { folder, environment }: Terminal,
): string {
  return resolve(folder, stateDir ?? environment['SVC_STATE_DIR'] ?? '.svc')
}

/** Undefined if no stack is running in the state folder. The addresses of a stack are always loopback addresses. */
export function localTarget(cli: Cli, stateDir: string | undefined): LocalTarget | undefined {
  const terminal = withoutDeployment(cli.terminal, stateDirOf(stateDir, cli.terminal))
  const stack = localStackOf(terminal.folder, terminal.environment)
  if (!stack) return undefined
  const { baseUrl, triggersUrl } = stack
  const local = createCli(terminal, cli.exit)
  return {
    stack,
    cli: local,
    credentials: local.credentials,
    client: async (needs, key = {}) => {
      try {
        return await local.clientFor({ baseUrl, triggersUrl, ...key }, needs)
      } catch (error) {
        if (!(error instanceof NoCredentialError)) throw error
        const at = `--base-url ${baseUrl} --triggers-url ${triggersUrl}`
        const fix = needs.token ? `Run svc login ${at}.` : `Run svc key create ${at}.`
        throw new NoCredentialError(
          error.message,
          `${fix} Variables such as SVC_TOKEN are not used for the local stack.`,
        )
      }
    },
  }
}

/** @throws {UsageError} if no stack is running in the state folder */
export function requireLocalTarget(cli: Cli, stateDir: string | undefined): LocalTarget {
  return localTarget(cli, stateDir) ?? missingStack(stateDirOf(stateDir, cli.terminal))
}

export function missingStack(folder: string): never {
  throw new UsageError(
    `no local stack is running in ${folder}: start one with svc up in the checkout, and name its state folder with --state-dir`,
  )
}

/** Removes the variables that configure the deployment, or that may hold its credentials. */
function withoutDeployment(terminal: Terminal, stateDir: string): Terminal {
  const kept = Object.entries(terminal.environment).filter(
    ([name]) => !name.startsWith('SVC_') || name === 'SVC_CONFIG_DIR',
  )
  return { ...terminal, environment: { ...Object.fromEntries(kept), SVC_STATE_DIR: stateDir } }
}

/**
 * Requires that the events come from a deployment that is not the local stack itself: replaying them there would start
 * new runs of the same account, which would be replayed again.
 * @throws {UsageError}
 */
export function requireOtherDeployment({ known }: ResolvedDeployment, stack: LocalStack): void {
  const own = [stack.baseUrl, stack.triggersUrl].map(hostOf)
  const urls = [known.triggersUrl, known.baseUrl].filter((url) => url !== undefined)
  const same = urls.find((url) => own.includes(hostOf(url)))
  if (same === undefined) return
  throw new UsageError(
    `${same} is the local stack, which cannot replay its own events: name the deployment of the trigger with --triggers-url or SVC_TRIGGERS_URL`,
  )
}

/** All loopback names of a port count as the same host. */
function hostOf(url: string): string {
  const { hostname, host, port, protocol } = new URL(url)
  return isLoopback(hostname) ? `loopback:${port || protocol}` : host
}
