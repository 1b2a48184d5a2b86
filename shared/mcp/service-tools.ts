import type { McpServer } from '@modelcontextprotocol/server'
import type { ToolParts } from './tool.ts'
import { addActionLibraryTools } from './tools/action-library-tools.ts'
import { addActionTools } from './tools/action-tools.ts'
import { addAlertChannelTools } from './tools/alert-channel-tools.ts'
import { addAlertTools } from './tools/alert-tools.ts'
import { addIdentityTools } from './tools/identity-tools.ts'
import { addReplayTools } from './tools/replay-tools.ts'
import { addRunTools } from './tools/run-tools.ts'
import { addTriggerLogTools } from './tools/trigger-log-tools.ts'
import { addTriggerTools } from './tools/trigger-tools.ts'

/** Adds the tools of the trigger service, which `svc mcp` and the remote server share. */
export function addServiceTools(server: McpServer, parts: ToolParts): void {
  addIdentityTools(server, parts)
  addTriggerTools(server, parts)
  addTriggerLogTools(server, parts)
  addRunTools(server, parts)
  addReplayTools(server, parts)
  addAlertTools(server, parts)
  addAlertChannelTools(server, parts)
  addActionTools(server, parts)
  addActionLibraryTools(server, parts)
}
