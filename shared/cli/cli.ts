import type { Command } from 'commander'
import type { ApiClient } from '../client/api/client.ts'
import { type Credentials, credentialsOf } from './credentials/credentials.ts'
import { secretFrom, secretInFile, readTextFile } from './credentials/secret.ts'
import {
  type DeploymentOptions,
  type ResolvedDeployment,
  resolveDeployment,
  verificationFor,
} from './deployment.ts'
import { jsonText, type Terminal, NoCredentialError, UsageError } from './terminal.ts'

/** Credentials that a command requires. The command's API client receives no other credentials. */
export type CommandCredentials = {
  /** Kind of API key: `account` for the account key, `usage` for a usage key. If absent, no key is read. */
  key?: 'account' | 'usage'
  token?: boolean
}

type Sources = { terminal: Terminal; credentials: Credentials }

export type UsageKeyOptions = { usageKeyFile?: string; keyName?: string }

type ClientOptions = DeploymentOptions & UsageKeyOptions

export type Cli = ReturnType<typeof createCli>

export function createCli(terminal: Terminal, exit: (code: number) => void) {
  const credentials = credentialsOf(terminal)
  const sources = { terminal, credentials }
  const isJson = (command: Command) => command.opts<{ json?: boolean }>().json === true
  const deploymentFor = (options: DeploymentOptions) =>
    resolveDeployment(options, terminal, credentials)
  const deployment = (command: Command) => deploymentFor(command.opts<DeploymentOptions>())
  const clientFor = async (options: ClientOptions, needs: CommandCredentials) => {
    const at = await deploymentFor(options)
    const own = needs.key === 'usage' ? await usageKeyOf(options, at, sources) : undefined
    return clientOf(at, needs, own, sources)
  }
  /**
   * Resolves a usage key from the options, the environment or stored credentials.
   * @throws {NoCredentialError} if no key is found
   */
  const usageKey = async (command: Command) =>
    usageKeyOf(command.opts<UsageKeyOptions>(), await deployment(command), sources)
  /**
   * Adds `--base-url`, `--triggers-url`, `--ca` and `--json`. Without these options, the deployment is determined by
   * the environment (`SVC_BASE_URL`, `SVC_TRIGGERS_URL`, `SVC_CA_FILE`), the local stack of this folder, or the last
   * `svc login`.
   */
  const withDeploymentOptions = (command: Command) =>
    command
      .option('--base-url <url>', 'URL of the core API, such as https://localhost:8788')
      .option('--triggers-url <url>', 'URL of the trigger service, such as http://localhost:8787')
      .option('--ca <file>', 'PEM file of a certificate authority to trust for these two hosts')
      .option('--json', 'print JSON')
  return {
    terminal,
    credentials,
    exit,
    command: (parent: Command, name: string, description: string) =>
      withDeploymentOptions(parent.command(name).description(description)),
    withDeploymentOptions,
    withUsageKey: (command: Command) =>
      command
        .option('--usage-key-file <file>', 'file with the usage key; - for standard input')
        .option('--key-name <name>', 'usage key that svc key create stored under this name'),
    deployment,
    deploymentFor,
    usageKey,
    /**
     * Creates an API client. The terminal's abort signal cancels all calls of the client.
     * @throws {NoCredentialError} with instructions for obtaining the credential
     */
    client: (command: Command, needs: CommandCredentials) =>
      clientFor(command.opts<ClientOptions>(), needs),
    /** Like `client`, for a command that does not take the deployment from its own options. */
    clientFor,
    /**
     * Prints JSON to standard output if `--json` is set, otherwise the given lines. Callers must pass text from others
     * through `printable`.
     */
    print: (command: Command, value: unknown, lines: () => readonly string[]) => {
      const text = isJson(command) ? jsonText(value, 2) : lines().join('\n')
      if (text !== '') terminal.write(`${text}\n`)
    },
    /** Prints a progress line to standard error, but only if standard error is a terminal and `--json` is not set. */
    progress: (command: Command, line: string) => {
      if (terminal.showsProgress && !isJson(command)) terminal.writeError(`${line}\n`)
    },
    /** Prints a warning to standard error, even if standard error is not a terminal. */
    warn: (line: string) => terminal.writeError(`${line}\n`),
    /**
     * Reads the text of a file, relative to the working directory, or standard input for `-`.
     * @throws {UsageError} if the file cannot be read
     */
    text: (file: string) => readTextFile(file, terminal),
    /**
     * Reads the source of an action, as `text` does. A TypeScript file is built into a script, and warnings of the build
     * go to standard error.
     * @throws {UsageError} if the file cannot be read
     * @throws {ActionBuildError} if the file cannot be built
     */
    actionSource: async (file: string) => {
      const { readAction } = await import('./action-source.ts')
      return (await readAction(file, terminal)).code
    },
    /**
     * Reads a secret from a file (`-` means standard input), the environment variable `variable`, or the file that
     * `<variable>_FILE` names. Secrets are never read from arguments.
     */
    secret: (from: { file?: string | undefined; variable: string }) => secretFrom(from, terminal),
    /**
     * Reads a secret from a file, or from standard input for `-`, without surrounding whitespace.
     * @throws {UsageError} if the file is missing or empty
     */
    secretFile: (file: string) => secretInFile(file, terminal),
    /**
     * Asks the user to confirm an irreversible step.
     * @throws {UsageError} advising `--yes` if standard input is not interactive
     */
    confirm: async (question: string) => {
      if (!terminal.isInteractive)
        throw new UsageError(`${question} Cannot ask for confirmation here: use --yes`)
      return /^y(es)?$/i.test((await terminal.ask(`${question} [y/N] `)).trim())
    },
  }
}

