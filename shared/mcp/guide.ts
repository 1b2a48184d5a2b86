import type { McpServer } from '@modelcontextprotocol/server'

export const GUIDE_PATH = '/SKILL.md'

/** Adds the deployment's guide for agents as a resource. */
export function addGuide(server: McpServer, uri: string, read: () => Promise<string>): void {
  const about = {
    title: 'Guide for agents',
    description:
      'How to write actions, create triggers, verify senders and handle failures at this deployment.',
    mimeType: 'text/markdown',
  }
  server.registerResource('SKILL.md', uri, about, async () => ({
    contents: [{ uri, mimeType: 'text/markdown', text: await read() }],
  }))
}
