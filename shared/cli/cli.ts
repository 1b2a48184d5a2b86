/** Services that all `svc` commands share: deployment, credentials, input and output. */
import type { Command } from 'commander'
import type { ApiClient } from '../client/api/client.ts'
import type { Credentials } from './credentials/credentials.ts'
import type { Terminal } from './terminal.ts'

/** The API client of a command receives only the credentials that the command requires. */
export type CommandCredentials = {
  /** `account` for the account key, `usage` for a usage key. If absent, no key is read. */
  key?: 'account' | 'usage'
  /** True if the agent token for the trigger service is required. */
  token?: boolean
}

export type ResolvedDeployment = {
  /** Core API on the machine's own host, without a trailing slash. @throws {UsageError} if it is not configured */
  readonly baseUrl: string
  /** Trigger service, without a trailing slash. @throws {UsageError} if it is not configured */
  readonly triggersUrl: string
  /** Undefined if not configured. Reading these URLs never throws. */
  readonly known: { baseUrl: string | undefined; triggersUrl: string | undefined }
  /** Also trusts the certificate authority of a local stack or of `--ca`, but only for the deployment's hosts. */
  fetch: typeof fetch
}

export type Cli = {
  terminal: Terminal
  /** Stored by `svc login`, `account create` and `key create`. */
  credentials: Credentials
  /** Accepts one of the values in `EXIT`. */
  exit(this: void, code: number): void
  /** Adds a subcommand with the deployment options. */
  command(this: void, parent: Command, name: string, description: string): Command
  /**
   * Adds `--base-url`, `--triggers-url`, `--ca` and `--json`. Without these options, the deployment comes from the
   * environment (`SVC_BASE_URL`, `SVC_TRIGGERS_URL`, `SVC_CA_FILE`), the local stack of this folder, or the last
   * `svc login`.
   */
  withDeploymentOptions(this: void, command: Command): Command
  /** Adds `--usage-key-file` and `--key-name`, which `usageKey` and `client` read. */
  withUsageKey(this: void, command: Command): Command
  /** @throws {UsageError} for an invalid URL */
  deployment(this: void, command: Command): Promise<ResolvedDeployment>
  /**
   * The terminal's abort signal cancels all calls of the client.
   * @throws {NoCredentialError} with instructions for obtaining the credential
   */
  client(this: void, command: Command, needs: CommandCredentials): Promise<ApiClient>
  /**
   * Resolves the key from the options, the environment or stored credentials.
   * @throws {NoCredentialError} if none is found
   */
  usageKey(this: void, command: Command): Promise<string>
  /**
   * Prints JSON to standard output if `--json` is set, otherwise the given lines. Callers must pass text from others
   * through `printable`.
   */
  print(this: void, command: Command, value: unknown, lines: () => readonly string[]): void
  /** Prints to standard error, but only if it is a terminal and `--json` is not set. */
  progress(this: void, command: Command, line: string): void
  /** Prints to standard error, even if it is not a terminal. */
  warn(this: void, line: string): void
  /**
   * Reads a file relative to the working directory, or standard input for `-`.
   * @throws {UsageError} if the file cannot be read
   */
  text(this: void, file: string): Promise<string>
  /**
   * Reads a file (`-` means standard input), the environment variable `variable`, or the file that `<variable>_FILE`
   * names. Secrets are never read from arguments.
   */
  secret(
    this: void,
    from: { file?: string | undefined; variable: string },
  ): Promise<string | undefined>
  /** Asks before an irreversible step. @throws {UsageError} advising `--yes` if standard input is not interactive */
  confirm(this: void, question: string): Promise<boolean>
}
