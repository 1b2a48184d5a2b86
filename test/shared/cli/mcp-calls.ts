import type { Client } from '@modelcontextprotocol/client'

/** @returns the structured result of a tool. @throws {Error} with its text if it failed */
export async function called(client: Client, name: string, args: object = {}): Promise<any> {
  const answer = await client.callTool({ name, arguments: args as Record<string, unknown> })
  if (answer.isError) throw new Error(textOf(answer))
  return answer.structuredContent
}

/** @returns the `{error, message, fix}` of a tool that fails */
export async function refusal(client: Client, name: string, args: object = {}): Promise<any> {
  const answer = await client.callTool({ name, arguments: args as Record<string, unknown> })
  if (!answer.isError) throw new Error(`${name} did not fail`)
  return JSON.parse(textOf(answer))
}

function textOf({ content }: { content: unknown }): string {
  return (content as { text: string }[])[0]!.text
}
