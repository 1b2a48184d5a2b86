/** Services shared by all commands: deployment, credentials, input and output. */
import type { Command } from 'commander'
import type { ApiClient } from '../client/api/client.ts'
import type { Credentials } from './credentials/credentials.ts'
import type { Terminal } from './terminal.ts'

/** Credentials that a command requires. Its client gets these and no others. */
export type Needs = {
  /** `account`: the account key. `usage`: a usage key. Absent: no key is read. */
  key?: 'account' | 'usage'
  /** The agent token for the trigger service. */
  token?: boolean
}

export type Deployment = {
  /** The core API, at the machine's own host, without a trailing slash. @throws {UsageError} if it is not configured */
  readonly baseUrl: string
  /** The trigger service, without a trailing slash. @throws {UsageError} if it is not configured */
  readonly triggersUrl: string
  /** The configured addresses. Reading these never throws. */
  readonly known: { baseUrl: string | undefined; triggersUrl: string | undefined }
  /** Trusts the authority of a local stack, or of `--ca`, for these two hosts. */
  fetch: typeof fetch
}

export type Cli = {
  terminal: Terminal
  /** Stored by `svc login`, `account create` and `key create`. */
  credentials: Credentials
  /** Sets the exit code (`EXIT`). */
  exit(this: void, code: number): void
  /**
   * Adds the deployment options: `--base-url`, `--triggers-url`, `--ca`, and `--json`. Without them, the deployment
   * comes from the environment (`SVC_BASE_URL`, `SVC_TRIGGERS_URL`, `SVC_CA_FILE`), the local stack of this folder, or
   * the last `svc login`.
   */
  atDeployment(this: void, command: Command): Command
  /** Adds `--usage-key-file` and `--key-name`, which `usageKey` and `client` read. */
  withUsageKey(this: void, command: Command): Command
  /** @throws {UsageError} */
  deployment(this: void, command: Command): Promise<Deployment>
  /**
   * Creates a client with the required credentials. The terminal's signal aborts all of its calls.
   * @throws {NoCredential} with instructions for obtaining the credential
   */
  client(this: void, command: Command, needs: Needs): Promise<ApiClient>
  /**
   * Resolves the usage key from the command's options, the environment or stored credentials. @throws {NoCredential}
   */
  usageKey(this: void, command: Command): Promise<string>
  /**
   * Prints the command's result to standard output: the value as JSON under `--json`, otherwise the lines. Lines must
   * pass text from others through `printable`.
   */
  say(this: void, command: Command, value: unknown, lines: () => readonly string[]): void
  /** Prints a line of progress to standard error, only if it is a terminal and `--json` is not set. */
  progress(this: void, command: Command, line: string): void
  /** Prints a warning to standard error, whether or not it is a terminal. */
  warn(this: void, line: string): void
  /** Reads a file given by the user, relative to the folder. `-` is standard input. @throws {UsageError} */
  text(this: void, file: string): Promise<string>
  /**
   * Reads a secret from a file (`-` is standard input), from `variable`, or from the file named by `<variable>_FILE`.
   * Secrets are never taken from arguments.
   */
  secret(
    this: void,
    from: { file?: string | undefined; variable: string },
  ): Promise<string | undefined>
  /**
   * Asks for confirmation of an irreversible step. @throws {UsageError} if not interactive, with the advice to pass
   * `--yes`
   */
  confirm(this: void, question: string): Promise<boolean>
}
