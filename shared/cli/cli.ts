/** What every command has besides its own words: where the services are, who it is there, and how it speaks. */
import type { Command } from 'commander'
import type { ApiClient } from '../client/index.ts'
import type { Terminal } from './terminal.ts'

/** What a command needs to be. A client has what is asked for, and nothing else. */
export type Needs = {
  /** `account`: the account key. `usage`: a usage key. `any`: either, the usage key first. Absent: none is read. */
  key?: 'account' | 'usage' | 'any'
  /** The agent token of the trigger service. */
  token?: boolean
}

/** The services that a command talks to. */
export type Deployment = {
  /** The core API, at the machine's own host; no slash at the end. */
  baseUrl: string
  /** The trigger service; no slash at the end. */
  triggersUrl: string
  /** That trusts the authority of a local stack, or of `--ca`, for these two hosts. */
  fetch: typeof fetch
}

export type Cli = {
  terminal: Terminal
  /** Sets the exit code (`EXIT`). */
  exit(this: void, code: number): void
  /**
   * Adds the options that say which deployment: `--base-url`, `--triggers-url`, `--ca`, and `--json`. Without them the environment
   * (`SVC_BASE_URL`, `SVC_TRIGGERS_URL`), what `svc login` kept, or the local stack of this folder.
   */
  atDeployment(this: void, command: Command): Command
  /** @throws {UsageError} that says how to name one */
  deployment(this: void, command: Command): Deployment
  /** A client with the credentials that are needed. @throws {NoCredential} that says how to get one */
  client(this: void, command: Command, needs: Needs): ApiClient
  /**
   * The command's result, to standard output: the value as JSON under `--json`, the lines otherwise. Text of others in lines goes
   * through `printable`.
   */
  say(this: void, command: Command, value: unknown, lines: () => readonly string[]): void
  /** One line on what is under way, to standard error, where somebody looks and `--json` is not given. */
  progress(this: void, command: Command, line: string): void
  /** A secret from `--<name>-file` (`-`: standard input) or the environment; never from an argument. */
  secret(this: void, from: { file?: string; variable: string }): string | undefined
}
