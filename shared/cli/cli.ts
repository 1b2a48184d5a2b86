import type { Command } from 'commander'
import type { ApiClient } from '../client/api/client.ts'
import type { Credentials } from './credentials/credentials.ts'
import type { Terminal } from './terminal.ts'

/** Credentials that a command requires. The command's API client receives no other credentials. */
export type CommandCredentials = {
  /** Kind of API key: `account` for the account key, `usage` for a usage key. If absent, no key is read. */
  key?: 'account' | 'usage'
  token?: boolean
}

export type ResolvedDeployment = {
  /**
   * URL of the core API on the machine's own host, without a trailing slash.
   * @throws {UsageError} if no URL is configured
   */
  readonly baseUrl: string
  /** URL of the trigger service, without a trailing slash. @throws {UsageError} if no URL is configured */
  readonly triggersUrl: string
  /** The same URLs, but undefined if not configured. Reading these URLs never throws. */
  readonly known: { baseUrl: string | undefined; triggersUrl: string | undefined }
  /**
   * Like the global `fetch`, but also trusts the certificate authority of a local stack or of `--ca` for the
   * deployment's hosts.
   */
  fetch: typeof fetch
}

export type Cli = {
  terminal: Terminal
  credentials: Credentials
  exit(this: void, code: number): void
  command(this: void, parent: Command, name: string, description: string): Command
  /**
   * Adds `--base-url`, `--triggers-url`, `--ca` and `--json`. Without these options, the deployment is determined by
   * the environment (`SVC_BASE_URL`, `SVC_TRIGGERS_URL`, `SVC_CA_FILE`), the local stack of this folder, or the last
   * `svc login`.
   */
  withDeploymentOptions(this: void, command: Command): Command
  withUsageKey(this: void, command: Command): Command
  deployment(this: void, command: Command): Promise<ResolvedDeployment>
  /**
   * Creates an API client. The terminal's abort signal cancels all calls of the client.
   * @throws {NoCredentialError} with instructions for obtaining the credential
   */
  client(this: void, command: Command, needs: CommandCredentials): Promise<ApiClient>
  /**
   * Resolves a usage key from the options, the environment or stored credentials.
   * @throws {NoCredentialError} if no key is found
   */
  usageKey(this: void, command: Command): Promise<string>
  /**
   * Prints JSON to standard output if `--json` is set, otherwise the given lines. Callers must pass text from others
   * through `printable`.
   */
  print(this: void, command: Command, value: unknown, lines: () => readonly string[]): void
  /** Prints a progress line to standard error, but only if standard error is a terminal and `--json` is not set. */
  progress(this: void, command: Command, line: string): void
  /** Prints a warning to standard error, even if standard error is not a terminal. */
  warn(this: void, line: string): void
  /**
   * Reads the text of a file, relative to the working directory, or standard input for `-`.
   * @throws {UsageError} if the file cannot be read
   */
  text(this: void, file: string): Promise<string>
  /**
   * Reads a secret from a file (`-` means standard input), the environment variable `variable`, or the file that
   * `<variable>_FILE` names. Secrets are never read from arguments.
   */
  secret(
    this: void,
    from: { file?: string | undefined; variable: string },
  ): Promise<string | undefined>
  /**
   * Asks the user to confirm an irreversible step.
   * @throws {UsageError} advising `--yes` if standard input is not interactive
   */
  confirm(this: void, question: string): Promise<boolean>
}
