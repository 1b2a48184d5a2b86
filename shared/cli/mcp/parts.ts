import type { AgentSession } from './agent-session.ts'
import type { FolderFiles } from './folder-files.ts'
import type { UsageKeySources } from './usage-keys.ts'

/** What the tools are made of. */
export type McpParts = {
  session: AgentSession
  files: FolderFiles
  usageKeys: UsageKeySources
  /** The text of a public document of the deployment. */
  document(this: void, path: string): Promise<string>
  /** The name that an authorization has where none is said. */
  label: string
}
