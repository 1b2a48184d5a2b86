/** What every command has besides its own words: where the services are, who it is there, and how it speaks. */
import type { Command } from 'commander'
import type { ApiClient } from '../client/api/client.ts'
import type { Credentials } from './credentials/credentials.ts'
import type { Terminal } from './terminal.ts'

/** What a command needs to be. A client has what is asked for, and nothing else. */
export type Needs = {
  /** `account`: the account key. `usage`: a usage key. Absent: none is read. */
  key?: 'account' | 'usage'
  /** The agent token of the trigger service. */
  token?: boolean
}

/** The services that a command talks to. */
export type Deployment = {
  /** The core API, at the machine's own host; no slash at the end. @throws {UsageError} where nobody has named it */
  readonly baseUrl: string
  /** The trigger service; no slash at the end. @throws {UsageError} where nobody has named it */
  readonly triggersUrl: string
  /** Which of them are known. */
  readonly known: { baseUrl: string | undefined; triggersUrl: string | undefined }
  /** That trusts the authority of a local stack, or of `--ca`, for these two hosts. */
  fetch: typeof fetch
}

export type Cli = {
  terminal: Terminal
  /** What `svc login`, `account create` and `key create` have kept. */
  credentials: Credentials
  /** Sets the exit code (`EXIT`). */
  exit(this: void, code: number): void
  /**
   * Adds the options that say which deployment: `--base-url`, `--triggers-url`, `--ca`, and `--json`. Without them the environment
   * (`SVC_BASE_URL`, `SVC_TRIGGERS_URL`, `SVC_CA_FILE`), the local stack of this folder, or what `svc login` kept last.
   */
  atDeployment(this: void, command: Command): Command
  /** Adds `--usage-key-file` and `--key-name`, which `usageKey` and `client` look at. */
  withUsageKey(this: void, command: Command): Command
  /** @throws {UsageError} */
  deployment(this: void, command: Command): Promise<Deployment>
  /**
   * A client with the credentials that are needed. All of its calls end with the terminal's signal.
   * @throws {NoCredential} that says how to get one
   */
  client(this: void, command: Command, needs: Needs): Promise<ApiClient>
  /** The usage key that the command's options, the environment or the credentials name. @throws {NoCredential} */
  usageKey(this: void, command: Command): Promise<string>
  /**
   * The command's result, to standard output: the value as JSON under `--json`, the lines otherwise. Text of others in lines goes
   * through `printable`.
   */
  say(this: void, command: Command, value: unknown, lines: () => readonly string[]): void
  /** One line on what is under way, to standard error, where somebody looks and `--json` is not given. */
  progress(this: void, command: Command, line: string): void
  /** A warning, to standard error; also where nobody looks. */
  warn(this: void, line: string): void
  /** The text of a file that the person named, from the folder; `-` is standard input. @throws {UsageError} */
  text(this: void, file: string): Promise<string>
  /** A secret from a file (`-`: standard input), or else from `variable` or the file that `<variable>_FILE` names; never from an argument. */
  secret(
    this: void,
    from: { file?: string | undefined; variable: string },
  ): Promise<string | undefined>
  /** Asks before what cannot be undone. @throws {UsageError} where nobody can be asked: say `--yes` */
  confirm(this: void, question: string): Promise<boolean>
}