async function clientOf(
  deployment: ResolvedDeployment,
  { key, token }: CommandCredentials,
  usageKey: string | undefined,
  sources: Sources,
): Promise<ApiClient> {
  const { known, fetch } = deployment
  // The core API's URL is optional for a command that needs only the token.
  const baseUrl =
    key === undefined && token ? (known.baseUrl ?? deployment.triggersUrl) : deployment.baseUrl
  const apiKey = key === 'account' ? await accountKeyOf(baseUrl, sources) : usageKey
  const bearer = token ? await tokenOf(deployment.triggersUrl, sources) : undefined
  // The client is loaded on demand. The client itself loads its verifier and chain modules only when they are needed.
  const { createClient } = await import('../client/client.ts')
  return createClient({
    baseUrl,
    ...(known.triggersUrl !== undefined && { triggersUrl: known.triggersUrl }),
    ...(apiKey !== undefined && { apiKey }),
    ...(bearer !== undefined && { token: bearer }),
    ...verificationFor(baseUrl, sources.terminal),
    fetch,
    signal: sources.terminal.signal,
  })
}

async function accountKeyOf(baseUrl: string, { terminal, credentials }: Sources): Promise<string> {
  const key =
    (await secretFrom({ variable: 'SVC_API_KEY' }, terminal)) ??
    (await credentials.origin(baseUrl)).account_key
  if (key !== undefined) return key
  throw new NoCredentialError(
    `no account key for ${baseUrl}`,
    'Open an account with svc account create, store an existing key with svc account use --key-file <file>, or set SVC_API_KEY or SVC_API_KEY_FILE.',
  )
}

async function tokenOf(triggersUrl: string, { terminal, credentials }: Sources): Promise<string> {
  const token =
    (await secretFrom({ variable: 'SVC_TOKEN' }, terminal)) ??
    (await credentials.edge(triggersUrl)).token
  if (token !== undefined) return token
  throw new NoCredentialError(
    `no token for ${triggersUrl}`,
    'Run svc login, or set SVC_TOKEN or SVC_TOKEN_FILE.',
  )
}

async function usageKeyOf(
  { usageKeyFile: file, keyName }: UsageKeyOptions,
  { baseUrl }: ResolvedDeployment,
  { terminal, credentials }: Sources,
): Promise<string> {
  if (file !== undefined && keyName !== undefined)
    throw new UsageError('use either --usage-key-file or --key-name, not both')
  if (keyName === undefined) {
    const given = await secretFrom({ file, variable: 'SVC_USAGE_KEY' }, terminal)
    if (given !== undefined) return given
  }
  const kept = (await credentials.origin(baseUrl)).usage_keys ?? []
  const found = kept.findLast(({ name }) => keyName === undefined || name === keyName)
  if (found) return found.key
  const named = keyName === undefined ? '' : ` named ${keyName}`
  throw new NoCredentialError(
    `no usage key${named} is stored for ${baseUrl}`,
    'Create one with svc key create, use --usage-key-file, or set SVC_USAGE_KEY or SVC_USAGE_KEY_FILE.',
  )
}
