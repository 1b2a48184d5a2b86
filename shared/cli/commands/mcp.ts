import { hostname } from 'node:os'
import type { Command } from 'commander'
import type { Cli } from '../cli.ts'
import { storedEdgeEntry } from '../credentials/credentials.ts'
import { verificationFor } from '../deployment.ts'
import { NoCredentialError } from '../terminal.ts'
import { addExamples } from './examples.ts'

export function registerMcp(program: Command, cli: Cli): void {
  const command = program
    .command('mcp')
    .description(
      'Run an MCP server over standard input and output, to be started by an agent’s configuration. It reads only files in the folder ' +
        'where it is started, and in its subfolders.',
    )
  cli.withDeploymentOptions(cli.withUsageKey(command))
  addExamples(command, ['svc mcp'])
  command.action(() => mcp(command, cli))
}

async function mcp(command: Command, cli: Cli): Promise<void> {
  const { terminal, credentials } = cli
  const at = await cli.deployment(command)
  // The MCP modules are loaded here, so that other commands start faster.
  const [{ AgentSession }, { FolderFiles }, { fetchDocument, makeMcpServer }, { serve }, client] =
    await Promise.all([
      import('../mcp/agent-session.ts'),
      import('../mcp/folder-files.ts'),
      import('../mcp/server.ts'),
      import('../mcp/serve.ts'),
      import('../../client/client.ts'),
    ])
  const session = new AgentSession({
    storedTriggers: async () => {
      try {
        return (await cli.client(command, { token: true })).triggers
      } catch (error) {
        if (error instanceof NoCredentialError) return undefined
        throw error
      }
    },
    withToken: async (token) => {
      const { triggersUrl, known, fetch } = at
      const baseUrl = known.baseUrl ?? triggersUrl
      const urls = { baseUrl, triggersUrl, ...verificationFor(baseUrl, terminal) }
      return client.createClient({ ...urls, token, fetch, signal: terminal.signal }).triggers
    },
    storeToken: (token) =>
      credentials.change((kept) => {
        storedEdgeEntry(kept, at.triggersUrl).token = token
      }),
    random: terminal.random,
  })
  const core = (apiKey: string) => {
    const { baseUrl, fetch } = at
    const verification = verificationFor(baseUrl, terminal)
    return client.createClient({ baseUrl, ...verification, apiKey, fetch, signal: terminal.signal })
  }
  const files = new FolderFiles(terminal.folder)
  const parts = {
    session,
    files,
    usageKeys: { files, environment: terminal.environment, usual: () => cli.usageKey(command) },
    core,
    document: (path: string) => fetchDocument(at, path, terminal.signal),
    label: `svc mcp on ${hostname()}`.slice(0, 64),
  }
  await serve(() => makeMcpServer(parts, at.known.triggersUrl), terminal.input(), terminal)
}
