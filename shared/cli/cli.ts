/** Services that all `svc` commands share: deployment, credentials, input and output. */
import type { Command } from 'commander'
import type { ApiClient } from '../client/api/client.ts'
import type { Credentials } from './credentials/credentials.ts'
import type { Terminal } from './terminal.ts'

/** Credentials that a command requires. The API client of the command receives only these credentials. */
export type Needs = {
  /**
   * Kind of API key that the command needs: `account` for the account key, `usage` for a usage key. If absent, no key
   * is read.
   */
  key?: 'account' | 'usage'
  /** True if the command needs the agent token for the trigger service. */
  token?: boolean
}

export type Deployment = {
  /**
   * URL of the core API on the machine's own host, without a trailing slash.
   * @throws {UsageError} if it is not configured
   */
  readonly baseUrl: string
  /** URL of the trigger service, without a trailing slash. @throws {UsageError} if it is not configured */
  readonly triggersUrl: string
  /** URLs of both services; undefined if not configured. Reading these URLs never throws. */
  readonly known: { baseUrl: string | undefined; triggersUrl: string | undefined }
  /**
   * A `fetch` that also trusts the certificate authority of a local stack or of `--ca`, but only for the hosts of the
   * deployment.
   */
  fetch: typeof fetch
}

export type Cli = {
  terminal: Terminal
  /** Credentials stored by `svc login`, `account create` and `key create`. */
  credentials: Credentials
  /** Sets the exit code of the process to one of the values in `EXIT`. */
  exit(this: void, code: number): void
  /**
   * Adds the deployment options (`--base-url`, `--triggers-url`, `--ca`) and `--json` to a command. Without these
   * options, the deployment comes from the environment (`SVC_BASE_URL`, `SVC_TRIGGERS_URL`, `SVC_CA_FILE`), the local
   * stack of this folder, or the last `svc login`.
   */
  atDeployment(this: void, command: Command): Command
  /** Adds the options `--usage-key-file` and `--key-name` to a command. `usageKey` and `client` read them. */
  withUsageKey(this: void, command: Command): Command
  /** Resolves the deployment for a command. @throws {UsageError} for an invalid URL */
  deployment(this: void, command: Command): Promise<Deployment>
  /**
   * Creates an API client with the required credentials. The terminal's abort signal cancels all calls of the client.
   * @throws {NoCredential} with instructions for obtaining the credential
   */
  client(this: void, command: Command, needs: Needs): Promise<ApiClient>
  /**
   * Resolves the usage key from the command's options, the environment or stored credentials.
   * @throws {NoCredential} if no usage key is found
   */
  usageKey(this: void, command: Command): Promise<string>
  /**
   * Prints the result of a command to standard output: as JSON if `--json` is set, otherwise as the given lines.
   * Callers must pass text from others through `printable`.
   */
  say(this: void, command: Command, value: unknown, lines: () => readonly string[]): void
  /** Prints a progress message to standard error, but only if standard error is a terminal and `--json` is not set. */
  progress(this: void, command: Command, line: string): void
  /** Prints a warning to standard error, even if standard error is not a terminal. */
  warn(this: void, line: string): void
  /**
   * Reads a text file that the user named, or standard input for `-`. Resolves relative names against the working
   * directory.
   * @throws {UsageError} if the file cannot be read
   */
  text(this: void, file: string): Promise<string>
  /**
   * Reads a secret from a file (`-` means standard input), from the environment variable `variable`, or from the file
   * named by `<variable>_FILE`. Secrets are never read from arguments.
   */
  secret(
    this: void,
    from: { file?: string | undefined; variable: string },
  ): Promise<string | undefined>
  /**
   * Asks the user to confirm an irreversible step.
   * @throws {UsageError} with the advice to use `--yes` if standard input is not interactive
   */
  confirm(this: void, question: string): Promise<boolean>
}
