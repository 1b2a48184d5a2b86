import type { AgentSession } from './agent-session.ts'
import type { FolderFiles } from './folder-files.ts'
import type { UsageKeySources } from './usage-keys.ts'

export type McpParts = {
  session: AgentSession
  files: FolderFiles
  usageKeys: UsageKeySources
  document(this: void, path: string): Promise<string>
  label: string
}
