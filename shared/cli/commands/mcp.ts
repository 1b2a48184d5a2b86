import { hostname } from 'node:os'
import type { Command } from 'commander'
import type { Cli } from '../cli.ts'
import { storedEdgeEntry } from '../credentials/credentials.ts'
import { verificationFor } from '../deployment.ts'
import type { LocalInputs } from '../../mcp/tool.ts'
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
  const [
    { AgentSession },
    { asToolRejection },
    { FolderFiles },
    { fetchDocument, makeMcpServer },
    { serve },
    { readReferencedUsageKey },
    client,
  ] = await Promise.all([
    import('../mcp/agent-session.ts'),
    import('../mcp/cli-failure.ts'),
    import('../mcp/folder-files.ts'),
    import('../mcp/server.ts'),
    import('../mcp/serve.ts'),
    import('../mcp/usage-keys.ts'),
    import('../../client/client.ts'),
  ])
  const session = new AgentSession({
    storedTriggers: () =>
      asToolRejection(async () => {
        try {
          return (await cli.client(command, { token: true })).triggers
        } catch (error) {
          if (error instanceof NoCredentialError) return undefined
          throw error
        }
      }),
    withToken: (token) =>
      asToolRejection(() => {
        const { triggersUrl, known, fetch } = at
        const baseUrl = known.baseUrl ?? triggersUrl
        const urls = { baseUrl, triggersUrl, ...verificationFor(baseUrl, terminal) }
        return client.createClient({ ...urls, token, fetch, signal: terminal.signal }).triggers
      }),
    storeToken: (token) =>
      credentials.change((kept) => {
        storedEdgeEntry(kept, at.triggersUrl).token = token
      }),
    random: terminal.random,
  })
  const core = (apiKey: string) =>
    asToolRejection(() => {
      const { baseUrl, fetch } = at
      const verification = verificationFor(baseUrl, terminal)
      const { signal } = terminal
      return client.createClient({ baseUrl, ...verification, apiKey, fetch, signal })
    })
  const files = new FolderFiles(terminal.folder)
  const usageKeys = {
    files,
    environment: terminal.environment,
    usual: () => asToolRejection(() => cli.usageKey(command)),
  }
  const local: LocalInputs = {
    source: (file, maxBytes) => files.source(file, maxBytes),
    webhookSecret: (file) => files.webhookSecret(file),
    usageKey: (reference) => readReferencedUsageKey(reference, usageKeys),
  }
  const parts = {
    session,
    local,
    core,
    account: () => asToolRejection(() => cli.client(command, { key: 'account' })),
    document: (path: string) => asToolRejection(() => fetchDocument(at, path, terminal.signal)),
    label: `svc mcp on ${hostname()}`.slice(0, 64),
  }
  await serve(() => makeMcpServer(parts, at.known.triggersUrl), terminal.input(), terminal)
}
