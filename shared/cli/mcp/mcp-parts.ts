import type { ApiClient } from '../../client/api/client.ts'
import type { LocalInputs } from '../../mcp/tool.ts'
import type { AgentSession } from './agent-session.ts'

/** Parts of the tools of `svc mcp`, which can read files and usage keys of this machine. */
export type McpParts = {
  session: AgentSession
  local: LocalInputs
  /** Creates a client for the core API. */
  core(this: void, usageKey: string): Promise<ApiClient>
  /**
   * Creates a client with the account key of this machine, for tools that only read.
   * @throws {ToolRejectedError} if no account key is stored
   */
  account(this: void): Promise<ApiClient>
  document(this: void, path: string): Promise<string>
  label: string
}
